// A board file's `thermal` and `guard` as the section that a blob carries, and as inspect shows it.
#include "converter/sections/guard/guard.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "converter/support/error.h"
#include "octet/guard.h"
#include "runtime/format/guard_record.h"
#include "tests/converter/cli/cli_support.h"
#include "tests/support/blob_builder.h"
#include "tests/support/facts.h"

namespace octet::test {
namespace {

using nlohmann::json;

class GuardSection : public Cli {
 protected:
  // The section of this board file for two plans.
  std::vector<uint8_t> Of(const std::string& text) const {
    WriteText("board.yaml", text);
    return sections::GuardSection(boards::ReadBoard(Path("board.yaml"), boards::Missing::kAllowed),
                                  2);
  }
  blob::GuardRecord RecordOf(const std::string& text) const {
    const std::vector<uint8_t> section = Of(text);
    blob::GuardRecord record{};
    EXPECT_GE(section.size(), sizeof(record)) << text;
    if (section.size() >= sizeof(record)) std::memcpy(&record, section.data(), sizeof(record));
    return record;
  }
  // What it says is wrong, behind the file's name.
  std::string Refusal(const std::string& text) const {
    try {
      Of(text);
    } catch (const UserError& error) {
      const std::string line = error.what();
      EXPECT_EQ(line.find(Path("board.yaml") + ":"), 0u) << line;
      return line.substr(Path("board.yaml").size() + 1);
    }
    return "";
  }
};

TEST_F(GuardSection, NoneWhereTheFileHasNeither) {
  EXPECT_TRUE(sections::GuardSection({}, 2).empty());
  EXPECT_TRUE(Of("name: a board\n").empty());
  EXPECT_FALSE(Of("thermal: {enter_c: 60}\n").empty());
  EXPECT_FALSE(Of("guard: {trip_frames: 3}\n").empty());
}

TEST_F(GuardSection, ThermalIsHeat) {
  const std::string text =
      "thermal:\n  zones: [cpu-thermal, soc]\n  policy: lower_rate\n  enter_c: 61.5\n"
      "  leave_c: 52\n  dwell_s: 7\n  throttle_c: 83\n";
  const blob::GuardRecord r = RecordOf(text);
  EXPECT_EQ(r.record_bytes, sizeof(r));
  EXPECT_EQ(r.policy, uint32_t{OCTET_GUARD_LOWER_RATE});
  EXPECT_EQ(r.enter_mc, 61500);
  EXPECT_EQ(r.leave_mc, 52000);
  EXPECT_EQ(r.throttle_mc, 83000);
  EXPECT_EQ(r.heat_dwell_ms, 7000u);
  EXPECT_EQ(r.dwell_ms, 30000u) << "the breaker's is another";
  EXPECT_EQ(r.probe_count, 0u);
  const std::vector<uint8_t> section = Of(text);
  ASSERT_EQ(r.zones_bytes, 16u);
  ASSERT_EQ(section.size(), sizeof(r) + 16);
  EXPECT_EQ(std::string(section.begin() + sizeof(r), section.end()),
            std::string("cpu-thermal\0soc\0", 16));
}

TEST_F(GuardSection, LatencyBudgetOfTheBoard) {
  EXPECT_EQ(RecordOf("thermal: {zones: []}\nlatency_budget_ms: 33.3\n").latency_budget_us, 33300u);
  EXPECT_EQ(RecordOf("thermal: {zones: []}\nlatency_budget_ms: null\n").latency_budget_us, 0u);
  EXPECT_EQ(RecordOf("thermal: {zones: []}\n").latency_budget_us, 0u);
  for (const char* bad : {"0", "-1", "0.0001", "1e10"}) {
    EXPECT_EQ(Refusal(std::string("thermal: {zones: []}\nlatency_budget_ms: ") + bad + "\n"),
              "2: latency_budget_ms: must be above 0, or null for no budget");
  }
}

// The defaults of octet_guard_defaults, but that a board without a documented throttling
// temperature never comes near it, and one without thermal has no heat.
TEST_F(GuardSection, WhatIsNotSaid) {
  octet_guard_config c;
  octet_guard_defaults(&c, 2);
  const blob::GuardRecord thermal = RecordOf("thermal: {zones: []}\n");
  EXPECT_EQ(thermal.throttle_mc, 999000);
  EXPECT_EQ(thermal.policy, c.policy);
  EXPECT_EQ(thermal.zones_bytes, 0u);
  const blob::GuardRecord r = RecordOf("guard: {return_frames: 9}\n");
  EXPECT_EQ(r.policy, uint32_t{OCTET_GUARD_HEAT_IGNORED});
  EXPECT_EQ(r.throttle_mc, c.throttle_mc);
  EXPECT_EQ(r.return_frames, 9u);
  EXPECT_EQ(r.home_plan, c.home_plan);
  EXPECT_EQ(r.trip_score, c.trip_score);
  EXPECT_EQ(r.trip_frames, c.trip_frames);
  EXPECT_EQ(r.return_score, c.return_score);
  EXPECT_EQ(r.dwell_ms, c.dwell_ms);
  EXPECT_EQ(r.dwell_max_ms, c.dwell_max_ms);
  for (uint32_t i = 0; i < OCTET_GUARD_SIGNALS; ++i) EXPECT_EQ(r.weights[i], c.weights[i]);
  EXPECT_EQ(r.reference_score, c.reference_score);
  EXPECT_EQ(r.shadow_every, c.shadow_every);
  EXPECT_EQ(r.enter_mc, c.enter_mc);
  EXPECT_EQ(r.leave_mc, c.leave_mc);
  EXPECT_EQ(r.heat_dwell_ms, c.heat_dwell_ms);
  EXPECT_EQ(r.sensor_lost_ms, c.sensor_lost_ms);
  EXPECT_EQ(r.sensor_stuck_ms, c.sensor_stuck_ms);
}

TEST_F(GuardSection, GuardHasTheLastWord) {
  const blob::GuardRecord r = RecordOf(
      "thermal: {enter_c: 60, leave_c: 50, throttle_c: 80}\n"
      "guard: {enter_c: 65, weight_saturation: 4, home_plan: 1, dwell_s: 1.5}\n");
  EXPECT_EQ(r.enter_mc, 65000);
  EXPECT_EQ(r.leave_mc, 50000);
  EXPECT_EQ(r.weights[OCTET_GUARD_SATURATION], 4u);
  EXPECT_EQ(r.home_plan, 1u);
  EXPECT_EQ(r.dwell_ms, 1500u);
}

TEST_F(GuardSection, Refusals) {
  EXPECT_EQ(Refusal("thermal:\n  enter_c: warm\n").find("2: thermal.enter_c: "), 0u);
  EXPECT_EQ(Refusal("thermal: {dwell_s: -1}\n").find("1: thermal.dwell_s: "), 0u);
  EXPECT_EQ(Refusal("guard:\n\n  trip_scores: 3\n").find("3: guard.trip_scores: "), 0u);
  EXPECT_NE(Refusal("guard: {trip_scores: 3}\n").find("'trip_score'"), std::string::npos);
  ExpectFacts(Refusal("guard: {trip_score: some}\n"),
              {"1: guard.trip_score: 'some'", "from 0 to 1"});
  EXPECT_NE(Refusal("winogard: true\n").find("'winograd'"), std::string::npos);
  EXPECT_EQ(Refusal("guard: {trip_frames: [1]}\n"), "1: guard.trip_frames: expected one value");
  EXPECT_EQ(Refusal("thermal: {zones: [[a]]}\n"), "1: thermal.zones: expected one value");
  const std::string contradict = " thermal and guard contradict each other: ";
  EXPECT_EQ(Refusal("thermal: {enter_c: 50, leave_c: 50}\n").find("1: thermal.leave_c: "), 0u);
  ExpectFacts(Refusal("thermal: {enter_c: 50, leave_c: 40}\nguard: {leave_c: 50}\n"),
              {contradict, "leave_c 50", "below enter_c 50"});
  ExpectFacts(Refusal("guard: {home_plan: 2}\n"), {contradict, "home_plan 2", "0 to 1"});
  ExpectFacts(Refusal("guard: {return_score: 0.8}\n"),
              {contradict, "return_score 0.8", "below trip_score 0.9"});
  EXPECT_EQ(Refusal("guard: {home_plan: 1}\n"), "");
}

// What inspect prints of a converted model is what the file says.
TEST_F(GuardSection, InspectShowsIt) {
  std::ifstream board(OCTET_SOURCE_DIR "/boards/raspberry-pi-4.yaml");
  const std::string text{std::istreambuf_iterator<char>(board), {}};
  WriteText("board.yaml", text + "guard: {trip_frames: 3, home_plan: 1}\n");
  const Result converted = Convert("m.onnx", {"--board", Path("board.yaml")});
  ASSERT_EQ(converted.status, 0) << converted.err;
  const Result shown = Octet({"inspect", Path("out.octet"), "--json"});
  ASSERT_EQ(shown.status, 0) << shown.err;
  const json guard = json::parse(shown.out)["guard"];
  EXPECT_EQ(guard["zones"], json({"cpu-thermal"}));
  EXPECT_EQ(guard["policy"], "raise_precision");
  EXPECT_EQ(guard["trip_frames"], 3);
  EXPECT_EQ(guard["home_plan"], 1);
  EXPECT_EQ(guard["enter_c"], 60);
  EXPECT_EQ(guard["throttle_c"], 80);
  EXPECT_EQ(guard["heat_dwell_s"], 10);
  // For people too, and as --guard-set takes it.
  const std::string lines =
      "\nguard: dwell_max_s=960,dwell_s=30,enter_c=60,heat_dwell_s=10,home_plan=1,leave_c=55,"
      "policy=raise_precision,reference_score=1,return_frames=5,return_score=0.95,sensor_lost_s=10,"
      "sensor_stuck_s=3600,shadow_every=30,throttle_c=80,trip_frames=3,trip_score=0.9,"
      "weight_agreement=1,weight_application=1,weight_saturation=1\n"
      "thermal zones cpu-thermal; latency budget none; probes 4\n";
  const Result text_form = Octet({"inspect", Path("out.octet")});
  EXPECT_NE(text_form.out.find(lines), std::string::npos) << text_form.out.substr(0, 1500);
  EXPECT_EQ(guard["probes"].size(), 4u);
}

// --guard needs no board file: the probes are there, and the settings are what a guard takes where
// the blob has none.
TEST_F(GuardSection, EveryBlobWithTwoPlansHasProbes) {
  WriteText("board.yaml", "thermal: {enter_c: 60}\n");
  ASSERT_EQ(Convert("m.onnx", {"--board", Path("board.yaml")}).status, 0);
  const json of_board = json::parse(Octet({"inspect", Path("out.octet"), "--json"}).out)["guard"];
  ASSERT_EQ(Convert("m.onnx").status, 0);
  const json plain = json::parse(Octet({"inspect", Path("out.octet"), "--json"}).out);
  ASSERT_TRUE(plain.contains("guard")) << plain.dump();
  EXPECT_FALSE(plain["guard"]["probes"].empty());
  EXPECT_EQ(plain["guard"]["probes"], of_board["probes"]);
  EXPECT_TRUE(plain["guard"]["zones"].empty());
  const std::string bytes = ReadText("out.octet");
  const AlignedBytes blob(bytes.begin(), bytes.end());
  octet_guard_config in_blob, defaults;
  octet_guard_defaults(&defaults, 2);
  ASSERT_EQ(octet_guard_from_blob(blob.data(), blob.size(), &in_blob).code, OCTET_OK);
  EXPECT_EQ(std::memcmp(&in_blob, &defaults, sizeof(defaults)), 0);
}

TEST_F(GuardSection, NoneWhereOnePlanIsAll) {
  WriteUndone("m.onnx");
  WriteNpy("c.npy", "<f4", {32, 4, 8, 8});
  WriteText("c.yaml", "equalization: false\nrounding: false\n");  // the int8 plan fails
  ASSERT_EQ(Convert("m.onnx", {"--config", Path("c.yaml")}).status, 0);
  const Result none = Octet({"inspect", Path("out.octet"), "--json"});
  EXPECT_FALSE(json::parse(none.out).contains("guard"));
  EXPECT_EQ(Octet({"inspect", Path("out.octet")}).out.find("guard:"), std::string::npos);
}

}  // namespace
}  // namespace octet::test
