// What passes read of attributes and constants, in every form that opsets give them.
#include "converter/passes/read.h"

#include <gtest/gtest.h>

#include "tests/converter/passes/net.h"

namespace octet::passes::testing {
namespace {

const Node& Last(const Net& net) {
  return net.graph.nodes.back();
}

TEST(Read, AxesOfEveryForm) {
  const struct {
    Ints axes;
    int64_t rank;
    std::optional<Ints> expected;
  } kCases[] = {
      {{0}, 4, Ints{0}},       {{3}, 4, Ints{3}},         {{-1}, 4, Ints{3}},
      {{-4}, 4, Ints{0}},      {{4}, 4, std::nullopt},    {{-5}, 4, std::nullopt},
      {{2, 0}, 3, Ints{0, 2}}, {{-1, 1}, 3, Ints{1, 2}},  {{1, -3}, 3, Ints{0, 1}},
      {{0}, 1, Ints{0}},       {{0, 5}, 4, std::nullopt}, {{}, 3, Ints{}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(graph::ToString(c.axes));
    Net as_input;
    as_input.Op("Squeeze", {as_input.Input({1, 1}), as_input.Integers(c.axes)});
    EXPECT_EQ(ReadAxes(as_input.graph, Last(as_input), 1, c.rank), c.expected);
    Net as_attribute;
    as_attribute.Op("Squeeze", {as_attribute.Input({1, 1})}, {{"axes", c.axes}});
    EXPECT_EQ(ReadAxes(as_attribute.graph, Last(as_attribute), 1, c.rank), c.expected);
  }
  Net none, computed;
  none.Op("Squeeze", {none.Input({1, 1})});
  EXPECT_EQ(ReadAxes(none.graph, Last(none), 1, 2), Ints{});
  computed.Op("Squeeze", {computed.Input({1, 1}), computed.Input({1}, "axes")});
  EXPECT_EQ(ReadAxes(computed.graph, Last(computed), 1, 2), std::nullopt);
}

TEST(Read, PaddingOfEveryForm) {
  const struct {
    Ints pads, axes;  // no axes: all
    std::optional<std::pair<Ints, Ints>> expected;
  } kCases[] = {
      {{0, 1, 2, 3, 4, 5}, {}, {{{0, 1, 2}, {3, 4, 5}}}},
      {{1, 2}, {0}, {{{1, 0, 0}, {2, 0, 0}}}},
      {{1, 2}, {2}, {{{0, 0, 1}, {0, 0, 2}}}},
      {{1, 2}, {-3}, {{{1, 0, 0}, {2, 0, 0}}}},
      {{1, 2}, {-1}, {{{0, 0, 1}, {0, 0, 2}}}},
      {{1, 2, 3, 4}, {2, 0}, {{{2, 0, 1}, {4, 0, 3}}}},
      {{1, 2}, {3}, std::nullopt},
      {{1, 2}, {-4}, std::nullopt},
      {{1, 2, 3}, {0}, std::nullopt},
      {{0, 1, 2, 3}, {}, std::nullopt},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(graph::ToString(c.pads) + graph::ToString(c.axes));
    Net net;
    std::vector<ValueId> inputs{net.Input({1, 1, 1}), net.Integers(c.pads), net.Scalar(2.5f)};
    if (!c.axes.empty()) inputs.push_back(net.Integers(c.axes));
    net.Op("Pad", inputs);
    const auto spec = ReadPad(net.graph, Last(net), 3);
    ASSERT_EQ(spec.has_value(), c.expected.has_value());
    if (!spec) continue;
    EXPECT_EQ(spec->begin, c.expected->first);
    EXPECT_EQ(spec->end, c.expected->second);
    EXPECT_EQ(spec->value, 2.5f);
    EXPECT_TRUE(spec->constant_mode);
  }
  Net old;
  old.Op("Pad", {old.Input({1, 1})},
         {{"pads", Ints{1, 0, 0, 2}}, {"value", 3.0f}, {"mode", std::string("edge")}});
  const auto spec = ReadPad(old.graph, Last(old), 2);
  ASSERT_TRUE(spec.has_value());
  EXPECT_EQ(spec->begin, (Ints{1, 0}));
  EXPECT_EQ(spec->end, (Ints{0, 2}));
  EXPECT_EQ(spec->value, 3.0f);
  EXPECT_FALSE(spec->constant_mode);
  EXPECT_FALSE(ReadPad(old.graph, Last(old), -1).has_value()) << "a rank that is not known";
}

TEST(Read, ConstantsAlongOneAxis) {
  using Floats = std::vector<float>;
  const Tensor three = Tensor::Floats({3}, {1, 2, 3});
  EXPECT_EQ(PerAxisConstant(three, 4, 3, 3), (Floats{1, 2, 3}));
  EXPECT_EQ(PerAxisConstant(three, 1, 0, 3), (Floats{1, 2, 3}));
  EXPECT_EQ(PerAxisConstant(three, 4, 2, 3), std::nullopt);
  EXPECT_EQ(PerAxisConstant(three, 4, 3, 4), std::nullopt);
  EXPECT_EQ(PerAxisConstant(three, 0, 0, 3), std::nullopt);
  const Tensor column = Tensor::Floats({1, 3, 1}, {1, 2, 3});
  EXPECT_EQ(PerAxisConstant(column, 3, 1, 3), (Floats{1, 2, 3}));
  EXPECT_EQ(PerAxisConstant(column, 4, 2, 3), (Floats{1, 2, 3}));
  EXPECT_EQ(PerAxisConstant(column, 4, 1, 3), std::nullopt);
  EXPECT_EQ(PerAxisConstant(column, 2, 0, 3), std::nullopt);
  EXPECT_EQ(PerAxisConstant(Tensor::Floats({1, 1}, {7}), 3, 0, 2), (Floats{7, 7}));
  EXPECT_EQ(PerAxisConstant(Tensor::Floats({2, 3}, {1, 2, 3, 4, 5, 6}), 2, 1, 3), std::nullopt);
  EXPECT_EQ(PerAxisConstant(Tensor::Integers({3}, {1, 2, 3}), 1, 0, 3), std::nullopt);
}

}  // namespace
}  // namespace octet::passes::testing
