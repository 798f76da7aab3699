// octet assign and octet convert --mixed: what they write runs, and what they refuse.
#include <algorithm>
#include <sstream>

#include <nlohmann/json.hpp>

#include "tests/converter/cli/cli_support.h"
#include "tests/support/facts.h"

namespace octet::test {
namespace {

using nlohmann::json;

class AssignCommand : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    WriteNpy("many.npy", "|u1", {8, 8, 8, 3});
    // Five layers in a row, so that there is something to choose; of a seed that gives no result so
    // near zero that its layer has to run in FP16 anyway.
    OnnxBuilder model(13, 3);
    OnnxValue value = model.Input("x", {1, 3, 8, 8});
    for (int i = 0; i < 4; ++i) value = value.Conv({.channels = 8, .kernel = 3, .pad = 1}).Relu();
    value.GlobalAveragePool().Flatten().Gemm(10).Output("y");
    model.Save(Path("deep.onnx"));
  }
  Result Assign(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"assign",          Path("deep.onnx"), "-o",
                                          Path("plan.yaml"), "--calibrate",     Path("many.npy")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Octet(arguments);
  }
  Result ConvertDeep(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"convert",         Path("deep.onnx"), "-o",
                                          Path("out.octet"), "--calibrate",     Path("many.npy")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Octet(arguments);
  }
  // Names of the layers of a plan that run in a precision.
  std::vector<std::string> LayersIn(const std::string& plan, const std::string& precision) const {
    const Result result = Octet({"inspect", Path("out.octet"), "--json"});
    std::vector<std::string> names;
    const json report = json::parse(result.out);
    for (const json& of : report["plans"]) {
      for (const json& layer : of["layers"]) {
        if (of["name"] == plan && layer["precision"] == precision && layer["op"] == "Conv") {
          names.push_back(layer["name"]);
        }
      }
    }
    return names;
  }
  // The line alone, and nothing written.
  void ExpectLine(const Result& result, const std::string& line) const {
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "octet: " + line + "\n");
    EXPECT_EQ(ReadText("plan.yaml"), "");
    EXPECT_EQ(ReadText("out.octet"), "");
  }
};

TEST_F(AssignCommand, WhatItWritesIsWhatConvertRuns) {
  const Result assigned = Assign({"--budget-percent", "60", "--json"});
  ASSERT_EQ(assigned.status, 0) << assigned.err;
  const json report = json::parse(assigned.out);
  ASSERT_FALSE(report["fp16_layers"].empty());
  EXPECT_LE(report["candidates"][1]["ms"].get<double>(), report["budget_ms"].get<double>());
  EXPECT_EQ(report["candidates"].size(), 4u);
  EXPECT_EQ(report["front"].back()["loss"], 0);
  ASSERT_EQ(ConvertDeep({"--config", Path("plan.yaml")}).status, 0);
  std::vector<std::string> wanted;
  for (const json& unit : report["units"]) {
    const auto& chosen = report["fp16_layers"];
    const bool layer = unit["macs"] > 0;
    if (layer && std::find(chosen.begin(), chosen.end(), unit["name"]) != chosen.end()) {
      wanted.push_back(unit["name"]);
    }
  }
  EXPECT_EQ(LayersIn("int8", "fp16"), wanted);
  EXPECT_EQ(LayersIn("int8", "fp16").size() + LayersIn("int8", "int8").size(), 5u);
}

TEST_F(AssignCommand, TheFilesOwnSettingsStay) {
  WriteText("own.yaml",
            "calibration: {method: min-max}\nprecision_constraints: none\nlayers:\n"
            "  \"*Conv*\": {precision: fp16}\n");
  ASSERT_EQ(Assign({"--budget-loss", "0", "--config", Path("own.yaml")}).status, 0);
  const std::string yaml = ReadText("plan.yaml");
  EXPECT_NE(yaml.find("method: min-max"), std::string::npos) << yaml;
  EXPECT_NE(yaml.find("{precision: fp16, constraint: prefer}"), std::string::npos) << yaml;
  ASSERT_EQ(ConvertDeep({"--config", Path("plan.yaml")}).status, 0);
  EXPECT_EQ(LayersIn("int8", "fp16").size(), 5u);
}

TEST_F(AssignCommand, MixedIsAPlanBetweenTheTwo) {
  const Result result = ConvertDeep({"--mixed-budget-percent", "60", "--golden", "2", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  ASSERT_EQ(report["plans"].size(), 3u);
  EXPECT_EQ(report["plans"][0]["name"], "int8");
  EXPECT_EQ(report["plans"][1]["name"], "mixed");
  EXPECT_EQ(report["plans"][2]["name"], "fp16");
  EXPECT_EQ(report["assignment"]["candidates"][0]["name"], "int8");
  EXPECT_TRUE(LayersIn("int8", "fp16").empty());
  EXPECT_FALSE(LayersIn("mixed", "fp16").empty());
  EXPECT_LT(LayersIn("mixed", "fp16").size(), 5u);
  const Result verified =
      Octet({"verify", Path("deep.onnx"), Path("out.octet"), "--data", Path("many.npy"), "--json"});
  ASSERT_EQ(verified.status, 0) << verified.err;
  const json plans = json::parse(verified.out)["plans"];
  ASSERT_EQ(plans.size(), 3u);
  EXPECT_GT(plans[1]["snr_db"].get<double>(), plans[0]["snr_db"].get<double>());
  EXPECT_GT(plans[2]["snr_db"].get<double>(), plans[1]["snr_db"].get<double>());
  // Drift looks at ranges in the plan that is FP16 as a whole, wherever it stands.
  EXPECT_EQ(ConvertDeep({"--mixed-budget-percent", "60", "--drift"}).status, 0);
}

TEST_F(AssignCommand, ThreadsDoNotChangeTheBlob) {
  const Result text = ConvertDeep({"--mixed-budget-percent", "60", "--threads", "1"});
  ASSERT_EQ(text.status, 0) << text.err;
  // What was chosen is said by name.
  ExpectFacts(text.out, {"plan mixed: ", "layers in FP16: '", "octet inspect"});
  // The last column of the table.
  std::vector<double> ms;
  std::istringstream lines(text.out);
  for (std::string line; std::getline(lines, line);) {
    const std::string plan = line.substr(0, line.find(' '));
    if (plan != "int8" && plan != "mixed" && plan != "fp16") continue;
    ms.push_back(std::stod(line.substr(line.rfind(' '))));
  }
  ASSERT_EQ(ms.size(), 3u) << text.out;
  EXPECT_LT(ms[0], ms[1]);
  EXPECT_LT(ms[1], ms[2]);
  const std::string one = ReadText("out.octet");
  ASSERT_EQ(ConvertDeep({"--mixed-budget-percent", "60", "--threads", "2"}).status, 0);
  EXPECT_TRUE(one == ReadText("out.octet"));
}

TEST_F(AssignCommand, TimesOfAProfileAreTaken) {
  ASSERT_EQ(ConvertDeep({}).status, 0);
  std::string files;
  for (const std::string plan : {"int8", "fp16"}) {
    const std::string command = std::string(OCTET_BIN_DIR) + "/octet-run " + Path("out.octet") +
                                " --input " + Path("many.npy") + " --plan " + plan +
                                " --profile --json > " + Path(plan + ".json");
    ASSERT_EQ(std::system(command.c_str()), 0);
    files += (files.empty() ? "" : ",") + Path(plan + ".json");
  }
  const Result result = Assign({"--profile", files, "--budget-percent", "100", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["time_source"].get<std::string>().find(Path("int8.json") + " at "), 0u);
  double ms = 0;
  const json profile = json::parse(ReadText("int8.json"));
  for (const json& layer : profile["layers"]) ms += layer["ns"].get<double>() / 1e6;
  EXPECT_NEAR(report["int8_ms"].get<double>(), ms, 1e-6);
  // Of another model.
  std::filesystem::remove(Path("plan.yaml"));
  const Result other = Octet({"assign", Path("m.onnx"), "-o", Path("plan.yaml"), "--calibrate",
                              Path("many.npy"), "--profile", files});
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("is missing; profile a blob of this model"), std::string::npos)
      << other.err;
}

TEST_F(AssignCommand, BadUseIsOneLine) {
  ExpectLine(
      Assign({"--budget-ms", "5", "--budget-percent", "5"}),
      "--budget-ms, --budget-percent, --budget-loss: only one is allowed; remove the others");
  ExpectLine(ConvertDeep({"--mixed-budget-percent", "much"}),
             "--mixed-budget-percent: 'much' is not a number from 0 to 1000000");
  ExpectLine(Assign({"--budget-percent", "much"}),
             "--budget-percent: 'much' is not a number from 0 to 1000000");
  ExpectLine(Assign({"--budget-loss", "1.5"}), "--budget-loss: '1.5' is not a number from 0 to 1");
  ExpectLine(Assign({"--preset", "int8", "--budget-ms", "5"}),
             "--preset int8 fixes the FP16 layers; remove budget and solver");
  ExpectLine(Assign({"--profile", "/nowhere.json"}),
             "/nowhere.json: cannot be opened; check the path");
  ExpectLine(ConvertDeep({"--profile", "p.json"}),
             "--profile: needs --mixed; add --mixed, or remove --profile");
}

// The contract's form: the samples that the blob keeps calibrate.
TEST_F(AssignCommand, ABlobLendsItsSamples) {
  ASSERT_EQ(ConvertDeep({"--golden", "8", "--mean", "0.5", "--task", "classify"}).status, 0);
  const std::vector<std::string> words = {"assign", Path("deep.onnx"), Path("out.octet"),
                                          "--budget-loss", "0"};
  const Result printed = Octet(words);
  ASSERT_EQ(printed.status, 0) << printed.err;
  EXPECT_NE(printed.out.find("precision: fp16"), std::string::npos) << printed.out;
  std::vector<std::string> written = words;
  written.insert(written.end(), {"-o", Path("plan.yaml")});
  ASSERT_EQ(Octet(written).status, 0);
  const std::string yaml = ReadText("plan.yaml");
  EXPECT_NE(yaml.find("precision: fp16"), std::string::npos) << yaml;
  EXPECT_NE(printed.out.find(yaml), std::string::npos) << printed.out;
  // Pictures of 8 x 8 are kept as they are, so that they give what the file does.
  WriteNpy("eight.npy", "|u1", {8, 8, 8, 3});
  std::vector<std::string>
      given = words,
      same = {"assign", Path("deep.onnx"), "--calibrate", Path("eight.npy"), "--mean",
              "0.5",    "--task",          "classify",    "--budget-loss",   "0",
              "-o",     Path("same.yaml"), "--json"};
  given.push_back("--json");
  const Result lent = Octet(given), own = Octet(same);
  ASSERT_EQ(lent.status, 0) << lent.err;
  ASSERT_EQ(own.status, 0) << own.err;
  EXPECT_EQ(json::parse(lent.out)["units"], json::parse(own.out)["units"]);
}

TEST_F(AssignCommand, ABlobWithoutSamplesAsksForThem) {
  ASSERT_EQ(ConvertDeep({}).status, 0);
  const Result bare = Octet({"assign", Path("deep.onnx"), Path("out.octet")});
  EXPECT_EQ(bare.status, 2);
  EXPECT_EQ(bare.err,
            "octet: " + Path("out.octet") +
                ": has no samples (octet convert --golden N stores them); give --calibrate\n");
  EXPECT_EQ(Octet({"assign", Path("deep.onnx"), Path("out.octet"), "--calibrate", Path("many.npy")})
                .status,
            0);
  const Result nothing = Octet({"assign", Path("deep.onnx"), "-o", Path("plan.yaml")});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_EQ(nothing.err, "octet: --calibrate is required; a blob that keeps samples replaces it\n");
  const Result nowhere = Octet({"assign", Path("deep.onnx"), "--calibrate", Path("many.npy")});
  EXPECT_EQ(nowhere.status, 2);
  ExpectFacts(nowhere.err, {"-o ", "YAML"});
  // Of another model.
  WriteGoodModel();
  const Result other = Octet({"assign", Path("m.onnx"), Path("out.octet")});
  EXPECT_EQ(other.status, 2);
}

TEST_F(AssignCommand, ContradictoryConstraintsAreRefusedBeforeAnyWork) {
  // The pictures do not exist: nothing has been looked for.
  const auto convert = [this](const std::string& yaml) {
    WriteText("c.yaml", yaml);
    return Octet({"convert", Path("deep.onnx"), "-o", Path("out.octet"), "--calibrate",
                  Path("missing"), "--config", Path("c.yaml")});
  };
  const Result both = convert(
      "layers:\n  \"*Conv*\": {precision: fp16, constraint: obey}\n"
      "  \"*\": {precision: int8, constraint: obey}\n");
  EXPECT_EQ(both.status, 2);
  EXPECT_NE(both.err.find("must be fp16 by '*Conv*' and int8 by '*', both with obey; set one of "
                          "them to `constraint: prefer`"),
            std::string::npos)
      << both.err;
  const Result everywhere = convert(
      "int8_everywhere: true\nlayers:\n  \"*Conv*\": {precision: fp16, constraint: obey}\n");
  EXPECT_NE(everywhere.err.find("must be fp16 ('*Conv*', constraint: obey), but int8 is asked for "
                                "everywhere; remove one of them"),
            std::string::npos)
      << everywhere.err;
  const Result alone = convert("layers:\n  \"*Conv*\": {constraint: obey}\n");
  EXPECT_EQ(alone.status, 2);
  ExpectFacts(alone.err, {Path("c.yaml") + ":2: layers.*Conv*", "precision"});
}

}  // namespace
}  // namespace octet::test
