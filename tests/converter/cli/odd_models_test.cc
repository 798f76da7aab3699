// What convert does with models unlike those for pictures. Inputs in other units than pixels:
// coordinates beside reflectances of a LiDAR, 999 of 1000 of them below 10 and some at 10,000. And
// weights that are mostly zero.
#include <nlohmann/json.hpp>

#include <cstring>
#include <random>

#include "tests/converter/cli/cli_support.h"
#include "tests/support/facts.h"

namespace octet::test {
namespace {

using nlohmann::json;

class WideRange : public Cli {
 protected:
  static constexpr int64_t kSize = 16;

  // x, y, z and reflectance of the points in a grid's cells; most cells are empty.
  void WritePoints(const std::string& name, int64_t samples, uint32_t seed) const {
    WriteNpy(name, "<f4", {samples, 4, kSize, kSize});
    std::string bytes = ReadText(name);
    const auto cells = static_cast<size_t>(kSize * kSize);
    const size_t count = static_cast<size_t>(samples) * 4 * cells;
    std::vector<float> values(count);
    std::mt19937 random(seed);
    const auto uniform = [&random](float low, float high) {
      return low + (high - low) * static_cast<float>(random() >> 8) / 16777216.0f;
    };
    for (size_t i = 0; i < count; i += 4 * cells) {
      for (size_t cell = 0; cell < cells; ++cell) {
        if (random() % 5 > 1) continue;
        values[i + cell] = uniform(-50, 50);
        values[i + cells + cell] = uniform(-50, 50);
        values[i + 2 * cells + cell] = uniform(-3, 1);
        values[i + 3 * cells + cell] = uniform(0, 10);
        if (random() % 1000 == 0) values[i + 3 * cells + cell] = uniform(10, 10000);
      }
    }
    values[3 * cells] = 10000;
    std::memcpy(bytes.data() + bytes.size() - count * sizeof(float), values.data(),
                count * sizeof(float));
    WriteText(name, bytes);
  }

  // A point pillar's network: units made alike, features of cells, a backbone over the grid, a
  // head. `reflectance`: what a unit of it becomes.
  void WritePillars(float reflectance) const {
    OnnxBuilder model;
    const OnnxValue points = model.Input("points", {1, 4, kSize, kSize});
    const OnnxValue units = model.Initializer("units", {1, 4, 1, 1},
                                              std::vector<float>{0.03f, 0.03f, 0.5f, reflectance});
    points.Op("Mul", {}, {units.name()})
        .WithChannels(4)
        .Conv({.channels = 16})
        .Relu()
        .Conv({.channels = 16, .kernel = 3, .pad = 1})
        .Relu()
        .Conv({.channels = 8})
        .Output("heads");
    model.Save(Path("pillars.onnx"));
  }

  Result ConvertPillars(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"--calibrate", Path("points.npy")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Convert("pillars.onnx", arguments);
  }

  double Snr(const std::string& plan) const {
    const Result verify = Octet({"verify", Path("pillars.onnx"), Path("out.octet"), "--data",
                                 Path("others.npy"), "--json"});
    const json report = json::parse(verify.out);
    for (const json& row : report["plans"]) {
      if (row["plan"] == plan) return row["snr_db"].get<double>();
    }
    ADD_FAILURE() << verify.out << verify.err;
    return 0;
  }

  void SetUp() override {
    Cli::SetUp();
    WritePoints("points.npy", 48, 1);
    WritePoints("others.npy", 16, 2);
  }
};

TEST_F(WideRange, KeepsTwentyDecibels) {
  WritePillars(0.001f);
  const Result result = ConvertPillars();
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("8 bits are too coarse for both: "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("clamp these values before the model"), std::string::npos)
      << result.err;
  EXPECT_EQ(result.err.find("inf"), std::string::npos) << result.err;
  EXPECT_GE(Snr("int8"), 20);
  EXPECT_GE(Snr("fp16"), 50);
  // What it is for: int8 alone has one code for all that is not far out.
  ASSERT_EQ(ConvertPillars({"--int8-everywhere"}).status, 0);
  EXPECT_LT(Snr("int8"), 20);
}

// Where large numbers go on into the model no layer at its beginning helps: that is said, with the
// place and the way out.
TEST_F(WideRange, OrSaysWhyNot) {
  WritePillars(0.1f);
  const Result result = ConvertPillars();
  ASSERT_EQ(result.status, 0) << result.err;
  if (Snr("int8") < 20) {
    ExpectFacts(result.err, {"'node_Conv_6' reads", "8 bits", "fp16", "--config", "fp16 plan\n"});
  }
  EXPECT_GE(Snr("fp16"), 50);
}

// A pruned layer is named, in words and in JSON.
TEST_F(Cli, MostlyZeroWeights) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("x", {1, 3, 8, 8}).Op("Flatten");
  std::vector<float> weights(192 * 5);
  for (size_t i = 0; i < weights.size(); i += 8) weights[i] = 0.25f;
  x.Op("MatMul", {}, {model.Initializer("w", {192, 5}, weights).name()}).Output("y");
  model.Save(Path("m.onnx"));
  const Result text = Convert("m.onnx", {"--details"});
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("mostly zero: 'node_MatMul_"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find(", 87.5 % of 960 weights; "), std::string::npos) << text.out;
  const json report = json::parse(Convert("m.onnx", {"--json"}).out);
  ASSERT_EQ(report["mostly_zero"].size(), 1u);
  EXPECT_EQ(report["mostly_zero"][0]["zeros"], 840);
  WriteModel("m.onnx", 1);
  EXPECT_TRUE(json::parse(Convert("m.onnx", {"--json"}).out)["mostly_zero"].empty());
}

}  // namespace
}  // namespace octet::test
