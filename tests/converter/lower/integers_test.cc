// Integer values inside a graph: exact in every plan, whatever moves them.
#include "gtest/gtest.h"
#include "tests/converter/lower/run_plans.h"

namespace octet::test {
namespace {

constexpr int64_t kFloat = 1, kUInt8 = 2, kInt8 = 3, kInt64 = 7, kBool = 9;

OnnxValue Cast(const OnnxValue& value, int64_t type) {
  return value.Op("Cast", {{"to", Int(type)}});
}

// x in [-1, 1] times 100 in FP16 is not the executor's x times 100: where that matters the input
// is made whole numbers first, as indices are.
OnnxValue Whole(OnnxBuilder& model, const OnnxValue& x, float factor) {
  const OnnxValue scale = model.Initializer(model.Unique("factor"), {}, std::vector<float>{factor});
  return Cast(x.Mul(scale), kInt64);
}

// Of a comparison against values, those close to an edge are not the executor's in FP16.
void ExpectMostEqual(const std::vector<float>& expected, const std::vector<float>& actual) {
  ASSERT_EQ(expected.size(), actual.size());
  size_t different = 0;
  for (size_t i = 0; i < expected.size(); ++i) different += expected[i] != actual[i];
  EXPECT_LE(different, expected.size() / 50 + 1);
}

TEST(Integers, MovedAndReadAsAnOutput) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("x", {1, 3, 4, 6});
  const OnnxValue whole = Whole(model, x, 5);
  const OnnxValue moved = whole.Transpose({0, 2, 3, 1}).Reshape({1, 12, 6}).Slice({1}, {11}, {1});
  const OnnxValue constant = model.Initializer(
      "c", {1, 2, 6}, std::vector<int64_t>{1, -2, 3, 70000, 5, 6, 7, 8, 9, 10, 11, 12});
  moved.Concat(constant, 1).Output("integers");
  Cast(moved, kFloat).Output("floats");
  const PlanOutputs out = RunPlans(model);
  for (const Values* values : {&out.int8, &out.fp16}) {
    for (size_t o = 0; o < 2; ++o) ExpectMostEqual(out.expected[o], (*values)[o]);
  }
  // The constant comes through all of it untouched, 70,000 as well.
  EXPECT_EQ(out.fp16[0][63], 70000);
}

TEST(Integers, CastBackIntoTheNetwork) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("x", {1, 3, 8, 8});
  const OnnxValue steps = Cast(Whole(model, x, 20), kFloat);
  steps.Conv({.channels = 8, .pad = 1}).Relu().Output("y");
  ExpectPlansNear(model, 0.05, 0.1);
}

TEST(Integers, NarrowTypesSaturateAndBoolIsNotZero) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("x", {1, 80});
  const OnnxValue whole = Whole(model, x, 300);
  Cast(whole, kUInt8).Output("uint8");
  Cast(whole, kInt8).Output("int8");
  Cast(whole, kBool).Output("bool");
  Cast(Cast(x, kBool), kFloat).Output("float");
  const PlanOutputs out = RunPlans(model);
  ASSERT_EQ(out.fp16.size(), 4u);
  for (size_t o = 0; o < 4; ++o) {
    EXPECT_LE(RelativeError(out.expected[o], out.fp16[o]), 0.02) << o;
  }
  for (float value : out.fp16[0]) EXPECT_TRUE(value >= 0 && value <= 255);
  for (float value : out.fp16[2]) EXPECT_TRUE(value == 0 || value == 1);
}

}  // namespace
}  // namespace octet::test
