// convert --temporal, and what inspect shows of it.
#include <map>

#include <nlohmann/json.hpp>

#include "tests/converter/cli/cli_support.h"

namespace octet::test {
namespace {

using nlohmann::json;

class TemporalCommand : public Cli {};

// The section is there for those who ask, and nothing else of the blob is another.
TEST_F(TemporalCommand, OneSectionMore) {
  // Noise grows from layer to layer.
  OnnxBuilder model;
  auto chain = model.Input("image", {1, 3, 8, 8}).WithChannels(3);
  for (int k = 0; k < 8; ++k) {
    chain = chain.Conv({.channels = 8, .kernel = 3, .pad = 1}).Relu();
  }
  chain.GlobalAveragePool().Flatten().Gemm(4).Output("scores");
  model.Save(Path("m.onnx"));
  // FP16 takes from the noisiest.
  WriteText("int8.yaml", "fp16_stretches: false\n");
  const std::vector<std::string> int8 = {"--config", Path("int8.yaml")};
  ASSERT_EQ(Convert("m.onnx", int8).status, 0);
  const json plain = json::parse(Octet({"inspect", Path("out.octet"), "--json"}).out);
  EXPECT_FALSE(plain.contains("temporal"));
  const Result none = Convert("m.onnx", {int8[0], int8[1], "--temporal", "none"});
  ASSERT_EQ(none.status, 0) << none.err;
  EXPECT_EQ(none.out.find("temporal"), std::string::npos);
  EXPECT_EQ(json::parse(Octet({"inspect", Path("out.octet"), "--json"}).out)["digest"],
            plain["digest"]);
  const Result filter =
      Convert("m.onnx", {int8[0], int8[1], "--temporal", "filter", "--temporal-lambda", "10"});
  ASSERT_EQ(filter.status, 0) << filter.err;
  EXPECT_NE(filter.out.find("temporal: "), std::string::npos) << filter.out;
  const json with = json::parse(Octet({"inspect", Path("out.octet"), "--json"}).out);
  std::map<std::string, std::string> before, after;
  for (const json& s : plain["sections"]) {
    before[s["kind"].get<std::string>() + s["index"].dump()] = s["sha256"];
  }
  for (const json& s : with["sections"]) {
    after[s["kind"].get<std::string>() + s["index"].dump()] = s["sha256"];
  }
  ASSERT_TRUE(with.contains("temporal")) << filter.out;
  EXPECT_GT(with["temporal"]["memory_bytes"], 0);
  for (const json& layer : with["temporal"]["layers"]) {
    EXPECT_EQ(layer["plan"], "int8");
    EXPECT_EQ(layer["frames"], 2);
    EXPECT_GT(layer["sigma"], 0);
  }
  EXPECT_EQ(after.erase("temporal0"), 1u);
  EXPECT_EQ(after, before);
}

TEST_F(TemporalCommand, Refusals) {
  ExpectRefused(Convert("m.onnx", {"--temporal", "some"}), "--temporal");
  ExpectRefused(Convert("m.onnx", {"--temporal", "filter", "--temporal-lambda", "0"}),
                "--temporal-lambda: must be above 0 and at most 1000");
  ExpectRefused(Convert("m.onnx", {"--temporal", "filter", "--temporal-lambda", "nan"}),
                "--temporal-lambda: 'nan' is not a number");
}

}  // namespace
}  // namespace octet::test
