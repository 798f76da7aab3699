#include "converter/quantize/saturation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace octet::quantize {
namespace {

std::optional<calibrate::Range> Part(const char* op, float min, float max, double scale,
                                     const char* activation = "",
                                     std::optional<calibrate::Range> ends = {}) {
  graph::Graph graph;
  graph::Node node;
  node.op = op;
  node.activation = activation;
  node.outputs = {graph.AddValue({"y", graph::DataType::kFloat, graph::Shape{1}, {}, {}})};
  return ChangingPart(graph, node, {min, max}, {scale, ends});
}

// Sigmoid stays within a quarter of this of 0 up to -2 and of 1 from 2 on.
const double kScale = 4 / (1 + std::exp(2.0));

TEST(ChangingPart, EndsWhereTheFunctionLevelsOff) {
  const struct {
    const char* op;
    float min, max, part_min, part_max;
  } kCases[] = {
      {"Sigmoid", -8, 8, -2, 2},
      {"Sigmoid", -8, 1, -2, 1},  // one side at a time
      {"Sigmoid", -1, 8, -1, 2},
      {"Sigmoid", -1, 1, -1, 1},
      {"Sigmoid", 0, 8, 0, 2},  // 0 on both sides of its level: as it is
      {"Sigmoid", -8, 0, -2, 0},
      {"Sigmoid", 6, 8, 6, 2},  // the low end is where nothing levels off towards -infinity
      {"Sigmoid", -8, -6, -2, -6},
      {"Relu", -5, 7, 0, 7},  // a clamp is exact
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(testing::Message() << c.op << " of " << c.min << " to " << c.max);
    const auto part = Part(c.op, c.min, c.max, kScale);
    ASSERT_TRUE(part.has_value());
    // The scan takes 1024 steps from an end to 0, and stops outside what changes.
    const float step = std::max(-c.min, c.max) / 1024;
    EXPECT_LE(part->min, c.part_min);
    EXPECT_GE(part->min, c.part_min == c.min ? c.min : c.part_min - step);
    EXPECT_GE(part->max, c.part_max);
    EXPECT_LE(part->max, c.part_max == c.max ? c.max : c.part_max + step);
  }
}

TEST(ChangingPart, LevelsOfOneSide) {
  const auto part = Part("Silu", -50, 50, 0.04);
  ASSERT_TRUE(part.has_value());
  EXPECT_EQ(part->max, 50);
  // x / (1 + exp(-x)) comes to -0.01 at -6.47.
  EXPECT_LE(part->min, -6.47f);
  EXPECT_GE(part->min, -6.47f - 50.0f / 1024 - 0.01f);
}

TEST(ChangingPart, NoneOfWhatDoesNotLevelOff) {
  EXPECT_FALSE(Part("Sin", -8, 8, kScale).has_value());
  EXPECT_FALSE(Part("Add", -8, 8, kScale).has_value());
  EXPECT_FALSE(Part("Sigmoid", -8, 8, kScale, "Relu").has_value()) << "another function behind it";
}

// The model's own codes end where its range does, whatever the function.
TEST(ChangingPart, EndsWhereTheModelSaturates) {
  const auto part = Part("Elu", -8, 8, 0.01, "", calibrate::Range{-0.5f, 2});
  ASSERT_TRUE(part.has_value());
  EXPECT_NEAR(part->min, std::log(0.5), 8.0 / 1024 + 0.01);
  EXPECT_NEAR(part->max, 2, 8.0 / 1024 + 0.01);
  EXPECT_LE(part->min, std::log(0.5f));
  EXPECT_GE(part->max, 2 - 0.01f / 4);
  const auto inside = Part("Elu", -0.25f, 1, 0.01, "", calibrate::Range{-0.5f, 2});
  ASSERT_TRUE(inside.has_value());
  EXPECT_EQ(inside->min, -0.25f);
  EXPECT_NEAR(inside->max, 1, 0.01f / 4);
  EXPECT_FALSE(Part("Add", -8, 8, 0.01, "", calibrate::Range{-0.5f, 2}).has_value());
}

// A value that no end is near is told from its neighbours where it has another code than they, and
// only there: steps of 1, LeakyRelu(-60) = -0.6.
TEST(ChangingPart, KeepsWhatChangesACode) {
  const calibrate::Range ends = {-8, 7};
  const auto part = Part("LeakyRelu", -60, 3.6f, 1, "", ends);
  ASSERT_TRUE(part.has_value());
  const float half = 63.6f / 510;
  EXPECT_LE(part->min, -50) << "-0.5 and 0 have other codes";
  EXPECT_GE(part->min, -50 - half - 60.0f / 1024);
  EXPECT_GE(part->max, 3.5f);
  EXPECT_LE(part->max, 3.5f + half + 3.6f / 1024);
  // All of one code: nothing has to be told from 0.
  const auto one = Part("LeakyRelu", -4, 0.25f, 1, "", ends);
  ASSERT_TRUE(one.has_value());
  EXPECT_NEAR(one->min, 0, 4.0 / 1024);
  EXPECT_NEAR(one->max, 0, 0.25 / 1024);
}

}  // namespace
}  // namespace octet::quantize
