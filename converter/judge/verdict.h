// What convert says of a blob at the end: what the judge found of each plan, and what was tried
// where the int8 plan is in doubt.
#ifndef OCTET_CONVERTER_JUDGE_VERDICT_H_
#define OCTET_CONVERTER_JUDGE_VERDICT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "converter/judge/halves.h"
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

// Layers that were put into FP16, and what the judge then found of the int8 plan: tried, not
// guessed.
struct Advice {
  struct Layer {
    std::string name, op, cause;
    double added = 0;  // share of noise that it adds to what it reads
  };
  std::vector<Layer> layers;
  std::string output;
  double before_db = 0, after_db = 0;  // of that output, on the verdict's samples

  double GainDb() const { return after_db - before_db; }
  // As --config takes it.
  std::string Config() const;
};

// Of an output of a plan: all that was measured.
nlohmann::json OutputJson(const Output& output, const OutputFindings& found);

struct Verdict {
  Findings findings;                     // no samples: nothing is known
  bool seen = false;                     // ranges have seen the samples
  bool random = false;                   // the samples, and what ranges come from, are random data
  bool alike = false;                    // the samples are all the same
  std::vector<std::string> notes;        // what the choice of precisions gained and cost, in lines
  std::vector<std::string> removed;      // plans that fail and are not in the blob
  bool tried = false;                    // whether advice was looked for
  std::optional<HalvesFindings> halves;  // where they were compared
  std::optional<Advice> advice;          // what gained most of what was tried; none: nothing gained

  int64_t pictures() const { return static_cast<int64_t>(findings.samples.size()); }
  const PlanFindings* int8() const { return findings.Find("int8"); }
  // Whether the answers of the int8 plan have a meaning and say something.
  bool Speaks() const;
  // Whether these are boxes, and fewer than can be judged by.
  bool HasFewBoxes() const;
  // In percent, as `octet verify` counts: the first class, F1 of sure boxes, mean IoU.
  double Agreement() const;
  // Of the worst output of a plan; none: there is no such plan, or nothing is known.
  std::optional<double> SnrDb(const std::string& plan) const;
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
