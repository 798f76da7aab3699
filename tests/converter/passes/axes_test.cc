// Passes that spell products and normalizations one way.
#include <gtest/gtest.h>

#include "tests/converter/passes/net.h"

namespace octet::passes::testing {
namespace {

ValueId WrittenOut(Net& net, ValueId x, const Ints& axes, bool power, float exponent = 2) {
  const auto mean = [&](ValueId of) { return net.Op("ReduceMean", {of, net.Integers(axes)}); };
  const ValueId d = net.Op("Sub", {x, mean(x)});
  const ValueId square = power ? net.Op("Pow", {d, net.Scalar(exponent)}) : net.Op("Mul", {d, d});
  const ValueId sum = net.Op("Add", {mean(square), net.Scalar(1e-5f)});
  return net.Op("Div", {d, net.Op("Sqrt", {sum})});
}

TEST(RecogniseLayerNorm, WithPowerOrProduct) {
  for (const bool power : {false, true}) {
    Net net;
    const ValueId x = net.Input({2, 3, 8});
    const ValueId scaled = net.Op("Mul", {WrittenOut(net, x, {-1}, power), net.Random({8})});
    net.Output(net.Op("Add", {scaled, net.Random({8})}));
    EXPECT_EQ(RunAll(net), "LayerNormalization");
  }
  Net net;
  net.Output(WrittenOut(net, net.Input({2, 3, 8}), {1, 2}, true));
  EXPECT_EQ(RunAll(net), "LayerNormalization") << "over two dimensions";
}

// 1 / sqrt(s), as exporters write it.
ValueId InverseRoot(Net& net, ValueId s, int way) {
  if (way == 0) return net.Op("Div", {net.Scalar(1), net.Op("Sqrt", {s})});
  if (way == 1) return net.Op("Reciprocal", {net.Op("Sqrt", {s})});
  if (way == 2) return net.Op("Pow", {s, net.Scalar(-0.5f)});
  return net.Op("Reciprocal", {net.Op("Pow", {s, net.Scalar(0.5f)})});
}

TEST(RecogniseLayerNorm, WithTheInverseAsAFactor) {
  for (const bool centred : {false, true}) {
    for (int way = 0; way < 4; ++way) {
      for (const bool first : {false, true}) {
        Net net;
        ValueId x = net.Input({2, 3, 8});
        const auto mean = [&](ValueId of) {
          return net.Op("ReduceMean", {of, net.Integers({-1})});
        };
        if (centred) x = net.Op("Sub", {x, mean(x)});
        const ValueId square = mean(net.Op("Pow", {x, net.Scalar(2)}));
        const ValueId sum = net.Op("Add", {square, net.Scalar(1e-5f)});
        const ValueId inverse = InverseRoot(net, sum, way);
        const ValueId y = first ? net.Op("Mul", {inverse, x}) : net.Op("Mul", {x, inverse});
        net.Output(net.Op("Mul", {y, net.Random({8})}));
        EXPECT_EQ(RunAll(net), centred ? "LayerNormalization" : "RMSNormalization") << way << first;
      }
    }
  }
}

TEST(RecogniseLayerNorm, WithoutTheMeanIsOfMeanSquares) {
  Net net;
  const ValueId x = net.Input({2, 3, 8});
  const ValueId square = net.Op("ReduceMean", {net.Op("Mul", {x, x}), net.Integers({1, 2})});
  const ValueId sum = net.Op("Add", {square, net.Scalar(1e-5f)});
  net.Output(net.Op("Div", {x, net.Op("Sqrt", {sum})}));
  EXPECT_EQ(RunAll(net), "RMSNormalization");
  // The size of something else, and a mean that is not over the last dimensions.
  for (const bool other : {true, false}) {
    Net no;
    const ValueId data = no.Input({2, 3, 8});
    const ValueId of = other ? no.Op("Sigmoid", {data}) : data;
    const ValueId squares = no.Op("Mul", {of, of});
    const ValueId size = no.Op("ReduceMean", {squares, no.Integers({other ? 2 : 1})});
    const ValueId root = no.Op("Sqrt", {no.Op("Add", {size, no.Scalar(1e-5f)})});
    no.Output(no.Op("Div", {data, root}));
    RunPass(no, "recognise_layer_norm", 0);
  }
}

TEST(RecogniseLayerNorm, ThenTakesTheFactor) {
  Net net;
  const ValueId x = net.Input({2, 3, 8});
  net.Output(net.Op("Mul", {WrittenOut(net, x, {-1}, true), net.Random({8})}));
  RunPass(net, "recognise_layer_norm", 1);
  RunPass(net, "fold_into_layer_norm", 1);
}

TEST(RecogniseLayerNorm, NotOverOtherDimensionsOrPowers) {
  Net inner;
  inner.Output(WrittenOut(inner, inner.Input({2, 3, 8}), {1}, true));
  RunPass(inner, "recognise_layer_norm", 0);
  Net cube;
  cube.Output(WrittenOut(cube, cube.Input({2, 3, 8}), {2}, true, 4));
  RunPass(cube, "recognise_layer_norm", 0);
}

TEST(RecogniseLayerNorm, OverPicturesIsOfInstances) {
  for (const Ints& shape : {Ints{3, 1, 1}, Ints{1, 3, 1, 1}}) {
    Net net;
    const ValueId x = net.Input({1, 3, 5, 4});
    const ValueId scaled = net.Op("Mul", {net.Random(shape), WrittenOut(net, x, {2, 3}, true)});
    net.Output(net.Op("Add", {scaled, net.Random(shape)}));
    EXPECT_EQ(RunAll(net), "InstanceNormalization");
  }
  Net plain;
  plain.Output(WrittenOut(plain, plain.Input({1, 3, 5, 4}), {2, 3}, false));
  EXPECT_EQ(RunAll(plain), "InstanceNormalization") << "without parameters";
  Net rows;
  const ValueId x = rows.Input({2, 3, 8});
  rows.Output(rows.Op("Mul", {WrittenOut(rows, x, {-1}, true), rows.Random({3, 1})}));
  EXPECT_EQ(RunAll(rows), "InstanceNormalization") << "of rows, by their channel";
}

TEST(RecogniseLayerNorm, OverPicturesWithAFactorEach) {
  Net net;
  const ValueId x = net.Input({1, 3, 5, 4});
  net.Output(net.Op("Mul", {WrittenOut(net, x, {2, 3}, true), net.Random({5, 4})}));
  EXPECT_EQ(RunAll(net), "LayerNormalization");
}

TEST(FoldIntoInstanceNorm, TakesTheFactor) {
  Net net;
  const ValueId x = net.Input({1, 3, 5, 4});
  net.Output(net.Op("Mul", {WrittenOut(net, x, {2, 3}, true), net.Random({3, 1, 1})}));
  RunPass(net, "recognise_layer_norm", 1);
  RunPass(net, "fold_into_instance_norm", 1);
}

TEST(FoldIntoInstanceNorm, NotWhatDiffersInAChannel) {
  Net net;
  const ValueId x = net.Input({1, 3, 5, 3});
  const ValueId y = net.Op("InstanceNormalization", {x, net.Random({3}), net.Random({3})});
  net.Output(net.Op("Mul", {y, net.Random({3})}));
  RunPass(net, "fold_into_instance_norm", 0);
  Net read_twice;
  const ValueId z = read_twice.Op(
      "InstanceNormalization",
      {read_twice.Input({1, 3, 5, 3}), read_twice.Random({3}), read_twice.Random({3})});
  read_twice.Output(read_twice.Op("Mul", {z, read_twice.Random({3, 1, 1})}));
  read_twice.Output(z);
  RunPass(read_twice, "fold_into_instance_norm", 0);
}

TEST(SplitLayerNormStatistics, ComputesWhatIsRead) {
  Net net;
  const ValueId x = net.Input({2, 3, 8});
  const auto results = net.Nodes("LayerNormalization", {x, net.Random({3, 8}), net.Random({3, 8})},
                                 3, {{"axis", int64_t{1}}});
  for (ValueId id : results) net.Output(id);
  EXPECT_EQ(RunPass(net, "split_layer_norm_statistics", 1),
            "ReduceMean Sub Mul ReduceMean Add Sqrt Reciprocal LayerNormalization");
}

TEST(SplitEinsum, IsTransposesAndOneProduct) {
  Net net;
  const ValueId q = net.Input({1, 5, 2, 4}, "q"), k = net.Input({1, 6, 2, 4}, "k");
  net.Output(net.Op("Einsum", {q, k}, {{"equation", std::string("bqhd,bkhd->bhqk")}}));
  RunPass(net, "split_einsum", 1);
  Net diagonal;
  const ValueId x = diagonal.Input({3, 4, 3});
  diagonal.Output(diagonal.Op("Einsum", {x}, {{"equation", std::string("iji->ij")}}));
  RunPass(diagonal, "split_einsum", 1);
}

TEST(SplitComputedGemm, OnlyWhereBothAreComputed) {
  Net net;
  const ValueId a = net.Input({6, 4}, "a"), b = net.Input({5, 6}, "b");
  net.Output(
      net.Op("Gemm", {a, b, net.Random({5})},
             {{"transA", int64_t{1}}, {"transB", int64_t{1}}, {"alpha", 0.5f}, {"beta", 2.0f}}));
  RunPass(net, "split_computed_gemm", 1);
  Net constant;
  constant.Output(constant.Op("Gemm", {constant.Input({2, 6}), constant.Random({6, 5})}));
  RunPass(constant, "split_computed_gemm", 0);
}

// Every form of alpha * A' B' + beta * C: the results stay, and what is not needed is not written.
TEST(SplitComputedGemm, EveryForm) {
  for (int form = 0; form < 32; ++form) {
    const bool turn_a = (form & 1) != 0, turn_b = (form & 2) != 0, scaled = (form & 4) != 0;
    const bool added = (form & 8) != 0, beta = (form & 16) != 0;
    SCOPED_TRACE(form);
    Net net;
    std::vector<ValueId> inputs{net.Input(turn_a ? Shape{6, 4} : Shape{4, 6}, "a"),
                                net.Input(turn_b ? Shape{5, 6} : Shape{6, 5}, "b")};
    if (added) inputs.push_back(form % 3 == 0 ? net.Random({5}) : net.Input({4, 5}, "c"));
    net.Output(net.Op("Gemm", inputs,
                      {{"transA", int64_t{turn_a}},
                       {"transB", int64_t{turn_b}},
                       {"alpha", scaled ? 0.5f : 1.0f},
                       {"beta", beta ? 2.0f : 1.0f}}));
    std::string expected;
    for (const bool turned : {turn_a, turn_b}) expected += turned ? "Transpose " : "";
    expected += "MatMul";
    if (scaled) expected += " Mul";
    if (scaled && !added) expected += " Identity";
    if (added) expected += beta ? " Mul Add" : " Add";
    EXPECT_EQ(RunPass(net, "split_computed_gemm", 1), expected);
  }
}

}  // namespace
}  // namespace octet::passes::testing
