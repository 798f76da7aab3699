// Masked positions get exactly 0 from a Softmax in both plans, whatever stands for minus infinity,
// and cost the others nothing.
#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "tests/converter/lower/run_plans.h"

namespace octet::test {
namespace {

constexpr int64_t kRows = 6;
constexpr float kStandIns[] = {-std::numeric_limits<float>::infinity(),
                               -std::numeric_limits<float>::max(), -65504, -1e4f, -100};

bool IsMasked(int64_t row, int64_t column) {
  return column > row;
}

std::vector<float> Causal(float low) {
  std::vector<float> mask;
  for (int64_t i = 0; i < kRows * kRows; ++i) {
    mask.push_back(IsMasked(i / kRows, i % kRows) ? low : 0);
  }
  return mask;
}

// Products of queries and keys, of which the outputs are the masked shares.
void ExpectExact(const OnnxBuilder& model) {
  const PlanOutputs out = RunPlans(model, 1, 4);
  for (const auto* plan : {&out.int8[0], &out.fp16[0]}) {
    for (int64_t i = 0; i < kRows * kRows; ++i) {
      const float share = (*plan)[static_cast<size_t>(i)];
      if (IsMasked(i / kRows, i % kRows)) {
        EXPECT_EQ(share, 0);
      } else {
        EXPECT_NEAR(share, out.expected[0][static_cast<size_t>(i)], 0.02);
      }
    }
  }
}

OnnxValue Scores(OnnxBuilder& model) {
  const OnnxValue x = model.Input("x", {1, kRows, 8}).WithChannels(8);
  return x.MatMul(16).Op("MatMul", {}, {x.MatMul(16).Transpose({0, 2, 1}).name()});
}

TEST(Masks, Added) {
  for (const float low : kStandIns) {
    SCOPED_TRACE(low);
    OnnxBuilder model;
    const OnnxValue mask = model.Initializer("mask", {kRows, kRows}, Causal(low));
    Scores(model).Add(mask).Softmax().Output("y");
    ExpectExact(model);
  }
}

TEST(Masks, OfABias) {
  for (const float low : kStandIns) {
    SCOPED_TRACE(low);
    OnnxBuilder model;
    const OnnxValue bias =
        model.Initializer("bias", {8}, std::vector<float>{0, low, 0, 0, low, 0, 0, 0});
    model.Input("x", {1, 4, 16}).WithChannels(16).MatMul(8).Add(bias).Softmax().Output("y");
    const PlanOutputs out = RunPlans(model, 1, 4);
    for (const auto* plan : {&out.int8[0], &out.fp16[0]}) {
      for (size_t i = 0; i < out.expected[0].size(); ++i) {
        if (i % 8 == 1 || i % 8 == 4) {
          EXPECT_EQ((*plan)[i], 0);
        } else {
          EXPECT_NEAR((*plan)[i], out.expected[0][i], 0.02);
        }
      }
    }
  }
}

TEST(Masks, Chosen) {
  for (const float low : kStandIns) {
    SCOPED_TRACE(low);
    OnnxBuilder model;
    const OnnxValue is_masked =
        model.Initializer("mask", {kRows, kRows}, Causal(-1)).Op("Cast", {{"to", Int(9)}});
    const OnnxValue other = model.Initializer("low", {}, std::vector<float>{low});
    is_masked.Op("Where", {}, {other.name(), Scores(model).name()}).Softmax().Output("y");
    ExpectExact(model);
  }
}

TEST(Masks, InFrontOfAMaximum) {
  for (const float low : kStandIns) {
    SCOPED_TRACE(low);
    OnnxBuilder model;
    model.Input("x", {1, 3, 8, 8})
        .WithChannels(3)
        .Conv({.channels = 4, .kernel = 3, .pad = 1})
        .Pad({0, 0, 1, 1, 0, 0, 1, 1}, low)
        .MaxPool(3, 2)
        .Output("y");
    ExpectPlansNear(model, 2e-3, 2e-2);
  }
}

// A logarithm of 0 is minus infinity, one of what was rounded to 0 is not.
TEST(Masks, LogarithmsOfNothing) {
  OnnxBuilder model;
  model.Input("x", {1, 64}).Relu().Op("Log").Output("y");
  const PlanOutputs out = RunPlans(model);
  for (const auto* plan : {&out.int8[0], &out.fp16[0]}) {
    for (size_t i = 0; i < out.expected[0].size(); ++i) {
      const float expected = out.expected[0][i];
      if (std::isinf(expected)) {
        EXPECT_LE((*plan)[i], -1e4f);
      } else {
        EXPECT_NEAR((*plan)[i], expected, 0.02);
      }
    }
  }
}

}  // namespace
}  // namespace octet::test
