#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "octet/guard.h"
#include "runtime/core/half.h"
#include "runtime/format/guard_record.h"
#include "tests/support/blob_builder.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

constexpr float kScale = 0.5f;

// x -> y in int8 (scale 0.5 with this zero point: values below -64 and above 63.5 are cut) and in
// FP16 (negated twice), y probed in both.
Blob MakeProbed(uint32_t elements, int zero_point, uint32_t baseline, bool input = false) {
  BlobBuilder b;
  const BlobBuilder::Dims dims = {1, 1, elements / 8, 8};
  const uint32_t x8 = b.AddInput("x", dims, blob::ElementType::kInt8, kScale, zero_point);
  const uint32_t y8 = b.AddTensor(dims, blob::ElementType::kInt8, kScale, zero_point, "y");
  std::vector<int8_t> same(256);
  for (int q = -128; q < 128; ++q) same[static_cast<size_t>(q + 128)] = static_cast<int8_t>(q);
  b.AddLayer(blob::Op::kUnary, {x8}, y8).table = b.AddTable(same);
  b.AddOutput("y", y8);
  b.AddPlan("fp16", blob::Precision::kFp16);
  const uint32_t x16 = b.AddInput("x", dims, blob::ElementType::kFp16);
  const uint32_t m16 = b.AddTensor(dims, blob::ElementType::kFp16, 1, 0, "m");
  const uint32_t y16 = b.AddTensor(dims, blob::ElementType::kFp16, 1, 0, "y");
  for (const auto& [from, to] : {std::pair{x16, m16}, std::pair{m16, y16}}) {
    blob::LayerRecord& layer = b.AddLayer(blob::Op::kUnary, {from}, to);
    BlobBuilder::Params<blob::UnaryParams>(layer).function = blob::Function::kNeg;
  }
  b.AddOutput("y", y16);
  blob::ProbeRecord probe{};
  probe.name = b.AddString("y");
  probe.baseline = baseline;
  for (uint32_t& layer : probe.layers) layer = blob::kNone;
  probe.layers[0] = 0;
  probe.layers[1] = 1;
  if (input) probe.layers[0] = probe.layers[1] = blob::kProbedInput;
  octet_guard_config config;
  octet_guard_defaults(&config, 2);
  blob::GuardRecord record{};
  record.record_bytes = sizeof(record);
  std::memcpy(&record.home_plan, &config.home_plan, offsetof(blob::GuardRecord, zones_bytes) - 4);
  record.probe_count = 1;
  record.probes_offset = sizeof(record);
  std::vector<uint8_t> section(sizeof(record) + sizeof(probe));
  std::memcpy(section.data(), &record, sizeof(record));
  std::memcpy(section.data() + sizeof(record), &probe, sizeof(probe));
  b.AddSection(blob::SectionKind::kGuard, section);
  return b.Build();
}

struct Hook {
  octet_probes probes;
  octet_session* session = nullptr;
  int shadow = 0;

  static int BeforeLayer(void* context, uint32_t layer) {
    auto* hook = static_cast<Hook*>(context);
    octet_probes_take(&hook->probes, hook->session, layer, hook->shadow);
    return 0;
  }
  void Run(TestSession& session, const std::vector<float>& x, uint32_t plan) {
    ASSERT_EQ(octet_set_plan(session.get(), plan).code, OCTET_OK);
    session.SetInput(0, x);
    ASSERT_EQ(octet_run(session.get()).code, OCTET_OK);
    octet_probes_take(&probes, session.get(), octet_layer_count(session.get()), shadow);
  }
};

octet_probe_info Info(const octet_probes& probes) {
  octet_probe_info info;
  EXPECT_EQ(octet_probes_info(&probes, 0, &info).code, OCTET_OK);
  return info;
}

TEST(Probes, TellCutValuesOfEveryFrameAndErrorsOfShadowFrames) {
  for (const octet_isa isa : RunnableLevels()) {
    const Blob blob = MakeProbed(256, 0, 20);
    Hook hook;
    ASSERT_EQ(octet_probes_init(&hook.probes, blob.data(), blob.size()).code, OCTET_OK);
    SessionOptions options;
    options.isa = isa;
    options.before_layer = Hook::BeforeLayer;
    options.before_layer_context = &hook;
    TestSession session(blob, options);
    hook.session = session.get();
    ASSERT_EQ(octet_probes_count(&hook.probes), 1u);
    EXPECT_EQ(octet_probes_score(&hook.probes), OCTET_GUARD_NO_SCORE);
    std::vector<float> x(256);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 50) - 25.25f;
    for (size_t i = 0; i < 64; ++i) x[4 * i] = i % 2 == 0 ? 100.0f : -100.0f;
    hook.Run(session, x, 0);
    EXPECT_STREQ(Info(hook.probes).name, "y");
    EXPECT_EQ(Info(hook.probes).saturation, 0.25f);
    EXPECT_EQ(octet_probes_score(&hook.probes), 1000u - (250u - 20u));
    EXPECT_EQ(Info(hook.probes).range_share, 1.0f);
    EXPECT_LT(Info(hook.probes).error, 0);
    hook.shadow = 1;
    hook.Run(session, x, 1);
    octet_probes_compare(&hook.probes);
    double difference = 0, whole = 0;
    for (const float value : x) {
      const float q = std::min(63.5f, std::max(-64.0f, std::nearbyint(value / kScale) * kScale));
      const float half = HalfToFloat(FloatToHalf(value));
      difference += std::pow(double{q} - double{half}, 2);
      whole += std::pow(double{half}, 2);
    }
    EXPECT_NEAR(Info(hook.probes).error, std::sqrt(difference / whole), 1e-6);
    EXPECT_EQ(Info(hook.probes).saturation, 0.25f) << "that of the frame, not of its shadow";
    // The finer plan runs, the other in its shadow: the same error, of probes that know none yet.
    const float before = Info(hook.probes).error;
    ASSERT_EQ(octet_probes_init(&hook.probes, blob.data(), blob.size()).code, OCTET_OK);
    hook.shadow = 0;
    hook.Run(session, x, 1);
    EXPECT_EQ(octet_probes_score(&hook.probes), OCTET_GUARD_NO_SCORE);
    EXPECT_EQ(Info(hook.probes).saturation, 0.0f);
    hook.shadow = 1;
    hook.Run(session, x, 0);
    octet_probes_compare(&hook.probes);
    EXPECT_EQ(Info(hook.probes).error, before);
  }
}

TEST(Probes, TheEndAtZeroBehindReluIsNoCut) {
  const Blob blob = MakeProbed(64, -128, 0);
  Hook hook;
  ASSERT_EQ(octet_probes_init(&hook.probes, blob.data(), blob.size()).code, OCTET_OK);
  TestSession session(blob, {});
  std::vector<float> x(64, 0.0f);
  hook.Run(session, x, 0);
  EXPECT_EQ(octet_probes_score(&hook.probes), 1000u);
  EXPECT_EQ(Info(hook.probes).range_share, 0.0f);
  x[3] = 127.5f;  // one of 64
  hook.Run(session, x, 0);
  EXPECT_EQ(octet_probes_score(&hook.probes), 1000u - 15u);
}

// Runs of 8 neighbours at even distances from the first element to the last.
TEST(Probes, SampleLargeTensorsFromEndToEnd) {
  const Blob blob = MakeProbed(4096, 0, 0);
  Hook hook;
  ASSERT_EQ(octet_probes_init(&hook.probes, blob.data(), blob.size()).code, OCTET_OK);
  TestSession session(blob, {});
  uint32_t seen = 0;
  for (size_t at = 0; at < 4096; at += 8) {
    std::vector<float> x(4096, 0.0f);
    for (size_t i = 0; i < 8; ++i) x[at + i] = 100;
    hook.Run(session, x, 0);
    const uint32_t cut = 1000 - octet_probes_score(&hook.probes);
    seen += cut;
    if (at == 0) {
      EXPECT_EQ(cut, 31u);
    }
  }
  EXPECT_GT(seen, 31u * 30);
}

TEST(Probes, ToleratePlansAndLayersThatAreNotThere) {
  const Blob blob = MakeProbed(64, 0, 0);
  Hook hook;
  ASSERT_EQ(octet_probes_init(&hook.probes, blob.data(), blob.size()).code, OCTET_OK);
  octet_probe_info info;
  EXPECT_EQ(octet_probes_info(&hook.probes, 1, &info).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_probes_info(&hook.probes, 0, nullptr).code, OCTET_INVALID_ARGUMENT);
  octet_probes_compare(&hook.probes);
  EXPECT_LT(Info(hook.probes).error, 0);
}

// Before the first layer, which may write over it.
TEST(Probes, TheInputIsSeenBeforeAnythingRuns) {
  for (const octet_isa isa : RunnableLevels()) {
    const Blob blob = MakeProbed(64, 0, 0, true);
    Hook hook;
    ASSERT_EQ(octet_probes_init(&hook.probes, blob.data(), blob.size()).code, OCTET_OK);
    SessionOptions options;
    options.isa = isa;
    options.before_layer = Hook::BeforeLayer;
    options.before_layer_context = &hook;
    TestSession session(blob, options);
    hook.session = session.get();
    std::vector<float> x(64, 1.0f);
    hook.Run(session, x, 0);
    EXPECT_EQ(octet_probes_score(&hook.probes), 1000u);
    for (size_t i = 0; i < 16; ++i) x[i] = 80.0f;
    hook.Run(session, x, 0);
    EXPECT_EQ(octet_probes_score(&hook.probes), 750u);
    hook.shadow = 1;
    hook.Run(session, x, 1);
    octet_probes_compare(&hook.probes);
    // 16 of 80, cut at 63.5, and 48 of 1.
    const double whole = 16 * 80.0 * 80.0 + 48;
    EXPECT_NEAR(double{Info(hook.probes).error}, std::sqrt(16 * 16.5 * 16.5 / whole), 1e-6);
  }
}

}  // namespace
}  // namespace octet::test
