// What convert says of the int8 plan at the end, and --require.
#include <filesystem>

#include <nlohmann/json.hpp>

#include "tests/converter/cli/cli_support.h"

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
  EXPECT_NE(text.out.find("verdict: on 8 held-out samples the int8 plan gives FP32's first class "
                          "in 8 of 8; output '"),
            std::string::npos)
      << text.out;
  // Eight of 32 is nobody's fault; of 16 only four are held out.
  EXPECT_EQ(text.out.find("few to go by"), std::string::npos) << text.out;
  const Result few = Convert("m.onnx", {"--effort", "fast"});
  EXPECT_NE(few.out.find("; 4 are few to go by: give more pictures, with --effort default"),
            std::string::npos)
      << few.out;
  const Result machine = Convert("m.onnx", {"--task", "classify", "--json"});
  const json verdict = json::parse(machine.out)["verdict"];
  EXPECT_EQ(verdict["samples"], 8);
  EXPECT_EQ(verdict["held_out"], true);
  EXPECT_EQ(verdict["agreement_percent"], 100);
  EXPECT_EQ(verdict["doubtful"], false);
  EXPECT_GT(verdict["snr_db"], 20);
}

TEST_F(Verdict, NamesLayerCauseAndRemedy) {
  WriteBadModel();
  const Result result = ConvertBad({"--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json verdict = json::parse(result.out)["verdict"];
  EXPECT_EQ(verdict["doubtful"], true);
  EXPECT_TRUE(verdict["agreement_percent"].is_null());
  EXPECT_LT(verdict["snr_db"], 10);
  ASSERT_GE(verdict["worst_layers"].size(), 1u);
  const json& worst = verdict["worst_layers"][0];
  EXPECT_NE(worst["cause"].get<std::string>().find("times as wide as the median one"),
            std::string::npos)
      << worst.dump();
  EXPECT_NE(worst["remedy"].get<std::string>().find("--mixed"), std::string::npos) << worst.dump();
  // What was switched off comes first.
  EXPECT_EQ(worst["remedy"].get<std::string>().rfind("leave `equalization: false` out", 0), 0u)
      << worst.dump();
}

TEST_F(Verdict, RequiredWritesNoBlobWhereItIsNotMet) {
  WriteBadModel();
  const Result refused = ConvertBad({"--require", "20dB"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("octet: --require 20dB is not met, no blob is written: on 8 held-out "
                             "samples output 'y' stands "),
            std::string::npos)
      << refused.err;
  EXPECT_FALSE(std::filesystem::exists(Path("bad.octet")));
  EXPECT_EQ(ConvertBad({"--require", "0dB"}).status, 0);
  EXPECT_TRUE(std::filesystem::exists(Path("bad.octet")));
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
    EXPECT_EQ(result.err, std::string("octet: --require ") + word +
                              ": a bound in dB (20dB) for the outputs, or in percent (95%) for the "
                              "answers is expected\n");
  }
  const Result result = ConvertBad({"--require", "95%"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err,
            "octet: --require 95%: answers have a meaning with --task alone; give that, or a bound "
            "in dB\n");
}

}  // namespace
}  // namespace octet::test
