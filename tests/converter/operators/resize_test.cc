// Resize in every mode: positions as ONNX Runtime computes them, weights as the specification says.
#include <cmath>

#include "tests/converter/operators/operator_support.h"

namespace octet::operators {
namespace {

const std::vector<std::string> kTransforms = {"half_pixel",    "half_pixel_symmetric",
                                              "asymmetric",    "pytorch_half_pixel",
                                              "align_corners", "tf_half_pixel_for_nn"};

// The formulas of the specification in float, one rounding an operation.
float Position(const std::string& transform, int64_t x, float scale, int64_t in, int64_t out) {
  const auto i = static_cast<float>(x), length = static_cast<float>(in);
  const auto result = static_cast<float>(out);
  if (transform == "asymmetric") return i / scale;
  if (transform == "tf_half_pixel_for_nn") return (i + 0.5f) / scale;
  if (transform == "align_corners") return out == 1 ? 0 : i * (length - 1) / (result - 1);
  if (transform == "pytorch_half_pixel" && out == 1) return 0;
  const float centre = (i + 0.5f) / scale - 0.5f;
  if (transform != "half_pixel_symmetric") return centre;
  return length / 2 * (1 - result / (scale * length)) + centre;
}

float Rounded(const std::string& mode, float x) {
  if (mode == "floor") return std::floor(x);
  if (mode == "ceil") return std::ceil(x);
  const bool tie = x - std::floor(x) == 0.5f;
  if (tie) return mode == "round_prefer_floor" ? std::floor(x) : std::ceil(x);
  return std::nearbyint(x);
}

TEST(ResizeModes, NearestTakesTheSpecifiedPixel) {
  int odd = 0;  // positions that are whole in real numbers, but not in double
  for (float scale : {1.0f / 3, 0.7f, 0.6f, 1.7f, 2.0f, 3.0f, 0.1f}) {
    const int64_t in = 30;
    const auto out = static_cast<int64_t>(std::floor(static_cast<float>(in) * scale));
    for (const std::string& transform : kTransforms) {
      for (const char* mode : {"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"}) {
        std::vector<float> expected;
        for (int64_t x = 0; x < out; ++x) {
          const float at = Rounded(mode, Position(transform, x, scale, in, out));
          expected.push_back(std::min(std::max(at, 0.0f), 29.0f));
          odd += std::floor(static_cast<double>(x) / static_cast<double>(scale)) !=
                 std::floor(static_cast<float>(x) / scale);
        }
        SCOPED_TRACE(transform + " " + mode + " " + std::to_string(scale));
        ExpectFloats(Apply("Resize", {Ramp({30}), std::nullopt, F({1}, {scale})},
                           {{"coordinate_transformation_mode", Text(transform)},
                            {"nearest_mode", Text(mode)}}),
                     {out}, expected);
      }
    }
  }
  EXPECT_GT(odd, 0);
}

// A ramp comes out as the positions themselves, clamped to its ends, whatever the scale.
TEST(ResizeModes, LinearWeighsByPosition) {
  for (float scale : {1.0f / 3, 0.7f, 1.7f, 2.0f}) {
    const auto out = static_cast<int64_t>(std::floor(30 * scale));
    for (const std::string& transform : kTransforms) {
      std::vector<float> expected;
      for (int64_t x = 0; x < out; ++x) {
        expected.push_back(std::min(std::max(Position(transform, x, scale, 30, out), 0.0f), 29.0f));
      }
      SCOPED_TRACE(transform);
      ExpectFloats(
          Apply("Resize", {Ramp({30}), std::nullopt, F({1}, {scale})},
                {{"mode", Text("linear")}, {"coordinate_transformation_mode", Text(transform)}}),
          {out}, expected, 1e-4f);
    }
  }
}

TEST(ResizeModes, CubicIsExactOnLinesAndOvershootsAtSteps) {
  // Away from the borders the kernel of a = -0.5 reproduces straight lines.
  const Tensor line = Apply("Resize", {Ramp({12}), std::nullopt, F({1}, {2})},
                            {{"mode", Text("cubic")}, {"cubic_coeff_a", Real(-0.5f)}});
  for (int64_t x = 6; x < 18; ++x) {
    EXPECT_NEAR(line.floats[static_cast<size_t>(x)], static_cast<float>(x) / 2 - 0.25f, 1e-4) << x;
  }
  // A step of 1 at scale 2, a = -0.75: the weights at distances 0.25, 0.75, 1.25, 1.75.
  const Tensor step = Apply("Resize", {F({6}, {0, 0, 0, 1, 1, 1}), std::nullopt, F({1}, {2})},
                            {{"mode", Text("cubic")}});
  ExpectFloats(step, {12},
               {0, 0, 0, -0.03515625f, -0.10546875f, 0.26171875f - 0.10546875f + 0.0703125f,
                1 - (0.26171875f - 0.10546875f + 0.0703125f), 1.10546875f, 1.03515625f, 1, 1, 1},
               1e-5f);
  // Taps outside are left out, and the rest sums to 1: a constant stays one.
  const Tensor constant =
      Apply("Resize", {Ones({5}), std::nullopt, F({1}, {1.7f})},
            {{"mode", Text("cubic")}, {"exclude_outside", Int(1)}, {"cubic_coeff_a", Real(-0.5f)}});
  for (float value : constant.floats) EXPECT_NEAR(value, 1, 1e-6);
}

TEST(ResizeModes, AntialiasAveragesWhatItShrinks) {
  // A triangle of 2 pixels either side at scale 0.5, centred between two pixels.
  const Tensor x = F({8}, {0, 0, 0, 8, 0, 0, 0, 0});
  ExpectFloats(Apply("Resize", {x, std::nullopt, F({1}, {0.5f})},
                     {{"mode", Text("linear")}, {"antialias", Int(1)}}),
               {4}, {0, 8 * 0.375f, 8 * 0.125f, 0}, 1e-5f);
  // Enlarging it changes nothing.
  const Attributes plain = {{"mode", Text("cubic")}};
  Attributes smooth = plain;
  smooth["antialias"] = Int(1);
  const Tensor up = Apply("Resize", {x, std::nullopt, F({1}, {2})}, plain);
  ExpectFloats(Apply("Resize", {x, std::nullopt, F({1}, {2})}, smooth), {16}, up.floats);
}

TEST(ResizeModes, CropsAndExtrapolates) {
  const Attributes crop = {{"mode", Text("linear")},
                           {"coordinate_transformation_mode", Text("tf_crop_and_resize")},
                           {"extrapolation_value", Real(-7)}};
  ExpectFloats(Apply("Resize", {Ramp({5}), F({2}, {0.25f, 0.75f}), std::nullopt, I({3})}, crop),
               {3}, {1, 2, 3});
  ExpectFloats(Apply("Resize", {Ramp({5}), F({2}, {0.5f, 1.5f}), std::nullopt, I({3})}, crop), {3},
               {2, 4, -7});
  ExpectFloats(
      Apply("Resize", {Ramp({2, 3}), F({2}, {1, 0}), std::nullopt, I({3})},
            {{"axes", Ints({1})}, {"coordinate_transformation_mode", Text("tf_crop_and_resize")}}),
      {2, 3}, {2, 1, 0, 5, 4, 3});
  ExpectRefused("needs a roi of 2 values", "Resize",
                {Ramp({5}), std::nullopt, std::nullopt, I({3})}, crop);
}

TEST(ResizeModes, KeepsTheAspectRatio) {
  const auto shape = [](const char* policy) {
    return Apply("Resize", {Ramp({1, 1, 4, 2}), std::nullopt, std::nullopt, I({7, 8})},
                 {{"axes", Ints({2, 3})}, {"keep_aspect_ratio_policy", Text(policy)}})
        .shape;
  };
  EXPECT_EQ(shape("stretch"), (Shape{1, 1, 7, 8}));
  EXPECT_EQ(shape("not_larger"), (Shape{1, 1, 7, 4}));
  EXPECT_EQ(shape("not_smaller"), (Shape{1, 1, 16, 8}));
}

}  // namespace
}  // namespace octet::operators
