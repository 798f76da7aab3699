// Runs the passes one by one, as Canonicalise does, and the late ones behind them, and compares
// what the graph means before and after each of them. Late ones are asked for everything: factors
// around all layers, and out of each value that may have any constant another one than it has.
//
// Rule. Each output: within 1e-5 of its range, and to the bit behind a pass that only moves data.
// Where a folded constant moves a value across a rounding tie: at most max(2, 0.1 %) of the
// elements of a value that rounds differ, by one step where it has steps; that value is then taken
// as it was before, so that each pass answers for the first such value behind it and not for what
// follows.
#ifndef OCTET_TESTS_CONVERTER_ORACLE_ORACLE_H_
#define OCTET_TESTS_CONVERTER_ORACLE_ORACLE_H_

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/passes/late_passes.h"
#include "converter/passes/passes.h"
#include "tests/converter/oracle/interpreter.h"

namespace octet::test {

struct Finding {
  std::string pass;  // "" where no pass is to blame: the interpretation failed at the start
  std::string text;
};

struct Judgement {
  std::vector<Finding> findings;     // the first of each pass
  std::map<std::string, int> fired;  // pass -> rewrites
  std::string refused;               // the message of a UserError that ended the passes
  int ties = 0;                      // elements that crossed a rounding tie
};

// Passes that change no number: names of passes.inc.
bool OnlyMovesData(std::string_view pass);

// `samples`: inputs in the order of graph.inputs, as the file takes them. `passes` and `late` are
// run in the place of the converter's own, in the same way.
Judgement Judge(graph::Graph graph, const std::vector<std::vector<TensorPtr>>& samples,
                std::span<const passes::Pass> passes = passes::AllPasses(),
                std::span<const passes::LatePass> late = passes::LatePasses());

// Samples for a graph, uniform in [-3, 3) where float, over all codes where 8 bits wide, and small
// whole numbers elsewhere.
std::vector<std::vector<TensorPtr>> RandomSamples(const graph::Graph& graph, unsigned seed,
                                                  int count);

}  // namespace octet::test

#endif  // OCTET_TESTS_CONVERTER_ORACLE_ORACLE_H_
