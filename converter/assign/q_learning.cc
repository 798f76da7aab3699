#include <algorithm>
#include <array>
#include <cmath>

#include "converter/assign/solve.h"
#include "converter/support/random.h"

namespace octet::assign {
namespace {

constexpr double kAccuracyWeight = 0.6, kLatencyWeight = 0.4;  // of the reward (row C12)
// How finely the used part of the budget is told. With some 60 units each state is then met some
// ten times in the episodes below.
constexpr size_t kBudgetSteps = 32;
constexpr int kEpisodes = 4000;
// Of each new experience; the problem is deterministic but for the unseen remainder of the budget,
// so that it may be large.
constexpr double kLearningRate = 0.2;
// Chance of a random choice: all at the beginning, nearly none at the end.
constexpr double kFirstExploration = 1, kLastExploration = 0.02;

class Learner {
 public:
  Learner(const Table& table, int64_t budget_ns)
      : table_(table), budget_ns_(budget_ns), q_(table.units.size() + 1) {
    const Figures low = Evaluate(table, AllInt8(table)), high = Evaluate(table, AllFp16(table));
    base_ns_ = low.ns;
    all_loss_ = std::max(low.loss - high.loss, 1e-300);
    all_ns_ = std::max<double>(1, static_cast<double>(high.ns - low.ns));
    for (auto& of_unit : q_) of_unit.assign(kBudgetSteps, {0, 0});
  }

  Solution Run() {
    for (int episode = 0; episode < kEpisodes; ++episode) {
      const double progress = static_cast<double>(episode) / kEpisodes;
      Walk(kFirstExploration + (kLastExploration - kFirstExploration) * progress, true);
    }
    const Assignment learned = Walk(0, false);
    return {learned, Evaluate(table_, learned), false};
  }

 private:
  size_t StepOf(int64_t ns) const {
    const double all = std::max<double>(1, static_cast<double>(budget_ns_ - base_ns_));
    const double used = static_cast<double>(ns - base_ns_) / all * kBudgetSteps;
    return static_cast<size_t>(std::clamp(used, 0.0, static_cast<double>(kBudgetSteps - 1)));
  }

  // The unit's time in FP16 above int8, with what its borders change.
  int64_t AddedNs(size_t u, Assignment* assignment) const {
    const int64_t before = Evaluate(table_, *assignment).ns;
    (*assignment)[u] = true;
    const int64_t after = Evaluate(table_, *assignment).ns;
    (*assignment)[u] = false;
    return after - before;
  }

  Assignment Walk(double exploration, bool learn) {
    Assignment assignment = AllInt8(table_);
    int64_t ns = base_ns_;
    for (size_t u = 0; u < table_.units.size(); ++u) {
      const Unit& unit = table_.units[u];
      if (unit.fixed) continue;
      const int64_t added = AddedNs(u, &assignment);
      auto& q = q_[u][StepOf(ns)];
      bool fp16 = q[1] > q[0];
      if (exploration > 0 && random_.Unit() < exploration) fp16 = random_.Unit() < 0.5;
      fp16 = fp16 && ns + added <= budget_ns_;
      const double reward = !fp16 ? 0
                                  : kAccuracyWeight * unit.loss / all_loss_ -
                                        kLatencyWeight * static_cast<double>(added) / all_ns_;
      assignment[u] = fp16;
      if (fp16) ns += added;
      if (!learn) continue;
      const size_t next = NextChoice(u);
      const auto& then = q_[next][StepOf(ns)];
      const double value = next == table_.units.size() ? 0 : std::max(then[0], then[1]);
      q[fp16 ? 1 : 0] += kLearningRate * (reward + value - q[fp16 ? 1 : 0]);
    }
    return assignment;
  }

  size_t NextChoice(size_t u) const {
    do ++u;
    while (u < table_.units.size() && table_.units[u].fixed);
    return u;
  }

  const Table& table_;
  int64_t budget_ns_, base_ns_ = 0;
  double all_loss_ = 1, all_ns_ = 1;
  std::vector<std::vector<std::array<double, 2>>> q_;  // by unit and step: int8, FP16
  Random random_{1};
};

}  // namespace

Solution SolveQLearning(const Table& table, int64_t budget_ns) {
  return Learner(table, budget_ns).Run();
}

}  // namespace octet::assign
