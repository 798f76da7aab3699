// The codes of constants: rewrites that move them keep them, and none loses them without a word.
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

#include "converter/operators/operator.h"
#include "converter/passes/channel_sets.h"
#include "converter/passes/editor.h"
#include "tests/converter/passes/net.h"

namespace octet::passes::testing {
namespace {

using graph::Constant;
using graph::DataType;

// A constant of codes with a scale for each index of axis 1.
ValueId Coded(Net& net, const Shape& shape) {
  const int64_t channels = shape[1];
  std::vector<int64_t> codes(static_cast<size_t>(graph::ElementCount(shape)));
  for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<int64_t>(i * 37 % 256) - 128;
  const auto constant = [&](const Shape& of, std::vector<int64_t> values) {
    return net.graph.AddConstant("q" + std::to_string(net.graph.values.size()),
                                 Tensor::Integers(of, std::move(values), DataType::kInt8));
  };
  std::vector<float> scales;
  for (int64_t c = 0; c < channels; ++c) scales.push_back(0.125f * static_cast<float>(c + 1));
  return net.Op("DequantizeLinear",
                {constant(shape, codes), net.Floats({channels}, scales),
                 constant({channels}, std::vector<int64_t>(static_cast<size_t>(channels), 0))},
                {{"axis", int64_t{1}}});
}

struct Moved {
  std::string op;
  std::vector<std::vector<int64_t>> others;  // inputs behind the first
  Attributes attributes = {};
  std::vector<Shape> shapes = {};  // of the others; empty: one axis
  size_t results = 1;
};

TEST(FoldConstants, KeepsCodesThroughEveryOperatorThatTakesThemFromPlaces) {
  const std::vector<Moved> cases = {
      {"Compress", {{1, 0, 1, 1}}, {{"axis", int64_t{1}}}},
      {"DepthToSpace", {}, {{"blocksize", int64_t{2}}}},
      {"Dropout", {}},
      {"Expand", {{2, 4, 2, 2}}},
      {"Flatten", {}, {{"axis", int64_t{1}}}},
      {"Gather", {{3, 0, 1}}, {{"axis", int64_t{1}}}},
      {"GatherElements", {{3, 1, 0, 2}}, {{"axis", int64_t{1}}}, {{1, 4, 1, 1}}},
      {"GatherND", {{0, 2, 0, 1}}, {}, {{2, 2}}},
      {"Identity", {}},
      {"Reshape", {{4, 4}}},
      {"ReverseSequence", {{3}}, {{"time_axis", int64_t{1}}, {"batch_axis", int64_t{0}}}},
      {"Slice", {{1}, {4}, {1}, {2}}},
      {"SpaceToDepth", {}, {{"blocksize", int64_t{2}}}},
      {"Split", {{1, 3}}, {{"axis", int64_t{1}}}, {}, 2},
      {"Squeeze", {{0}}},
      {"Tile", {{1, 2, 1, 1}}},
      {"Transpose", {}, {{"perm", Ints{0, 2, 3, 1}}}},
      {"Unsqueeze", {{0}}},
  };
  std::set<std::string> tried;
  for (const Moved& c : cases) {
    SCOPED_TRACE(c.op);
    tried.insert(c.op);
    ASSERT_EQ(operators::OnCodesOf(c.op), operators::OnCodes::kPlaces);
    Net net;
    const ValueId x = net.Input({1});
    std::vector<ValueId> inputs = {Coded(net, {1, 4, 2, 2})};
    for (size_t i = 0; i < c.others.size(); ++i) {
      const Shape shape =
          c.shapes.empty() ? Shape{static_cast<int64_t>(c.others[i].size())} : c.shapes[i];
      inputs.push_back(net.graph.AddConstant(
          "other" + std::to_string(i),
          Tensor::Integers(shape, c.others[i],
                           c.op == "Compress" ? DataType::kBool : DataType::kInt64)));
    }
    for (const ValueId moved : net.Nodes(c.op, inputs, c.results, c.attributes)) {
      net.Output(net.Op("Add", {x, moved}));
    }
    RunPass(net, "dequantize_constants", 1);
    RunPass(net, "fold_constants", 1);
    for (const Node& node : net.graph.nodes) {
      EXPECT_NE(net.graph.At(node.inputs[1]).constant.codes(), nullptr) << node.name;
    }
  }
  for (const std::string_view op : operators::Names()) {
    if (operators::OnCodesOf(op) != operators::OnCodes::kPlaces) continue;
    EXPECT_EQ(tried.count(std::string(op)), 1u) << op << " has no case here";
  }
}

// x + codes, with codes that have been read.
Net SumWithCodes() {
  Net net;
  net.Output(net.Op("Add", {net.Input({1, 4, 2, 2}), Coded(net, {1, 4, 1, 1})}));
  RunPass(net, "dequantize_constants", 1);
  return net;
}

Constant Other(const Net& net, bool says_so) {
  const Tensor real = *net.graph.Constant(net.graph.nodes[0].inputs[1]);
  return says_so ? Constant::Uncoded(real) : Constant::Real(real);
}

TEST(Codes, AreNotLostByAnyDoor) {
  using Rewrite = void (*)(Net&, bool);
  const std::vector<std::pair<const char*, Rewrite>> doors = {
      {"SetConstantInput",
       [](Net& net, bool says_so) {
         Constant other = Other(net, says_so);
         Editor editor(net.graph);
         editor.SetConstantInput(0, 1, std::move(other), "w");
         editor.Finish();
       }},
      {"SetInput",
       [](Net& net, bool says_so) {
         Constant other = Other(net, says_so);
         Editor editor(net.graph);
         editor.SetInput(0, 1, editor.NewConstant("w", std::move(other)));
         editor.Finish();
       }},
      {"SetInputs",
       [](Net& net, bool says_so) {
         Constant other = Other(net, says_so);
         Editor editor(net.graph);
         editor.SetInputs(0, {editor.At(0).inputs[0], editor.NewConstant("w", std::move(other))});
         editor.Finish();
       }},
      {"Become",
       [](Net& net, bool says_so) {
         Constant other = Other(net, says_so);
         Editor editor(net.graph);
         editor.Become(0, "Sub",
                       {editor.At(0).inputs[0], editor.NewConstant("w", std::move(other))});
         editor.Finish();
       }},
      {"Become, at another place",
       [](Net& net, bool says_so) {
         Constant other = Other(net, says_so);
         Editor editor(net.graph);
         editor.Become(0, "Sub",
                       {editor.NewConstant("w", std::move(other)), editor.At(0).inputs[0]});
         editor.Finish();
       }},
      {"SetConstant",
       [](Net& net, bool says_so) {
         Constant other = Other(net, says_so);
         Editor editor(net.graph);
         editor.SetConstant(editor.At(0).inputs[1], std::move(other));
         editor.Finish();
       }},
      {"channel sets",
       [](Net& net, bool says_so) { SetConstant(net.graph, 0, 1, Other(net, says_so)); }},
  };
  for (const auto& [name, rewrite] : doors) {
    Net silent = SumWithCodes(), said = SumWithCodes();
    EXPECT_THROW(rewrite(silent, false), std::logic_error) << name;
    EXPECT_NO_THROW(rewrite(said, true)) << name;
  }
}

TEST(Codes, AreKeptByWhatMovesThemOrLeavesThem) {
  using Rewrite = void (*)(Editor&, ValueId x, ValueId codes, ValueId real);
  const std::vector<std::pair<const char*, Rewrite>> rewrites = {
      {"swapped",
       [](Editor& e, ValueId x, ValueId w, ValueId) {
         e.SetInputs(0, {w, x});
       }},
      {"a constant more",
       [](Editor& e, ValueId x, ValueId w, ValueId real) {
         e.Become(0, "Where", {x, w, real});
       }},
      {"in front of it",
       [](Editor& e, ValueId x, ValueId w, ValueId real) {
         e.Become(0, "Where", {real, x, w});
       }},
      {"no longer read", [](Editor& e, ValueId x, ValueId, ValueId) { e.Become(0, "Relu", {x}); }},
  };
  for (const auto& [name, rewrite] : rewrites) {
    Net net = SumWithCodes();
    Constant other = Other(net, false);
    Editor editor(net.graph);
    const std::vector<ValueId> inputs = editor.At(0).inputs;
    const ValueId real = editor.NewConstant("real", std::move(other));
    EXPECT_NO_THROW(rewrite(editor, inputs[0], inputs[1], real)) << name;
    editor.Finish();
  }
}

TEST(Codes, OfAChannelThatStaysStay) {
  Net net;
  std::vector<float> weights = net.graph.Constant(net.Random({8, 3, 1, 1}))->floats;
  std::fill_n(weights.begin(), 12, 0.0f);
  const ValueId first =
      net.Op("Conv", {net.Input({1, 3, 4, 4}), net.Floats({8, 3, 1, 1}, weights)});
  const ValueId scaled = net.Op("Mul", {first, Coded(net, {1, 8, 1, 1})});
  net.Output(net.Op("Conv", {scaled, net.Random({2, 8, 1, 1})}));
  RunPass(net, "dequantize_constants", 1);
  RunPass(net, "remove_dead_channels", 4);
  const Constant& left = net.graph.At(net.graph.nodes[1].inputs[1]).constant;
  EXPECT_EQ(left->shape, (Shape{1, 4, 1, 1}));
  ASSERT_NE(left.codes(), nullptr);
  EXPECT_EQ(left.codes()->scales, (std::vector<float>{0.625f, 0.75f, 0.875f, 1}));
}

}  // namespace
}  // namespace octet::passes::testing
