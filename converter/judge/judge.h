// The judge of a blob: its plans in the runtime against FP32, output by output.
//
// It knows the blob, samples and the graph as imported, before any pass. Nothing is borrowed
// between the two sides: each picks with indices of its own, folds and rounds for itself. What they
// share is import, and the program that prepares samples (docs/verdict.md).
#ifndef OCTET_CONVERTER_JUDGE_JUDGE_H_
#define OCTET_CONVERTER_JUDGE_JUDGE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/images/dataset.h"
#include "converter/judge/discrete.h"
#include "converter/judge/distance.h"
#include "converter/judge/limits.h"
#include "converter/judge/measure/measure.h"
#include "converter/judge/outputs.h"
#include "converter/judge/over_time.h"
#include "converter/judge/runner.h"
#include "converter/judge/trace.h"
#include "converter/support/plan_id.h"

namespace octet::judge {

struct Case {
  const graph::Graph* imported = nullptr;  // shapes inferred
  const uint8_t* blob = nullptr;           // verified, 64-byte aligned
  size_t blob_bytes = 0;
  std::vector<const images::Dataset*> inputs;  // in the blob's order
  std::vector<int64_t> samples;                // of them; a model without inputs: {0}
  // Of a model with states: the samples that begin a sequence. `samples` are then whole beginnings
  // of sequences, in order: both sides run them in closed loop.
  std::set<int64_t> starts;
  // Of `samples`, those whose numbers are compared; the others give answers alone, where a decoder
  // reads them. Nullopt: all.
  std::optional<std::set<int64_t>> numbers;
  // FP32's answers by sample, down to kLeastScore, as AnswersOf gives them: what is there is not
  // made again. Null: nothing.
  const std::map<int64_t, Answer>* answers = nullptr;
  // FP32's outputs by sample, of those whose numbers are compared: used where they are there, and
  // kept. Null: nothing is kept.
  std::map<int64_t, std::vector<std::vector<float>>>* outputs = nullptr;
  Machine machine;
  int threads = 1;
  // Outputs of a sample in place of the FP32 executor's; empty: that.
  std::function<std::vector<std::vector<float>>(int64_t sample)> reference;
  std::function<void(int64_t done, int64_t total)> progress;  // may be empty
  // Every answer, samples in order: contestant 0 is the reference, then plans. May be empty.
  std::function<void(size_t contestant, const Answer& answer)> on_answer;
};

// What varies from sample to sample is a part of the signal: it may be so much nearer to its error.
inline constexpr double kElementsAllowanceDb = 5;

struct OutputFindings {
  Figures whole;
  std::vector<Figures> pieces;  // where there are several, by Output::pieces
  Likeness likeness;            // where the output is no numbers
  Fault fault = Fault::kNone;
  std::string faulty_piece;  // empty: the output as a whole
  std::string first_layer;   // that makes the fault; empty: none was found
  bool by_answer = false;    // judged by what the decoder reads from it
  bool agrees = true;

  // Index into Output::pieces of the piece that is nearest to its error, -1: there is one piece.
  int WorstPiece() const;
};

struct PlanFindings {
  std::string name;  // in the blob
  std::vector<OutputFindings> outputs;
  std::shared_ptr<const Measure> answers;  // null: no task
  double loss = 0;                         // of answers, in their unit
  Interval certain;                        // of that
  OverTime over_time;                      // of a model with states

  bool Is(PlanId plan) const { return name == NameOf(plan); }
  bool Speaks() const { return answers != nullptr && answers->Speaks(); }
  // Certainly more is lost than the limit allows.
  bool LosesMore(const Limits& limits) const {
    return certain.low > answers->LimitOf(limits.losses) || answers->PartsMiss(limits.losses);
  }

  bool Fails() const;
  bool Agrees() const;
  // Index of the output of numbers that stands lowest above its error; of any where none is
  // numbers.
  size_t Worst(const std::vector<Output>& outputs_of) const;
};

struct Findings {
  std::vector<int64_t> samples;  // all that judged
  std::vector<Output> outputs;
  std::vector<PlanFindings> plans;
  blob::Task task = blob::Task::kNone;  // with a decoder; else none
  bool rounds_to_codes = false;         // the file does, so that FP16 is held to the limits of int8

  const PlanFindings* Find(PlanId plan) const;  // null: no such plan
  const Limits& LimitsOf(const PlanFindings& plan) const;
  // Whether a piece's numbers are as near as the plan's limits ask, or differ by steps that nobody
  // tells apart: of the codes that the file rounds them to, or of 8 bits of their natural range (an
  // eighth of that in FP16). A plan in FP16 does not round where the file does: its distance then
  // holds the file's own rounding: only its figure about the mean is held to the limit, of int8.
  bool Reaches(const PlanFindings& plan, const Piece& piece, const Figures& figures) const;
};

// Throws UserError where the blob is not one of this graph, or cannot be run by this program. The
// same for any number of threads.
Findings Judge(const Case& given);

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_JUDGE_H_
