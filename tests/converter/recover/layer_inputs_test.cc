// Rows of what layers read, against windows cut out of a padded picture.
#include "converter/recover/layer_inputs.h"

#include <gtest/gtest.h>

#include "converter/operators/operator.h"
#include "converter/recover/rounded_layers.h"
#include "tests/converter/recover/coarse_layers.h"

namespace octet::recover {
namespace {

constexpr int64_t kBatch = 2, kChannels = 4, kHeight = 5, kWidth = 6;

struct Layer {
  graph::Graph graph;

  // Weights [outputs, kChannels / groups, 3, 2] over [2, 4, 5, 6].
  Layer(int64_t groups, std::vector<int64_t> strides, std::vector<int64_t> pads,
        std::vector<int64_t> dilations) {
    const graph::ValueId x = graph.AddValue(
        {"x", graph::DataType::kFloat, graph::Shape{kBatch, kChannels, kHeight, kWidth}, {}, {}});
    graph::Node node;
    node.op = "Conv";
    const graph::Shape shape{2 * groups, kChannels / groups, 3, 2};
    node.inputs = {
        x,
        graph.AddConstant(
            "w", Tensor::Floats(shape, std::vector<float>(
                                           static_cast<size_t>(graph::ElementCount(shape)), 1)))};
    node.outputs = {graph.AddValue({"y", graph::DataType::kFloat, {}, {}, {}})};
    node.attributes["group"] = groups;
    node.attributes["strides"] = strides;
    node.attributes["pads"] = pads;
    node.attributes["dilations"] = dilations;
    graph.nodes.push_back(node);
    graph.inputs = {x};
    graph.outputs = node.outputs;
    operators::InferShapes(graph);
  }
};

TEST(AddPosition, IsTheWindowOfAPaddedPicture) {
  Tensor picture = Tensor::Floats({kBatch, kChannels, kHeight, kWidth}, {});
  for (int i = 0; i < kBatch * kChannels * kHeight * kWidth; ++i) {
    picture.floats.push_back(static_cast<float>(i + 1));
  }
  const auto at = [&](int64_t image, int64_t c, int64_t y, int64_t x) {
    if (y < 0 || y >= kHeight || x < 0 || x >= kWidth) return 0.0f;
    return picture
        .floats[static_cast<size_t>(((image * kChannels + c) * kHeight + y) * kWidth + x)];
  };
  for (const int64_t groups : {1, 2, 4}) {
    const Layer made(groups, {2, 1}, {1, 2, 1, 0}, {1, 2});
    const auto layer = ShapeOfLayer(made.graph, 0);
    ASSERT_TRUE(layer && layer->window);
    const graph::Shape& y = *made.graph.At(made.graph.outputs[0]).shape;
    EXPECT_EQ(layer->groups, static_cast<size_t>(groups));
    EXPECT_EQ(layer->outputs, static_cast<size_t>(2 * groups));
    EXPECT_EQ(layer->depth, static_cast<size_t>(kChannels / groups * 6));
    ASSERT_EQ(layer->positions, kBatch * y[2] * y[3]);
    for (int64_t p = 0; p < layer->positions; ++p) {
      const int64_t image = p / (y[2] * y[3]), row = p / y[3] % y[2], column = p % y[3];
      for (int64_t g = 0; g < groups; ++g) {
        std::vector<float> expected{-1}, actual{-1};
        for (int64_t c = 0; c < kChannels / groups; ++c) {
          for (int64_t ky = 0; ky < 3; ++ky) {
            for (int64_t kx = 0; kx < 2; ++kx) {
              expected.push_back(
                  at(image, g * (kChannels / groups) + c, 2 * row - 1 + ky, column - 2 + 2 * kx));
            }
          }
        }
        AddPosition(*layer, picture, p, static_cast<size_t>(g), &actual);
        ASSERT_EQ(actual, expected) << "position " << p << " group " << g;
      }
    }
  }
}

TEST(AddPosition, OfAMatrixIsARow) {
  LayerShape layer;
  layer.depth = 3;
  const Tensor rows = Tensor::Floats({2, 3}, {1, 2, 3, 4, 5, 6});
  std::vector<float> row;
  AddPosition(layer, rows, 0, 0, &row);
  EXPECT_EQ(row, (std::vector<float>{1, 2, 3}));
  AddPosition(layer, rows, 1, 0, &row);
  EXPECT_EQ(row, (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

// y = x w^T, x [2, 3, 8].
TEST(ShapeOfLayer, OfMatricesThoseOnTheRight) {
  const auto shape_of = [](const graph::Shape& weights, float alpha, int64_t turned) {
    graph::Graph graph;
    const graph::ValueId x =
        graph.AddValue({"x", graph::DataType::kFloat, graph::Shape{6, 8}, {}, {}});
    graph::Node node;
    node.op = "Gemm";
    node.inputs = {
        x, graph.AddConstant("w", Tensor::Floats(weights, std::vector<float>(static_cast<size_t>(
                                                              graph::ElementCount(weights)))))};
    node.outputs = {graph.AddValue({"y", graph::DataType::kFloat, graph::Shape{6, 5}, {}, {}})};
    node.attributes["transB"] = int64_t{1};
    node.attributes["transA"] = turned;
    node.attributes["alpha"] = alpha;
    graph.nodes.push_back(node);
    return ShapeOfLayer(graph, 0);
  };
  const auto layer = shape_of({5, 8}, 1, 0);
  ASSERT_TRUE(layer);
  EXPECT_EQ(layer->positions, 6);
  EXPECT_EQ(layer->depth, 8u);
  EXPECT_EQ(layer->outputs, 5u);
  EXPECT_FALSE(layer->window);
  EXPECT_FALSE(shape_of({5, 8}, 2, 0)) << "a factor is none of the weights' own";
  EXPECT_FALSE(shape_of({5, 8}, 1, 1));
}

TEST(Spread, IsEvenAndStartsAtTheFirst) {
  const std::vector<int64_t> ten{10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
  EXPECT_EQ(Spread(ten, 4), (std::vector<int64_t>{10, 12, 15, 17}));
  EXPECT_EQ(Spread(ten, 10), ten);
  EXPECT_EQ(Spread(ten, 11), ten);
  EXPECT_EQ(Spread(ten, 0), std::vector<int64_t>{});
  EXPECT_EQ(Spread({}, 3), std::vector<int64_t>{});
}

// Of the 20 samples that neither accept nor report every eighth judges, from the fifth on.
TEST(SamplesForLayers, EveryEighthOfTheFreeOnesJudges) {
  simulate::Samples samples;
  samples.accept = {0, 4};
  samples.report = {1, 23};
  const LayerSamples all = SamplesForLayers(samples, 24, 100);
  EXPECT_EQ(all.judge, (std::vector<int64_t>{7, 15}));
  EXPECT_EQ(all.fit, (std::vector<int64_t>{2, 3, 5, 6, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19, 20,
                                           21, 22}));
  const LayerSamples one = SamplesForLayers(samples, 24, 1);
  EXPECT_EQ(one.judge, std::vector<int64_t>{7});
  EXPECT_EQ(one.fit, all.fit) << "what does not judge does not fit either";
}

// 2 rows a column, but 1024 at least; of layers with more positions fewer pictures give them.
TEST(Fitting, AsManyPicturesAsTheHungriestLayerNeeds) {
  LayerShape layer;
  layer.depth = 512;
  EXPECT_EQ(RowsFor(layer), 1024u);
  layer.depth = 513;
  EXPECT_EQ(RowsFor(layer), 1026u);
  std::vector<int64_t> free(1000);
  for (size_t i = 0; i < free.size(); ++i) free[i] = static_cast<int64_t>(i);
  const auto pictures = [&](int64_t positions, size_t share, int64_t most = 1000) {
    Candidate candidate;
    candidate.shape.depth = 8;
    candidate.shape.positions = positions;
    return FittingSamples({candidate}, free, share, most).size();
  };
  EXPECT_EQ(pictures(64, 1), 16u);
  EXPECT_EQ(pictures(63, 1), 17u);
  EXPECT_EQ(pictures(64, 2), 32u);
  EXPECT_EQ(pictures(1000000, 1), 16u) << "no fewer than 16";
  EXPECT_EQ(pictures(4, 1), 256u);
  EXPECT_EQ(pictures(4, 1, 100), 100u);
  EXPECT_EQ(pictures(1, 1), 1000u) << "no more than there are";
}

}  // namespace
}  // namespace octet::recover
