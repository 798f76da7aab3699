// Schemes that the model brings are taken bit for bit, and nothing else chooses beside them.
#include <gtest/gtest.h>

#include "tests/converter/graph/given_by_test.h"
#include "tests/converter/quantize/quantize_support.h"

namespace octet::quantize {
namespace {

constexpr float kScale = 0.012345679f;  // no range gives these bits back

TEST(Given, IsTakenBitForBit) {
  Net net;
  const auto x = net.Input("x", -1, 1), y = net.Value("y", -2, 2), z = net.Value("z", -2, 2);
  net.Conv(x, y);
  net.Op("Reshape", {y, net.Constant({4}, 1)}, z);
  const auto out = net.Value("out", 0, 1);
  net.Conv(z, out);
  net.Output(out);
  graph::GivenByTest::Give(net.graph, x, {kScale, 7});
  graph::GivenByTest::Give(net.graph, y, {kScale * 3, -128});
  const Scheme scheme = net.Assign();
  EXPECT_EQ(At(scheme, x).scale, kScale);
  EXPECT_EQ(At(scheme, x).zero_point, 7);
  EXPECT_EQ(At(scheme, y).scale, kScale * 3);
  EXPECT_EQ(At(scheme, y).zero_point, -128);
  EXPECT_EQ(At(scheme, z).scale, kScale * 3);
  EXPECT_EQ(At(scheme, y).origin.Text(), "given");
}

TEST(Given, StandsBesideAJoin) {
  Net net;
  const auto x = net.Input("x", -1, 1), a = net.Value("a", -1, 1), b = net.Value("b", 0, 100);
  const auto joined = net.Value("joined", -1, 100, {1, 8, 4, 4});
  net.Conv(x, a);
  net.Conv(x, b);
  net.Op("Concat", {a, b}, joined).attributes["axis"] = int64_t{1};
  net.Output(joined);
  graph::GivenByTest::Give(net.graph, a, {1.0f / 128, 0});
  graph::GivenByTest::Give(net.graph, joined, {100.0f / 255, -128});
  const Scheme scheme = net.Assign();
  EXPECT_EQ(At(scheme, a).scale, 1.0f / 128);
  EXPECT_EQ(At(scheme, joined).scale, 100.0f / 255);
  bool warned = false;
  for (const std::string& line : scheme.warnings) {
    warned |= line.find("'a' of range") != std::string::npos &&
              line.find("--cut-at a,b") != std::string::npos;
  }
  EXPECT_TRUE(warned) << "of a, which vanishes in steps of 0.4";
}

}  // namespace
}  // namespace octet::quantize
