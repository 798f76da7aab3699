// When a value of FP32 counts as ONNX Runtime's.
#include "converter/cli/against_ort.h"

#include <gtest/gtest.h>

#include <limits>

namespace octet::cli {
namespace {

bool Agree(const std::vector<float>& theirs, const std::vector<float>& ours) {
  LayerAgreement layer;
  layer.Add(theirs, ours);
  return layer.Agrees();
}

TEST(LayerAgreement, WithinAThousandthOfTheRange) {
  EXPECT_TRUE(Agree({-1, 0, 1}, {-1, 0, 1}));
  EXPECT_TRUE(Agree({-1, 0, 1}, {-1, 0.0019f, 1}));
  EXPECT_FALSE(Agree({-1, 0, 1}, {-1, 0.0021f, 1}));
  EXPECT_FALSE(Agree({-1, 0, 1}, {1, 0, -1}));
}

TEST(LayerAgreement, OneNumberIsItsOwnRange) {
  EXPECT_TRUE(Agree({0.5f}, {0.5004f}));
  EXPECT_FALSE(Agree({0.5f}, {0.5006f}));
  EXPECT_TRUE(Agree({0}, {0}));
  EXPECT_FALSE(Agree({0}, {1e-6f}));
}

TEST(LayerAgreement, InfinitiesAndNoNumbersHaveToBeTheSame) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(Agree({1, kInf, -kInf, kNan}, {1, kInf, -kInf, kNan}));
  EXPECT_FALSE(Agree({1, kInf}, {1, -kInf}));
  EXPECT_FALSE(Agree({1, 2}, {1, kNan}));
  EXPECT_FALSE(Agree({1, kNan}, {1, 2}));
  EXPECT_FALSE(Agree({1, 2}, {1, kInf}));
}

TEST(LayerAgreement, SamplesAddUp) {
  LayerAgreement layer;
  layer.Add({0, 10}, {0, 10});
  layer.Add({0, 1}, {0.009f, 1});
  EXPECT_TRUE(layer.Agrees());
  EXPECT_DOUBLE_EQ(layer.Span(), 10);
  layer.Add({0, 1}, {0.011f, 1});
  EXPECT_FALSE(layer.Agrees());
}

}  // namespace
}  // namespace octet::cli
