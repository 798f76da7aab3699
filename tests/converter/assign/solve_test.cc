#include "converter/assign/solve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

namespace octet::assign {
namespace {

// Units of random times and losses, with borders to neighbours and a few further ones.
Table RandomTable(uint32_t seed, size_t units) {
  std::mt19937 random(seed);
  const auto below = [&random](uint32_t bound) { return static_cast<int64_t>(random() % bound); };
  Table table;
  for (size_t u = 0; u < units; ++u) {
    Unit unit;
    unit.name = std::to_string(u);
    unit.nodes = {u};
    unit.int8_ns = 100 + below(1000);
    unit.fp16_ns = unit.int8_ns * 2 + below(2000) - 300;  // now and then FP16 costs little
    // Multiples of 2^-20, whose sums are exact in any order; some gain nothing.
    unit.loss = below(5) == 0 ? 0 : static_cast<double>(below(1 << 16)) * 0x1p-20;
    if (below(10) == 0) unit.fixed = blob::Precision::kFp16;
    if (below(10) == 0) unit.fixed = blob::Precision::kInt8;
    table.units.push_back(unit);
  }
  for (size_t to = 1; to < units; ++to) {
    table.borders.push_back({to - 1, to, below(300)});
    if (to > 3 && below(3) == 0) {
      table.borders.push_back(
          {static_cast<size_t>(below(static_cast<uint32_t>(to - 1))), to, below(300)});
    }
  }
  return table;
}

Figures BruteForce(const Table& table, int64_t budget_ns) {
  std::optional<Figures> best;
  for (uint32_t mask = 0; mask < uint32_t{1} << table.units.size(); ++mask) {
    Assignment assignment;
    bool allowed = true;
    for (size_t u = 0; u < table.units.size(); ++u) {
      const bool fp16 = (mask >> u & 1) != 0;
      const auto& fixed = table.units[u].fixed;
      allowed = allowed && (!fixed || (*fixed == blob::Precision::kFp16) == fp16);
      assignment.push_back(fp16);
    }
    if (!allowed) continue;
    const Figures figures = Evaluate(table, assignment);
    if (figures.ns > budget_ns) continue;
    if (!best || figures.loss < best->loss ||
        (figures.loss == best->loss && figures.ns < best->ns)) {
      best = figures;
    }
  }
  return *best;
}

TEST(Solve, ExactIsBruteForceWithBordersAndFixedUnits) {
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    const Table table = RandomTable(seed, 1 + seed % 12);
    const int64_t low = Evaluate(table, AllInt8(table)).ns;
    const int64_t high = std::max(low, Evaluate(table, AllFp16(table)).ns);
    for (const int64_t budget : {low, low + (high - low) / 10, low + (high - low) / 2, high}) {
      const Solution exact = SolveExact(table, budget);
      const Figures best = BruteForce(table, budget);
      ASSERT_TRUE(exact.optimal);
      ASSERT_EQ(exact.figures.loss, best.loss) << "seed " << seed << ", budget " << budget;
      ASSERT_EQ(exact.figures.ns, best.ns) << "seed " << seed << ", budget " << budget;
    }
  }
}

TEST(Solve, ExactIsBruteForceOf16Units) {
  const Table table = RandomTable(7, 16);
  const int64_t low = Evaluate(table, AllInt8(table)).ns;
  const Figures best = BruteForce(table, low + low / 4);
  const Solution exact = SolveExact(table, low + low / 4);
  EXPECT_EQ(exact.figures.loss, best.loss);
  EXPECT_EQ(exact.figures.ns, best.ns);
}

TEST(Solve, NoneLeavesTheBudgetOrBeatsExact) {
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    const Table table = RandomTable(seed, 40);
    const Figures low = Evaluate(table, AllInt8(table)), high = Evaluate(table, AllFp16(table));
    const int64_t budget = low.ns + (high.ns - low.ns) / 5;
    const Solution exact = SolveExact(table, budget), greedy = SolveGreedy(table, budget),
                   learned = SolveQLearning(table, budget);
    for (const Solution* solution : {&exact, &greedy, &learned}) {
      EXPECT_LE(solution->figures.ns, budget);
      EXPECT_LE(solution->figures.loss, low.loss);
      EXPECT_GE(solution->figures.loss, exact.figures.loss);
      const Figures again = Evaluate(table, solution->assignment);
      EXPECT_EQ(again.ns, solution->figures.ns);
      for (size_t u = 0; u < table.units.size(); ++u) {
        if (!table.units[u].fixed) continue;
        EXPECT_EQ(solution->assignment[u], *table.units[u].fixed == blob::Precision::kFp16);
      }
    }
    EXPECT_LT(learned.figures.loss, low.loss) << "nothing was learned";
  }
}

TEST(Solve, TheFrontFallsAndHoldsEveryBudgetsOptimum) {
  const Table table = RandomTable(3, 12);
  const int64_t high = 2 * Evaluate(table, AllFp16(table)).ns;
  const std::vector<Solution> front = SolveFront(table, high);
  ASSERT_GT(front.size(), 3u);
  for (size_t i = 1; i < front.size(); ++i) {
    EXPECT_GT(front[i].figures.ns, front[i - 1].figures.ns);
    EXPECT_LT(front[i].figures.loss, front[i - 1].figures.loss);
    EXPECT_EQ(BruteForce(table, front[i].figures.ns - 1).loss, front[i - 1].figures.loss);
  }
}

TEST(Solve, EqualTablesGiveEqualAssignments) {
  Table table;
  for (int u = 0; u < 6; ++u)
    table.units.push_back({"same", {}, 0, 10, 20, 0.25, 0, 0, 0, false, false, {}});
  const Assignment two = SolveExact(table, 80).assignment;
  EXPECT_EQ(std::count(two.begin(), two.end(), true), 2);
  for (int again = 0; again < 3; ++again) {
    EXPECT_EQ(SolveExact(table, 80).assignment, two);
    EXPECT_EQ(SolveGreedy(table, 80).assignment,
              (Assignment{true, true, false, false, false, false}));
    EXPECT_EQ(SolveQLearning(table, 80).assignment, SolveQLearning(table, 80).assignment);
  }
}

TEST(Solve, ABorderKeepsNeighboursTogether) {
  // Alone the second unit pays two borders of 50; with its neighbours none.
  Table table;
  for (int u = 0; u < 3; ++u)
    table.units.push_back({"", {}, 0, 10, 20, 0.1, 0, 0, 0, false, false, {}});
  table.units[1].loss = 0.2;
  table.borders = {{0, 1, 50}, {1, 2, 50}};
  EXPECT_EQ(SolveExact(table, 30 + 30).assignment, (Assignment{true, true, true}));
  EXPECT_EQ(SolveExact(table, 30 + 29).assignment, (Assignment{false, false, false}));
  EXPECT_EQ(SolveGreedy(table, 30 + 30).assignment, (Assignment{false, false, false}));
}

TEST(Solve, WhereOnlyFp16FitsItIsTaken) {
  Table table;
  table.units.push_back({"", {}, 0, 30, 20, 0.1, 0, 0, 0, false, false, {}});
  EXPECT_EQ(SolveExact(table, 25).assignment, Assignment{true});
  EXPECT_EQ(SolveExact(table, 5).assignment, Assignment{false}) << "nothing fits";
  EXPECT_TRUE(SolveFront(table, 5).empty());
  table.units[0].fixed = blob::Precision::kInt8;
  EXPECT_EQ(SolveExact(table, 5).figures.ns, 30);
}

TEST(Solve, ManyUnitsStayBounded) {
  // A chain with borders everywhere: the lists are thinned, the answer is still within the budget.
  const Table table = RandomTable(11, 300);
  const Figures low = Evaluate(table, AllInt8(table));
  const int64_t budget = low.ns + low.ns / 3;
  const Solution exact = SolveExact(table, budget), greedy = SolveGreedy(table, budget);
  EXPECT_LE(exact.figures.ns, budget);
  EXPECT_LT(exact.figures.loss, greedy.figures.loss);
}

}  // namespace
}  // namespace octet::assign
