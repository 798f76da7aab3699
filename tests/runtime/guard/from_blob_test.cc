#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>

#include "octet/guard.h"
#include "runtime/format/guard_record.h"
#include "tests/support/blob_builder.h"

namespace octet::test {
namespace {

using blob::GuardRecord;
using blob::ProbeRecord;

// A ladder of two plans of one table each, with these bytes as guard sections.
Blob MakeBlob(const std::vector<std::vector<uint8_t>>& sections) {
  BlobBuilder b;
  for (int plan = 0; plan < 2; ++plan) {
    if (plan == 1) b.AddPlan("finer", blob::Precision::kInt8);
    const uint32_t x = b.AddInput("x", {1, 1, 1, 16}, blob::ElementType::kInt8, 1, 0);
    const uint32_t y = b.AddTensor({1, 1, 1, 16}, blob::ElementType::kInt8, 1, 0, "y");
    b.AddLayer(blob::Op::kUnary, {x}, y).table = b.AddTable(std::vector<int8_t>(256));
    b.AddOutput("y", y);
  }
  for (const auto& section : sections) b.AddSection(blob::SectionKind::kGuard, section);
  return b.Build();
}

GuardRecord Settings() {
  GuardRecord r{};
  r.record_bytes = sizeof(r);
  r.home_plan = 1;
  r.trip_score = 801, r.trip_frames = 7;
  r.return_score = 902, r.return_frames = 8;
  r.dwell_ms = 1003, r.dwell_max_ms = 1004;
  r.weights[0] = 1, r.weights[1] = 2, r.weights[2] = 3;
  r.reference_score = 77, r.shadow_every = 9, r.policy = OCTET_GUARD_LOWER_RATE;
  r.enter_mc = 61000, r.leave_mc = -5000, r.throttle_mc = 81000;
  r.latency_budget_us = 33300;
  r.heat_dwell_ms = 11, r.sensor_lost_ms = 12, r.sensor_stuck_ms = 13;
  return r;
}

std::vector<uint8_t> SectionOf(GuardRecord record, const std::string& zones = "",
                               std::vector<ProbeRecord> probes = {}) {
  record.zones_bytes = static_cast<uint32_t>(zones.size());
  std::vector<uint8_t> section(sizeof(record) + zones.size());
  while (section.size() % 4 != 0) section.push_back(0);
  record.probe_count = static_cast<uint32_t>(probes.size());
  record.probes_offset = static_cast<uint32_t>(section.size());
  section.resize(section.size() + probes.size() * sizeof(ProbeRecord));
  std::memcpy(section.data(), &record, sizeof(record));
  std::memcpy(section.data() + sizeof(record), zones.data(), zones.size());
  if (!probes.empty()) {
    std::memcpy(section.data() + record.probes_offset, probes.data(),
                probes.size() * sizeof(ProbeRecord));
  }
  return section;
}

octet_code Read(const Blob& blob, octet_guard_config* config) {
  return octet_guard_from_blob(blob.data(), blob.size(), config).code;
}

TEST(GuardFromBlob, EveryFieldIsRead) {
  const std::string zones("soc\0cpu-thermal\0", 16);
  const Blob blob = MakeBlob({SectionOf(Settings(), zones)});
  octet_guard_config c;
  ASSERT_EQ(Read(blob, &c), OCTET_OK);
  EXPECT_EQ(c.plan_count, 2u);
  EXPECT_EQ(c.home_plan, 1u);
  EXPECT_EQ(c.trip_score, 801u);
  EXPECT_EQ(c.trip_frames, 7u);
  EXPECT_EQ(c.return_score, 902u);
  EXPECT_EQ(c.return_frames, 8u);
  EXPECT_EQ(c.dwell_ms, 1003u);
  EXPECT_EQ(c.dwell_max_ms, 1004u);
  EXPECT_EQ(c.weights[0], 1u);
  EXPECT_EQ(c.weights[1], 2u);
  EXPECT_EQ(c.weights[2], 3u);
  EXPECT_EQ(c.reference_score, 77u);
  EXPECT_EQ(c.shadow_every, 9u);
  EXPECT_EQ(c.policy, OCTET_GUARD_LOWER_RATE);
  EXPECT_EQ(c.enter_mc, 61000);
  EXPECT_EQ(c.leave_mc, -5000);
  EXPECT_EQ(c.throttle_mc, 81000);
  EXPECT_EQ(c.heat_dwell_ms, 11u);
  EXPECT_EQ(c.sensor_lost_ms, 12u);
  EXPECT_EQ(c.sensor_stuck_ms, 13u);
  EXPECT_EQ(octet_guard_latency_budget_us(blob.data(), blob.size()), 33300u);
  size_t zones_bytes = 0;
  const char* read = octet_guard_zones(blob.data(), blob.size(), &zones_bytes);
  EXPECT_EQ(std::string(read, zones_bytes), zones);
}

TEST(GuardFromBlob, DefaultsWhereTheBlobSaysNothing) {
  const Blob blob = MakeBlob({});
  octet_guard_config c, defaults;
  ASSERT_EQ(Read(blob, &c), OCTET_OK);
  octet_guard_defaults(&defaults, 2);
  EXPECT_EQ(std::memcmp(&c, &defaults, sizeof(c)), 0);
  size_t zones_bytes = 1;
  EXPECT_STREQ(octet_guard_zones(blob.data(), blob.size(), &zones_bytes), "");
  EXPECT_EQ(zones_bytes, 0u);
  EXPECT_EQ(octet_guard_latency_budget_us(blob.data(), blob.size()), 0u);
  octet_probes probes;
  EXPECT_EQ(octet_probes_init(&probes, blob.data(), blob.size()).code, OCTET_OK);
  EXPECT_EQ(octet_probes_count(&probes), 0u);
  EXPECT_EQ(octet_probes_score(&probes), OCTET_GUARD_NO_SCORE);
}

TEST(GuardFromBlob, RefusesWhatIsNoGuardSection) {
  const auto code = [](const std::function<void(GuardRecord&)>& change, size_t cut = 0) {
    GuardRecord record = Settings();
    std::vector<uint8_t> section = SectionOf(record, std::string("soc\0", 4), {ProbeRecord{}});
    std::memcpy(&record, section.data(), sizeof(record));
    change(record);
    std::memcpy(section.data(), &record, sizeof(record));
    section.resize(section.size() - cut);
    const Blob blob = MakeBlob({section});
    octet_guard_config config;
    return Read(blob, &config);
  };
  const auto fails = [&](const std::function<void(GuardRecord&)>& change) {
    EXPECT_EQ(code(change), OCTET_MALFORMED);
  };
  EXPECT_EQ(code([](GuardRecord&) {}), OCTET_OK);
  fails([](GuardRecord& r) { r.record_bytes = sizeof(r) - 1; });
  fails([](GuardRecord& r) { r.zones_bytes = 3; });            // not terminated
  fails([](GuardRecord& r) { r.zones_bytes = 0xFFFFFFF0u; });  // beyond the section
  fails([](GuardRecord& r) { r.probe_count = 17; });
  fails([](GuardRecord& r) { r.probe_count = 2; });  // one is there
  fails([](GuardRecord& r) { r.probes_offset += 2; });
  fails([](GuardRecord& r) { r.probes_offset = 0xFFFFFFFCu; });
  fails([](GuardRecord& r) { r.home_plan = 2; });
  fails([](GuardRecord& r) { r.leave_mc = r.enter_mc; });
  EXPECT_EQ(code([](GuardRecord&) {}, 1), OCTET_MALFORMED);  // the probe is cut off
  octet_guard_config config;
  const Blob twice = MakeBlob({SectionOf(Settings()), SectionOf(Settings())});
  EXPECT_EQ(Read(twice, &config), OCTET_MALFORMED);
  const Blob brief = MakeBlob({std::vector<uint8_t>(sizeof(GuardRecord) - 1)});
  EXPECT_EQ(Read(brief, &config), OCTET_MALFORMED);
  EXPECT_EQ(octet_guard_from_blob(brief.data(), 100, &config).code, OCTET_TRUNCATED);
  ProbeRecord nameless{};
  nameless.name = 1u << 20;
  const Blob lost = MakeBlob({SectionOf(Settings(), "", {nameless})});
  octet_probes probes;
  EXPECT_EQ(octet_probes_init(&probes, lost.data(), lost.size()).code, OCTET_MALFORMED);
  EXPECT_EQ(octet_probes_init(nullptr, lost.data(), lost.size()).code, OCTET_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace octet::test
