#include "converter/recover/adaptive_rounding.h"

#include <gtest/gtest.h>

#include "converter/lower/coded_weights.h"
#include "converter/recover/layer_record.h"
#include "tests/converter/recover/coarse_layers.h"

namespace octet::recover {
namespace {

TEST(AdaptRounding, StartsFromTheSchemesCodes) {
  CoarseCase one;
  // Codes that nobody would choose, so far off that a step more does not mend them.
  auto wrong = std::make_shared<quantize::RoundedWeights>();
  const auto coded = lower::WeightCoder(one.graph, one.scheme).Of(0);
  wrong->scales = coded->scales;
  wrong->values = coded->weights.floats;
  wrong->values[5] += 20 * coded->scales[0];
  one.scheme.weights.resize(one.graph.nodes.size());
  one.scheme.weights[0] = wrong;
  quantize::Scheme rounded = one.scheme;
  AdaptRounding(simulate::Simulator(one.graph, {&one.pictures}, {}), one.samples, 48, {}, &rounded);
  EXPECT_NEAR(rounded.weights[0]->values[5], wrong->values[5], 1.01 * coded->scales[0]);
}

TEST(PlanSearch, BoundsTheWork) {
  EXPECT_EQ(PlanSearch({}).layers, 0u);
  const SearchPlan small = PlanSearch({100, 2000});
  EXPECT_EQ(small.layers, 2u);
  // Twenty million weights take fewer steps than a few, a thousand million are too many: the
  // smallest of them are searched.
  const SearchPlan large = PlanSearch({10'000'000, 10'000'000});
  EXPECT_EQ(large.layers, 2u);
  EXPECT_LT(large.steps, small.steps);
  const SearchPlan huge = PlanSearch({1000, 1'000'000, 1'000'000'000});
  EXPECT_EQ(huge.layers, 2u);
  EXPECT_EQ(huge.steps, small.steps);
}

TEST(LayerRecord, HoldsWhatThePositionsShow) {
  const graph::Graph graph = Layers();
  const LayerShape shape = *ShapeOfLayer(graph, 0);
  LayerRecord record(shape, 1000, 2);
  EXPECT_EQ(record.rows(), 2u * 9);  // all there are
  Tensor input = CoarsePictures().Load(0), result = Tensor::Floats({1, 16, 3, 3}, {});
  for (int i = 0; i < 16 * 9; ++i) result.floats.push_back(static_cast<float>(i));
  record.Add(0, input, result);
  for (float& value : result.floats) value += 1000;
  record.Add(1, input, result);
  // Every position of both pictures once, its channels 9 apart, the window's middle beside it.
  std::vector<int> seen(2000);
  for (size_t r = 0; r < record.rows(); ++r) {
    const float first = record.results()[r * 16];
    ++seen[static_cast<size_t>(first)];
    EXPECT_EQ(record.results()[r * 16 + 3], first + 27);
    const int position = static_cast<int>(first) % 1000;
    const int middle = position / 3 * 2 * 6 + position % 3 * 2;
    EXPECT_EQ(record.inputs()[0].values[r * 72 + 4], input.floats[static_cast<size_t>(middle)]);
  }
  for (size_t position = 0; position < 9; ++position) {
    EXPECT_EQ(seen[position], 1);
    EXPECT_EQ(seen[1000 + position], 1);
  }
}

}  // namespace
}  // namespace octet::recover
