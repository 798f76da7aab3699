// octet convert --state: a cell whose state stays in the session, judged in closed loop.
#include <nlohmann/json.hpp>

#include "tests/converter/cli/cli_support.h"
#include "tests/support/facts.h"

namespace octet::test {
namespace {

class States : public Cli {
 protected:
  // h_out = tanh(x + W h), y = V h_out, on 40 samples of 8 numbers.
  void SetUp() override {
    Cli::SetUp();
    OnnxBuilder model;
    const OnnxValue x = model.Input("x", {1, 8}).WithChannels(8);
    const OnnxValue h = model.Input("h", {1, 8}).WithChannels(8);
    const OnnxValue state = h.MatMul(8).Add(x).Op("Tanh").WithChannels(8);
    state.MatMul(8).Output("y");
    state.Output("h_out");
    model.Save(Path("cell.onnx"));
    WriteNpy("c.npy", "<f4", {40, 8});
  }
  nlohmann::json Judged(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"--state", "h=h_out", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Result result = Convert("cell.onnx", words);
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }
};

// First steps of the parts of a sequence, and all decisions of the plan.
void ExpectSteps(const nlohmann::json& over_time, const std::vector<int>& first_steps) {
  std::vector<int> found;
  for (const auto& part : over_time.at("parts")) found.push_back(part.at("first_step").get<int>());
  EXPECT_EQ(found, first_steps);
  EXPECT_EQ(over_time.at("decisions"), 40);
}

// Where only one side began again, hardly anything would be left of the signal.
TEST_F(States, BothSidesBeginAgainAtEverySequence) {
  const nlohmann::json plans = Judged({"--sequences", "15,25"}).at("verdict").at("plans");
  for (const auto& plan : plans) {
    ExpectSteps(plan.at("over_time"), {0, 4, 7, 10, 13, 16, 19, 22});
    EXPECT_GT(plan.at("outputs")[0].at("snr_db"), plan.at("plan") == "int8" ? 25 : 50);
  }
  const Result verified = Octet({"verify", Path("cell.onnx"), Path("out.octet"), "--data",
                                 Path("c.npy"), "--sequences", "15,25", "--json"});
  ASSERT_EQ(verified.status, 0) << verified.err;
  for (const auto& plan : plans) {
    const std::string name = plan.at("plan");
    EXPECT_EQ(nlohmann::json::parse(verified.out).at("over_time").at(name), plan.at("over_time"));
  }
}

TEST_F(States, WithoutLengthsAllSamplesAreOneSequence) {
  for (const auto& plan : Judged({}).at("verdict").at("plans")) {
    ExpectSteps(plan.at("over_time"), {0, 5, 10, 15, 20, 25, 30, 35});
  }
}

TEST_F(States, StayInTheSession) {
  ExpectFacts(Convert("cell.onnx", {"--state", "h=h_out"}).out, {"states: 'h' (16 bytes)"});
}

}  // namespace
}  // namespace octet::test
