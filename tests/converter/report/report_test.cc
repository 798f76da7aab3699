// The document, and the page around it: whatever a model calls its layers.
#include "converter/report/report.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace octet::report {
namespace {

using nlohmann::json;

analyze::LayerFigures Layer(const std::string& name) {
  quantize::TensorScheme scheme;
  scheme.scale = 0.5f;
  scheme.min = -64;
  scheme.max = 63.5f;
  scheme.origin = {quantize::Origin::Kind::kMethod, calibrate::Method::kMse};
  analyze::LayerFigures layer;
  layer.activations = analyze::ActivationRecord(scheme);
  const std::vector<float> exact{1, 2, 3, 200}, after{1, 2, 3, 63.5f};
  layer.activations.Add(exact, exact, after);
  layer.name = name;
  layer.op = "Conv";
  layer.tensor = "t";
  layer.shape = {1, 4};
  return layer;
}

Report Small(const std::string& name) {
  Report report;
  report.model = "m.onnx";
  report.version = "1";
  report.analysis.layers.push_back(Layer(name));
  report.analysis.outputs.push_back({"y", 12.3456789, 0.987654321});
  return report;
}

// What stands between the marks of the page's data.
std::string DataOf(const std::string& page) {
  const std::string mark = "id=\"data\">";
  const size_t from = page.find(mark) + mark.size();
  return page.substr(from, page.find("</script>", from) - from);
}

TEST(ReportJson, HoldsEveryFigure) {
  const json document = ToJson(Small("conv"));
  const json& layer = document["layers"][0];
  EXPECT_EQ(layer["name"], "conv");
  EXPECT_EQ(layer["precision"], "int8");
  EXPECT_EQ(layer["clipped"], 0.25);
  EXPECT_EQ(layer["overlap"], 0.75);
  EXPECT_EQ(layer["flags"], json::array({"overlap"}));
  EXPECT_EQ(layer["weights"], nullptr);
  EXPECT_EQ(layer["histogram"]["fp32"].size(), analyze::kBins);
  EXPECT_EQ(layer["histogram"]["fp32"].back(), 1);
  EXPECT_EQ(layer["histogram"]["int8"].back(), 0);
  EXPECT_EQ(layer["range"], json::array({-64.0, 63.5}));
  EXPECT_DOUBLE_EQ(document["outputs"][0]["snr_db"].get<double>(), 12.3457);
  EXPECT_EQ(document["limits"]["weights_kl"], 0.3);
  for (const char* key :
       {"memory", "gains", "pareto", "pictures", "warnings", "verdict", "ledger"}) {
    EXPECT_TRUE(document[key].is_array()) << key;
    EXPECT_TRUE(document[key].empty()) << key;
  }
}

TEST(ReportJson, FlagsByTheirLimits) {
  analyze::LayerFigures layer = Layer("a");
  layer.weights = analyze::WeightFigures{.kl = 0.31};
  EXPECT_EQ(ToJson(layer)["flags"], json::array({"weights", "overlap"}));
  layer.weights->kl = 0.3;
  EXPECT_EQ(ToJson(layer)["flags"], json::array({"overlap"}));
  // 0.5 of the numbers cut off: below 0.7 as well.
  const std::vector<float> exact{200, 1}, after{63.5f, 1};
  for (int i = 0; i < 40; ++i) layer.activations.Add(exact, exact, after);
  EXPECT_EQ(ToJson(layer)["flags"], json::array({"overlap", "sensitive"}));
  layer.int8 = false;
  EXPECT_EQ(ToJson(layer)["flags"], json::array());
}

TEST(ReportJson, NumbersThatAreNoneAreNull) {
  Report report = Small("a");
  report.analysis.outputs[0].snr_db = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(json::parse(Text(ToJson(report)))["outputs"][0]["snr_db"], nullptr);
}

TEST(Page, StandsAlone) {
  const std::string page = Page(ToJson(Small("conv")));
  EXPECT_EQ(page.rfind("<!doctype html>", 0), 0u);
  EXPECT_EQ(page.find("/*STYLE*/"), std::string::npos);
  EXPECT_EQ(page.find("/*SCRIPT*/"), std::string::npos);
  EXPECT_EQ(page.find("/*DATA*/"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  // The one address is the name of SVG's elements, which nobody fetches.
  const std::string svg = "http://www.w3.org/2000/svg";
  ASSERT_NE(page.find(svg), std::string::npos);
  EXPECT_EQ(page.find("://"), page.find(svg) + 4);
  EXPECT_EQ(page.find("://", page.find(svg) + svg.size()), std::string::npos);
  EXPECT_EQ(page.find(" src=\""), std::string::npos);
  EXPECT_EQ(json::parse(DataOf(page)), ToJson(Small("conv")));
}

TEST(Page, NamesEndNothing) {
  for (const std::string name :
       {"</script><script>alert(1)</script>", "<!--<script>", "\"'`&amp;</ScRiPt >", "]]>",
        "/*SCRIPT*/ /*STYLE*/ /*DATA*/", "\xe2\x80\xa8\xe2\x80\xa9", "$&$1\\u003c\\"}) {
    const json document = ToJson(Small(name));
    const std::string page = Page(document);
    const std::string data = DataOf(page);
    EXPECT_EQ(data.find_first_of("<>&"), std::string::npos) << name;
    EXPECT_EQ(json::parse(data)["layers"][0]["name"], name);
    // As many ends of scripts as without it.
    EXPECT_EQ(page.size() - data.size(),
              Page(ToJson(Small("a"))).size() - DataOf(Page(ToJson(Small("a")))).size())
        << name;
  }
}

TEST(Page, NamesThatAreNoText) {
  const json document = ToJson(Small("a\xff\xfe\x80z"));
  const std::string data = DataOf(Page(document));
  EXPECT_EQ(json::parse(data)["layers"][0]["name"], "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz");
  for (const char c : data) EXPECT_GT(c, 0) << "not ASCII";
}

TEST(ReportJson, GainsParetoAndPictures) {
  Report report = Small("a");
  report.gains.push_back({"bias correction", "dB", 20, 21.5, true});
  report.pareto.push_back({"exact", 1.5, 0.25, 0.125, 3, true});
  report.pictures.push_back({"AAAA", 640, 480, {{1, 2, 3, 4, 0.5, "cat"}}, {}});
  const json document = ToJson(report);
  EXPECT_EQ(document["gains"][0], json({{"step", "bias correction"},
                                        {"unit", "dB"},
                                        {"before", 20.0},
                                        {"after", 21.5},
                                        {"kept", true}}));
  EXPECT_EQ(document["pareto"][0], json({{"name", "exact"},
                                         {"time_ms", 1.5},
                                         {"loss", 0.25},
                                         {"loss_error", 0.125},
                                         {"fp16_layers", 3},
                                         {"chosen", true}}));
  EXPECT_EQ(document["pictures"][0]["fp32"][0]["label"], "cat");
  EXPECT_EQ(document["pictures"][0]["fp32"][0]["box"], json::array({1.0, 2.0, 3.0, 4.0}));
  EXPECT_TRUE(document["pictures"][0]["int8"].empty());
}

}  // namespace
}  // namespace octet::report
