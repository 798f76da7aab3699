// What convert says of the int8 plan at the end: how far it agrees with FP32, in the task's own
// words, where it loses most, why, and what mends it.
#ifndef OCTET_CONVERTER_CLI_VERDICT_H_
#define OCTET_CONVERTER_CLI_VERDICT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "converter/analyze/analyze.h"
#include "converter/cli/agreement.h"
#include "converter/cli/task_judge.h"
#include "converter/simulate/samples.h"
#include "converter/simulate/simulator.h"

namespace octet::cli {

// Of --require: the least that the verdict must say.
struct Requirement {
  double least = 0;
  bool in_db = false;  // of the worst output; else the agreement in percent
};
// "20dB", "95%" or "95"; throws UserError for anything else.
Requirement ReadRequirement(const std::string& word);

struct Verdict {
  int64_t pictures = 0;   // simulated
  bool held_out = false;  // nothing was found from them or decided by them
  // The output that stands lowest above its error.
  std::string output;
  double output_db = 0, output_cosine = 1;
  // Where outputs have a meaning.
  blob::Task task = blob::Task::kNone;
  AnswerAgreement answers;

  struct Layer {
    std::string name, op, cause, remedy;
    double added = 0;  // share of noise that it adds to what it reads
  };
  std::vector<Layer> layers;  // at most three, worst first; those that add next to nothing left out

  bool Speaks() const { return task != blob::Task::kNone && answers.Speaks(task); }
  // In percent, as `octet verify` counts: the first class, F1 of sure boxes, mean IoU.
  double Agreement() const;
  // Below what `octet verify` lets an int8 plan lose.
  bool IsDoubtful() const;
  bool Meets(const Requirement& requirement) const;

  std::string Summary() const;             // one line
  std::vector<std::string> Lines() const;  // that, and one for each layer
  nlohmann::json Json() const;
};

// config: what the scheme was made by; analysis: of samples.report. judge: of the simulator,
// or null. It is told to count.
Verdict Judged(const simulate::Simulator& simulator, const simulate::Samples& samples,
               const quantize::Config& config, const quantize::Scheme& scheme,
               const analyze::Analysis& analysis, TaskJudge* judge);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_VERDICT_H_
