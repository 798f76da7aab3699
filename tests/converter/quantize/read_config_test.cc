#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/converter/quantize/quantize_support.h"

namespace octet::quantize {
namespace {

class ReadConfigTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  Config Read(const std::string& text) const {
    std::ofstream(path_) << text;
    return ReadConfig(path_.string());
  }
  std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                ("octet_config_" + std::to_string(getpid()) + ".yaml");
};

TEST_F(ReadConfigTest, EveryKey) {
  const Config config = Read(
      "activations: symmetric\n"
      "calibration: {method: percentile, percentile: 99.9}\n"
      "precision_constraints: obey\n"
      "int8_everywhere: true\n"
      "layers:\n"
      "  conv1: {precision: fp16}\n"
      "  \"head/*\": {precision: int8, constraint: none}\n"
      "tensors:\n"
      "  x: {min: -1, max: 2.5, scheme: asymmetric, method: min-max}\n");
  EXPECT_TRUE(config.symmetric);
  EXPECT_EQ(config.method, calibrate::Method::kPercentile);
  EXPECT_EQ(config.percentile, 99.9);
  EXPECT_EQ(config.constraint, Constraint::kObey);
  EXPECT_TRUE(config.int8_everywhere);
  ASSERT_EQ(config.layers.size(), 2u);
  EXPECT_EQ(config.layers[0].name, "conv1");
  EXPECT_EQ(config.layers[0].precision, blob::Precision::kFp16);
  EXPECT_EQ(config.layers[0].constraint, std::nullopt);
  EXPECT_EQ(config.layers[1].name, "head/*");
  EXPECT_EQ(config.layers[1].constraint, Constraint::kNone);
  ASSERT_EQ(config.tensors.size(), 1u);
  EXPECT_EQ(config.tensors[0].min, -1.0f);
  EXPECT_EQ(config.tensors[0].max, 2.5f);
  EXPECT_EQ(config.tensors[0].symmetric, false);
  EXPECT_EQ(config.tensors[0].method, calibrate::Method::kMinMax);
}

TEST_F(ReadConfigTest, AnEmptyFileIsTheDefault) {
  const Config config = Read("# nothing\n");
  EXPECT_EQ(config.method, calibrate::Method::kAuto);
  EXPECT_FALSE(config.symmetric);
  EXPECT_EQ(config.constraint, Constraint::kPrefer);
}

TEST_F(ReadConfigTest, ConstantsLeaveTheirLayersUnlessTheFileSaysNo) {
  EXPECT_TRUE(Read("rounding: true\n").constant_parts);
  EXPECT_FALSE(Read("constant_parts: false\n").constant_parts);
}

TEST_F(ReadConfigTest, ErrorsNameFileLineAndKey) {
  const struct {
    const char *text, *line, *key;
  } kCases[] = {
      {"activation: symmetric\n", ":1:", "activation"},
      {"\nactivations: odd\n", ":2:", "activations"},
      {"calibration:\n  method: best\n", ":2:", "calibration.method"},
      {"calibration:\n  percentile: 12\n", ":2:", "calibration.percentile"},
      {"calibration:\n  percentile: many\n", ":2:", "calibration.percentile"},
      {"calibration: 3\n", ":1:", "calibration"},
      {"layers:\n  a: {precision: int4}\n", ":2:", "layers.a.precision"},
      {"layers:\n  a: {width: 4}\n", ":2:", "layers.a.width"},
      {"layers:\n  a: {constraint: obey}\n", ":2:", "layers.a"},
      {"layers:\n  a: {precision: int8, constraint: must}\n", ":2:", "layers.a.constraint"},
      {"layers: [a, b]\n", ":1:", "layers"},
      {"tensors:\n  a:\n    min: .nan\n", ":3:", "tensors.a.min"},
      {"tensors:\n  a: {min: 2, max: 1}\n", ":2:", "tensors.a"},
      {"tensors:\n  a: {min: 1, max: 1}\n", ":2:", "tensors.a"},
      {"int8_everywhere: 1\n", ":1:", "int8_everywhere"},
      {"constant_parts: 1\n", ":1:", "constant_parts"},
      {"- a\n", ":1:", "file"},
      {"layers: {a: \n  [}\n", ":", "YAML"},
      {"\"a\\nb\\0c\": 1\n", ":1:", "a?b?c"},
      {"activations: \"x\\ny\"\n", ":1:", "'x?y'"},
  };
  for (const auto& c : kCases) {
    const std::string line = Refusal([&] { Read(c.text); });
    EXPECT_EQ(line.rfind(path_.string() + c.line, 0), 0u) << c.text << line;
    EXPECT_NE(line.find(c.key), std::string::npos) << c.text << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  }
  EXPECT_NE(Refusal([&] { ReadConfig("/nowhere/a.yaml"); }).find("cannot be opened"),
            std::string::npos);
}

}  // namespace
}  // namespace octet::quantize
