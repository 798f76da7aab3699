// Elementwise operators from ONNX to every plan: any broadcasting, any rank, floats and integers.
#include "gtest/gtest.h"
#include "tests/converter/lower/run_plans.h"

namespace octet::test {
namespace {

constexpr double kFp16 = 2e-3, kInt8 = 0.03;
constexpr int64_t kFloat = 1, kUInt8 = 2, kInt64 = 7;

struct Shapes {
  Dims a, b;
};
const Shapes kShapes[] = {
    {{1, 3, 1, 5}, {1, 1, 4, 5}},              // both stretched
    {{1, 3, 4, 5}, {5}},                       // by the last axis of ONNX
    {{1, 3, 4, 5}, {3, 1, 1}},                 // by channel
    {{1, 3, 4, 5}, {4, 1}},                    // by row
    {{1, 1, 1, 5}, {1, 3, 4, 1}},              // crosswise
    {{1, 2, 3, 4, 5}, {1, 2, 1, 4, 5}},        // rank 5
    {{1, 2, 3, 4, 5}, {3, 1, 5}},              // rank 5 and 3
    {{1, 2, 1, 2, 1, 3}, {1, 1, 2, 1, 2, 1}},  // rank 6, alternating
    {{1, 7}, {1, 6, 1}},                       // ranks 2 and 3
};

TEST(Elementwise, BroadcastsAnyWay) {
  for (const char* op : {"Add", "Sub", "Mul", "Min", "Max"}) {
    for (const Shapes& shapes : kShapes) {
      SCOPED_TRACE(op);
      OnnxBuilder model;
      const OnnxValue a = model.Input("a", shapes.a);
      // A computed operand, so that nothing is folded.
      const OnnxValue b = model.Initializer("b", {1}, std::vector<float>{0.7f});
      Dims full = shapes.b;
      full.insert(full.begin(), full[0] == 1 ? 0 : 1, 1);
      const OnnxValue other = model.Input("other", full).Add(b);
      a.Op(op, {}, {other.name()}).Output("y");
      ExpectPlansNear(model, kFp16, kInt8);
    }
  }
}

TEST(Elementwise, ConstantOperands) {
  for (const char* op : {"Add", "Sub", "Mul", "Div", "Min", "Max", "PRelu"}) {
    SCOPED_TRACE(op);
    OnnxBuilder model;
    const OnnxValue x = model.Input("x", {1, 3, 4, 5});
    std::vector<float> values;
    for (int i = 0; i < 20; ++i) values.push_back(0.5f + 0.05f * static_cast<float>(i));
    const OnnxValue constant = model.Initializer("c", {4, 5}, values);
    x.Op(op, {}, {constant.name()}).Output("y");
    ExpectPlansNear(model, kFp16, kInt8);
  }
}

TEST(Elementwise, ActivationBehindABroadcastSum) {
  OnnxBuilder model;
  const OnnxValue a = model.Input("a", {1, 3, 1, 5}), b = model.Input("b", {1, 1, 4, 5});
  a.Add(b).Relu().Output("y");
  ExpectPlansNear(model, kFp16, kInt8);
}

TEST(Elementwise, VariadicSumMeanMinMax) {
  for (const char* op : {"Sum", "Mean", "Min", "Max"}) {
    SCOPED_TRACE(op);
    OnnxBuilder model;
    const OnnxValue a = model.Input("a", {1, 3, 4, 5});
    const OnnxValue b = model.Input("b", {1, 1, 4, 5}), c = model.Input("c", {1, 3, 1, 1});
    a.Op(op, {}, {b.name(), c.name(), a.name()}).Output("y");
    a.Op(op).Output("same");
    ExpectPlansNear(model, kFp16, kInt8);
  }
}

TEST(Elementwise, PReluBySlope) {
  for (const Dims& slope : {Dims{6, 1, 1}, Dims{1}, Dims{1, 6, 5, 5}, Dims{5}}) {
    OnnxBuilder model;
    const OnnxValue x = model.Input("x", {1, 6, 5, 5});
    const OnnxValue slopes = model.Random("slopes", slope, 0.3f);
    x.Conv({.channels = 6, .pad = 1}).Op("PRelu", {}, {slopes.name()}).Output("y");
    ExpectPlansNear(model, 5e-3, 0.05);
  }
}

TEST(Elementwise, PowOfTwoTensors) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("x", {1, 3, 4, 5});
  const OnnxValue two = model.Initializer("two", {}, std::vector<float>{2.0f});
  const OnnxValue y = model.Input("y", {1, 3, 1, 1}).Add(two);
  x.Add(two).Op("Pow", {}, {y.name()}).Output("z");
  ExpectPlansNear(model, 5e-3, 0.05);
}

TEST(Elementwise, WhereByAComparison) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("x", {1, 3, 4, 5}), y = model.Input("y", {1, 3, 1, 5});
  const OnnxValue zero = model.Initializer("zero", {}, std::vector<float>{0.0f});
  // Exactly computed in every plan: the sign of an input.
  const OnnxValue condition = x.Op("Greater", {}, {zero.name()});
  condition.Op("Where", {}, {x.name(), y.name()}).Output("z");
  condition.Op("Where", {}, {zero.name(), x.name()}).Output("clipped");
  condition.Op("Not").Op("Cast", {{"to", Int(kFloat)}}).Output("not");
  ExpectPlansNear(model, kFp16, kInt8);
}

// As the head of a detector that finds its classes in a flat index.
TEST(Elementwise, IntegerHead) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("x", {1, 40});
  const auto integer = [&model](const char* name, int64_t value) {
    return model.Initializer(name, {}, std::vector<int64_t>{value});
  };
  const OnnxValue scale = model.Initializer("scale", {}, std::vector<float>{50000.0f});
  const OnnxValue index = x.Op("Abs").Mul(scale).Op("Cast", {{"to", Int(kInt64)}});
  const OnnxValue classes = integer("classes", 80);
  index.Output("index");
  index.Op("Mod", {}, {classes.name()}).Output("class");
  index.Div(classes).Output("box");
  index.Mul(integer("factor", 3)).Sub(integer("shift", 70000)).Output("wide");
  index.Op("Max", {}, {integer("low", 100).name()}).Op("Neg").Output("negated");
  index.Op("Less", {}, {classes.name()}).Output("few");
  const PlanOutputs out = RunPlans(model);
  // The index is what FP16 made of it; everything behind it is exact.
  for (const Values* plan : {&out.int8, &out.fp16}) {
    for (size_t i = 0; i < 40; ++i) {
      const auto at = static_cast<int64_t>((*plan)[0][i]);
      EXPECT_EQ((*plan)[1][i], static_cast<float>(at % 80));
      EXPECT_EQ((*plan)[2][i], static_cast<float>(at / 80));
      EXPECT_EQ((*plan)[3][i], static_cast<float>(at * 3 - 70000));
      EXPECT_EQ((*plan)[4][i], static_cast<float>(-std::max<int64_t>(at, 100)));
      EXPECT_EQ((*plan)[5][i], at < 80 ? 1.0f : 0.0f);
    }
  }
  EXPECT_LE(RelativeError(out.expected[0], out.fp16[0]), 1e-3);
}

TEST(Elementwise, NarrowIntegersWrap) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("x", {1, 40});
  const OnnxValue scale = model.Initializer("scale", {}, std::vector<float>{255.0f});
  const OnnxValue bytes = x.Op("Abs").Mul(scale).Op("Cast", {{"to", Int(kUInt8)}});
  bytes.Output("bytes");
  bytes.Add(bytes).Output("sum");
  bytes.Op("BitwiseNot").Output("not");
  const PlanOutputs out = RunPlans(model);
  for (size_t i = 0; i < 40; ++i) {
    const auto byte = static_cast<int>(out.fp16[0][i]);
    EXPECT_EQ(out.fp16[1][i], static_cast<float>((2 * byte) & 255));
    EXPECT_EQ(out.fp16[2][i], static_cast<float>(255 - byte));
  }
}

TEST(Elementwise, ClipWithComputedBounds) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("x", {1, 3, 4, 5});
  const OnnxValue low = model.Input("low", {1}), high = model.Input("high", {1});
  x.Op("Clip", {}, {low.name(), high.name()}).Output("y");
  x.Op("Clip", {}, {"", high.name()}).Output("z");
  ExpectPlansNear(model, kFp16, kInt8);
}

}  // namespace
}  // namespace octet::test
