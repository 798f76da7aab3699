// Three ways from a table to an assignment of least loss whose time stays within a budget. All are
// deterministic: equal tables give equal assignments, on every machine.
#ifndef OCTET_CONVERTER_ASSIGN_SOLVE_H_
#define OCTET_CONVERTER_ASSIGN_SOLVE_H_

#include <cstdint>
#include <vector>

#include "converter/assign/table.h"

namespace octet::assign {

struct Solution {
  Assignment assignment;
  Figures figures;      // of the table
  bool optimal = true;  // proven; false where a list had to be thinned
};

// Every assignment that no other beats in both time and loss, the fastest first; each one loses
// less than the one before it. Only those up to `most_ns`; none where nothing is that fast.
//
// A knapsack with borders: the dynamic program over (time, loss) of Nemhauser and Ullmann
// ("Discrete dynamic programming and capital allocation", Management Science 15, 1969), one list
// of undominated pairs for each combination of the units that borders to later units hang on.
// Times are not rounded, so the lists are exact. Beyond kMostStates combinations or kMostEntries
// entries, the least promising go and `optimal` is false: what is left are real assignments all
// the same.
inline constexpr size_t kMostStates = 1024, kMostEntries = size_t{1} << 15;
std::vector<Solution> SolveFront(const Table& table, int64_t most_ns);

// The one of least loss within the budget; of equals the faster. The same program, that drops what
// cannot beat the greedy solution by a linear bound on what is still to come. Where nothing fits,
// all int8.
Solution SolveExact(const Table& table, int64_t budget_ns);

// From all int8, again and again the unit that loses less by most per nanosecond it adds (those
// that cost no time first), while one fits. `optimal` is false.
Solution SolveGreedy(const Table& table, int64_t budget_ns);

// Tabular Q-learning (Watkins, Dayan: "Q-learning", Machine Learning 8, 1992): units one after
// another; a state is a unit and how much of the budget is used, in steps; the reward of a choice
// is 0.6 x what it gains in accuracy less 0.4 x what it adds in latency, each as a share of what
// all units in FP16 would. `optimal` is false: its aim is the reward, its result whatever it
// learned within its episodes.
Solution SolveQLearning(const Table& table, int64_t budget_ns);

}  // namespace octet::assign

#endif  // OCTET_CONVERTER_ASSIGN_SOLVE_H_
