#include "converter/quantize/weight_schemes.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/converter/quantize/quantize_support.h"
#include "tests/support/facts.h"

namespace octet::quantize {
namespace {

// A narrow layer, a wide one.
Net Layers() {
  Net net;
  const auto x = net.Input("x", -1, 1);
  const auto a = net.Value("a", -1, 1), b = net.Value("b", -1, 1, {1, 65, 4, 4});
  net.Op("Conv", {x, net.Constant({64, 4, 1, 1}, 1)}, a);
  net.Op("Conv", {a, net.Constant({65, 64, 1, 1}, 1)}, b);
  net.Op("Relu", {b}, net.Value("y", 0, 1, {1, 65, 4, 4}));
  return net;
}

std::vector<WeightScheme> SchemesOf(const Config& config) {
  Scheme scheme;
  ChooseWeightSchemes(Layers().graph, config, &scheme);
  EXPECT_EQ(scheme.weight_schemes.size(), 3u);
  scheme.weight_schemes.pop_back();
  return scheme.weight_schemes;
}

std::string Why(const Config& config) {
  try {
    SchemesOf(config);
  } catch (const UserError& error) {
    return error.what();
  }
  return "nothing";
}

using Both = std::vector<WeightScheme>;
constexpr WeightScheme kChannel = WeightScheme::kPerChannel, kGroup = WeightScheme::kGroup,
                       kTensor = WeightScheme::kPerTensor;

TEST(ChooseWeightSchemes, WhatTheBoardLists) {
  Config config;
  EXPECT_EQ(SchemesOf(config), (Both{kChannel, kChannel}));
  config.allowed_weights = {true, true};
  EXPECT_EQ(SchemesOf(config), (Both{kChannel, kGroup})) << "above 64 channels";
  config.allowed_weights = {false, true};
  EXPECT_EQ(SchemesOf(config), (Both{kGroup, kGroup}));
  config.allowed_weights = {false, false};
  EXPECT_EQ(SchemesOf(config), (Both{kTensor, kTensor}));
}

TEST(ChooseWeightSchemes, WhatIsAskedFor) {
  Config config;
  config.weights = kTensor;
  config.layers = {{"Conv_b", {}, {}, kGroup}};
  EXPECT_EQ(SchemesOf(config), (Both{kTensor, kGroup}));
  config.allowed_weights = {false, true};
  EXPECT_EQ(SchemesOf(config), (Both{kTensor, kGroup})) << "coarser is allowed";
  config.layers[0].weights = kChannel;
  test::ExpectFacts(Why(config),
                    {"'Conv_b'", "--config", "per_channel", "only group and per_tensor"});
  config.allowed_weights = {false, false};
  config.layers[0].weights = kGroup;
  test::ExpectFacts(Why(config), {"'Conv_b'", "--config", "group", "only per_tensor"});
}

template <typename Read>
auto FromText(const std::string& text, const Read& read) {
  const std::string path = ::testing::TempDir() + "weight_schemes.yaml";
  std::ofstream(path) << text;
  return read(path);
}

TEST(ReadConfig, WeightSchemesAndSteps) {
  const Config config = FromText(
      "weights: group\nrounding: false\nequalization: true\nlayers: {a: {weights: per_tensor}}",
      ReadConfig);
  EXPECT_EQ(config.weights, kGroup);
  EXPECT_EQ(config.layers[0].weights, kTensor);
  EXPECT_FALSE(config.layers[0].precision);
  EXPECT_FALSE(config.rounding);
  EXPECT_EQ(config.equalization, true);
  const Config none = FromText("bias_correction: true", ReadConfig);
  EXPECT_FALSE(none.weights);
  EXPECT_TRUE(none.rounding);
  EXPECT_FALSE(none.equalization);
}

}  // namespace
}  // namespace octet::quantize
