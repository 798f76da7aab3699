// octet analyze, and --report of analyze and convert: what they print, write and refuse.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <onnx/onnx_pb.h>
#include <nlohmann/json.hpp>

#include "tests/converter/cli/cli_support.h"
#include "tests/support/facts.h"

namespace octet::test {
namespace {

using nlohmann::json;

class AnalyzeCommand : public Cli {
 protected:
  Result Analyze(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"analyze", Path("m.onnx"), "--data", Path("c.npy")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Octet(arguments);
  }
  static void ExpectLine(const Result& result, const std::string& line) {
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "octet: " + line + "\n");
  }
  bool Exists(const std::string& name) const { return std::filesystem::exists(Path(name)); }
};

TEST_F(AnalyzeCommand, JsonHasEveryLayerWorstFirst) {
  const Result result = Analyze({"--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["samples"], 32);
  // A quarter of 32 samples reports.
  EXPECT_EQ(report["compared"], 8);
  EXPECT_EQ(report["outputs"][0]["name"], "scores");
  ASSERT_GE(report["layers"].size(), 3u);
  double before = 1;
  for (const json& layer : report["layers"]) {
    for (const char* key : {"name",
                            "op",
                            "tensor",
                            "shape",
                            "precision",
                            "scale",
                            "zero_point",
                            "scales",
                            "origin",
                            "range",
                            "seen",
                            "four_sigma",
                            "beyond_four_sigma",
                            "range_by_four_sigma",
                            "mean",
                            "sigma",
                            "mse",
                            "snr_db",
                            "cosine",
                            "noise_added",
                            "noise_sigma",
                            "error_mean",
                            "clipped",
                            "saturated",
                            "overlap",
                            "flags",
                            "cause",
                            "histogram",
                            "weights"}) {
      EXPECT_TRUE(layer.contains(key)) << key;
    }
    EXPECT_LE(layer["noise_added"], before);
    before = layer["noise_added"];
  }
  const json& coverage = report["coverage"];
  EXPECT_EQ(coverage["own"].get<int>() + coverage["shared"].get<int>(), coverage["tensors"]);
  EXPECT_TRUE(coverage["missing"].empty());
}

TEST_F(AnalyzeCommand, PicturesAreAtMostSoMany) {
  EXPECT_EQ(json::parse(Analyze({"--json", "--pictures", "2"}).out)["compared"], 2);
  EXPECT_EQ(Analyze({"--pictures", "0"}).status, 2);
  // A quarter of 16 samples.
  EXPECT_EQ(json::parse(Analyze({"--json", "--effort", "fast"}).out)["compared"], 4);
}

TEST_F(AnalyzeCommand, TextIsATable) {
  const Result result = Analyze();
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("output 'scores': "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("SNR dB"), std::string::npos);
  EXPECT_NE(result.out.find(" 0 have none\n"), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("codes"), std::string::npos) << "no histogram unless asked for";
}

// Rows of the text alone are limited.
TEST_F(AnalyzeCommand, TopLimitsTheRows) {
  const size_t layers = json::parse(Analyze({"--json", "--top", "1"}).out)["layers"].size();
  ASSERT_GE(layers, 3u);
  const auto rows = [&](const std::string& top) {
    std::istringstream lines(Analyze({"--top", top}).out);
    size_t count = 0;
    // Their precision stands behind name and operator.
    for (std::string line; std::getline(lines, line);) {
      count += line.find(" int8 ") != std::string::npos || line.find(" fp16 ") != std::string::npos;
    }
    return count;
  };
  const size_t all = rows("0"), two = rows("2");
  EXPECT_GT(all, two);
  const std::string text = Analyze({"--top", "2"}).out;
  ExpectFacts(text, {"and " + std::to_string(layers - 2) + " more layers", "--top 0"});
  EXPECT_EQ(Analyze({"--top", "0"}).out.find("--top 0"), std::string::npos);
  EXPECT_EQ(Analyze({"--top", "-1"}).status, 2);
}

// The second word names pictures, as that of convert: the model's metadata have the rest.
TEST_F(AnalyzeCommand, PicturesAloneAreEnough) {
  onnx::ModelProto model;
  std::ifstream in(Path("m.onnx"), std::ios::binary);
  ASSERT_TRUE(model.ParseFromIstream(&in));
  for (const auto& [key, value] :
       {std::pair("author", "Ultralytics"), std::pair("task", "classify"),
        std::pair("names", "{0: 'a', 1: 'b', 2: 'c', 3: 'd'}")}) {
    auto* entry = model.add_metadata_props();
    entry->set_key(key);
    entry->set_value(value);
  }
  std::ofstream out(Path("m.onnx"), std::ios::binary);
  ASSERT_TRUE(model.SerializeToOstream(&out));
  out.close();
  const Result result = Octet({"analyze", Path("m.onnx"), Path("c.npy")});
  ASSERT_EQ(result.status, 0) << result.err;
  ExpectFacts(result.out, {"crop", "--resize", "classify", "--task", "octet analyze"});
  EXPECT_EQ(result.out.find("octet convert"), std::string::npos);
  EXPECT_EQ(result.out.find("-o "), std::string::npos) << result.out;
  const Result json = Octet({"analyze", Path("m.onnx"), Path("c.npy"), "--json"});
  EXPECT_EQ(
      json::parse(json.out)["layers"],
      json::parse(Analyze({"--resize", "crop", "--task", "classify", "--json"}).out)["layers"]);
  ExpectFacts(json.err, {"--resize crop"});
  EXPECT_FALSE(Exists("m.octet"));
}

TEST_F(AnalyzeCommand, PicturesAreRequired) {
  const Result none = Octet({"analyze", Path("m.onnx")});
  EXPECT_EQ(none.status, 2);
  ExpectFacts(none.err, {"--data"});
  EXPECT_EQ(Octet({"analyze", Path("m.onnx"), Path("c.npy"), "--data", Path("c.npy")}).status, 2);
  const Result blob = Octet({"analyze", Path("m.onnx"), Path("m.octet")});
  EXPECT_EQ(blob.status, 2);
  ExpectFacts(blob.err, {Path("m.octet"), "pictures"});
}

TEST_F(AnalyzeCommand, OneLayerWithItsHistogram) {
  const std::string name = json::parse(Analyze({"--json"}).out)["layers"][0]["name"];
  const Result result = Analyze({"--layer", name});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("\n'" + name + "' ("), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("mean -+ 4 sigma"), std::string::npos);
  EXPECT_NE(result.out.find("-128 to -125"), std::string::npos) << result.out;
  EXPECT_EQ(json::parse(Analyze({"--layer", name, "--json"}).out)["layers"].size(), 1u);
}

// A pattern has no nearest name.
TEST_F(AnalyzeCommand, NoLayerOfThatPattern) {
  const Result result = Analyze({"--layer", "nowhere*"});
  EXPECT_EQ(result.status, 2);
  ExpectFacts(result.err, {"--layer", "'nowhere*'", "octet analyze"});
  EXPECT_EQ(result.err.find("nearest"), std::string::npos) << result.err;
}

TEST_F(AnalyzeCommand, NoLayerOfThatName) {
  const Result result = Analyze({"--layer", "nowhere"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("'nowhere'"), std::string::npos) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

// The figures are those of the plan that convert writes.
TEST_F(AnalyzeCommand, TheSameAsTheReportOfConvert) {
  ASSERT_EQ(Convert("m.onnx", {"--report", Path("r.json")}).status, 0);
  json report = json::parse(ReadText("r.json"));
  EXPECT_EQ(report["model"], "m.onnx");
  EXPECT_EQ(report["blob_bytes"], ReadText("out.octet").size());
  EXPECT_EQ(report["memory"].size(), 2u);
  EXPECT_EQ(report["memory"][0]["plan"], "int8");
  const json alone = json::parse(Analyze({"--json"}).out);
  EXPECT_EQ(report["outputs"], alone["outputs"]);
  EXPECT_EQ(report["coverage"], alone["coverage"]);
  ASSERT_EQ(report["layers"].size(), alone["layers"].size());
  for (const json& layer : alone["layers"]) {
    EXPECT_NE(std::find(report["layers"].begin(), report["layers"].end(), layer),
              report["layers"].end());
  }
}

TEST_F(AnalyzeCommand, FiguresDoNotDependOnThreads) {
  EXPECT_EQ(Analyze({"--json", "--threads", "1"}).out, Analyze({"--json", "--threads", "3"}).out);
}

// Nothing that convert writes changes because of a report.
TEST_F(AnalyzeCommand, TheBlobStaysTheSame) {
  ASSERT_EQ(Convert("m.onnx").status, 0);
  const std::string without = ReadText("out.octet");
  ASSERT_EQ(Convert("m.onnx", {"--report", Path("r.html")}).status, 0);
  EXPECT_EQ(ReadText("out.octet"), without);
  EXPECT_EQ(ReadText("r.html").rfind("<!doctype html>", 0), 0u);
}

// A detector that is sure of everything: what both sides find is drawn on the data's own pictures.
TEST_F(AnalyzeCommand, PicturesOfADetector) {
  WriteText("apart.yaml",
            "outputs: {box: boxes, class: scores}\n"
            "class: {activation: sigmoid}\nbox: {form: corners}\nscore_threshold: 0.6\n");
  OnnxBuilder model;
  const OnnxValue x = model.Input("image", {1, 3, 8, 8}).WithChannels(3);
  const OnnxValue logit = model.Initializer("logit", {1}, std::vector<float>{3});
  const OnnxValue place = model.Initializer("place", {1, 4, 1, 1}, std::vector<float>{1, 2, 5, 7});
  const auto table = [](const OnnxValue& image, int64_t numbers) {
    return image.Reshape({1, numbers, 64}).Transpose({0, 2, 1});
  };
  table(x.Conv({.channels = 4, .kernel = 1}).Op("Tanh").Add(place), 4).Output("boxes");
  table(x.Conv({.channels = 2, .kernel = 1}).Op("Tanh").Add(logit), 2).Output("scores");
  model.Save(Path("d.onnx"));
  WriteText("labels.txt", "cat\n</script>\n");
  const Result result =
      Convert("d.onnx", {"--task", "detect", "--decode", Path("apart.yaml"), "--labels",
                         Path("labels.txt"), "--report", Path("r.json")});
  ASSERT_EQ(result.status, 0) << result.err;
  const json pictures = json::parse(ReadText("r.json"))["pictures"];
  ASSERT_EQ(pictures.size(), 4u);
  for (const json& picture : pictures) {
    EXPECT_EQ(picture["jpeg"].get<std::string>().rfind("/9j/", 0), 0u) << "no JPEG";
    EXPECT_EQ(picture["width"], 8);
    EXPECT_EQ(picture["height"], 8);
    for (const char* side : {"fp32", "int8"}) {
      ASSERT_FALSE(picture[side].empty());
      const json& found = picture[side][0];
      EXPECT_GE(found["score"], 0.6);
      EXPECT_TRUE(found["label"] == "cat" || found["label"] == "</script>");
      EXPECT_GE(found["box"][0], 0);
      EXPECT_LE(found["box"][2], 8);
      EXPECT_LT(found["box"][0], found["box"][2]);
    }
  }
  // Nothing is drawn of a model whose outputs are not read as boxes.
  ASSERT_EQ(Convert("d.onnx", {"--report", Path("r.json")}).status, 0);
  EXPECT_TRUE(json::parse(ReadText("r.json"))["pictures"].empty());
}

TEST_F(AnalyzeCommand, ReportsThatCannotBeWrittenAreRefusedBeforeAnyWork) {
  const std::string how = ": the name must end in .html (a page) or .json (figures)";
  ExpectLine(Analyze({"--report", Path("r.txt")}), "--report " + Path("r.txt") + how);
  ExpectLine(Convert("m.onnx", {"--report", Path("html")}), "--report " + Path("html") + how);
  EXPECT_FALSE(Exists("out.octet"));
  const Result nowhere = Convert("m.onnx", {"--report", Path("none/r.html")});
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_FALSE(Exists("out.octet"));
  // Neither the model nor the blob becomes a report.
  WriteText("model.json", ReadText("m.onnx"));
  EXPECT_EQ(Octet({"analyze", Path("model.json"), "--data", Path("c.npy"), "--report",
                   Path("model.json")})
                .status,
            2);
  EXPECT_EQ(ReadText("model.json"), ReadText("m.onnx"));
  ExpectLine(
      Octet({"convert", Path("m.onnx"), "--calibrate", Path("c.npy"), "-o", Path("b.json"),
             "--report", Path("./b.json")}),
      "--report " + Path("./b.json") + ": this command writes that file itself; name another file");
  EXPECT_FALSE(Exists("b.json"));
}

TEST_F(AnalyzeCommand, NoData) {
  const Result result = Octet({"analyze", Path("m.onnx")});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("--data"), std::string::npos) << result.err;
  EXPECT_EQ(Octet({"analyze", "--help"}).status, 0);
}

}  // namespace
}  // namespace octet::test
