#include <cfloat>
#include <cmath>

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/converter/quantize/quantize_support.h"
#include "tests/support/facts.h"

namespace octet::quantize {
namespace {

TEST(Affine, CoversTheRangeWithZeroExact) {
  const TensorScheme relu6 = Affine(0, 6, false);
  EXPECT_FLOAT_EQ(relu6.scale, 6.0f / 255);
  EXPECT_EQ(relu6.zero_point, -128);
  EXPECT_EQ(relu6.min, 0);
  EXPECT_FLOAT_EQ(relu6.max, 6);
  const TensorScheme above = Affine(3, 6, false);
  EXPECT_EQ(above.zero_point, -128) << "0 belongs to every range";
  const TensorScheme below = Affine(-6, -3, false);
  EXPECT_EQ(below.zero_point, 127);
  const TensorScheme symmetric = Affine(-2, 1, true);
  EXPECT_EQ(symmetric.zero_point, 0);
  EXPECT_FLOAT_EQ(symmetric.scale, 2.0f / 127);
}

TEST(Affine, NeverDegenerate) {
  for (bool symmetric : {false, true}) {
    EXPECT_FLOAT_EQ(Affine(0, 0, symmetric).scale, 1.0f / 127);
    EXPECT_EQ(Affine(0, 0, symmetric).zero_point, 0);
    for (float max : {FLT_MIN, 1e-45f, 1e-30f, 1.0f, FLT_MAX}) {
      const TensorScheme s = Affine(-max, max, symmetric);
      EXPECT_TRUE(std::isnormal(s.scale)) << max;
      EXPECT_TRUE(std::isfinite(1 / s.scale)) << max;
      EXPECT_GE(s.zero_point, -128);
      EXPECT_LE(s.zero_point, 127);
    }
  }
}

TEST(Scheme, ClampsAreTheRange) {
  Net net;
  const auto x = net.Input("x", -1, 1);
  const auto relu6 = net.Value("relu6", 0, 5.5f);
  const auto relu = net.Value("relu", 0, 3);
  const auto guard = net.Value("guard", -2, 2);
  graph::Node& clip = net.Conv(x, relu6);
  clip.activation = "Clip";
  clip.beta = 6;
  net.Conv(relu6, relu).activation = "Relu";
  graph::Node& wide = net.Conv(relu, guard);
  wide.activation = "Clip";
  wide.alpha = -1000;
  wide.beta = 1000;
  net.Output(guard);
  Config config = Net::MinMax();
  config.symmetric = true;
  const Scheme scheme = net.Assign(config);
  EXPECT_FLOAT_EQ(At(scheme, relu6).scale, 6.0f / 255) << "asymmetric whatever the default";
  EXPECT_EQ(At(scheme, relu6).zero_point, -128);
  EXPECT_EQ(At(scheme, relu6).origin.Text(), "clamp");
  EXPECT_EQ(At(scheme, relu).zero_point, -128);
  EXPECT_LT(At(scheme, guard).max, 3) << "a bound the data never come near is none";
  EXPECT_EQ(At(scheme, x).zero_point, 0) << "symmetric";
}

// Each end of a clamp is taken alone, from half way on, where it is not 0.
TEST(Scheme, EndsOfAClamp) {
  const struct {
    float low, high, seen_min, seen_max, min, max;
    const char* origin;
  } kCases[] = {
      {-1, 6, -0.9f, 5.5f, -1, 6, "clamp"},    {-4, 6, -1.9f, 5.5f, -1.9f, 6, "clamp"},
      {-4, 6, -2, 2.9f, -4, 2.9f, "clamp"},    {-4, 6, -1.9f, 2.9f, -1.9f, 2.9f, "min-max"},
      {-1, 6, -0.5f, 3, -1, 6, "clamp"},       {0, 6, 0, 2.9f, 0, 2.9f, "min-max"},
      {-100, 0, -1, 0, -1, 0, "min-max"},      {-100, -1, -3, -1, -3, 0, "min-max"},
      {1, 100, 1, 3, 0, 3, "min-max"},         {-INFINITY, 6, -9, 6, -9, 6, "clamp"},
      {-6, INFINITY, -6, 90, -6, 90, "clamp"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(testing::Message()
                 << c.low << " to " << c.high << ", seen " << c.seen_min << " to " << c.seen_max);
    Net net;
    const auto x = net.Input("x", -1, 1), y = net.Value("y", c.seen_min, c.seen_max);
    graph::Node& clip = net.Conv(x, y);
    clip.activation = "Clip";
    clip.alpha = c.low;
    clip.beta = c.high;
    net.Output(y);
    const TensorScheme scheme = At(net.Assign(), y);
    const float half_step = (c.max - c.min) / 255 / 2;
    EXPECT_NEAR(scheme.min, c.min, half_step * 1.01f);
    EXPECT_NEAR(scheme.max, c.max, half_step * 1.01f);
    EXPECT_EQ(scheme.origin.Text(), c.origin);
  }
}

TEST(Scheme, SaturatingReadersNarrowTheirInput) {
  const struct {
    const char* op;
    float low, high, out_min, out_max;
  } kCases[] = {{"Sigmoid", -8, 8, 0, 1},
                {"Silu", -9, 50, -0.278f, 50},
                {"HardSwish", -3.2f, 50, -0.375f, 50},
                {"HardSigmoid", -2.7f, 2.7f, 0, 1},
                {"Tanh", -4, 4, -1, 1},
                {"Gelu", -4, 50, -0.17f, 50}};
  for (const auto& c : kCases) {
    Net net;
    const auto x = net.Input("x", -1, 1);
    const auto before = net.Value("before", -50, 50);
    const auto after = net.Value("after", c.out_min, c.out_max);
    net.Conv(x, before);
    net.Op(c.op, {before}, after);
    net.Output(after);
    const TensorScheme scheme = At(net.Assign(), before);
    EXPECT_GT(scheme.min, c.low) << c.op;
    EXPECT_LT(scheme.min, -1) << c.op;
    EXPECT_LE(scheme.max, c.high + 0.2f) << c.op;
    EXPECT_GT(scheme.max, 1.5f) << c.op;
    EXPECT_GT(scheme.max, c.high == 50 ? 49 : 0) << c.op;
    // Somebody who sees the value as it is needs all of it.
    const auto other = net.Value("other", -50, 50);
    net.Conv(before, other);
    net.Output(other);
    EXPECT_LT(At(net.Assign(), before).min, -49) << c.op;
  }
}

// What only a clamp reads is rounded once, also where what reads the clamp chose its scale.
TEST(Scheme, ClampsGiveTheirInputTheirScale) {
  for (const bool joined : {false, true}) {
    Net net;
    const auto x = net.Input("x", -4, 4);
    const auto a = net.Value("a", -4, 4), b = net.Value("b", 0, 3.9f), y = net.Value("y", 0, 9);
    net.Op("Add", {x, x}, a);
    net.Op("Relu", {a}, b);
    net.Op(joined ? "Concat" : "Mul", {b, joined ? x : b}, y).attributes["axis"] = int64_t{1};
    net.Op("Add", {y, y}, net.Value("z", 0, 18));
    net.Output(net.graph.nodes.back().outputs[0]);
    const Scheme scheme = net.Assign();
    EXPECT_EQ(At(scheme, a).scale, At(scheme, b).scale) << joined;
    EXPECT_EQ(At(scheme, a).zero_point, At(scheme, b).zero_point) << joined;
  }
  Net net;  // Two readers: the other one needs what the clamp cuts off.
  const auto x = net.Input("x", -4, 4);
  const auto a = net.Value("a", -4, 4), b = net.Value("b", 0, 4), y = net.Value("y", -4, 8);
  net.Op("Add", {x, x}, a);
  net.Op("Relu", {a}, b);
  net.Op("Add", {a, b}, y);
  net.Output(y);
  EXPECT_LT(At(net.Assign(), a).min, -3.9f);
}

TEST(Scheme, MovedDataKeepTheirScale) {
  Net net;
  const auto x = net.Input("x", -1, 1);
  const auto y = net.Value("y", -4, 4);
  const auto pooled = net.Value("pooled", -1, 4);
  const auto resized = net.Value("resized", -1, 3.5f);
  const auto out = net.Value("out", -1, 1);
  net.Conv(x, y);
  net.Op("MaxPool", {y}, pooled);
  net.Op("Resize", {pooled}, resized);
  net.Conv(resized, out);
  net.Output(out);
  const Scheme scheme = net.Assign();
  for (graph::ValueId id : {pooled, resized}) {
    EXPECT_EQ(At(scheme, id).scale, At(scheme, y).scale);
    EXPECT_EQ(At(scheme, id).zero_point, At(scheme, y).zero_point);
  }
  EXPECT_EQ(At(scheme, pooled).origin.Text(), "shared with y");
  EXPECT_GT(At(scheme, y).min, -1.1f) << "what the pool drops needs no code";
}

// What lies between elements varies less than they do: their range is not what it needs of them.
TEST(Scheme, InterpolationNarrowsNothing) {
  for (const std::string mode : {"nearest", "linear", "cubic"}) {
    Net net;
    const auto x = net.Input("x", -1, 1), y = net.Value("y", -8, 4);
    const auto resized = net.Value("resized", -3, 2), out = net.Value("out", -1, 1);
    net.Conv(x, y);
    net.Op("Resize", {y}, resized).attributes["mode"] = mode;
    net.Conv(resized, out);
    net.Output(out);
    const Scheme scheme = net.Assign();
    EXPECT_NEAR(At(scheme, y).min, mode == "nearest" ? -3 : -8, 0.1) << mode;
    EXPECT_EQ(At(scheme, resized).scale, At(scheme, y).scale) << mode;
    Config config = Net::MinMax();  // whoever asks for it gets it
    config.tensors.push_back({"resized", -2.0f, 2.0f, {}, {}});
    EXPECT_NEAR(At(net.Assign(config), y).min, -2, 0.1) << mode;
  }
}

// What is moved has another kind of range than its source: the source keeps its own, and the
// override that cannot be obeyed is told.
TEST(Scheme, MovedDataOfAnotherKindNarrowNothing) {
  Net net;
  const auto x = net.Input("x", -1, 1), y = net.Value("y", -8, 4);
  const auto pooled = net.Value("pooled", -1, 4), out = net.Value("out", -1, 1);
  net.Conv(x, y);
  net.Op("MaxPool", {y}, pooled);
  net.Conv(pooled, out);
  net.Output(out);
  Config config = Net::MinMax();
  config.tensors.push_back({"pooled", {}, {}, true, {}});
  const Scheme scheme = net.Assign(config);
  EXPECT_LT(At(scheme, y).min, -7.9f);
  EXPECT_NE(At(scheme, y).zero_point, 0);
  ASSERT_EQ(scheme.warnings.size(), 1u);
  test::ExpectFacts(scheme.warnings[0], {"'pooled'", "--config", "MaxPool", "'y'"});
}

// An override that says what is so anyway takes no effect away.
TEST(Scheme, MovedDataWhoseOverrideIsTheSameWarnOfNothing) {
  for (const float max : {4.0f, 5.0f}) {
    Net net;
    const auto x = net.Input("x", -1, 1), y = net.Value("y", -8, 4);
    const auto pooled = net.Value("pooled", -8, 4), out = net.Value("out", -1, 1);
    net.Conv(x, y);
    net.Op("MaxPool", {y}, pooled);
    net.Conv(pooled, out);
    net.Output(out);
    Config config = Net::MinMax();
    config.tensors.push_back({"y", -8.0f, 4.0f, {}, {}});
    config.tensors.push_back({"pooled", -8.0f, max, {}, {}});
    EXPECT_EQ(net.Assign(config).warnings.size(), max == 4 ? 0u : 1u);
  }
}

// conv -> pad with `value` -> conv; the pad's result is moved on to another reader.
struct Padded : Net {
  explicit Padded(float value) {
    x = Input("x", -1, 1);
    a = Value("a", -1, 1);
    padded = Value("padded", std::min(value, -1.0f), std::max(value, 1.0f));
    const auto y = Value("y", -1, 1);
    Conv(x, a);
    Op("Pad", {a, Constant({8}, 1), Constant({}, value)}, padded);
    Conv(padded, y);
    Output(y);
  }
  graph::ValueId x, a, padded;
};

TEST(Scheme, WhatIsPaddedHoldsTheValue) {
  for (float value : {5.0f, -3.0f, 0.5f}) {
    Padded net(value);
    Config config;  // a range of least error would cut the value off
    const Scheme scheme = net.Assign(config);
    EXPECT_LE(At(scheme, net.a).min, std::min(value, 0.0f) + At(scheme, net.a).scale) << value;
    EXPECT_GE(At(scheme, net.a).max, std::max(value, 0.0f) - At(scheme, net.a).scale) << value;
    EXPECT_EQ(At(scheme, net.padded).scale, At(scheme, net.a).scale);
    EXPECT_EQ(scheme.precision[1], blob::Precision::kInt8);
  }
}

TEST(Scheme, PadValuesThatWouldRuinTheRangeRunInFp16) {
  Padded net(1000);
  const Scheme scheme = net.Assign();
  EXPECT_LT(At(scheme, net.a).max, 1.1f);
  EXPECT_EQ(scheme.precision[1], blob::Precision::kFp16);
  ASSERT_FALSE(scheme.warnings.empty());
  EXPECT_NE(scheme.warnings[0].find("Pad_padded"), std::string::npos) << scheme.warnings[0];
  // Minus infinity in front of a maximum is the lowest code.
  Padded lowest(-1e35f);
  EXPECT_EQ(lowest.Assign().precision[1], blob::Precision::kInt8);
}

// What takes its range from the padded value holds the number, too.
TEST(Scheme, WhatIsJoinedBehindAPadHoldsTheValue) {
  Padded net(7);
  const auto moved = net.Value("moved", -1, 7), other = net.Value("other", -2, 2),
             joined = net.Value("joined", -2, 7), y = net.Value("z", -1, 1);
  net.Op("Reshape", {net.padded, net.Constant({4}, 1)}, moved);
  net.Conv(net.x, other);
  net.Op("Concat", {moved, other}, joined).attributes["axis"] = int64_t{1};
  net.Conv(joined, y);
  net.Output(y);
  const Scheme scheme = net.Assign();
  for (const auto id : {net.padded, moved, joined}) EXPECT_GT(At(scheme, id).max, 6.9f);
}

TEST(Scheme, WhatIsJoinedInFrontOfAPadHoldsTheValue) {
  Net net;
  const auto x = net.Input("x", -1, 1);
  const auto a = net.Value("a", -1, 1), b = net.Value("b", -1, 1),
             joined = net.Value("joined", -1, 1), padded = net.Value("padded", -4, 1),
             y = net.Value("y", -1, 1);
  net.Conv(x, a);
  net.Conv(x, b);
  net.Op("Concat", {a, b}, joined).attributes["axis"] = int64_t{1};
  net.Op("Pad", {joined, net.Constant({8}, 1), net.Constant({}, -4)}, padded);
  net.Conv(padded, y);
  net.Output(y);
  const Scheme scheme = net.Assign();
  for (const auto id : {joined, padded}) EXPECT_LT(At(scheme, id).min, -3.9f);
}

// Probabilities have a scale of their own, and the number goes beside them in FP16.
TEST(Scheme, WhatIsPaddedBehindASoftmaxHoldsTheValue) {
  Net net;
  const auto x = net.Input("x", -1, 1);
  const auto soft = net.Value("soft", 0, 1), padded = net.Value("padded", 0, 3),
             y = net.Value("y", -1, 1);
  net.Op("Softmax", {x}, soft);
  net.Op("Pad", {soft, net.Constant({8}, 1), net.Constant({}, 3)}, padded);
  net.Conv(padded, y);
  net.Output(y);
  const Scheme scheme = net.Assign();
  EXPECT_EQ(scheme.precision[1], blob::Precision::kFp16);
  EXPECT_GT(At(scheme, padded).max, 2.9f);
  EXPECT_LT(At(scheme, soft).max, 1.1f);
}

TEST(Scheme, ABoardWithSymmetricActivationsOnlyGetsNoOthers) {
  Net net;
  const auto x = net.Input("x", 0, 1);
  const auto relu = net.Value("relu", 0, 3), b = net.Value("b", -9, 2),
             soft = net.Value("soft", 0, 1), y = net.Value("y", 0, 2);
  net.Conv(x, relu).activation = "Relu";
  net.Conv(relu, b);
  net.Op("Softmax", {b}, soft);
  net.Conv(soft, y);
  net.Output(y);
  Config config = Net::MinMax();
  config.symmetric_only = true;
  TensorOverride asked;
  asked.name = "b";
  asked.symmetric = false;
  config.tensors.push_back(asked);
  const Scheme scheme = net.Assign(config);
  for (const auto id : {x, relu, b, soft, y}) EXPECT_EQ(At(scheme, id).zero_point, 0);
  EXPECT_EQ(scheme.precision[2], blob::Precision::kFp16) << "its int8 kernel has a zero point";
  EXPECT_TRUE(scheme.symmetric_only);
}

TEST(Scheme, ConcatHasOneScaleAndPrivateInputsTakeIt) {
  Net net;
  const auto x = net.Input("x", -1, 1);
  const auto own = net.Value("own", -1, 1);
  const auto shared = net.Value("shared", 0, 3);
  const auto moved = net.Value("moved", -2, 2);
  const auto moved_after = net.Value("moved_after", -2, 2);
  const auto joined = net.Value("joined", -2, 3, {1, 12, 4, 4});
  const auto out = net.Value("out", -1, 1);
  const auto out2 = net.Value("out2", -1, 1);
  net.Conv(x, own);
  net.Conv(x, shared);
  net.Conv(x, moved);
  net.Op("Resize", {moved}, moved_after);
  net.Op("Concat", {own, shared, moved_after}, joined);
  net.Conv(joined, out);
  net.Conv(shared, out2);
  net.Output(out);
  net.Output(out2);
  const Scheme scheme = net.Assign();
  EXPECT_FLOAT_EQ(At(scheme, joined).scale, 5.0f / 255) << "the union [-2, 3]";
  for (graph::ValueId id : {own, moved, moved_after}) {
    EXPECT_EQ(At(scheme, id).scale, At(scheme, joined).scale) << net.graph.At(id).name;
    EXPECT_EQ(At(scheme, id).zero_point, At(scheme, joined).zero_point);
  }
  EXPECT_FLOAT_EQ(At(scheme, shared).scale, 3.0f / 255) << "read elsewhere: keeps its own";
  EXPECT_TRUE(scheme.warnings.empty());
}

TEST(Scheme, ConcatOfVeryDifferentRangesWarns) {
  Net net;
  const auto x = net.Input("x", -1, 1);
  const auto small = net.Value("small", 0, 0.1f);
  const auto large = net.Value("large", 0, 50);
  const auto joined = net.Value("joined", 0, 50, {1, 8, 4, 4});
  const auto out = net.Value("out", -1, 1);
  net.Conv(x, small);
  net.Conv(x, large);
  net.Op("Concat", {small, large}, joined);
  net.Conv(joined, out);
  net.Output(out);
  const Scheme scheme = net.Assign();
  ASSERT_EQ(scheme.warnings.size(), 1u);
  EXPECT_NE(scheme.warnings[0].find("Concat_joined"), std::string::npos);
}

TEST(Scheme, ConcatAtAnOutputKeepsBranchesApart) {
  Net net;
  const auto x = net.Input("x", -1, 1);
  const auto a = net.Value("a", 0, 1);
  const auto b = net.Value("b", 0, 6);
  const auto joined = net.Value("joined", 0, 6, {1, 8, 4, 4});
  net.Conv(x, a);
  net.Conv(x, b);
  net.Op("Concat", {a, b}, joined).attributes["axis"] = int64_t{1};
  net.Output(joined);
  const Scheme scheme = net.Assign();
  EXPECT_FLOAT_EQ(At(scheme, a).scale, 1.0f / 255);
  EXPECT_FLOAT_EQ(At(scheme, b).scale, 6.0f / 255);
}

TEST(Scheme, SoftmaxIsFixedAndZeroTensorsAreSane) {
  Net net;
  const auto x = net.Input("x", -1, 1);
  const auto zero = net.Seen("zero", {0, 0, 0});
  const auto p = net.Value("p", 0, 0.7f);
  net.Conv(x, zero);
  net.Op("Softmax", {zero}, p);
  net.Output(p);
  const Scheme scheme = net.Assign();
  EXPECT_EQ(At(scheme, p).scale, 1.0f / 256);
  EXPECT_EQ(At(scheme, p).zero_point, -128);
  EXPECT_FLOAT_EQ(At(scheme, zero).scale, 1.0f / 127);
}

// Codes reach twice as far as what was seen, in the steps that the kernel has.
TEST(Scheme, SmallProbabilitiesHaveSmallSteps) {
  const std::pair<float, float> rows[] = {{1, 256},     {0.26f, 256},  {0.25f, 512},
                                          {0.1f, 1024}, {1e-6f, 4096}, {0, 256}};
  for (const auto& [largest, steps] : rows) {
    Net net;
    const auto x = net.Input("x", -1, 1), y = net.Value("y", -1, 1);
    const auto p = net.Value("p", 0, largest), moved = net.Value("moved", 0, largest);
    net.Conv(x, y);
    net.Op("Softmax", {y}, p);
    net.Op("Transpose", {p}, moved).attributes["perm"] = std::vector<int64_t>{0, 2, 3, 1};
    net.Output(net.Value("out", -1, 1));
    net.Conv(moved, net.graph.outputs[0]);
    const Scheme scheme = net.Assign();
    EXPECT_EQ(At(scheme, p).scale, 1 / steps) << largest;
    EXPECT_EQ(At(scheme, p).zero_point, -128) << largest;
    EXPECT_EQ(At(scheme, moved).scale, 1 / steps) << largest;
  }
}

TEST(Scheme, OverridesRule) {
  Net net;
  const auto x = net.Input("x", -1, 1);
  const auto y = net.Value("layer/y", -4, 4);
  net.Conv(x, y);
  net.Output(y);
  Config config = Net::MinMax();
  config.tensors.push_back({"layer/*", -1.0f, 3.0f, {}, {}});
  Scheme scheme = net.Assign(config);
  EXPECT_FLOAT_EQ(At(scheme, y).scale, 4.0f / 255);
  EXPECT_EQ(At(scheme, y).origin.Text(), "override");
  config.tensors.push_back({"layer/y", {}, 9.0f, true, {}});
  scheme = net.Assign(config);
  EXPECT_FLOAT_EQ(At(scheme, y).scale, 9.0f / 127) << "the later entry wins, key by key";
  config.tensors.push_back({"layer/z", {}, 9.0f, {}, {}});
  const std::string line = Refusal([&] { net.Assign(config); });
  EXPECT_NE(line.find("'layer/z'"), std::string::npos) << line;
  EXPECT_NE(line.find("nearest name is 'layer/y'"), std::string::npos) << line;
}

TEST(Scheme, ValuesNeverReachedAreNamed) {
  Net net;
  const auto x = net.Input("x", -1, 1);
  const auto y = net.Value("lost", -4, 4);
  net.Conv(x, y);
  net.Output(y);
  net.statistics[static_cast<size_t>(y)].reset();
  EXPECT_NE(Refusal([&] { net.Assign(); }).find("'lost'"), std::string::npos);
}

}  // namespace
}  // namespace octet::quantize
