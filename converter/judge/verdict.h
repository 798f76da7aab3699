// What convert says of a blob at the end: what the judge found of each plan, and what the search
// for precisions weighed.
#ifndef OCTET_CONVERTER_JUDGE_VERDICT_H_
#define OCTET_CONVERTER_JUDGE_VERDICT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "converter/judge/judge.h"

namespace octet::judge {

// Fewer samples are too few to judge by: one answer in so many that goes wrong is seen as often as
// not.
inline constexpr int64_t kFewPictures = 8;

// Of --require: the least that the verdict must say.
struct Requirement {
  double least = 0;
  bool in_db = false;  // of the worst output; else the agreement in percent
};
// "20dB", "95%" or "95"; throws UserError for anything else.
Requirement ReadRequirement(const std::string& word);

// Layers that the search (convert/search) weighed for FP16, and what came of it.
struct Proposal {
  std::string name;              // "arithmetic tail", "noisiest 4 layers"
  size_t nodes = 0;              // how many it moves
  double before = 0, after = 0;  // loss of the plan without and with it, in the unit of `unit`
  Interval gain;                 // 95 % certain, of before - after
  double time_share = 0;         // of the plan's time that it adds
  bool kept = false;
  std::string why;  // it was kept, or not
};

std::vector<std::string> NamesOf(const std::vector<Output>& outputs);

// Of an output of a plan: all that was measured.
nlohmann::json OutputJson(const Output& output, const OutputFindings& found);

// Two plans of two halves of the calibration samples (convert/halves.h).
struct Halves {
  bool disagree = false;
  std::string words;  // what disagrees, in a line
  nlohmann::json facts;
};

// A layer that adds noise to what it reads, and why.
struct NoisyLayer {
  std::string name, op, cause;
  double added = 0;  // share of its signal
};

struct Verdict {
  Findings findings;                 // no samples: nothing is known
  int64_t unseen = 0;                // of the samples, those that calibration has not seen
  std::string decoder;               // that read the outputs without being named; empty: none
  bool random = false;               // the samples, and what ranges come from, are random data
  bool alike = false;                // the samples are all the same
  std::vector<std::string> notes;    // what the choice of precisions gained and cost, in lines
  std::vector<std::string> removed;  // plans that fail and are not in the blob
  std::vector<Proposal> proposals;   // in the order in which they were weighed
  std::string unit;                  // of their losses, with its space
  std::vector<NoisyLayer> noisy;     // the worst layers of an int8 plan that is in doubt
  std::optional<Halves> halves;      // where they were compared

  int64_t pictures() const { return static_cast<int64_t>(findings.samples.size()); }
  const PlanFindings* int8() const { return findings.Find(PlanId::kInt8); }
  // Whether the answers of the int8 plan have a meaning and say something.
  bool Speaks() const;
  // Whether these are boxes, and fewer than can be judged by.
  bool HasFewBoxes() const;
  // In percent, as `octet verify` counts: the first class, F1 of sure boxes, mean IoU.
  double Agreement() const;
  // Of the worst output of a plan; none: there is no such plan, or nothing is known.
  std::optional<double> SnrDb(PlanId plan) const;
  // The figure that decides, what it may be, and how certain it is. None: nothing is known.
  struct Deciding {
    std::string name;
    double value = 0, limit = 0;
    Interval certain;
  };
  std::optional<Deciding> Decides() const;
  // Below what `octet verify` lets an int8 plan lose.
  bool IsDoubtful() const;
  bool Meets(const Requirement& requirement) const;

  std::string Summary() const;  // one line
  std::string Basis() const;    // which samples judged
  // One for each plan that fails.
  std::vector<std::string> FaultLines() const;
  // Summary, faults, and what was tried, layer by layer.
  std::vector<std::string> Lines() const;
  nlohmann::json Json() const;
};

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_VERDICT_H_
