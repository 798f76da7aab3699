// Constants and their codes move, and are multiplied, together.
#include "converter/graph/coded.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "converter/graph/graph.h"
#include "tests/converter/graph/given_by_test.h"

namespace octet::graph {
namespace {

using Ints = std::vector<int64_t>;

// data[i, j] = scale[i] * code[i, j]: two rows of three.
Codes ByRow() {
  Codes codes;
  codes.spread = {2, 1};
  codes.scales = {0.5f, 0.25f};
  codes.zero_points = {0, 0};
  codes.data = Tensor::Floats({2, 3}, {0.5f, -1, 1.5f, 0.25f, 31.75f, -32});
  return codes;
}

TEST(Constant, ATransposeTurnsItsScalesToo) {
  const Constant turned = Constant::Coded(ByRow()).Gathered({3, 2}, Ints{0, 3, 1, 4, 2, 5});
  ASSERT_NE(turned.codes(), nullptr);
  EXPECT_EQ(turned->floats, (std::vector<float>{0.5f, 0.25f, -1, 31.75f, 1.5f, -32}));
  EXPECT_EQ(turned.codes()->spread, (Shape{1, 2}));
  EXPECT_EQ(turned.codes()->scales, (std::vector<float>{0.5f, 0.25f}));
}

TEST(Constant, RowsRepeatedWithZerosBetweenHaveTheScaleOfTheirRow) {
  const Constant moved =
      Constant::Coded(ByRow()).Gathered({3, 4}, Ints{0, 1, -1, 2, 3, -1, 4, 5, -1, 0, 1, 2});
  ASSERT_NE(moved.codes(), nullptr);
  EXPECT_EQ(moved.codes()->spread, (Shape{3, 1}));
  EXPECT_EQ(moved.codes()->scales, (std::vector<float>{0.5f, 0.25f, 0.5f}));
  EXPECT_EQ(moved->floats[2], 0);
}

// The diagonal of a matrix: no two elements share a row or a column, and the scales differ.
TEST(Constant, ScalesThatNoAxisTellsApartAreKeptByElement) {
  const Constant moved = Constant::Coded(ByRow()).Gathered({2, 2}, Ints{0, -1, -1, 3});
  ASSERT_NE(moved.codes(), nullptr);
  const std::vector<size_t> of = moved.codes()->ScaleOfElements();
  EXPECT_EQ(moved.codes()->scales[of[0]], 0.5f);
  EXPECT_EQ(moved.codes()->scales[of[3]], 0.25f);
}

TEST(Constant, FactorsMultiplyScales) {
  const Constant by_row =
      Constant::Coded(ByRow()).Multiplied(std::vector<float>{2, 2, 2, -8, -8, -8});
  ASSERT_NE(by_row.codes(), nullptr);
  EXPECT_EQ(by_row->floats, (std::vector<float>{1, -2, 3, -2, -254, 256}));
  EXPECT_EQ(by_row.codes()->scales, (std::vector<float>{1, 2}));
  const Constant by_column =
      Constant::Coded(ByRow()).Multiplied(std::vector<float>{1, 2, 4, 1, 2, 4});
  ASSERT_NE(by_column.codes(), nullptr);
  EXPECT_EQ(by_column.codes()->spread, (Shape{2, 3}));
}

TEST(Constant, ZeroPointsAndIntegersMoveToo) {
  Codes codes;
  codes.spread = {2};
  codes.scales = {0.5f, 0.25f};
  codes.zero_points = {3, -128};
  codes.data = Tensor::Floats({2}, {1, 63.75f});
  const Constant turned = Constant::Coded(codes).Gathered({1, 2}, Ints{1, 0});
  EXPECT_EQ(turned.codes()->zero_points, (std::vector<int>{-128, 3}));
  Codes bias;
  bias.spread = {1};
  bias.scales = {0.5f};
  bias.zero_points = {0};
  bias.integers = {1 << 30, -7};
  bias.data = Tensor::Floats({2}, {0x1p29f, -3.5f});
  const Constant moved = Constant::Coded(bias).Gathered({3}, Ints{1, 0, 1});
  EXPECT_EQ(moved.codes()->integers, (Ints{-7, 1 << 30, -7}));
  EXPECT_EQ(Constant::Coded(bias).Multiplied(std::vector<float>{2, 2}).codes(), nullptr);
}

TEST(Constant, DataThatAreNoCodesHaveNone) {
  Codes codes = ByRow();
  codes.data.floats[1] = 0.3f;
  const Constant real = Constant::Coded(codes);
  EXPECT_EQ(real.codes(), nullptr);
  EXPECT_TRUE(real.IsUncoded());
  codes = ByRow();
  codes.scales.pop_back();
  EXPECT_THROW(Constant::Coded(codes), std::logic_error);
  codes = ByRow();
  codes.spread = {1, 2};
  EXPECT_THROW(Constant::Coded(codes), std::logic_error);
}

// x -> Neg -> y, and a constant.
struct Small {
  Graph graph;
  ValueId x, y, c;
  Small() {
    Value value;
    value.name = "x";
    x = graph.AddValue(value);
    value.name = "y";
    y = graph.AddValue(value);
    c = graph.AddConstant("c", Constant::Coded(ByRow()));
    Node node;
    node.name = node.op = "Neg";
    node.inputs = {x};
    node.outputs = {y};
    graph.nodes.push_back(node);
    graph.inputs = {x};
    graph.outputs = {y};
    GivenByTest::Give(graph, y, {0.5f, 3});
  }
};

TEST(Check, AcceptsWhatHolds) {
  const Small small;
  EXPECT_NO_THROW(Check(small.graph, "test"));
}

TEST(Check, NamesWhatDoesNot) {
  const auto message = [](const Graph& graph) {
    try {
      Check(graph, "a_pass");
    } catch (const std::logic_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  Small scale;
  GivenByTest::Give(scale.graph, scale.y, {0, 3});
  EXPECT_NE(message(scale.graph).find("a_pass: 'y' has given codes whose scale"),
            std::string::npos);
  Small zero_point;
  GivenByTest::Give(zero_point.graph, zero_point.y, {1, 128});
  EXPECT_NE(message(zero_point.graph).find("zero point"), std::string::npos);
  Small integers;
  integers.graph.At(integers.y).type = DataType::kInt64;
  EXPECT_NE(message(integers.graph).find("is not float"), std::string::npos);
  Small constant;
  GivenByTest::Give(constant.graph, constant.c, {1, 0});
  EXPECT_NE(message(constant.graph).find("'c' is constant"), std::string::npos);
  Small twice;
  twice.graph.nodes.push_back(twice.graph.nodes[0]);
  EXPECT_NE(message(twice.graph).find("two producers"), std::string::npos);
  Small nowhere;
  nowhere.graph.nodes[0].inputs = {17};
  EXPECT_NE(message(nowhere.graph).find("reads no value"), std::string::npos);
}

}  // namespace
}  // namespace octet::graph
