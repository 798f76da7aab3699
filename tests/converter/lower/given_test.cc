// Codes that a model brings come out of the int8 plan as the FP32 executor rounds them: the same
// ones, but for values within a millionth of a step of the middle between two.
#include <cmath>

#include "gtest/gtest.h"
#include "tests/converter/lower/run_plans.h"

namespace octet::test {
namespace {

constexpr int64_t kInt8 = 3;

// QuantizeLinear and DequantizeLinear to int8 codes.
OnnxValue Rounded(OnnxBuilder& model, const OnnxValue& x, float scale, int64_t zero_point) {
  const OnnxValue step = model.Initializer(model.Unique("scale"), {}, std::vector<float>{scale});
  const OnnxValue zero =
      model.Initializer(model.Unique("zero"), {}, std::vector<int64_t>{zero_point})
          .Op("Cast", {{"to", Int(kInt8)}});
  return x.Op("QuantizeLinear", {}, {step.name(), zero.name()})
      .Op("DequantizeLinear", {}, {step.name(), zero.name()});
}

void ExpectSameCodes(const OnnxBuilder& model, float scale) {
  const PlanOutputs out = RunPlans(model);
  const std::vector<float>&expected = out.expected[0], &actual = out.int8[0];
  ASSERT_EQ(expected.size(), actual.size());
  size_t different = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    different += std::abs(expected[i] - actual[i]) > scale / 2;
  }
  EXPECT_LE(different, 1u) << "of " << expected.size();
}

TEST(Given, Sums) {
  for (const char* op : {"Add", "Sub"}) {
    SCOPED_TRACE(op);
    OnnxBuilder model;
    const OnnxValue a = Rounded(model, model.Input("a", {1, 16, 96, 96}), 0.00791373f, 3);
    const OnnxValue b = Rounded(model, model.Input("b", {1, 16, 96, 96}), 0.00822917f, -1);
    Rounded(model, a.Op(op, {}, {b.name()}), 0.01530834f, -5).Output("y");
    ExpectSameCodes(model, 0.01530834f);
  }
}

TEST(Given, ProbabilitiesAndProducts) {
  OnnxBuilder model;
  const OnnxValue x = Rounded(model, model.Input("x", {1, 4, 64, 64}), 0.0081f, 2);
  const OnnxValue logits = Rounded(model, x.Op("MatMul", {}, {x.name()}), 0.21f, 1);
  // What most quantizers give a range of [0, 1].
  const OnnxValue shares = Rounded(model, logits.Op("Softmax"), 1.0f / 255, -128);
  Rounded(model, shares.Op("MatMul", {}, {x.name()}), 0.0071f, 0).Output("y");
  ExpectSameCodes(model, 0.0071f);
}

// Scales beyond those that the kernel of Softmax knows, and its coarsest and finest: behind it and
// behind what moves its result.
TEST(Given, ProbabilitiesAtAnyScale) {
  for (const float scale : {2.0f, 1.0f, 1.0f / 4096, 1e-5f}) {
    for (const bool moved : {false, true}) {
      SCOPED_TRACE(testing::Message() << scale << (moved ? " moved" : ""));
      OnnxBuilder model;
      OnnxValue shares = Rounded(model, model.Input("x", {1, 4, 8, 8}), 0.0081f, 2).Op("Softmax");
      if (moved) shares = shares.Reshape({1, 4, 64});
      Rounded(model, shares, scale, -128).Op("Neg").Output("y");
      const PlanOutputs out = RunPlans(model);
      for (size_t i = 0; i < out.expected[0].size(); ++i) {
        ASSERT_NEAR(out.expected[0][i], out.int8[0][i], scale + 1.0f / 256);
      }
    }
  }
}

}  // namespace
}  // namespace octet::test
