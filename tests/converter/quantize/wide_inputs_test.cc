#include "converter/quantize/wide_inputs.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/converter/quantize/quantize_support.h"

namespace octet::quantize {
namespace {

using blob::Precision;

// Reflectances: 999 of 1000 below 10, the others up to 10,000.
std::vector<float> Reflectances() {
  std::vector<float> values(20000);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % 997) / 99.7f;
    if (i % 1000 == 999) values[i] = 500 * static_cast<float>(i / 1000 + 1);
  }
  return values;
}

calibrate::Statistics Of(const std::vector<float>& values) {
  calibrate::Observation observation;
  observation.Add(values);
  return observation.Finish();
}

TEST(IsWide, FewLargeAmongManySmall) {
  std::vector<float> values = Reflectances();
  EXPECT_TRUE(IsWide(Of(values)));
  for (float& v : values) v = -v;
  EXPECT_TRUE(IsWide(Of(values)));
  // Zeros are exact, and no reason for or against.
  values.resize(values.size() * 10);
  EXPECT_TRUE(IsWide(Of(values)));
  for (float& v : values) v = std::clamp(v, -10.0f, 0.0f);
  EXPECT_FALSE(IsWide(Of(values)));
}

TEST(IsWide, WhereTheLimitLies) {
  // 255 wide: steps of 1, so 16 on either side.
  std::vector<float> values(1000, 15.5f);
  for (size_t i = 0; i < 10; ++i) values[i] = 255;
  EXPECT_TRUE(IsWide(Of(values)));
  values[10] = 255;
  EXPECT_FALSE(IsWide(Of(values))) << "more than one in a hundred is large";
  std::fill(values.begin() + 10, values.end(), 16.5f);
  EXPECT_FALSE(IsWide(Of(values)));
}

TEST(IsWide, OrdinaryNumbersAreNot) {
  std::vector<float> values(1000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 999;
  EXPECT_FALSE(IsWide(Of(values)));
  // One black picture, and one with a white pixel: nothing but zeros and that.
  EXPECT_FALSE(IsWide(Of({0, 0, 0, 0})));
  std::vector<float> pixel(5000);
  pixel[7] = 1;
  EXPECT_FALSE(IsWide(Of(pixel)));
  EXPECT_FALSE(IsWide(Of({0, 1, NAN})));
}

struct Pillars : Net {
  explicit Pillars(bool clipped, float high = 10) {
    x = Seen("x", Reflectances());
    graph.inputs.push_back(x);
    graph::ValueId from = x;
    if (clipped) {
      from = Value("clipped", 0, 10);
      graph::Node& clip = Op("Clip", {x}, from);
      clip.inputs.push_back(graph.AddConstant("low", graph::Tensor::Floats({}, {0})));
      clip.inputs.push_back(graph.AddConstant("high", graph::Tensor::Floats({}, {high})));
      statistics.resize(graph.values.size());
    }
    const auto moved = Value("moved", 0, 10), a = Value("a", -1, 1), b = Value("b", -1, 1);
    Op("Transpose", {from}, moved);
    if (!clipped) statistics[static_cast<size_t>(moved)] = statistics[static_cast<size_t>(x)];
    Conv(moved, a);
    Conv(a, b);
    Output(b);
  }
  graph::ValueId x;
};

Config Auto() {
  return Config();
}

TEST(WideInputs, WhatReadsThemRunsInHalf) {
  Pillars net(false);
  const Scheme scheme = net.Assign(Auto());
  EXPECT_EQ(scheme.precision[0], Precision::kFp16) << "moved on the way";
  EXPECT_EQ(scheme.precision[1], Precision::kFp16);
  EXPECT_EQ(scheme.precision[2], Precision::kInt8) << "no further";
  ASSERT_EQ(scheme.warnings.size(), 1u);
  EXPECT_EQ(scheme.warnings[0],
            "99 % of input 'x' are within 627.5 of 0, the rest reaches 1e+04: 8 bits are too "
            "coarse for both: 'Transpose_moved', 'Conv_a' run in FP16; try: for int8, clamp these "
            "values before the model, or set the input's range in --config");
}

TEST(WideInputs, ButNotWhereTheyAreTamedOrTheUserDecides) {
  Pillars clipped(true);
  EXPECT_EQ(clipped.Assign(Auto()).precision,
            std::vector<Precision>(clipped.graph.nodes.size(), Precision::kInt8));
  Pillars hardly(true, 9000);
  EXPECT_EQ(hardly.Assign(Auto()).precision[0], Precision::kFp16);

  Pillars net(false);
  const std::vector<Precision> all_int8(net.graph.nodes.size(), Precision::kInt8);
  EXPECT_EQ(net.Assign(Net::MinMax()).precision, all_int8) << "a method by name";
  Config config = Auto();
  config.tensors.push_back({"x", {}, 10.0f, {}, {}});
  EXPECT_EQ(net.Assign(config).precision, all_int8);
  config = Auto();
  config.int8_everywhere = true;
  EXPECT_EQ(net.Assign(config).precision, all_int8);
  config = Auto();
  config.layers.push_back({"*", Precision::kInt8});
  EXPECT_EQ(net.Assign(config).precision, all_int8);
}

}  // namespace
}  // namespace octet::quantize
