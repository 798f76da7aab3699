// octet convert --random-calibration: what it says, what the blob says, and who takes that blob.
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "tests/converter/cli/cli_support.h"
#include "tests/support/facts.h"

namespace octet::test {
namespace {

class RandomCalibration : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    WriteGoodModel();
  }
  Result Random(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"convert",
                                       Path("m.onnx"),
                                       "--random-calibration",
                                       "-o",
                                       Path("random.octet"),
                                       "--scale",
                                       "1/255",
                                       "--task",
                                       "none"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Octet(arguments);
  }
  nlohmann::json Inspect(const std::string& name) const {
    return nlohmann::json::parse(Octet({"inspect", Path(name), "--json"}).out);
  }
  void ExpectOneLine(const Result& result, int status, const std::vector<std::string>& facts) {
    EXPECT_EQ(result.status, status) << result.out << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    ExpectFacts(result.err, facts);
  }
};

TEST_F(RandomCalibration, SaysItLoudlyAndIsNeverGood) {
  const Result result = Random();
  ASSERT_EQ(result.status, 0) << result.err;
  ExpectFacts(result.out, {"RANDOM DATA", "the same:", "64 samples of RANDOM DATA",
                           "verdict: check", "ranges come from noise", "--calibrate"});
  ExpectFacts(result.err, {"warning: --random-calibration", "random data", "--force", "try:"});
  const Result json = Random({"--json"});
  ASSERT_EQ(json.status, 0) << json.err;
  const auto document = nlohmann::json::parse(json.out);
  EXPECT_EQ(document["random_calibration"], true);
  EXPECT_EQ(document["samples"], 64);
  EXPECT_EQ(document["verdict"]["random_data"], true);
  EXPECT_EQ(document["verdict"]["judgement"], "check");
  ExpectFacts(document["verdict"]["summary"], {"random data", "noise"});
  ExpectFacts(document["verdict"]["advice_lines"][0], {"noise", "--calibrate"});
  ExpectFacts(document["warnings"].dump(), {"--random-calibration"});
}

TEST_F(RandomCalibration, TheBlobSaysSoAndNoOtherDoes) {
  ASSERT_EQ(Random().status, 0);
  EXPECT_EQ(Inspect("random.octet")["random_calibration"], true);
  ExpectFacts(Octet({"inspect", Path("random.octet")}).out, {"RANDOM RANGES", "pictures"});
  const std::string bytes = ReadText("random.octet");
  EXPECT_EQ(bytes.substr(40, 8), std::string("\x01\0\0\0\0\0\0\0", 8)) << "optional features";
  const nlohmann::json document = nlohmann::json::parse(Convert("m.onnx", {"--json"}).out);
  EXPECT_EQ(document["random_calibration"], false);
  EXPECT_EQ(document["verdict"]["random_data"], false);
  EXPECT_EQ(Inspect("out.octet")["random_calibration"], false);
  EXPECT_EQ(ReadText("out.octet").substr(40, 8), std::string(8, '\0'));
  EXPECT_EQ(Octet({"inspect", Path("out.octet")}).out.find("RANDOM"), std::string::npos);
}

TEST_F(RandomCalibration, TheMarkStaysUnderASignature) {
  ASSERT_EQ(Random().status, 0);
  ASSERT_EQ(Octet({"key", Path("k")}).status, 0);
  ASSERT_EQ(Octet({"sign", Path("random.octet"), "--key", Path("k")}).status, 0);
  EXPECT_EQ(Inspect("random.octet")["random_calibration"], true);
}

TEST_F(RandomCalibration, SameSeedSameBytesOnAnyNumberOfThreads) {
  ASSERT_EQ(Random({"--threads", "1"}).status, 0);
  const std::string one = ReadText("random.octet");
  ASSERT_EQ(Random({"--threads", "3"}).status, 0);
  EXPECT_TRUE(ReadText("random.octet") == one);
  ASSERT_EQ(Random({"--seed", "9"}).status, 0);
  EXPECT_FALSE(ReadText("random.octet") == one);
}

// What it prints as the same command is the same.
TEST_F(RandomCalibration, TheCommandWrittenOutGivesTheSameBytes) {
  const Result result = Random({"--resize", "crop"});
  ASSERT_EQ(result.status, 0) << result.err;
  const std::string bytes = ReadText("random.octet");
  const size_t at = result.out.find("the same: octet ");
  ASSERT_NE(at, std::string::npos) << result.out;
  const std::string line = result.out.substr(at + 16, result.out.find('\n', at) - at - 16);
  ExpectFacts(line, {"--random-calibration", "--scale", "--resize crop", "--task none"});
  ASSERT_EQ(std::system((OCTET_BIN_DIR "/octet " + line + " >/dev/null 2>&1").c_str()), 0) << line;
  EXPECT_TRUE(ReadText("random.octet") == bytes);
}

TEST_F(RandomCalibration, AsksWhatTheModelLeavesOpen) {
  ExpectRefused(Octet({"convert", Path("m.onnx"), "--random-calibration"}), "give --scale");
  ExpectRefused(Octet({"convert", Path("m.onnx"), "--random-calibration", "--scale", "1/255"}),
                "give --task");
}

TEST_F(RandomCalibration, WhatNeedsDataIsRefused) {
  ExpectRefused(Random({"--calibrate", Path("c.npy")}), "--random-calibration");
  ExpectRefused(Octet({"convert", Path("m.onnx"), Path("c.npy"), "--random-calibration"}),
                "--random-calibration");
  ExpectRefused(Random({"--select", "4"}), "--select");
  ExpectRefused(Random({"--require", "20dB"}), "--require");
  ExpectRefused(Random({"--calibration-cache", Path("x.json")}), "--calibration-cache");
  ExpectRefused(Random({"--sample-labels", Path("x.json")}), "--sample-labels");
}

TEST_F(RandomCalibration, ModelsOfNumbersAndOfSeveralInputs) {
  OnnxBuilder model;
  const OnnxValue a = model.Input("a", {1, 4});
  model.Input("b", {1, 4});
  a.Op("Add", {}, {"b"}).WithChannels(4).Gemm(3).Output("sum");
  model.Save(Path("two.onnx"));
  const Result result = Octet({"convert", Path("two.onnx"), "--random-calibration", "-o",
                               Path("two.octet"), "--samples", "40", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["samples"], 40);
  ExpectFacts(result.err, {"RANDOM DATA", "40"});
}

TEST_F(RandomCalibration, FlashAndStageTakeItWithForceAlone) {
  ASSERT_EQ(Random({"--golden", "2"}).status, 0);
  ASSERT_EQ(mkdir(Path("store").c_str(), 0755), 0);
  const std::vector<std::string> why = {"random.octet", "random data", "--random-calibration",
                                        "--calibrate", "--force"};
  const std::string blob = Path("random.octet"), store = Path("store");
  ExpectOneLine(Octet({"flash", blob, store}), 2, why);
  ExpectOneLine(Octet({"flash", blob, store, "--stage-only"}), 2, why);
  ExpectOneLine(Octet({"flash", blob, "pi@board:/nowhere"}), 2, why);
  EXPECT_FALSE(std::filesystem::exists(Path("store/slot-a.octet")));
  const auto slot = [&](const std::string& words) {
    return std::system((OCTET_BIN_DIR "/octet-slot '" + store + "' " + words + " >" + Path("said") +
                        " 2>&1")
                           .c_str()) >>
           8;
  };
  EXPECT_EQ(slot("stage '" + blob + "'"), 1);
  const std::string said = ReadText("said");
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  ExpectFacts(said, {"the new model", "random data", "pictures", "--force"});
  EXPECT_EQ(slot("stage --force '" + blob + "'"), 0) << ReadText("said");
  EXPECT_EQ(slot("verify"), 0) << ReadText("said");
  EXPECT_EQ(slot("activate"), 1) << ReadText("said");
  EXPECT_EQ(slot("activate --force"), 0) << ReadText("said");
  EXPECT_EQ(slot("boot"), 0) << ReadText("said");
  EXPECT_EQ(slot("confirm"), 0) << ReadText("said");
  EXPECT_EQ(Octet({"flash", blob, store, "--force"}).status, 0);
}

}  // namespace
}  // namespace octet::test
