// Which units the assignment with an FP16 head takes.
#include "converter/assign/head.h"

#include <gtest/gtest.h>

#include "tests/converter/assign/assign_support.h"

namespace octet::assign {
namespace {

// A unit for each node, in order, each read by the next one where `chain`.
Table TableOf(const graph::Graph& graph, bool chain) {
  Table table;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    Unit& unit = table.units.emplace_back();
    unit.nodes = {n};
    unit.macs = graph.nodes[n].op == "Conv" ? 10 : 0;
    if (chain && n > 0) table.borders.push_back({.from = n - 1, .to = n});
  }
  return table;
}

TEST(HeadInFp16, BranchesThatLeadToSomeOutputs) {
  Network net;
  const graph::ValueId trunk = net.Conv("trunk", net.graph.inputs[0]);
  const graph::ValueId boxes = net.Conv("boxes", trunk), scores = net.Conv("scores", trunk);
  net.graph.outputs = {boxes, scores};
  Table table = TableOf(net.graph, false);
  EXPECT_EQ(HeadInFp16(net.graph, table), (Assignment{false, true, true}));
  // What is not to be chosen stays as it is.
  table.units[0].fixed = blob::Precision::kFp16;
  table.units[1].fixed = blob::Precision::kInt8;
  EXPECT_EQ(HeadInFp16(net.graph, table), (Assignment{true, false, true}));
}

TEST(HeadInFp16, TheLastLayersWhereEveryUnitLeadsToAll) {
  Network net;
  const graph::ValueId first = net.Conv("first", net.graph.inputs[0]);
  const graph::ValueId last = net.Conv("last", first);
  net.graph.outputs = {net.Op("Relu", "relu", {last})};
  Table table = TableOf(net.graph, true);
  EXPECT_EQ(HeadInFp16(net.graph, table), (Assignment{false, true, true}));
  table.units[1].fixed = blob::Precision::kInt8;
  EXPECT_EQ(HeadInFp16(net.graph, table), (Assignment{false, false, true}));
}

}  // namespace
}  // namespace octet::assign
