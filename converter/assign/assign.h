// Precision assignment: which layers of the int8 plan run in FP16, for a budget of time or of loss.
//
//   units and times (units.h, times.h) -> losses on samples that fit (sensitivity.h) -> three
//   solvers at one budget (solve.h) -> each one's plan is simulated on samples that accept, and
//   the best is taken -> what all of them lose is told of samples that report.
//
// The table says what an assignment should lose, samples that it was not made from say what it
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
#include "converter/simulate/samples.h"
#include "converter/simulate/simulator.h"

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
  // Of measuring units and of judging assignments; may be empty.
  simulate::Simulator::Progress measuring, judging;
  size_t samples = 8;  // of each of the three sets, at most
};

struct Candidate {
  std::string name;  // "int8", "exact", "greedy", "qlearning", or the preset
  Assignment assignment;
  Figures table;         // what the table expects
  int64_t plan_ns = 0;   // of its plan, layer by layer, conversions included
  double accepted = 0;   // loss on the samples that decide
  Mean measured;         // loss on those kept apart from every decision
  double agreement = 1;  // with FP32 there, by what the outputs mean; 1 where nothing is said
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
  size_t fitted = 0, reported = 0;    // samples
};

// What the pipeline has when it has made the int8 plan.
struct Model {
  const simulate::Simulator& simulator;
  const simulate::Samples& samples;
  const std::vector<std::optional<calibrate::Statistics>>& statistics;
  const quantize::Config& config;
  const quantize::Scheme& int8;
};

// UserError where no assignment meets the budget.
Result Assign(const Model& model, const Clock& clock, const Settings& settings);

}  // namespace octet::assign

#endif  // OCTET_CONVERTER_ASSIGN_ASSIGN_H_
