#include "converter/assign/assign.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "converter/assign/head.h"
#include "converter/assign/solve.h"
#include "converter/assign/times.h"
#include "converter/assign/units.h"
#include "converter/lower/lower.h"
#include "converter/quantize/reasons.h"
#include "converter/quantize/requests.h"
#include "converter/support/error.h"

namespace octet::assign {
namespace {

using blob::Precision;

// Points of the front that are measured: the best for these shares of the time that FP16 adds.
constexpr double kFrontShares[] = {0, 1.0 / 64, 1.0 / 32, 1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2, 1};

double Milliseconds(int64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

bool IsSame(const std::optional<quantize::TensorScheme>& a,
            const std::optional<quantize::TensorScheme>& b) {
  if (!a || !b) return !a && !b;
  const auto equal = [](const quantize::ChannelScheme& x, const quantize::ChannelScheme& y) {
    return x.scale == y.scale && x.zero_point == y.zero_point;
  };
  return a->scale == b->scale && a->zero_point == b->zero_point &&
         std::equal(a->channels.begin(), a->channels.end(), b->channels.begin(), b->channels.end(),
                    equal);
}

// Some seconds for nodes of a few elements.
constexpr size_t kMostNodesMeasured = size_t{1} << 21;

class Assigner {
 public:
  Assigner(const Model& model, const Clock& clock, const Settings& settings)
      : model_(model),
        graph_(model.simulator.topology().graph),
        clock_(clock),
        settings_(settings) {}

  Result Run() {
    ChooseSamples();
    result_.time_source = clock_.Source();
    plain_ = AssignWith(model_.int8.precision);
    result_.table = FindUnits(graph_, model_.int8, model_.config);
    SetPlanTimes();
    CheckWork();
    MeasureUnits(model_.simulator, model_.int8, fit_, settings_.measuring, &result_.table);
    Add("int8", AllInt8(result_.table));
    if (settings_.preset == Preset::kBackboneInt8HeadFp16) {
      Add("backbone-int8-head-fp16", HeadInFp16(graph_, result_.table));
    } else if (settings_.preset == Preset::kMixed) {
      Solve();
    }
    AddFront();
    MeasureOnOthers();
    Choose();
    const Budget& budget = settings_.budget;
    if (!budget.ms && !budget.percent && !budget.max_loss) result_.budget_ns.reset();
    return std::move(result_);
  }

 private:
  // Each unit is measured by itself, in all of the graph.
  void CheckWork() const {
    const size_t units = result_.table.units.size();
    if (units * graph_.nodes.size() <= kMostNodesMeasured) return;
    Fail(
        "--mixed: the model has {} layers that may be int8 or FP16 among {} nodes, too many to "
        "measure one by one; remove --mixed, or name FP16 layers in --config",
        units, graph_.nodes.size());
  }

  // Of a set, spread over it.
  std::vector<int64_t> Some(const std::vector<int64_t>& set) const {
    std::vector<int64_t> some;
    const size_t count = std::min(settings_.samples, set.size());
    for (size_t i = 0; i < count; ++i) some.push_back(set[i * set.size() / count]);
    return some;
  }

  void ChooseSamples() {
    const simulate::Samples& sets = model_.samples;
    report_ = Some(sets.report);
    // Too few for three sets: all of them do everything.
    fit_ = sets.fit.empty() ? report_ : Some(sets.fit);
    accept_ = sets.accept.empty() ? report_ : Some(sets.accept);
    result_.fitted = fit_.size();
    result_.reported = report_.size();
  }

  void SetPlanTimes() {
    quantize::Scheme fp16 = model_.int8;
    fp16.precision.assign(graph_.nodes.size(), Precision::kFp16);
    const lower::Program low = lower::Lower(graph_, model_.int8, PlanId::kInt8),
                         high = lower::Lower(graph_, fp16, PlanId::kFp16);
    CheckKnows(clock_, {&low, &high});
    SetTimes(graph_, low, high, clock_, &result_.table);
    result_.int8_ns = clock_.NsOf(low);
    result_.fp16_ns = clock_.NsOf(high);
  }

  std::vector<std::string> Added(const Assignment& assignment) const {
    const auto precision = PrecisionsOf(graph_, model_.int8, result_.table, assignment);
    std::vector<std::string> names;
    for (size_t n = 0; n < precision.size(); ++n) {
      if (precision[n] == Precision::kFp16 && model_.int8.precision[n] == Precision::kInt8) {
        names.push_back(graph_.nodes[n].name);
      }
    }
    return names;
  }

  // As convert would make it of a configuration with these layers.
  quantize::Scheme SchemeOf(const Assignment& assignment) const {
    if (Added(assignment).empty()) return model_.int8;
    quantize::Scheme scheme =
        AssignWith(PrecisionsOf(graph_, model_.int8, result_.table, assignment));
    // Ranges that recovery has chosen stay where the layers in FP16 change nothing of them.
    for (size_t id = 0; id < scheme.tensors.size(); ++id) {
      if (IsSame(scheme.tensors[id], plain_.tensors[id])) {
        scheme.tensors[id] = model_.int8.tensors[id];
      }
    }
    scheme.bias_correction = model_.int8.bias_correction;
    scheme.warnings.clear();
    return scheme;
  }

  // Of the configuration, with every layer in FP16 that runs so, for whatever reason.
  quantize::Scheme AssignWith(const std::vector<Precision>& precision) const {
    quantize::Config config = model_.config;
    for (size_t n = 0; n < precision.size(); ++n) {
      if (precision[n] != Precision::kFp16) continue;
      const auto request = quantize::RequestOf(config, graph_.nodes[n]);
      // What has to be obeyed is not changed by measuring.
      if (request && request->constraint == quantize::Constraint::kObey) continue;
      config.measured.push_back({.node = n, .reason = quantize::Reason::kAssigned});
    }
    return quantize::AssignScheme(graph_, model_.statistics, config);
  }

  Candidate Make(const std::string& name, const Assignment& assignment) {
    Candidate candidate;
    candidate.name = name;
    candidate.assignment = assignment;
    candidate.table = Evaluate(result_.table, assignment);
    auto& scheme = schemes_[assignment];
    if (scheme.precision.empty()) scheme = SchemeOf(assignment);
    candidate.plan_ns = clock_.NsOf(lower::Lower(graph_, scheme, PlanId::kMixed));
    return candidate;
  }

  void Add(const std::string& name, const Assignment& assignment) {
    result_.candidates.push_back(Make(name, assignment));
  }

  // Those that may be chosen: all, or where nothing limits them the sensitive ones.
  Table Choosable() const {
    Table table = result_.table;
    const Budget& budget = settings_.budget;
    if (budget.ms || budget.percent || budget.max_loss) return table;
    for (Unit& unit : table.units) {
      if (!unit.fixed && !unit.sensitive) unit.fixed = Precision::kInt8;
    }
    return table;
  }

  // Time that the table does not know: of what only moves values.
  int64_t Rest() const {
    return result_.int8_ns - Evaluate(result_.table, AllInt8(result_.table)).ns;
  }

  int64_t BudgetOf(const Table& table) const {
    const Budget& budget = settings_.budget;
    if (budget.ms) {
      const int64_t ns = std::llround(*budget.ms * 1e6);
      if (ns >= result_.int8_ns) return ns;
      Fail(
          "a budget of {} ms is less than the {:.3f} ms of the int8 plan ({}); give a larger "
          "budget, or a smaller model",
          *budget.ms, Milliseconds(result_.int8_ns), clock_.Source());
    }
    if (budget.percent) {
      return result_.int8_ns +
             std::llround(static_cast<double>(result_.int8_ns) * *budget.percent / 100);
    }
    const int64_t all = Evaluate(table, AllFp16(table)).ns;
    if (!budget.max_loss) return all + Rest();
    const int64_t slowest = std::max(all, Evaluate(table, AllInt8(table)).ns);
    for (const Solution& solution : SolveFront(table, slowest)) {
      if (solution.figures.loss <= *budget.max_loss) return solution.figures.ns + Rest();
    }
    Fail(
        "--budget-loss {}: layers that can only run in int8 lose {:.3g}; give a budget of at least "
        "that",
        *budget.max_loss, Evaluate(table, AllFp16(table)).loss);
  }

  template <typename F>
  void SolveWith(const std::string& name, const Table& table, const F& solver) {
    // Conversions around what only moves values are not in the table: where they would break the
    // budget, it is asked for so much less.
    constexpr int kAttempts = 8;
    int64_t budget = *result_.budget_ns - Rest();
    Candidate candidate;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const Solution solution = solver(table, budget);
      if (name == "exact") result_.optimal = solution.optimal;
      candidate = Make(name, solution.assignment);
      const int64_t excess = candidate.plan_ns - *result_.budget_ns;
      if (excess <= 0 || !Limited()) break;
      if (attempt + 1 == kAttempts) {
        candidate = Make(name, AllInt8(result_.table));
        break;
      }
      budget = std::min(budget, solution.figures.ns) - excess;
    }
    result_.candidates.push_back(std::move(candidate));
  }

  // By time, so that a plan above it is refused.
  bool Limited() const { return settings_.budget.ms || settings_.budget.percent; }

  void Solve() {
    const Table table = Choosable();
    result_.budget_ns = BudgetOf(table);
    SolveWith("exact", table, SolveExact);
    SolveWith("greedy", table, SolveGreedy);
    SolveWith("qlearning", table, SolveQLearning);
  }

  void AddFront() {
    const Table& table = result_.table;
    const int64_t low = Evaluate(table, AllInt8(table)).ns;
    const int64_t high = std::max(low, Evaluate(table, AllFp16(table)).ns);
    const std::vector<Solution> front = SolveFront(table, high);
    for (const double share : kFrontShares) {
      const auto budget = low + std::llround(share * static_cast<double>(high - low));
      const Solution* best = nullptr;
      for (const Solution& solution : front) {
        if (solution.figures.ns <= budget) best = &solution;
      }
      if (best == nullptr) continue;
      if (!result_.front.empty() && result_.front.back().assignment == best->assignment) continue;
      result_.front.push_back(Make("front", best->assignment));
    }
  }

  void MeasureOnOthers() {
    std::vector<quantize::Scheme> schemes;
    std::map<Assignment, size_t> place;
    for (const auto& [assignment, scheme] : schemes_) {
      place[assignment] = schemes.size();
      schemes.push_back(scheme);
    }
    std::vector<int64_t> samples = accept_;
    samples.insert(samples.end(), report_.begin(), report_.end());
    const auto compared =
        model_.simulator.Compare(model_.int8, schemes, samples, settings_.judging);
    for (auto* list : {&result_.candidates, &result_.front}) {
      for (Candidate& candidate : *list) {
        simulate::Scores told = compared.variants[place.at(candidate.assignment)];
        simulate::Scores decided = told;
        const auto border = static_cast<int64_t>(accept_.size());
        decided.pictures.erase(decided.pictures.begin() + border, decided.pictures.end());
        told.pictures.erase(told.pictures.begin(), told.pictures.begin() + border);
        candidate.accepted = MeanOf(LossesOf(decided)).value;
        candidate.measured = MeanOf(LossesOf(told));
        candidate.agreement = told.Agreement();
      }
    }
  }

  // The table is not the model: a point of the front that takes no longer may lose less than what
  // the solvers make of the whole budget. The best of those is a candidate, too.
  void AddFromFront() {
    auto& all = result_.candidates;
    int64_t most_ns = 0;
    double least = std::numeric_limits<double>::infinity();
    for (const Candidate& candidate : all) {
      most_ns = std::max(most_ns, candidate.plan_ns);
      least = std::min(least, candidate.accepted);
    }
    const Candidate* best = nullptr;
    for (const Candidate& point : result_.front) {
      if (point.plan_ns > most_ns || point.accepted >= least) continue;
      least = point.accepted;
      best = &point;
    }
    if (best != nullptr) all.push_back(*best);
  }

  void Choose() {
    static constexpr const char* kNames[] = {"", "exact", "greedy", "qlearning"};
    const char* wanted = kNames[static_cast<size_t>(settings_.solver)];
    auto& all = result_.candidates;
    // int8 is the fallback: nothing that loses more than it is ever chosen by itself.
    const bool by_loss = settings_.preset == Preset::kMixed && settings_.solver == Solver::kBest;
    if (by_loss) AddFromFront();
    for (size_t i = 1; i < all.size(); ++i) {
      const Candidate &a = all[i], &b = all[result_.chosen];
      const bool better =
          by_loss ? a.accepted < b.accepted || (a.accepted == b.accepted && a.plan_ns < b.plan_ns)
                  : settings_.preset != Preset::kMixed || a.name == wanted;
      if (better) result_.chosen = i;
    }
    const Candidate& chosen = all[result_.chosen];
    result_.scheme = schemes_.at(chosen.assignment);
    result_.fp16 = Added(chosen.assignment);
  }

  const Model& model_;
  const graph::Graph& graph_;
  const Clock& clock_;
  const Settings& settings_;
  std::vector<int64_t> fit_, accept_, report_;
  quantize::Scheme plain_;  // the int8 plan's before recovery
  std::map<Assignment, quantize::Scheme> schemes_;
  Result result_;
};

}  // namespace

Result Assign(const Model& model, const Clock& clock, const Settings& settings) {
  return Assigner(model, clock, settings).Run();
}

}  // namespace octet::assign
