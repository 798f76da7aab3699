#include <optional>

#include "converter/assign/solve.h"

namespace octet::assign {
namespace {

// Loss taken away per nanosecond added; what adds none comes before all that does.
struct Gain {
  double less = 0;
  int64_t ns = 0;
};

bool Better(const Gain& a, const Gain& b) {
  if (a.ns <= 0 || b.ns <= 0) return a.ns <= 0 && (b.ns > 0 || a.less > b.less);
  return a.less * static_cast<double>(b.ns) > b.less * static_cast<double>(a.ns);
}

}  // namespace

Solution SolveGreedy(const Table& table, int64_t budget_ns) {
  Solution solution{AllInt8(table), {}, false};
  solution.figures = Evaluate(table, solution.assignment);
  for (;;) {
    std::optional<size_t> best;
    Gain gain;
    Figures then;
    for (size_t u = 0; u < table.units.size(); ++u) {
      if (solution.assignment[u] || table.units[u].fixed) continue;
      solution.assignment[u] = true;
      const Figures figures = Evaluate(table, solution.assignment);
      solution.assignment[u] = false;
      const Gain own{solution.figures.loss - figures.loss, figures.ns - solution.figures.ns};
      if (figures.ns > budget_ns || own.less <= 0 || (best && !Better(own, gain))) continue;
      best = u;
      gain = own;
      then = figures;
    }
    if (!best) return solution;
    solution.assignment[*best] = true;
    solution.figures = then;
  }
}

}  // namespace octet::assign
