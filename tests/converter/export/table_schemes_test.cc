// Schemes come back out of tables made of them.
#include "converter/export/table_schemes.h"

#include <gtest/gtest.h>

#include <vector>

namespace octet::exporting {
namespace {

struct Case {
  const char* op;
  float scale;
  int zero_point;
  float output_scale;
  int output_zero_point;
};
constexpr Case kCases[] = {
    {"Silu", 0.05f, -20, 0.031f, -119},   {"Silu", 0.011f, 90, 0.0042f, -30},
    {"HardSwish", 0.08f, 3, 0.04f, -118}, {"Sigmoid", 0.04f, 0, 0.0039f, -128},
    {"LeakyRelu", 0.02f, 77, 0.015f, 40}, {"Tanh", 0.03f, -128, 0.0078f, 0},
};

std::vector<int8_t> TableOf(const Case& c, const lower::FunctionOf& function) {
  lower::Tensor from, to;
  from.scale = c.scale;
  from.zero_point = c.zero_point;
  to.scale = c.output_scale;
  to.zero_point = c.output_zero_point;
  const lower::Bytes table = lower::UnaryTable(function, from, to);
  return {table.begin(), table.end()};
}

lower::FunctionOf FunctionOf(const Case& c) {
  lower::FunctionOf function = lower::FunctionNamed(c.op);
  if (function.function == blob::Function::kLeakyRelu) function.alpha = 0.1f;
  return function;
}

TEST(TableSchemes, ZeroPointOfAKnownScale) {
  for (const Case& c : kCases) {
    const std::vector<int8_t> table = TableOf(c, FunctionOf(c));
    const TableScheme found =
        FindZeroPoint(FunctionOf(c), table, c.scale, c.output_scale, c.output_zero_point);
    EXPECT_EQ(found.zero_point, c.zero_point) << c.op;
    EXPECT_EQ(found.differing_entries, 0) << c.op;
  }
}

// Whatever the zero point, such small numbers have a sigmoid of 0.5: the lowest is taken.
TEST(TableSchemes, TheLowestOfZeroPointsThatAreEquallyGood) {
  const Case flat{"Sigmoid", 1e-9f, 5, 1.0f / 256, -128};
  const std::vector<int8_t> table = TableOf(flat, FunctionOf(flat));
  const TableScheme known =
      FindZeroPoint(FunctionOf(flat), table, flat.scale, flat.output_scale, flat.output_zero_point);
  EXPECT_EQ(known.zero_point, -128);
  EXPECT_EQ(known.differing_entries, 0);
  const TableScheme both =
      FindOutputScale(FunctionOf(flat), table, flat.scale, flat.output_zero_point);
  EXPECT_EQ(both.zero_point, -128);
  EXPECT_EQ(both.differing_entries, 0);
}

TEST(TableSchemes, BothWhereTheOutputsScaleIsUnknown) {
  for (const Case& c : kCases) {
    const std::vector<int8_t> table = TableOf(c, FunctionOf(c));
    const TableScheme found = FindOutputScale(FunctionOf(c), table, c.scale, c.output_zero_point);
    EXPECT_EQ(found.zero_point, c.zero_point) << c.op;
    // 256 entries, each known to half a step.
    EXPECT_NEAR(found.output_scale, double{c.output_scale}, 2e-3 * double{c.output_scale}) << c.op;
    EXPECT_EQ(found.differing_entries, 0) << c.op;
  }
}

TEST(TableSchemes, AnotherFunctionsTableDiffers) {
  for (const Case& c : kCases) {
    const lower::FunctionOf other = lower::FunctionNamed("Exp");
    const std::vector<int8_t> table = TableOf(c, FunctionOf(c));
    EXPECT_GT(
        FindZeroPoint(other, table, c.scale, c.output_scale, c.output_zero_point).differing_entries,
        8)
        << c.op;
    EXPECT_GT(FindOutputScale(other, table, c.scale, c.output_zero_point).differing_entries, 8)
        << c.op;
  }
}

}  // namespace
}  // namespace octet::exporting
