// What convert says of the int8 plan at the end, and --require.
#include <filesystem>

#include <nlohmann/json.hpp>

#include "tests/converter/cli/cli_support.h"
#include "tests/support/facts.h"

namespace octet::test {
namespace {

using nlohmann::json;

class Verdict : public Cli {
 protected:
  void WriteBadModel() const {
    WriteUndone("bad.onnx");
    WriteNpy("x.npy", "<f4", {32, 4, 8, 8});
    WriteText("c.yaml", "equalization: false\nrounding: false\n");
  }
  Result ConvertBad(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"convert",         Path("bad.onnx"), "-o",
                                      Path("bad.octet"), "--calibrate",    Path("x.npy"),
                                      "--config",        Path("c.yaml")};
    words.insert(words.end(), more.begin(), more.end());
    return Octet(words);
  }
};

TEST_F(Verdict, InTheTasksWords) {
  WriteGoodModel();
  const Result text = Convert("m.onnx", {"--task", "classify"});
  ASSERT_EQ(text.status, 0) << text.err;
  ExpectFacts(text.out,
              {"out.octet: ", " bytes)", "32 samples", "plan", "MMAC", "\nint8", "16 of 16",
               "\nfp16", "16 of 16", "\nverdict: good\n", "16 calibration samples", "--details"});
  EXPECT_EQ(text.out.find("too few"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("rounding of weights"), std::string::npos) << "not without --details";
  const Result details = Convert("m.onnx", {"--task", "classify", "--details"});
  ExpectFacts(details.out, {"\nverdict: good\n", "\ndetails:\n", "rounding of weights: "});
  WriteNpy("few.npy", "|u1", {4, 8, 8, 3});
  const Result few = Convert("m.onnx", {"--calibrate", Path("few.npy")});
  ExpectFacts(few.out,
              {"\nverdict: check\n", "4 calibration samples", "4 samples are too few", "try: "});
  const Result machine = Convert("m.onnx", {"--task", "classify", "--json"});
  const json verdict = json::parse(machine.out)["verdict"];
  EXPECT_EQ(verdict["samples"], 16);
  EXPECT_EQ(verdict["sample_indices"].size(), 16u);
  EXPECT_EQ(verdict["held_out"], false);
  EXPECT_EQ(verdict["agreement_percent"], 100);
  EXPECT_EQ(verdict["judgement"], "good");
  EXPECT_EQ(verdict["advice_lines"].size(), 0u);
  EXPECT_EQ(verdict["doubtful"], false);
  EXPECT_GT(verdict["snr_db"], 10);
  EXPECT_GT(verdict["fp16_snr_db"], verdict["snr_db"]);
}

// What calibration leaves judges, and verify repeats the verdict by the list.
TEST_F(Verdict, BySamplesThatCalibrationHasNotSeen) {
  WriteGoodModel();
  const Result convert = Convert("m.onnx", {"--samples", "12", "--json"});
  ASSERT_EQ(convert.status, 0) << convert.err;
  const json verdict = json::parse(convert.out)["verdict"];
  EXPECT_EQ(verdict["held_out"], true);
  EXPECT_NE(verdict["summary"].get<std::string>().find("that calibration has not seen"),
            std::string::npos);
  std::string list;
  for (const json& index : verdict["sample_indices"]) {
    list += (list.empty() ? "" : ",") + index.dump();
  }
  const Result verify = Octet({"verify", Path("m.onnx"), Path("out.octet"), "--data", Path("c.npy"),
                               "--sample-indices", list, "--json"});
  ASSERT_EQ(verify.status, 0) << verify.err;
  const json report = json::parse(verify.out);
  EXPECT_EQ(report["plans"][0]["snr_db"], verdict["snr_db"]);
  EXPECT_EQ(report["plans"][1]["snr_db"], verdict["fp16_snr_db"]);
  EXPECT_EQ(report["sample_indices"], verdict["sample_indices"]);
  const Result beyond = Octet({"verify", Path("m.onnx"), Path("out.octet"), "--data", Path("c.npy"),
                               "--sample-indices", "32"});
  EXPECT_EQ(beyond.status, 2);
  EXPECT_NE(beyond.err.find("numbers from 0 to 31"), std::string::npos) << beyond.err;
}

// Advice was tried, and says what it gains.
TEST_F(Verdict, AdviceIsMeasured) {
  WriteBadModel();
  const Result result = ConvertBad({"--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json verdict = json::parse(result.out)["verdict"];
  EXPECT_EQ(verdict["doubtful"], true);
  EXPECT_EQ(verdict["judgement"], "bad");
  ASSERT_GE(verdict["advice_lines"].size(), 1u);
  ExpectFacts(verdict["advice_lines"].back(), {"try: --config", "precision: fp16", "dB"});
  EXPECT_TRUE(verdict["agreement_percent"].is_null());
  EXPECT_LT(verdict["snr_db"], 10);
  const json& advice = verdict["advice"];
  ASSERT_FALSE(advice.is_null()) << verdict.dump();
  EXPECT_EQ(advice["before_db"], verdict["snr_db"]);
  EXPECT_GE(advice["gain_db"], 1);
  ASSERT_GE(verdict["worst_layers"].size(), 1u);
  EXPECT_NE(
      verdict["worst_layers"][0]["cause"].get<std::string>().find("times as wide as the median"),
      std::string::npos)
      << verdict.dump();
  // Followed.
  WriteText("c.yaml",
            "equalization: false\nrounding: false\n" + advice["config"].get<std::string>());
  const json after = json::parse(ConvertBad({"--json"}).out)["verdict"];
  EXPECT_NEAR(after["snr_db"].get<double>(), advice["after_db"].get<double>(), 1);
}

// The warning has the figure, its limit and pages that exist; verify has figure and limit too.
TEST_F(Verdict, NamesTheLimitThatIsMissed) {
  OnnxBuilder model;
  model.Input("x", {1, 4, 8, 8}).WithChannels(4).Conv({.channels = 4, .kernel = 1}).Output("y");
  model.Save(Path("m.onnx"));
  WriteNpy("c.npy", "<f4", {32, 4, 8, 8});
  WriteText("c.yaml", "tensors:\n  \"x\": {min: 0, max: 0.1}\n");
  const Result result = Convert("m.onnx", {"--config", Path("c.yaml")});
  ASSERT_EQ(result.status, 0) << result.err;
  ExpectFacts(result.err, {"warning: ", "int8", "output 'y'", " dB", "limit 10 dB",
                           "docs/verdict.md", "try: ", "docs/tutorials/worse-int8.md"});
  for (const char* page : {"docs/verdict.md", "docs/tutorials/worse-int8.md"}) {
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(OCTET_SOURCE_DIR) / page)) << page;
  }
  const Result verify =
      Octet({"verify", Path("m.onnx"), Path("out.octet"), "--data", Path("c.npy")});
  EXPECT_EQ(verify.status, 1);
  EXPECT_EQ(verify.out.rfind("int8     differs", 0), 0u) << verify.out;
  ExpectFacts(verify.out, {"output 'y'", "limit 10 dB", "fp16", "agrees"});
}

TEST_F(Verdict, RequiredWritesNoBlobWhereItIsNotMet) {
  WriteBadModel();
  const Result refused = ConvertBad({"--require", "20dB"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(
      refused.err.find("octet: --require 20dB is not met, no blob is written: on 16 calibration "
                       "samples"),
      std::string::npos)
      << refused.err;
  EXPECT_FALSE(std::filesystem::exists(Path("bad.octet")));
  // A plan that fails meets nothing, kept or not.
  EXPECT_EQ(ConvertBad({"--require", "0dB", "--keep-failing"}).status, 1);
  WriteGoodModel();
  EXPECT_EQ(Convert("m.onnx", {"--require", "10dB"}).status, 0);
  EXPECT_TRUE(std::filesystem::exists(Path("out.octet")));
}

// A product of two tensors that are both 1000 and a little: int8 gives one number, FP16 infinity.
TEST_F(Verdict, NoPlanLeftIsNoBlob) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("x", {1, 4, 8, 8}).WithChannels(4);
  const OnnxValue small = model.Initializer("small", {4, 4, 1, 1}, std::vector<float>(16, 1e-2f));
  const OnnxValue offset = model.Initializer("offset", {1}, std::vector<float>{1000});
  const OnnxValue other = model.Initializer("other", {4, 4, 1, 1}, std::vector<float>(16, -2e-2f));
  const OnnxValue factor = x.Op("Conv", {}, {other.name()}).Add(offset);
  x.Op("Conv", {}, {small.name()}).Add(offset).Op("Mul", {}, {factor.name()}).Output("y");
  model.Save(Path("m.onnx"));
  WriteNpy("c.npy", "<f4", {32, 4, 8, 8});
  const Result result = Convert("m.onnx");
  EXPECT_EQ(result.status, 1) << result.out << result.err;
  EXPECT_NE(result.err.find("octet: all plans fail, no blob is written"), std::string::npos)
      << result.err;
  EXPECT_FALSE(std::filesystem::exists(Path("out.octet")));
  EXPECT_EQ(Convert("m.onnx", {"--keep-failing"}).status, 0);
}

TEST_F(Verdict, RequirementsThatSayNothingAreRefused) {
  WriteBadModel();
  for (const char* word : {"much", "", "-3dB", "101%", "20 dB", "nan", "3dBs"}) {
    const Result result = ConvertBad({"--require", word, "--task", "classify"});
    if (std::string(word).empty()) {
      EXPECT_NE(result.status, 1);
      continue;
    }
    EXPECT_EQ(result.status, 2) << word;
    ExpectFacts(result.err, {std::string("octet: --require ") + word + ": ", "20dB", "95%"});
  }
  const Result result = ConvertBad({"--require", "95%"});
  EXPECT_EQ(result.status, 2);
  ExpectFacts(result.err, {"octet: --require 95%: ", "--task", "dB"});
}

}  // namespace
}  // namespace octet::test
