#include <gtest/gtest.h>

#include <algorithm>

#include "converter/quantize/precision.h"
#include "tests/converter/graph/given_by_test.h"
#include "tests/converter/quantize/quantize_support.h"

namespace octet::quantize {
namespace {

using blob::Precision;
using Precisions = std::vector<Precision>;
constexpr Precision kInt8 = Precision::kInt8, kFp16 = Precision::kFp16;

// x -> Conv -> real -> function -> y. The model says the codes of x and y alone.
struct Between : Net {
  explicit Between(float result_scale, const char* function = "LeakyRelu", float reach = 8) {
    const auto x = Input("x", -1, 1), real = Value("real", -reach, reach);
    const auto y = Value("y", -reach, reach);
    graph::GivenByTest::Give(graph, x, {1.0f / 128, 0});
    graph::GivenByTest::Give(graph, y, {result_scale, 0});
    Conv(x, real);
    Op(function, {real}, y);
    Output(y);
  }
};

// The steps of [-8, 8] in 8 bits are 1 / 16: their standard deviation is 0.018.
TEST(CoarseInputs, RunInFp16WithWhatTheyAreMadeOf) {
  EXPECT_EQ(Between(0.06f).Assign().precision, (Precisions{kInt8, kInt8}));
  const Scheme fine = Between(0.07f, "Sin").Assign();
  EXPECT_EQ(fine.precision, (Precisions{kInt8, kInt8}));
  const Scheme coarse = Between(0.03f, "Sin").Assign();
  EXPECT_EQ(coarse.precision, (Precisions{kFp16, kFp16}));
  ASSERT_FALSE(coarse.warnings.empty());
}

// A chain of functions ends at the layer with weights; what that reads stays.
TEST(CoarseInputs, ReachTheLastWeights) {
  Net net;
  const auto x = net.Input("x", -1, 1), first = net.Value("first", -1, 1);
  const auto real = net.Value("real", -8, 8), turned = net.Value("turned", -8, 8);
  const auto y = net.Value("y", -8, 8);
  graph::GivenByTest::Give(net.graph, y, {0.03f, 0});
  net.Conv(x, first);
  net.Conv(first, real);
  net.Op("Tanh", {real}, turned);
  net.Op("Sin", {turned}, y);
  net.Output(y);
  const Scheme scheme = net.Assign();
  EXPECT_EQ(scheme.precision, (Precisions{kInt8, kFp16, kFp16, kFp16}));
  EXPECT_EQ(std::count_if(scheme.warnings.begin(), scheme.warnings.end(),
                          [](const std::string& line) {
                            return line.starts_with("1 node runs in FP16: 'Sin");
                          }),
            1)
      << scheme.warnings.size() << (scheme.warnings.empty() ? "" : scheme.warnings[0]);
}

// The model saturates at 127 * 0.03: the steps of what it tells apart are fine enough.
TEST(CoarseInputs, AreNotThoseThatSaturate) {
  EXPECT_EQ(Between(0.03f, "Elu").Assign().precision, (Precisions{kInt8, kInt8}));
}

TEST(CoarseInputs, StayInt8WhereThatIsAskedFor) {
  Config config = Net::MinMax();
  config.int8_everywhere = true;
  EXPECT_EQ(Between(0.03f, "Sin").Assign(config).precision, (Precisions{kInt8, kInt8}));
  Between net(0.03f, "Sin");
  const std::string conv = net.graph.nodes[0].name, sine = net.graph.nodes[1].name;
  config = Net::MinMax();
  config.layers = {{conv, kInt8}};
  EXPECT_EQ(net.Assign(config).precision, (Precisions{kInt8, kFp16}));
  config.layers = {{sine, kInt8}};
  EXPECT_EQ(net.Assign(config).precision, (Precisions{kInt8, kInt8}));
}

// Codes that are only moved are the model's own still.
TEST(CoarseInputs, AreNotCodesThatWereMoved) {
  for (const bool is_given : {true, false}) {
    Net net;
    const auto x = net.Input("x", -8, 8), moved = net.Value("moved", -8, 8);
    const auto y = net.Value("y", -1, 1);
    if (is_given) graph::GivenByTest::Give(net.graph, x, {1.0f / 16, 0});
    graph::GivenByTest::Give(net.graph, y, {1.0f / 128, 0});
    net.Op("Transpose", {x}, moved).attributes["perm"] = std::vector<int64_t>{0, 1, 3, 2};
    net.Op("Sin", {moved}, y);
    net.Output(y);
    EXPECT_EQ(net.Assign().precision[1], is_given ? kInt8 : kFp16) << is_given;
  }
}

// Codes of the model on both sides of a convolution. Its weights reach 0.5 and are read by inputs
// up to 8: rounding them anew to steps of 0.5 / 127 moves a sum of four products by 0.01.
TEST(CoarseInputs, AreWeightsThatInt8CannotKeep) {
  struct Row {
    float result_scale;
    bool coded;
    Precision wanted;
  };
  for (const Row& row : {Row{1.0f / 16, false, kInt8}, Row{1.0f / 128, false, kFp16},
                         Row{1.0f / 128, true, kInt8}}) {
    Net net;
    const auto x = net.Input("x", -8, 8), y = net.Value("y", -1, 1);
    graph::GivenByTest::Give(net.graph, x, {1.0f / 16, 0});
    graph::GivenByTest::Give(net.graph, y, {row.result_scale, 0});
    const graph::ValueId weights = net.Conv(x, y).inputs[1];
    if (row.coded) graph::GivenByTest::Code(net.graph, weights, 1.0f / 256);
    net.Output(y);
    EXPECT_EQ(net.Assign().precision[0], row.wanted) << row.result_scale << " " << row.coded;
  }
}

// A Sigmoid in front of an output is no layer; what it reads is.
TEST(CoarseInputs, CountInFrontOfOutputs) {
  for (const bool is_fine : {true, false}) {
    Net net;
    const auto x = net.Input("x", -1, 1), real = net.Value("real", -8, 8);
    const auto y = net.Value("y", 0, 1);
    graph::GivenByTest::Give(net.graph, x, {1.0f / 128, 0});
    graph::GivenByTest::Give(net.graph, y, {is_fine ? 1.0f / 64 : 1.0f / 256, -128});
    net.Conv(x, real);
    net.Op("Sigmoid", {real}, y);
    net.Output(y);
    EXPECT_EQ(net.Assign().precision[0], is_fine ? kInt8 : kFp16) << is_fine;
  }
}

// A model without codes has no steps of its own.
TEST(CoarseInputs, NeedCodesOfTheModel) {
  Net net;
  const auto x = net.Input("x", -8, 8), real = net.Value("real", -8, 8);
  const auto y = net.Value("y", -1, 1);
  net.Conv(x, real);
  net.Op("Sin", {real}, y);
  net.Output(y);
  EXPECT_EQ(net.Assign().precision, (Precisions{kInt8, kInt8}));
}

}  // namespace
}  // namespace octet::quantize
