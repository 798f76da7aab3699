#include "converter/report/ledger.h"

#include <gtest/gtest.h>

#include "converter/quantize/reasons.h"
#include "converter/report/report.h"
#include "tests/converter/quantize/quantize_support.h"

namespace octet::report {
namespace {

using nlohmann::json;
using quantize::Reason;

// conv -> conv -> sigmoid -> conv.
struct Four : quantize::Net {
  Four() {
    const auto x = Input("x", -1, 1), a = Value("a", -1, 1), b = Value("b", -1, 1),
               c = Value("c", 0, 1), y = Value("y", -1, 1);
    Conv(x, a);
    Conv(a, b);
    Op("Sigmoid", {b}, c);
    Conv(c, y);
    Output(y);
  }
};

TEST(LedgerJson, HoldsWhoWantsWhatAndWhy) {
  const Four net;
  quantize::Config config = quantize::Net::MinMax();
  config.layers = {{"Conv_a", blob::Precision::kInt8}};
  quantize::Entry stretch{.node = 0, .reason = Reason::kStretch, .gain_db = 1.5};
  stretch.cost_ns = 2500000;
  stretch.cost_arena_bytes = 4096;
  stretch.measured_with = 2;
  quantize::Entry other = stretch;
  other.node = 1;
  config.measured = {stretch, other};
  const json rows =
      LedgerJson(net.graph, quantize::AssignScheme(net.graph, net.statistics, config));
  ASSERT_EQ(rows.size(), 3u);

  EXPECT_EQ(rows[0]["name"], "Conv_a");
  EXPECT_EQ(rows[0]["precision"], "int8");
  EXPECT_EQ(rows[0]["reason"], "requested-int8");
  EXPECT_EQ(rows[0]["text"], "'Conv_a' of the configuration asks for int8 there");
  ASSERT_EQ(rows[0]["overruled"].size(), 1u);
  EXPECT_EQ(rows[0]["overruled"][0]["wants"], "fp16");
  EXPECT_EQ(rows[0]["overruled"][0]["reason"], "stretch");
  EXPECT_EQ(rows[0]["overruled"][0]["gain_db"], 1.5);

  EXPECT_EQ(rows[1]["op"], "Conv");
  EXPECT_EQ(rows[1]["precision"], "fp16");
  EXPECT_EQ(rows[1]["reason"], "stretch");
  EXPECT_EQ(rows[1]["gain_db"], 1.5);
  EXPECT_EQ(rows[1]["cost_ms"], 2.5);
  EXPECT_EQ(rows[1]["cost_arena_bytes"], 4096);
  EXPECT_EQ(rows[1]["measured_with"], 2);
  EXPECT_EQ(rows[1]["macs"], 4 * 64);
  EXPECT_TRUE(rows[1]["overruled"].empty());

  EXPECT_EQ(rows[2]["reason"], "follows");
  EXPECT_EQ(rows[2]["gain_db"], nullptr);
  EXPECT_EQ(rows[2]["macs"], 0);
}

TEST(LedgerJson, IsEmptyWhereEverythingRunsInInt8) {
  const Four net;
  EXPECT_EQ(LedgerJson(net.graph, quantize::AssignScheme(net.graph, net.statistics, {})),
            json::array());
}

TEST(LedgerJson, StandsInTheReport) {
  Report report;
  report.ledger = json::array({{{"name", "a"}}});
  EXPECT_EQ(ToJson(report)["ledger"], report.ledger);
}

}  // namespace
}  // namespace octet::report
