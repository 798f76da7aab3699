#include "converter/simulate/rounding.h"

#include <gtest/gtest.h>

#include <cmath>

#include "converter/simulate/figures.h"

namespace octet::simulate {
namespace {

using graph::Tensor;

TEST(Round, ToTheNearestOfTheScheme) {
  quantize::TensorScheme scheme;
  scheme.scale = 0.5f;
  scheme.zero_point = -128;
  Tensor x = Tensor::Floats({1, 2, 1, 2}, {0.2f, 0.3f, -4, 1000});
  Tensor open = x;
  Round(scheme, true, &x);
  EXPECT_EQ(x.floats, (std::vector<float>{0, 0.5f, 0, 127.5f}));
  Round(scheme, false, &open);
  EXPECT_EQ(open.floats, (std::vector<float>{0, 0.5f, -4, 1000}));
}

TEST(Round, ByChannel) {
  quantize::TensorScheme scheme;
  scheme.channels = {{1.0f, 0}, {0.25f, -128}};
  Tensor x = Tensor::Floats({1, 2, 1, 2}, {0.6f, 200, 0.6f, 200});
  Round(scheme, true, &x);
  EXPECT_EQ(x.floats, (std::vector<float>{1, 127, 0.5f, 63.75f}));
}

TEST(OutputsOf, Columns) {
  graph::Graph graph;
  const auto x = graph.AddValue({"x", graph::DataType::kFloat, graph::Shape{1, 2}, {}, {}});
  const auto y = graph.AddValue({"y", graph::DataType::kFloat, graph::Shape{1, 2}, {}, {}});
  // Outputs are columns: (127, 0.4), (1.27, 0.004).
  const auto w = graph.AddConstant("w", Tensor::Floats({2, 2}, {127, 1.27f, 0.4f, 0.004f}));
  graph::Node node;
  node.op = "MatMul";
  node.inputs = {x, w};
  node.outputs = {y};
  const Outputs outputs = OutputsOf(graph, node);
  EXPECT_EQ(outputs.count, 2u);
  EXPECT_EQ(outputs.inner, 1u);
  node.inputs = {w, x};
  EXPECT_EQ(OutputsOf(graph, node).count, 0u) << "weights that are computed";
}

TEST(Decibels, MoreThanEightBitsHoldIsLuck) {
  EXPECT_NEAR(Decibels({1000, 1}), 30, 1e-9);
  EXPECT_EQ(Decibels({1e9, 1e-3}), 50);
  EXPECT_EQ(Decibels({1, 0}), 50);
  EXPECT_TRUE(std::isnan(Decibels({0, 0})));
  // NaN where there was a number.
  EXPECT_EQ(Decibels({1, NAN}), -50);
  EXPECT_EQ(Decibels({1, INFINITY}), -50);
  EXPECT_EQ(MeanLoss({{1, NAN}, {1, 0}}), 0.5);
}

}  // namespace
}  // namespace octet::simulate
