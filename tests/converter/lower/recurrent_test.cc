// What a layer of a cell counts, as `octet inspect` and the clocks take it.
#include <gtest/gtest.h>

#include "tests/converter/lower/convert_in_process.h"

namespace octet::test {
namespace {

TEST(Recurrent, CountsItsWeightsAndProducts) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("x", {5, 1, 3});
  const OnnxValue w = model.Random("w", {1, 4, 3}, 1), r = model.Random("r", {1, 4, 4}, 1);
  x.Op("RNN", {{"hidden_size", Int(4)}}, {w.name(), r.name()}).Output("y");
  const Converted converted = ConvertInProcess(model, 1, 4);
  for (const write::Plan& plan : converted.plans) {
    size_t cells = 0;
    for (const lower::Layer& layer : plan.program.layers) {
      if (layer.op != blob::Op::kRecurrent) continue;
      ++cells;
      EXPECT_EQ(layer.weight_count, 4u * 3 + 4 * 4);
      EXPECT_EQ(layer.macs, 5u * (4 * 3 + 4 * 4));
    }
    EXPECT_EQ(cells, 1u);
  }
}

}  // namespace
}  // namespace octet::test
