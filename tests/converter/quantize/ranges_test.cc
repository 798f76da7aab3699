// Ranges of values one by one, before operators tie them together.
#include "converter/quantize/ranges.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/converter/graph/given_by_test.h"
#include "tests/converter/quantize/quantize_support.h"

namespace octet::quantize {
namespace {

std::vector<std::optional<ValueRange>> Ranges(const Net& net, const Config& config) {
  return ChooseRanges(net.graph, net.statistics, config,
                      std::vector<blob::Precision>(net.graph.nodes.size(), blob::Precision::kInt8));
}

TEST(Ranges, OfTheModelsOwnSchemes) {
  for (const int zero_point : {-128, -1, 0, 1, 127}) {
    for (const bool with_statistics : {true, false}) {
      Net net;
      const auto x = net.Input("x", -9, 9);
      if (!with_statistics) net.statistics[static_cast<size_t>(x)] = std::nullopt;
      graph::GivenByTest::Give(net.graph, x, {0.5f, zero_point});
      net.Output(x);
      const auto range = Ranges(net, Net::MinMax()).at(static_cast<size_t>(x));
      ASSERT_TRUE(range.has_value());
      EXPECT_EQ(range->symmetric, zero_point == 0) << zero_point;
      EXPECT_EQ(range->min, 0.5f * static_cast<float>(-128 - zero_point));
      EXPECT_EQ(range->max, 0.5f * static_cast<float>(127 - zero_point));
      EXPECT_TRUE(range->overridden);
      EXPECT_EQ(range->given, net.graph.At(x).given.get());
      EXPECT_EQ(range->origin.Text(), "given");
    }
  }
}

struct Asked {
  const char* what;
  TensorOverride asked;
  bool symmetric, symmetric_only;  // of the configuration
  float min, max;                  // expected, of values from -1 to 3
  bool is_symmetric, overridden;
};

TensorOverride Ends(std::optional<float> min, std::optional<float> max,
                    std::optional<bool> symmetric = std::nullopt) {
  TensorOverride asked;
  asked.min = min;
  asked.max = max;
  asked.symmetric = symmetric;
  return asked;
}

TEST(Ranges, OfWhatIsSeenAndAsked) {
  const Asked kCases[] = {
      {"nothing", {}, false, false, -1, 3, false, false},
      {"symmetric by default", {}, true, false, -3, 3, true, false},
      {"symmetric on the board", Ends({}, {}, false), false, true, -3, 3, true, true},
      {"symmetric", Ends({}, {}, true), false, false, -3, 3, true, true},
      {"asymmetric", Ends({}, {}, false), true, false, -1, 3, false, true},
      {"a lower end", Ends(-5, {}), false, false, -5, 3, false, true},
      {"an upper end", Ends({}, 2), false, false, -1, 2, false, true},
      {"both ends", Ends(-7, 2), false, false, -7, 2, false, true},
      {"both ends, symmetric", Ends(-7, 2, true), false, false, -7, 7, true, true},
  };
  for (const Asked& c : kCases) {
    SCOPED_TRACE(c.what);
    Net net;
    const auto x = net.Input("x", -1, 1), y = net.Value("y", -1, 3);
    net.Conv(x, y);
    net.Output(y);
    Config config = Net::MinMax();
    config.symmetric = c.symmetric;
    config.symmetric_only = c.symmetric_only;
    config.tensors = {c.asked};
    config.tensors[0].name = "y";
    const auto range = Ranges(net, config).at(static_cast<size_t>(y));
    ASSERT_TRUE(range.has_value());
    EXPECT_FLOAT_EQ(range->min, c.min);
    EXPECT_FLOAT_EQ(range->max, c.max);
    EXPECT_EQ(range->symmetric, c.is_symmetric);
    EXPECT_EQ(range->overridden, c.overridden);
    EXPECT_EQ(range->origin.Text(), c.asked.min || c.asked.max ? "override" : "min-max");
    EXPECT_EQ(range->given, nullptr);
  }
}

// The bounds of a clamp that acts are the range; one far from the data is not looked at.
TEST(Ranges, OfClamps) {
  const struct {
    float low, high;           // of the clamp
    float seen_min, seen_max;  // behind it
    float min, max;
    bool clamp;
  } kCases[] = {
      {0, 6, 0, 5, 0, 6, true},     {0, 6, 0, 3, 0, 6, true},    {0, 6, 0, 2.9f, 0, 2.9f, false},
      {0, 6, 0.5f, 2, 0, 2, false}, {-4, 4, -2, 4, -4, 4, true}, {-4, 4, -1.9f, 1, -1.9f, 1, false},
      {-4, 4, -1, 3, -1, 4, true},  {-4, 4, -3, 1, -4, 1, true},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(::testing::Message() << c.low << " " << c.high << " " << c.seen_min);
    Net net;
    const auto x = net.Input("x", -9, 9), y = net.Value("y", c.seen_min, c.seen_max);
    net.Op("Clip", {x, net.Constant({}, c.low), net.Constant({}, c.high)}, y);
    net.Output(y);
    Config config = Net::MinMax();
    config.symmetric = true;  // a clamp spends its whole range
    const auto range = Ranges(net, config).at(static_cast<size_t>(y));
    ASSERT_TRUE(range.has_value());
    EXPECT_FLOAT_EQ(range->min, c.min);
    EXPECT_FLOAT_EQ(range->max, c.max);
    EXPECT_FALSE(range->symmetric);
    EXPECT_EQ(range->origin.Text() == "clamp", c.clamp);
  }
}

TEST(Ranges, NothingFiniteGivesNone) {
  Net net;
  const auto x = net.Input("x", -1, 1), y = net.Value("y", -1, 1);
  const auto z = net.Value("z", -1, 1);
  net.Conv(x, y);
  net.Conv(y, z);
  net.Output(z);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  net.statistics[static_cast<size_t>(y)]->max = kInfinity;
  net.statistics[static_cast<size_t>(z)]->min = -kInfinity;
  Config config = Net::MinMax();
  config.tensors = {Ends(-1, 1)};
  config.tensors[0].name = "z";
  const auto ranges = Ranges(net, config);
  EXPECT_TRUE(ranges.at(static_cast<size_t>(x)).has_value());
  EXPECT_FALSE(ranges.at(static_cast<size_t>(y)).has_value());
  EXPECT_TRUE(ranges.at(static_cast<size_t>(z)).has_value()) << "both ends are asked for";
}

}  // namespace
}  // namespace octet::quantize
