#include "converter/quantize/sparse_weights.h"

#include <gtest/gtest.h>

#include "tests/converter/quantize/quantize_support.h"

namespace octet::quantize {
namespace {

struct Dense : Net {
  // A layer of 10 x 10 weights, `zeros` of which are 0.
  void Layer(const std::string& op, size_t zeros) {
    const std::string name = std::to_string(graph.nodes.size());
    const auto x = Value("x" + name, -1, 1, {1, 10}), y = Value("y" + name, -1, 1, {1, 10});
    std::vector<float> weights(100, 0.5f);
    std::fill_n(weights.begin() + 3, zeros, 0.0f);
    const auto w = graph.AddConstant("w" + name, graph::Tensor::Floats({10, 10}, weights));
    statistics.resize(graph.values.size());
    Op(op, {x, w}, y);
  }
};

TEST(SparseWeights, FromEightyPercentOn) {
  Dense net;
  net.Layer("Gemm", 79);
  net.Layer("Gemm", 80);
  net.Layer("MatMul", 97);
  net.Layer("Conv", 90);
  const std::vector<SparseLayer> found = FindSparse(net.graph);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "Gemm_y1");
  EXPECT_EQ(found[0].zeros, 80);
  EXPECT_EQ(found[0].weights, 100);
  EXPECT_EQ(found[0].Share(), 0.8);
  EXPECT_EQ(found[1].op, "MatMul");
  EXPECT_EQ(found[1].zeros, 97);
}

// A bias of zeros is no weight, and computed operands have none.
TEST(SparseWeights, WhatIsNone) {
  Dense net;
  net.Layer("Gemm", 0);
  net.graph.nodes[0].inputs.push_back(net.Constant({10}, 0));
  const auto a = net.Value("a", -1, 1, {1, 10}), b = net.Value("b", -1, 1, {10, 1});
  net.Op("MatMul", {a, b}, net.Value("c", -1, 1, {1, 1}));
  EXPECT_TRUE(FindSparse(net.graph).empty());
}

// Rows of a constant table, picked by what the model computes: the table is no layer's weights, and
// one scale for all of its rows would tell those with small numbers apart no more.
TEST(Embedding, TablesStayInHalf) {
  Net net;
  const auto x = net.Input("x", -1, 1), rows = net.Value("rows", -8, 8, {1, 4});
  const auto index = net.graph.AddValue({"i", graph::DataType::kInt64, graph::Shape{1}, {}, {}});
  net.statistics.resize(net.graph.values.size());
  net.Op("ArgMax", {x}, index);
  net.Op("Gather", {net.Constant({50, 4}, 2), index}, rows);
  const auto y = net.Value("y", -1, 1, {1, 4});
  net.Op("Gemm", {rows, net.Constant({4, 4}, 0.5f)}, y);
  net.Output(y);
  for (const bool everywhere : {false, true}) {
    Config config = Net::MinMax();
    config.int8_everywhere = everywhere;
    const Scheme scheme = net.Assign(config);
    EXPECT_EQ(scheme.precision[1], blob::Precision::kFp16);
    EXPECT_EQ(scheme.precision[2], blob::Precision::kInt8) << "what reads them is no table";
  }
}

}  // namespace
}  // namespace octet::quantize
