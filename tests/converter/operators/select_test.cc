// Operators that take, put and choose elements by indices, and those made of positions.
#include "converter/executor/executor.h"
#include "tests/converter/operators/operator_support.h"

namespace octet::operators {
namespace {

Tensor Grid(Shape shape, std::vector<int64_t> values,
            graph::DataType type = graph::DataType::kInt64) {
  return Tensor::Integers(std::move(shape), std::move(values), type);
}
Tensor Bools(std::vector<int64_t> values) {
  const auto count = static_cast<int64_t>(values.size());
  return Grid({count}, std::move(values), graph::DataType::kBool);
}

TEST(GatherElements, AnIndexAnElement) {
  ExpectFloats(
      Apply("GatherElements", {Ramp({2, 3}), Grid({2, 2}, {2, 0, -1, 1})}, {{"axis", Int(1)}}),
      {2, 2}, {2, 0, 5, 4});
  ExpectFloats(Apply("GatherElements", {Ramp({2, 3}), Grid({1, 3}, {1, 0, -1})}), {1, 3},
               {3, 1, 5});
  ExpectRefused("index 2 is outside", "GatherElements", {Ramp({2, 3}), Grid({1, 1}, {2})});
  ExpectRefused("larger than the data", "GatherElements", {Ramp({2, 1}), Grid({1, 2}, {0, 0})});
  ExpectRefused("dimensions", "GatherElements", {Ramp({2, 3}), I({0})});
}

TEST(GatherND, TuplesAndBatches) {
  ExpectFloats(Apply("GatherND", {Ramp({2, 3}), Grid({2, 2}, {0, 2, -1, 0})}), {2}, {2, 3});
  ExpectFloats(Apply("GatherND", {Ramp({2, 3}), Grid({1, 1}, {1})}), {1, 3}, {3, 4, 5});
  ExpectFloats(Apply("GatherND", {Ramp({2, 3}), Grid({2, 1}, {2, 0})}, {{"batch_dims", Int(1)}}),
               {2}, {2, 3});
  ExpectRefused("index 3 is outside", "GatherND", {Ramp({2, 3}), Grid({1, 2}, {0, 3})});
  ExpectRefused("do not fit", "GatherND", {Ramp({2}), Grid({1, 2}, {0, 0})});
}

TEST(Scatter, ReplacesAndReduces) {
  const Inputs inputs = {Ramp({2, 3}), Grid({1, 2}, {1, 1}), F({1, 2}, {10, 20})};
  const Attributes axis = {{"axis", Int(1)}};
  ExpectFloats(Apply("ScatterElements", inputs, axis), {2, 3}, {0, 20, 2, 3, 4, 5});
  const auto reduced = [&](const char* reduction) {
    return Apply("ScatterElements", inputs,
                 {{"axis", Int(1)}, {"reduction", std::string(reduction)}});
  };
  ExpectFloats(reduced("add"), {2, 3}, {0, 31, 2, 3, 4, 5});
  ExpectFloats(reduced("mul"), {2, 3}, {0, 200, 2, 3, 4, 5});
  ExpectFloats(reduced("min"), {2, 3}, {0, 1, 2, 3, 4, 5});
  ExpectFloats(reduced("max"), {2, 3}, {0, 20, 2, 3, 4, 5});
  ExpectFloats(Apply("ScatterND", {Ramp({2, 3}), Grid({1, 1}, {-1}), F({1, 3}, {7, 8, 9})}), {2, 3},
               {0, 1, 2, 7, 8, 9});
  ExpectRefused("reduction", "ScatterND", {Ramp({2}), Grid({1, 1}, {0}), F({1}, {0})},
                {{"reduction", std::string("mean")}});
  ExpectRefused("must have shape [1,3]", "ScatterND",
                {Ramp({2, 3}), Grid({1, 1}, {0}), F({3}, {0, 0, 0})});
}

TEST(MaxUnpool, PutsBackWhereThePoolTook) {
  const Attributes window = {{"kernel_shape", Ints({2, 2})}, {"strides", Ints({2, 2})}};
  const Inputs inputs = {F({1, 1, 1, 2}, {5, 6}), Grid({1, 1, 1, 2}, {5, 2})};
  ExpectFloats(Apply("MaxUnpool", inputs, window), {1, 1, 2, 4}, {0, 0, 6, 0, 0, 5, 0, 0});
  Inputs larger = inputs;
  larger.push_back(I({1, 1, 3, 5}));
  ExpectFloats(Apply("MaxUnpool", larger, window), {1, 1, 3, 5},
               {0, 0, 6, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0});
}

TEST(TopK, InOrderAndOfEqualsTheEarlier) {
  const Tensor x = F({2, 4}, {1, 3, 3, 2, 5, 0, 5, 7});
  const auto top = ApplyAll("TopK", {x, I({3})}, {}, 2);
  ExpectFloats(top[0], {2, 3}, {3, 3, 2, 7, 5, 5});
  ExpectIntegers(top[1], {2, 3}, {1, 2, 3, 3, 0, 2});
  const auto least = ApplyAll("TopK", {x, I({1})}, {{"axis", Int(0)}, {"largest", Int(0)}}, 2);
  ExpectFloats(least[0], {1, 4}, {1, 0, 3, 2});
  ExpectIntegers(least[1], {1, 4}, {0, 1, 0, 0});
  ExpectRefused("k is 5, of 4", "TopK", {x, I({5})}, {}, 2);
}

// Nobody reads the indices, so the node has one output.
TEST(TopK, OfValuesAlone) {
  graph::Graph graph = OneNode("TopK", {std::nullopt, I({2})});
  graph.nodes[0].inputs[0] = graph.AddValue({"x", graph::DataType::kFloat, {{2, 3}}, {}, {}});
  graph.inputs = {graph.nodes[0].inputs[0]};
  graph.outputs = graph.nodes[0].outputs;
  InferShapes(graph);
  ExpectFloats(executor::Executor(graph).Run({F({2, 3}, {1, 3, 2, 5, 4, 6})})[0], {2, 2},
               {3, 2, 6, 5});
}

TEST(NonMaxSuppression, RowsBehindTheLastAreMinusOne) {
  const Tensor boxes = F({1, 3, 4}, {0, 0, 1, 1, 1, 1, 0, 0.1f, 5, 5, 6, 6});
  const Tensor scores = F({1, 1, 3}, {0.5f, 0.9f, 0.7f});
  ExpectIntegers(Apply("NonMaxSuppression", {boxes, scores, I({3}), F({1}, {0.5f})}), {3, 3},
                 {0, 0, 1, 0, 0, 2, -1, -1, -1});
  ExpectIntegers(
      Apply("NonMaxSuppression", {boxes, scores, I({1}), F({1}, {0.5f}), F({1}, {0.8f})}), {1, 3},
      {0, 0, 1});
  ExpectRefused("chooses no boxes", "NonMaxSuppression", {boxes, scores, I({0})});
}

// By how much boxes may overlap; without a number not at all.
TEST(NonMaxSuppression, OverlapUpToTheLimit) {
  const Tensor boxes = F({1, 2, 4}, {0, 0, 1, 1, 0, 0.5f, 1, 1.5f});  // a third in common
  const Tensor scores = F({1, 1, 2}, {0.5f, 0.9f});
  const std::vector<int64_t> one = {0, 0, 1, -1, -1, -1}, both = {0, 0, 1, 0, 0, 0};
  ExpectIntegers(Apply("NonMaxSuppression", {boxes, scores, I({2})}), {2, 3}, one);
  ExpectIntegers(Apply("NonMaxSuppression", {boxes, scores, I({2}), F({1}, {0.3f})}), {2, 3}, one);
  ExpectIntegers(Apply("NonMaxSuppression", {boxes, scores, I({2}), F({1}, {0.35f})}), {2, 3},
                 both);
}

TEST(Positions, TriluEyeCompressNonZeroOneHotReverse) {
  const Tensor x = Ramp({2, 3});
  ExpectFloats(Apply("Trilu", {x}), {2, 3}, {0, 1, 2, 0, 4, 5});
  ExpectFloats(Apply("Trilu", {x, Grid({}, {1})}, {{"upper", Int(0)}}), {2, 3}, {0, 1, 0, 3, 4, 5});
  ExpectFloats(Apply("EyeLike", {x}, {{"k", Int(1)}}), {2, 3}, {0, 1, 0, 0, 0, 1});
  ExpectFloats(Apply("Compress", {x, Bools({0, 1, 1})}, {{"axis", Int(1)}}), {2, 2}, {1, 2, 4, 5});
  ExpectFloats(Apply("Compress", {x, Bools({0, 0, 0, 1})}), {1}, {3});
  ExpectIntegers(Apply("NonZero", {F({2, 2}, {0, 1, 2, 0})}), {2, 2}, {0, 1, 1, 0});
  ExpectFloats(Apply("OneHot", {I({1, -1, 7}), I({3}), F({2}, {0, 9})}), {3, 3},
               {0, 9, 0, 0, 0, 9, 0, 0, 0});
  ExpectFloats(Apply("ReverseSequence", {Ramp({3, 2}), I({3, 2})}), {3, 2}, {4, 3, 2, 1, 0, 5});
  ExpectRefused("length 4 is out of range", "ReverseSequence", {Ramp({3, 2}), I({3, 4})});
}

// An overlap of the limit is none; of equal scores the earlier comes first; boxes by their middle.
TEST(NonMaxSuppression, TiesAndMiddles) {
  const Tensor scores = F({1, 1, 2}, {0.5f, 0.5f});
  const std::vector<int64_t> both = {0, 0, 0, 0, 0, 1};
  ExpectIntegers(Apply("NonMaxSuppression",
                       {F({1, 2, 4}, {0, 0, 1, 1, 0, 0, 1, 2}), scores, I({2}), F({1}, {0.5f})}),
                 {2, 3}, both);
  for (const float right : {3.0f, 9.0f}) {  // one apart, 2 wide and 1 high: they share a third
    const Tensor boxes = F({1, 2, 4}, {right - 1, 5, 2, 1, right, 5, 2, 1});
    const Attributes middles = {{"center_point_box", Int(1)}};
    ExpectIntegers(Apply("NonMaxSuppression", {boxes, scores, I({2}), F({1}, {0.3f})}, middles),
                   {2, 3}, {0, 0, 0, -1, -1, -1});
    ExpectIntegers(Apply("NonMaxSuppression", {boxes, scores, I({2}), F({1}, {0.35f})}, middles),
                   {2, 3}, both);
  }
}

}  // namespace
}  // namespace octet::operators
