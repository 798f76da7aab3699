// Operators that move data, and those that shape computations are made of.
#include "converter/operators/fill.h"
#include "tests/converter/operators/operator_support.h"

namespace octet::operators {
namespace {

TEST(Concat, JoinsAndSplits) {
  ExpectFloats(Apply("Concat", {Ramp({2, 1}), F({2, 2}, {5, 6, 7, 8})}, {{"axis", Int(1)}}), {2, 3},
               {0, 5, 6, 1, 7, 8});
  ExpectIntegers(Apply("Concat", {I({1}), I({}), I({2, 3})}, {{"axis", Int(-1)}}), {3}, {1, 2, 3});
  const auto parts = ApplyAll("Split", {Ramp({2, 3}), I({1, 2})}, {{"axis", Int(1)}}, 2);
  ExpectFloats(parts[0], {2, 1}, {0, 3});
  ExpectFloats(parts[1], {2, 2}, {1, 2, 4, 5});
  const auto uneven = ApplyAll("Split", {Ramp({5})}, {{"num_outputs", Int(2)}}, 2);
  ExpectFloats(uneven[0], {3}, {0, 1, 2});
  ExpectFloats(uneven[1], {2}, {3, 4});
  ExpectRefused("differs outside axis 1", "Concat", {Ramp({2, 1}), Ramp({3, 1})},
                {{"axis", Int(1)}});
  ExpectRefused("different types", "Concat", {Ramp({2}), I({3})}, {{"axis", Int(0)}});
  ExpectRefused("do not add up", "Split", {Ramp({3}), I({1, 1})}, {}, 2);
  ExpectRefused("equal parts", "Split", {Ramp({3})}, {}, 2);
}

TEST(Slice, StepsAndBounds) {
  const Tensor x = Ramp({2, 4});
  ExpectFloats(Apply("Slice", {x, I({1}), I({3}), I({1})}), {2, 2}, {1, 2, 5, 6});
  ExpectFloats(Apply("Slice", {x, I({0, 0}), I({1, 1000}), std::nullopt, I({1, 2})}), {1, 2},
               {0, 2});
  ExpectFloats(Apply("Slice", {x, I({-1}), I({-1000}), I({1}), I({-1})}), {2, 4},
               {3, 2, 1, 0, 7, 6, 5, 4});
  ExpectFloats(Apply("Slice", {x, I({-2}), I({INT64_MAX}), I({-1})}), {2, 2}, {2, 3, 6, 7});
  ExpectFloats(Apply("Slice", {x, I({3}), I({0}), I({1}), I({-2})}), {2, 2}, {3, 1, 7, 5});
  ExpectRefused("a step is 0", "Slice", {x, I({0}), I({1}), I({0}), I({0})});
  ExpectRefused("entries", "Slice", {x, I({0}), I({1, 2})});
  ExpectRefused("axis 2 is outside", "Slice", {x, I({0}), I({1}), I({2})});
}

TEST(Gather, AxesAndNegativeIndices) {
  ExpectFloats(Apply("Gather", {Ramp({2, 3}), I({2, -3})}, {{"axis", Int(1)}}), {2, 2},
               {2, 0, 5, 3});
  ExpectFloats(Apply("Gather", {Ramp({2, 3}), Tensor::Integers({}, {1})}), {3}, {3, 4, 5});
  ExpectRefused("index 3 is outside", "Gather", {Ramp({2, 3}), I({3})}, {{"axis", Int(1)}});
}

TEST(Reshape, ZeroAndMinusOne) {
  const Tensor x = Ramp({2, 3, 4});
  EXPECT_EQ(Apply("Reshape", {x, I({0, -1})}).shape, (Shape{2, 12}));
  EXPECT_EQ(Apply("Reshape", {x, I({4, 0, 2})}).shape, (Shape{4, 3, 2}));
  EXPECT_EQ(Apply("Reshape", {x, I({-1})}).shape, (Shape{24}));
  ExpectIntegers(Apply("Reshape", {I({5}), I({})}), {}, {5});
  ExpectRefused("more than one -1", "Reshape", {x, I({-1, -1})});
  ExpectRefused("do not fill", "Reshape", {x, I({5, -1})});
  ExpectRefused("do not fill", "Reshape", {x, I({0, 3, 4})}, {{"allowzero", Int(1)}});
  ExpectRefused("dimension 3", "Reshape", {x, I({2, 3, 4, 0})});
  ExpectRefused("negative", "Reshape", {x, I({-2, 12})});
}

TEST(Reshape, Family) {
  const Tensor x = Ramp({1, 2, 1, 3});
  EXPECT_EQ(Apply("Flatten", {x}).shape, (Shape{1, 6}));
  EXPECT_EQ(Apply("Flatten", {x}, {{"axis", Int(-1)}}).shape, (Shape{2, 3}));
  EXPECT_EQ(Apply("Flatten", {x}, {{"axis", Int(0)}}).shape, (Shape{1, 6}));
  EXPECT_EQ(Apply("Squeeze", {x}).shape, (Shape{2, 3}));
  EXPECT_EQ(Apply("Squeeze", {x, I({-2})}).shape, (Shape{1, 2, 3}));
  EXPECT_EQ(Apply("Unsqueeze", {Ramp({2, 3}), I({-1, 0})}).shape, (Shape{1, 2, 3, 1}));
  ExpectFloats(Apply("Identity", {Ramp({2})}), {2}, {0, 1});
  ExpectFloats(Apply("Dropout", {Ramp({2})}), {2}, {0, 1});
  ExpectRefused("not 1", "Squeeze", {x, I({1})});
  ExpectRefused("twice", "Unsqueeze", {x, I({0, 0})});
}

TEST(Transpose, Permutations) {
  ExpectFloats(Apply("Transpose", {Ramp({2, 3})}), {3, 2}, {0, 3, 1, 4, 2, 5});
  ExpectFloats(Apply("Transpose", {Ramp({1, 2, 3})}, {{"perm", Ints({2, 0, 1})}}), {3, 1, 2},
               {0, 3, 1, 4, 2, 5});
  ExpectFloats(Apply("Transpose", {Ramp({2, 2, 2})}, {{"perm", Ints({1, 0, 2})}}), {2, 2, 2},
               {0, 1, 4, 5, 2, 3, 6, 7});
  ExpectRefused("twice", "Transpose", {Ramp({2, 3})}, {{"perm", Ints({0, 0})}});
  ExpectRefused("does not fit", "Transpose", {Ramp({2, 3})}, {{"perm", Ints({0})}});
}

TEST(DepthToSpace, BothModesAndBack) {
  const Tensor x = Ramp({1, 8, 1, 1});
  ExpectFloats(Apply("DepthToSpace", {x}, {{"blocksize", Int(2)}}), {1, 2, 2, 2},
               {0, 2, 4, 6, 1, 3, 5, 7});
  ExpectFloats(Apply("DepthToSpace", {x}, {{"blocksize", Int(2)}, {"mode", Text("CRD")}}),
               {1, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  const Tensor deep = Apply("SpaceToDepth", {Ramp({1, 2, 4, 6})}, {{"blocksize", Int(2)}});
  ExpectFloats(Apply("DepthToSpace", {deep}, {{"blocksize", Int(2)}}), {1, 2, 4, 6},
               Ramp({1, 2, 4, 6}).floats);
  ExpectRefused("cannot be divided", "DepthToSpace", {Ramp({1, 6, 1, 1})}, {{"blocksize", Int(2)}});
  ExpectRefused("blocksize 0", "SpaceToDepth", {Ramp({1, 6, 2, 2})});
}

TEST(Pad, Modes) {
  const Tensor x = F({3}, {1, 2, 3});
  const auto pad = [&](const std::string& mode, std::vector<int64_t> pads) {
    return Apply("Pad", {x, I(std::move(pads))}, {{"mode", Text(mode)}});
  };
  ExpectFloats(pad("constant", {1, 2}), {6}, {0, 1, 2, 3, 0, 0});
  ExpectFloats(pad("reflect", {2, 2}), {7}, {3, 2, 1, 2, 3, 2, 1});
  ExpectFloats(pad("edge", {1, 2}), {6}, {1, 1, 2, 3, 3, 3});
  ExpectFloats(pad("wrap", {1, 1}), {5}, {3, 1, 2, 3, 1});
  ExpectFloats(pad("constant", {-1, 1}), {3}, {2, 3, 0});
  ExpectFloats(Apply("Pad", {Ramp({1, 2}), I({1, 0}), F({}, {7}), I({-1})}), {1, 3}, {7, 0, 1});
  ExpectRefused("needs a dimension larger", "Pad", {x, I({3, 0})}, {{"mode", Text("reflect")}});
  ExpectRefused("2 dimensions", "Pad", {Ramp({1, 2}), I({1, 1})});
  ExpectRefused("does not fit", "Pad", {x, I({-2, -2})});
}

TEST(Resize, Nearest) {
  const Tensor x = F({1, 1, 1, 2}, {1, 2});
  const Tensor twice = F({4}, {1, 1, 1, 2});
  ExpectFloats(Apply("Resize", {x, std::nullopt, twice}), {1, 1, 1, 4}, {1, 1, 2, 2});
  ExpectFloats(
      Apply("Resize", {F({1, 1, 1, 4}, {1, 2, 3, 4}), std::nullopt, std::nullopt, I({1, 1, 1, 2})},
            {{"coordinate_transformation_mode", Text("asymmetric")},
             {"nearest_mode", Text("floor")}}),
      {1, 1, 1, 2}, {1, 3});
  // Halves: x = 0.5, 2.5 under half_pixel.
  const Inputs halve = {F({4}, {1, 2, 3, 4}), std::nullopt, F({1}, {0.5f})};
  ExpectFloats(Apply("Resize", halve), {2}, {1, 3});
  ExpectFloats(Apply("Resize", halve, {{"nearest_mode", Text("round_prefer_ceil")}}), {2}, {2, 4});
  ExpectFloats(Apply("Resize", halve, {{"nearest_mode", Text("ceil")}}), {2}, {2, 4});
}

TEST(Resize, Linear) {
  const auto resize = [](const std::string& mode, const Tensor& x, int64_t size) {
    return Apply("Resize", {x, std::nullopt, std::nullopt, I({size})},
                 {{"mode", Text("linear")}, {"coordinate_transformation_mode", Text(mode)}});
  };
  const Tensor x = F({2}, {0, 4});
  ExpectFloats(resize("half_pixel", x, 4), {4}, {0, 1, 3, 4});
  ExpectFloats(resize("pytorch_half_pixel", x, 4), {4}, {0, 1, 3, 4});
  ExpectFloats(resize("pytorch_half_pixel", x, 1), {1}, {0});
  ExpectFloats(resize("half_pixel", x, 1), {1}, {2});
  ExpectFloats(resize("align_corners", x, 5), {5}, {0, 1, 2, 3, 4});
  ExpectFloats(resize("asymmetric", x, 4), {4}, {0, 2, 4, 4});
  ExpectFloats(Apply("Resize", {F({1, 1, 2, 2}, {0, 4, 8, 12}), std::nullopt, F({4}, {1, 1, 2, 1})},
                     {{"mode", Text("linear")}}),
               {1, 1, 4, 2}, {0, 4, 2, 6, 6, 10, 8, 12});
}

TEST(Resize, Refusals) {
  const Tensor x = Ramp({1, 1, 2, 2});
  ExpectRefused("mode 'sinc' is unknown", "Resize", {x, std::nullopt, Ones({4})},
                {{"mode", Text("sinc")}});
  ExpectRefused("either scales or sizes", "Resize", {x});
  ExpectRefused("scales for 4 dimensions", "Resize", {x, std::nullopt, Ones({2})});
  ExpectRefused("does not fit", "Resize", {x, std::nullopt, F({4}, {1, 1, 0.1f, 1})});
  ExpectRefused("coordinate_transformation_mode 'centre' is unknown", "Resize",
                {x, std::nullopt, Ones({4})}, {{"coordinate_transformation_mode", Text("centre")}});
}

TEST(Constants, ShapeRangeExpandTile) {
  ExpectIntegers(Apply("Shape", {Ramp({2, 3, 4})}), {3}, {2, 3, 4});
  ExpectIntegers(Apply("Shape", {Ramp({2, 3, 4})}, {{"start", Int(-2)}, {"end", Int(2)}}), {1},
                 {3});
  ExpectFloats(Apply("ConstantOfShape", {I({2})}), {2}, {0, 0});
  ExpectIntegers(Apply("ConstantOfShape", {I({2})}, {{"value", I({7})}}), {2}, {7, 7});
  ExpectIntegers(Apply("Range", {Tensor::Integers({}, {5}), Tensor::Integers({}, {0}),
                                 Tensor::Integers({}, {-2})}),
                 {3}, {5, 3, 1});
  ExpectFloats(Apply("Expand", {F({2, 1}, {1, 2}), I({1, 2, 2})}), {1, 2, 2}, {1, 1, 2, 2});
  ExpectFloats(Apply("Tile", {F({1, 2}, {1, 2}), I({2, 2})}), {2, 4}, {1, 2, 1, 2, 1, 2, 1, 2});
  ExpectIntegers(Apply("Constant", {}, {{"value_ints", Ints({1, 2})}}), {2}, {1, 2});
  ExpectRefused("0 to 5", "Range", {I({0}), I({5}), I({0})});
  ExpectRefused("cannot be broadcast", "Expand", {Ramp({3}), I({2})});
}

// What Pad writes beside its values.
TEST(Fill, OfPadIsItsConstant) {
  const Tensor x = Ramp({2}), pads = I({1, 0});
  const Attributes constant{{"mode", Text("constant")}}, edge{{"mode", Text("edge")}};
  const auto fill = [](const char* op, const Inputs& inputs, const Attributes& attributes) {
    const graph::Graph graph = OneNode(op, inputs, attributes);
    return FillOf(graph, graph.nodes[0]);
  };
  EXPECT_EQ(fill("Pad", {x, pads}, {}), 0.0f);
  EXPECT_EQ(fill("Pad", {x, pads}, constant), 0.0f);
  EXPECT_EQ(fill("Pad", {x, pads, std::nullopt}, {}), 0.0f);
  EXPECT_EQ(fill("Pad", {x, pads, std::nullopt, I({0})}, {}), 0.0f);
  EXPECT_EQ(fill("Pad", {x, pads, F({}, {-2.5f})}, {}), -2.5f);
  EXPECT_EQ(fill("Pad", {x, pads, F({0}, {})}, {}), 0.0f);
  EXPECT_EQ(fill("Pad", {x, pads, F({}, {-2.5f})}, edge), std::nullopt);
  EXPECT_EQ(fill("Pad", {x, pads, I({3})}, {}), std::nullopt) << "whole numbers";
  EXPECT_EQ(fill("Concat", {x, pads, F({}, {-2.5f})}, {}), std::nullopt);
  graph::Graph computed = OneNode("Pad", {x, pads, F({}, {1})});
  computed.nodes[0].inputs[2] =
      computed.AddValue({"v", graph::DataType::kFloat, graph::Shape{}, {}, {}});
  EXPECT_EQ(FillOf(computed, computed.nodes[0]), std::nullopt) << "known with the sample only";
}

}  // namespace
}  // namespace octet::operators
