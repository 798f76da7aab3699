// Precision assignment: which layers of the int8 plan run in FP16, for a budget of time or of loss.
//
//   units and times (units.h, times.h) -> losses on some samples (sensitivity.h) -> three solvers
//   at one budget (solve.h) -> each one's plan is simulated on other samples; the best is taken.
//
// The table says what an assignment should lose, the samples that it was not made from say what it
// does. Deterministic; independent of the number of threads.
#ifndef OCTET_CONVERTER_ASSIGN_ASSIGN_H_
#define OCTET_CONVERTER_ASSIGN_ASSIGN_H_

#include <optional>
#include <string>
#include <vector>

#include "converter/assign/clock.h"
#include "converter/assign/sensitivity.h"
#include "converter/assign/table.h"
#include "converter/calibrate/calibrate.h"
#include "converter/quantize/scheme.h"

namespace octet::assign {

enum class Solver : uint8_t { kBest, kExact, kGreedy, kQLearning };
enum class Preset : uint8_t {
  kMixed,                 // what the solvers choose
  kInt8,                  // nothing in FP16 that can run in int8
  kBackboneInt8HeadFp16,  // head.h
};

// At most one of the three; none: only units that are sensitive by their loss may run in FP16, and
// all of them do.
struct Budget {
  std::optional<double> ms;        // of a frame
  std::optional<double> percent;   // more time than all int8
  std::optional<double> max_loss;  // of the outputs, as the table adds it up; the fastest wins
};

struct Settings {
  Budget budget;
  Solver solver = Solver::kBest;
  Preset preset = Preset::kMixed;
  MeasureOptions measure;
  // Samples that losses are measured on, and as many others that assignments are judged on.
  int64_t samples = 8;
};

struct Candidate {
  std::string name;  // "int8", "exact", "greedy", "qlearning", or the preset
  Assignment assignment;
  Figures table;        // what the table expects
  int64_t plan_ns = 0;  // of its plan, layer by layer, conversions included
  Mean measured;        // loss on the samples kept apart
};

struct Result {
  Table table;
  std::string time_source;
  int64_t int8_ns = 0, fp16_ns = 0;  // of the int8 plan as it would be, and of the FP16 plan
  std::optional<int64_t> budget_ns;
  bool optimal = true;                // the exact solver's answer is proven
  std::vector<Candidate> candidates;  // int8 first
  size_t chosen = 0;                  // of the candidates
  std::vector<Candidate> front;       // least time first, measured too
  quantize::Scheme scheme;            // of the chosen one
  std::vector<std::string> fp16;      // nodes it adds to those that ran in FP16 anyway
  int64_t fitted = 0, judged = 0;     // samples
};

// What the pipeline has when it has made the int8 plan.
struct Model {
  const graph::Graph& graph;
  const std::vector<std::optional<calibrate::Statistics>>& statistics;
  const quantize::Config& config;
  const quantize::Scheme& int8;
  const std::vector<const images::Dataset*>& inputs;
};

// UserError where no assignment meets the budget.
Result Assign(const Model& model, const Clock& clock, const Settings& settings);

// `config` with these nodes in FP16 as well.
quantize::Config WithFp16(const quantize::Config& config, const std::vector<std::string>& nodes);

}  // namespace octet::assign

#endif  // OCTET_CONVERTER_ASSIGN_ASSIGN_H_
