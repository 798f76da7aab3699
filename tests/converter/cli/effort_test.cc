// What --effort runs, and that it says so.
#include <nlohmann/json.hpp>

#include "tests/converter/cli/cli_support.h"

namespace octet::test {
namespace {

using nlohmann::json;

class Effort : public Cli {
 protected:
  std::vector<std::string> Steps(const std::vector<std::string>& options) const {
    std::vector<std::string> words = {"--json"};
    words.insert(words.end(), options.begin(), options.end());
    const Result result = Convert("m.onnx", words);
    EXPECT_EQ(result.status, 0) << result.err;
    std::vector<std::string> names;
    const json document = json::parse(result.out);
    for (const json& step : document["recovery"]) names.push_back(step["step"]);
    return names;
  }
};

TEST_F(Effort, BestRunsWhatDefaultDoesAndMore) {
  WriteGoodModel();
  const std::vector<std::string> usual = {"FP16 stretches", "ranges", "rounding of weights"};
  EXPECT_EQ(Steps({"--effort", "fast"}), std::vector<std::string>{});
  EXPECT_EQ(Steps({}), usual);
  EXPECT_EQ(Steps({"--effort", "best"}),
            (std::vector<std::string>{"FP16 stretches", "ranges", "rounding of weights",
                                      "adaptive rounding", "mean and variance"}));
  const Result text = Convert("m.onnx", {"--effort", "best", "--details"});
  EXPECT_NE(text.out.find("\nadaptive rounding: "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("\nmean and variance: "), std::string::npos) << text.out;
}

TEST_F(Effort, TheConfigTurnsThemOff) {
  WriteGoodModel();
  WriteText("c.yaml", "rounding: false\n");
  EXPECT_EQ(Steps({"--effort", "best", "--config", Path("c.yaml")}),
            (std::vector<std::string>{"FP16 stretches", "ranges", "mean and variance"}));
  WriteText("c.yaml", "fp16_stretches: false\n");
  EXPECT_EQ(Steps({"--config", Path("c.yaml")}),
            (std::vector<std::string>{"ranges", "rounding of weights"}));
  WriteText("c.yaml", "bias_correction: false\n");
  EXPECT_EQ(Steps({"--effort", "best", "--config", Path("c.yaml")}),
            (std::vector<std::string>{"FP16 stretches", "ranges", "rounding of weights",
                                      "adaptive rounding"}));
}

TEST_F(Effort, BestIsTheSameForAnyThreadCount) {
  WriteGoodModel();
  ASSERT_EQ(Convert("m.onnx", {"--effort", "best", "--threads", "1"}).status, 0);
  const std::string one = ReadText("out.octet");
  ASSERT_EQ(Convert("m.onnx", {"--effort", "best", "--threads", "2"}).status, 0);
  EXPECT_EQ(one, ReadText("out.octet"));
}

}  // namespace
}  // namespace octet::test
