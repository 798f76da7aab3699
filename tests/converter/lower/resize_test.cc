// Resize through the whole converter: both plans see the pixels that FP32 sees.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "converter/executor/executor.h"
#include "tests/converter/lower/convert_in_process.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

// Largest difference of a plan's first output, over the range of FP32's.
double Difference(const OnnxBuilder& model, uint32_t plan) {
  const Converted converted = ConvertInProcess(model, 1, 4);
  std::vector<graph::Tensor> inputs;
  for (const RandomDataset& data : converted.data) inputs.push_back(data.Load(0));
  const std::vector<float> expected = executor::Executor(converted.original).Run(inputs)[0].floats;
  TestSession session(converted.blob, {});
  EXPECT_EQ(session.status().code, OCTET_OK);
  if (session.status().code != OCTET_OK) return 1;
  EXPECT_EQ(octet_set_plan(session.get(), plan).code, OCTET_OK);
  for (size_t i = 0; i < inputs.size(); ++i) {
    session.SetInput(static_cast<uint32_t>(i), inputs[i].floats);
  }
  EXPECT_EQ(octet_run(session.get()).code, OCTET_OK);
  const std::vector<float> actual = session.Output(0);
  double largest = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, static_cast<double>(std::fabs(actual[i] - expected[i])));
  }
  const auto [low, high] = std::minmax_element(expected.begin(), expected.end());
  return largest / static_cast<double>(*high - *low);
}

struct Sizes {
  Dims shape;
  std::vector<float> scales;
};

void CheckResize(const Sizes& sizes, const std::string& mode, const std::string& transform,
                 const std::string& nearest, bool antialias = false) {
  SCOPED_TRACE(mode + " " + transform + " " + nearest);
  OnnxBuilder model(18);
  const OnnxValue x = model.Input("x", sizes.shape);
  model.Initializer("scales", {static_cast<int64_t>(sizes.scales.size())}, sizes.scales);
  Attributes attributes = {{"mode", mode}, {"coordinate_transformation_mode", transform}};
  if (mode == "nearest") attributes["nearest_mode"] = nearest;
  if (antialias) attributes["antialias"] = int64_t{1};
  x.Op("Resize", attributes, {"", "scales"}).Output();
  EXPECT_LE(Difference(model, 0), 0.02);  // two steps of int8 and half
  EXPECT_LE(Difference(model, 1), 0.002);
}

const std::vector<std::string> kTransforms = {"half_pixel", "pytorch_half_pixel", "asymmetric",
                                              "align_corners"};

// A third and 0.7 are not what they are in double: positions fell on other pixels there.
TEST(Resize, NearestAtOddScales) {
  for (float scale : {1.0f / 3, 0.7f}) {
    for (const std::string& transform : kTransforms) {
      for (const char* nearest : {"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"}) {
        CheckResize({{1, 3, 30, 20}, {1, 1, scale, 0.7f}}, "nearest", transform, nearest);
      }
    }
  }
}

TEST(Resize, LinearAndCubic) {
  for (const char* mode : {"linear", "cubic"}) {
    for (const std::string& transform : kTransforms) {
      CheckResize({{1, 3, 9, 8}, {1, 1, 1.7f, 2}}, mode, transform, "");
    }
    CheckResize({{1, 3, 30, 20}, {1, 1, 1.0f / 3, 0.4f}}, mode, "half_pixel", "", true);
  }
}

TEST(Resize, OtherDimensions) {
  for (const char* mode : {"nearest", "linear", "cubic"}) {
    CheckResize({{1, 3, 20}, {1, 1, 1.7f}}, mode, "half_pixel", "floor");
    CheckResize({{1, 2, 4, 5, 6}, {1, 1, 2, 1.7f, 0.5f}}, mode, "half_pixel", "floor");
    CheckResize({{1, 4, 5, 6}, {1, 2, 2, 1.7f}}, mode, "half_pixel", "floor");
    CheckResize({{1, 2, 3, 4, 5}, {1, 2, 2, 1.7f, 2}}, mode, "half_pixel", "floor");
  }
}

}  // namespace
}  // namespace octet::test
