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
  void WriteCheaplyMended() const {
    OnnxBuilder model;
    OnnxValue x = model.Input("x", {1, 4, 8, 8}).WithChannels(4);
    x = x.Conv({.channels = 96, .kernel = 3, .pad = 1})
            .Conv({.channels = 96, .kernel = 3, .pad = 1});
    x = x.Conv({.channels = 4, .kernel = 3, .pad = 1});
    // Of each result the last channel is next to nothing, and its weights are large beside those of
    // the others.
    for (const std::string name : {"a", "b", "c", "d", "e"}) {
      std::vector<float> weights(16);
      for (size_t i = 0; i < 16; ++i) {
        weights[i] =
            model.NextNormal() * (i / 4 == 3 ? 1e-3f : 1) * (i % 4 == 3 && name != "a" ? 90 : 1);
      }
      x = x.Op("Conv", {}, {model.Initializer(name, {4, 4, 1, 1}, weights).name()});
    }
    x.Output("y");
    model.Save(Path("bad.onnx"));
    WriteNpy("c.npy", "<f4", {32, 4, 8, 8});
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
  // Of 32 the share that may be changed is not certain enough.
  WriteNpy("c.npy", "|u1", {40, 8, 8, 3});
  const Result text = Convert("m.onnx", {"--task", "classify"});
  ASSERT_EQ(text.status, 0) << text.err;
  ExpectFacts(text.out,
              {"out.octet: ", " bytes)", "40 samples", "plan", "MMAC", "\nint8", "40 of 40",
               "\nfp16", "16 of 16", "\nverdict: good\n", "40 calibration samples", "--details"});
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
  EXPECT_EQ(verdict["samples"], 40);
  EXPECT_EQ(verdict["sample_indices"].size(), 40u);
  EXPECT_EQ(verdict["held_out"], false);
  EXPECT_EQ(verdict["agreement_percent"], 100);
  EXPECT_EQ(verdict["judgement"], "good");
  EXPECT_EQ(verdict["advice_lines"].size(), 0u);
  EXPECT_EQ(verdict["doubtful"], false);
  EXPECT_GT(verdict["snr_db"], 10);
  EXPECT_GT(verdict["fp16_snr_db"], verdict["snr_db"]);
  EXPECT_EQ(verdict["figure_name"], "changed_classes_percent");
  EXPECT_EQ(verdict["figure"], 0);
  EXPECT_EQ(verdict["limit"], 10);
  EXPECT_EQ(verdict["interval"][0], 0);
  EXPECT_LT(verdict["interval"][1], 10);
  EXPECT_EQ(verdict["plans"][0]["same_top1"], 100);
}

// No class was changed, but of 32 pictures that is not certain of nine in ten.
TEST_F(Verdict, SaysHowManyPicturesAreMissing) {
  const Result result = Convert("m.onnx", {"--task", "classify", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json verdict = json::parse(result.out)["verdict"];
  EXPECT_EQ(verdict["judgement"], "check");
  EXPECT_EQ(verdict["figure"], 0);
  EXPECT_GT(verdict["interval"][1], verdict["limit"]);
  ASSERT_EQ(verdict["advice_lines"].size(), 1u);
  ExpectFacts(verdict["advice_lines"][0], {"0.0 %", "limit 10", "more pictures would decide"});
}

// What calibration leaves judges, and verify repeats the verdict by the list.
TEST_F(Verdict, BySamplesThatCalibrationHasNotSeen) {
  WriteGoodModel();
  WriteNpy("c.npy", "|u1", {64, 8, 8, 3});  // enough of them are left to judge alone
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
  for (const char* beyond : {"64", "0,-1", "3x", "x"}) {
    const Result refused = Octet({"verify", Path("m.onnx"), Path("out.octet"), "--data",
                                  Path("c.npy"), "--sample-indices", beyond});
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("numbers from 0 to 63"), std::string::npos) << refused.err;
  }
}

// Cheap layers that 8 bits are too coarse for, behind dear ones that they are enough for.
TEST_F(Verdict, WhatLosesTooMuchIsMended) {
  WriteCheaplyMended();
  WriteText("none.yaml", "equalization: false\nrounding: false\nfp16_stretches: false\n");
  const std::vector<std::string> words = {"--config", Path("none.yaml"), "--json"};
  const auto convert = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    const Result result = Convert("bad.onnx", all);
    EXPECT_EQ(result.status, 0) << result.err;
    return json::parse(result.out);
  };
  const json mended = convert({});
  EXPECT_NE(mended["verdict"]["judgement"], "bad") << mended["verdict"];
  EXPECT_GT(mended["verdict"]["snr_db"], 10);
  json kept;
  for (const json& proposal : mended["verdict"]["proposals"]) {
    if (proposal["kept"] == true) kept = proposal;
  }
  ASSERT_FALSE(kept.is_null()) << mended["verdict"]["proposals"];
  EXPECT_LT(kept["loss_after"], kept["loss_before"]);
  EXPECT_GT(kept["gain_interval"][0], 0);
  EXPECT_LE(kept["time_share"], 0.25);
  int64_t noisy = 0;
  for (const json& row : mended["ledger"]) {
    if (row["reason"] != "noisy") continue;
    ++noisy;
    EXPECT_EQ(row["precision"], "fp16");
    EXPECT_EQ(row["proposal"], kept["name"]);
    EXPECT_EQ(row["measured_with"], kept["nodes"]);
  }
  EXPECT_EQ(noisy, kept["nodes"]);
  // No time, no mending: then the word stands, with what is left to do.
  const json poor = convert({"--fp16-budget", "0"});
  EXPECT_EQ(poor["verdict"]["judgement"], "bad");
  EXPECT_LT(poor["verdict"]["snr_db"], 10);
  EXPECT_TRUE(poor["ledger"].empty()) << poor["ledger"];
  ASSERT_FALSE(poor["verdict"]["proposals"].empty());
  for (const json& proposal : poor["verdict"]["proposals"]) {
    EXPECT_EQ(proposal["kept"], false);
    ExpectFacts(proposal["why"], {"budget"});
  }
  ASSERT_EQ(poor["verdict"]["advice_lines"].size(), 2u);
  ExpectFacts(poor["verdict"]["advice_lines"][0], {"int8", "'y'", "10 dB"});
  ExpectFacts(poor["verdict"]["advice_lines"][1], {"try: ", "--fp16-budget"});
  // Where FP16 is forbidden nothing is proposed.
  EXPECT_TRUE(convert({"--int8-everywhere"})["verdict"]["proposals"].empty());
}

// One layer is a constant in 8 bits; FP16 there is all that is missing.
TEST_F(Verdict, WhatFailsIsMended) {
  WriteBadModel();
  const Result result = ConvertBad({"--json", "--fp16-budget", "1000"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json verdict = json::parse(result.out)["verdict"];
  EXPECT_FALSE(verdict["proposals"].empty());
  EXPECT_EQ(verdict["plans"][0]["fails"], false) << verdict;
}

TEST_F(Verdict, BudgetsThatAreNoneAreRefused) {
  for (const char* budget : {"-1", "nan", "much"}) {
    const Result result = Convert("m.onnx", {"--fp16-budget", budget});
    ExpectRefused(result, "--fp16-budget");
  }
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
