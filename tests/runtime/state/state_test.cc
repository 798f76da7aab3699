// What a session keeps from frame to frame, of all features at once: runs aside and cancelled runs
// leave every byte of it, and a copy brings it back.
#include "octet/state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "octet/drift.h"
#include "octet/guard.h"
#include "octet/octet.hpp"
#include "octet/self_test.h"
#include "octet/temporal.h"
#include "runtime/format/golden.h"
#include "runtime/format/guard_record.h"
#include "runtime/format/temporal_record.h"
#include "tests/runtime/drift/drift_blob.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

constexpr uint32_t kInt8 = 0, kFp16 = 1, kFrames = 24;
constexpr uint32_t kAll = OCTET_WITH_DRIFT | OCTET_WITH_GUARD | OCTET_WITH_TEMPORAL;

template <typename T>
void Append(const T& value, std::vector<uint8_t>* bytes) {
  const auto* first = reinterpret_cast<const uint8_t*>(&value);
  bytes->insert(bytes->end(), first, first + sizeof(value));
}
template <typename Head, typename Record>
std::vector<uint8_t> Section(const Head& head, const std::vector<Record>& records) {
  std::vector<uint8_t> bytes;
  Append(head, &bytes);
  for (const Record& record : records) Append(record, &bytes);
  return bytes;
}

uint32_t BytesOfLayer(uint32_t layer) {
  const Blob blob = MakeDriftBlob();
  BlobView view;
  PlanView plan;
  EXPECT_TRUE(IsOk(ViewBlob(blob.data(), blob.size(), &view)));
  EXPECT_TRUE(IsOk(ViewPlan(view, kInt8, &plan)));
  return plan.tensors[plan.layers[layer].output].bytes;
}

// Filters of two and of three frames, which blend and are never cut.
std::vector<uint8_t> Filters() {
  std::vector<blob::TemporalLayerRecord> records;
  for (const uint32_t layer : {uint32_t{kLayerConv}, uint32_t{kLayerAdd}}) {
    blob::TemporalLayerRecord record{};
    record.plan = kInt8;
    record.layer = layer;
    record.bytes = BytesOfLayer(layer);
    record.frames = layer == kLayerConv ? 2 : 3;
    record.cut = blob::kNone;
    record.noise = 0.25f;
    record.weights[0] = 8192;
    record.weights[1] = layer == kLayerConv ? 0 : 4096;
    record.gate = 255;
    records.push_back(record);
  }
  blob::TemporalRecord head{};
  head.record_bytes = head.layers_offset = sizeof(head);
  head.layer_count = static_cast<uint32_t>(records.size());
  return Section(head, records);
}

std::vector<uint8_t> Probes() {
  octet_guard_config config;
  octet_guard_defaults(&config, 2);
  blob::GuardRecord head{};
  head.record_bytes = head.probes_offset = sizeof(head);
  std::memcpy(&head.home_plan, &config.home_plan, offsetof(blob::GuardRecord, zones_bytes) - 4);
  head.probe_count = 1;
  blob::ProbeRecord probe{};
  for (uint32_t& layer : probe.layers) layer = blob::kNone;
  probe.layers[kInt8] = kLayerConv;
  return Section(head, std::vector<blob::ProbeRecord>{probe});
}

// A sample for the self-test. Its digests are wrong, which the test finds after it has run.
std::vector<uint8_t> Golden() {
  blob::GoldenRecord head{};
  head.vector_count = head.input_count = head.output_count = 1;
  head.plan_count = 2;
  head.inputs_offset = sizeof(head);
  head.digests_offset = sizeof(head) + sizeof(blob::GoldenInput);
  blob::GoldenInput input{};
  input.kind = blob::GoldenKind::kGenerated;
  input.low = -1;
  input.high = 1;
  input.seed = 7;
  std::vector<uint8_t> section = Section(head, std::vector<blob::GoldenInput>{input});
  section.resize(section.size() + size_t{head.plan_count} * kSha256Bytes);
  return section;
}

const Blob& TheBlob() {
  static const Blob blob = MakeDriftBlob(nullptr, [](BlobBuilder& b) {
    b.AddSection(blob::SectionKind::kTemporal, Filters());
    b.AddSection(blob::SectionKind::kGuard, Probes());
    b.AddSection(blob::SectionKind::kGolden, Golden());
  });
  return blob;
}

std::vector<float> Picture(uint32_t number) {
  std::mt19937 random(number);
  std::vector<float> x(kDriftInputs);
  for (float& value : x) value = static_cast<float>(random() % 2000) / 500 - 2;
  return x;
}

using StateBytes = std::vector<uint8_t>;

// A session with every feature, and a program that uses them.
class Film {
 public:
  Film(octet_isa isa, uint32_t threads, uint32_t plan)
      : session_(TheBlob(), {.isa = isa,
                             .threads = threads,
                             .plan_mask = kAll,
                             .before_layer = BeforeLayer,
                             .before_layer_context = this}) {
    EXPECT_EQ(session_.status().code, OCTET_OK);
    EXPECT_EQ(octet_temporal_bound(get(), &temporal).code, OCTET_OK);
    EXPECT_EQ(octet_guard_bound(get(), &guard, &budget, &probes).code, OCTET_OK);
    octet_guard_config config;
    octet_guard_defaults(&config, 2);
    octet_guard_init(guard, &config, 0);
    octet_guard_budget_init(budget, 0);
    octet_drift_config rounds;
    octet_drift_defaults(&rounds);
    rounds.fit_frames = rounds.judge_frames = 1;
    octet_drift_configure(get(), &rounds);
    // Scales that have moved, and a candidate that waits for its judge.
    EXPECT_EQ(Fit(1), uint32_t{OCTET_DRIFT_PROPOSED});
    const octet_drift_answer worse = {0, 0}, better = {1000, 0};
    EXPECT_EQ(octet_drift_judged(get(), &worse, &better), uint32_t{OCTET_DRIFT_KEPT});
    EXPECT_EQ(Fit(5, 0.3f), uint32_t{OCTET_DRIFT_PROPOSED});
    octet_set_plan(get(), plan);
  }
  octet_session* get() const { return session_.get(); }
  TestSession& session() { return session_; }

  octet_drift_event Fit(uint32_t picture, float scale = 1) {
    {
      const RunAside aside(get());
      Observe(picture, scale);
    }
    return octet_drift_fitted(get());
  }
  void Observe(uint32_t picture, float scale = 1) {
    octet_set_plan(get(), kFp16);
    observing = true;
    std::vector<float> x = Picture(picture);
    for (float& value : x) value *= scale;
    session_.SetInput(0, x);
    EXPECT_EQ(octet_run(get()).code, OCTET_OK);
    octet_drift_observe(get(), octet_layer_count(get()));
    observing = false;
  }
  std::vector<float> Frame(uint32_t number) {
    session_.SetInput(0, Picture(number));
    EXPECT_EQ(octet_run(get()).code, OCTET_OK);
    session_.ExpectGuardsIntact();
    const uint32_t cut = octet_probes_score(probes);
    if (cut != OCTET_GUARD_NO_SCORE) octet_guard_score(guard, OCTET_GUARD_SATURATION, cut);
    octet_guard_score(guard, OCTET_GUARD_APPLICATION, 700 + number % 300);
    octet_guard_frame_time time;
    time.number = number;
    time.captured_us = time.now_us = number * 33000;
    octet_guard_budget_frame(budget, &time);
    octet_guard_decision decision;
    octet_guard_frame(guard, number * 33, &decision);
    return session_.Output(0);
  }
  // Whatever somebody may want to know beside the frames.
  void Aside(uint32_t number) {
    const RunAside aside(get());
    EXPECT_EQ(octet_is_aside(get()), 1);
    EXPECT_EQ(octet_aside_begin(get()).code, OCTET_INVALID_ARGUMENT);
    Observe(number);
    octet_set_plan(get(), kInt8);
    for (const octet_drift_scales scales : {OCTET_DRIFT_CANDIDATE, OCTET_DRIFT_CURRENT}) {
      if (number % 2 == 0) octet_drift_use(get(), scales);
      session_.SetInput(0, Picture(1000 + number));
      EXPECT_EQ(octet_run(get()).code, OCTET_OK);
    }
    if (number % 3 == 0) octet_drift_use(get(), OCTET_DRIFT_CANDIDATE);
    octet_set_plan(get(), number % 2);
    for (uint32_t k = 0; k < number % octet_layer_count(get()); ++k) octet_run_layer(get(), k);
    SelfTest();
    stop_at = number % 5;
    octet_run(get());
    stop_at = UINT32_MAX;
    octet_guard_score(guard, OCTET_GUARD_APPLICATION, 1);
    octet_temporal_reset(temporal);
  }
  void SelfTest() {
    octet_self_test_result result;
    std::vector<float> memory(kDriftInputs);
    EXPECT_EQ(octet_golden_bytes(get()), memory.size() * sizeof(float));
    EXPECT_EQ(octet_self_test(get(), memory.data(), &result).code, OCTET_CORRUPT);
    EXPECT_EQ(result.vectors, 1u) << "it has run";
  }
  StateBytes State() const {
    octet_state_info info;
    EXPECT_EQ(octet_state_describe(get(), &info).code, OCTET_OK);
    StateBytes state(info.bytes);
    EXPECT_EQ(octet_state_get(get(), state.data(), state.size()).code, OCTET_OK);
    return state;
  }
  // Without what the heads do not refer to: a frame that is cancelled may have written there.
  StateBytes Heads() const {
    octet_state_info info;
    EXPECT_EQ(octet_state_describe(get(), &info).code, OCTET_OK);
    StateBytes state = State();
    state.resize(48 + info.frame_bytes);
    return state;
  }
  std::vector<float> Measured() const {
    octet_probe_info info;
    EXPECT_EQ(octet_probes_info(probes, 0, &info).code, OCTET_OK);
    return {info.saturation, info.range_share, info.error};
  }

  octet_temporal* temporal = nullptr;
  octet_guard* guard = nullptr;
  octet_guard_budget* budget = nullptr;
  octet_probes* probes = nullptr;
  bool observing = false;
  uint32_t stop_at = UINT32_MAX;

 private:
  static int BeforeLayer(void* context, uint32_t layer) {
    auto* film = static_cast<Film*>(context);
    if (film->observing) octet_drift_observe(film->get(), layer);
    if (octet_is_aside(film->get()) != 0) octet_probes_take(film->probes, film->get(), layer, 0);
    return layer == film->stop_at ? 1 : 0;
  }
  TestSession session_;
};

void ForEach(const std::function<void(octet_isa, uint32_t, uint32_t)>& act) {
  for (const octet_isa isa : RunnableLevels()) {
    for (const uint32_t threads : {1u, 2u, 3u}) {
      for (const uint32_t plan : {kInt8, kFp16}) {
        SCOPED_TRACE(std::string(octet_isa_name(isa)) + ", threads " + std::to_string(threads) +
                     ", plan " + std::to_string(plan));
        act(isa, threads, plan);
      }
    }
  }
}

TEST(State, RunsAsideBetweenAllFramesChangeNoByte) {
  ForEach([](octet_isa isa, uint32_t threads, uint32_t plan) {
    Film plain(isa, threads, plan), disturbed(isa, threads, plan);
    for (uint32_t number = 0; number < kFrames; ++number) {
      EXPECT_EQ(plain.Frame(number), disturbed.Frame(number)) << number;
      const StateBytes before = disturbed.State();
      const std::vector<float> measured = disturbed.Measured();
      ASSERT_EQ(before, plain.State()) << number;
      disturbed.SelfTest();
      ASSERT_EQ(disturbed.State(), before) << number << ": a run aside by itself";
      disturbed.Aside(number);
      EXPECT_EQ(octet_is_aside(disturbed.get()), 0);
      EXPECT_EQ(octet_aside_end(disturbed.get()).code, OCTET_INVALID_ARGUMENT);
      EXPECT_EQ(octet_plan(disturbed.get()), plan);
      ASSERT_EQ(disturbed.State(), before) << number;
      EXPECT_EQ(disturbed.Measured(), measured);
    }
  });
}

TEST(State, AFrameThatIsCancelledAnywhereHasNotBeen) {
  ForEach([](octet_isa isa, uint32_t threads, uint32_t plan) {
    Film plain(isa, threads, plan), cancelled(isa, threads, plan);
    const uint32_t layers = octet_layer_count(plain.get());
    for (uint32_t number = 0; number < kFrames; ++number) {
      const StateBytes before = cancelled.Heads();
      cancelled.stop_at = number % (layers + 1);
      cancelled.session().SetInput(0, Picture(500 + number));
      const bool ends = cancelled.stop_at == layers;
      if (!ends) {
        EXPECT_EQ(octet_run(cancelled.get()).code, OCTET_CANCELLED);
        ASSERT_EQ(cancelled.Heads(), before) << number;
      }
      cancelled.stop_at = UINT32_MAX;
      // By layers, and given up: the next frame begins anew.
      cancelled.session().SetInput(0, Picture(600 + number));
      for (uint32_t k = 0; k < number % layers; ++k) octet_run_layer(cancelled.get(), k);
      ASSERT_EQ(cancelled.Heads(), before) << number;
      EXPECT_EQ(plain.Frame(number), cancelled.Frame(number)) << number;
      ASSERT_EQ(plain.State(), cancelled.State()) << number;
    }
  });
}

TEST(State, LayersInOrderAreAFrame) {
  Film whole(OCTET_ISA_REFERENCE, 1, kInt8), by_layers(OCTET_ISA_REFERENCE, 1, kInt8);
  for (uint32_t number = 0; number < 6; ++number) {
    for (Film* film : {&whole, &by_layers}) film->session().SetInput(0, Picture(number));
    EXPECT_EQ(octet_run(whole.get()).code, OCTET_OK);
    for (uint32_t k = 0; k < octet_layer_count(by_layers.get()); ++k) {
      EXPECT_EQ(octet_run_layer(by_layers.get(), k).code, OCTET_OK);
    }
    EXPECT_EQ(whole.session().Output(0), by_layers.session().Output(0));
    EXPECT_EQ(whole.State(), by_layers.State());
  }
  const StateBytes before = by_layers.State();
  octet_run_layer(by_layers.get(), 3);
  EXPECT_EQ(by_layers.State(), before) << "of no frame";
}

TEST(State, AFilterIsPartOfTheSession) {
  Film film(OCTET_ISA_REFERENCE, 1, kInt8);
  ASSERT_EQ(octet_temporal_count(film.temporal), 2u);
  octet_temporal_layer layer;
  for (uint32_t number = 0; number < 4; ++number) film.Frame(number);
  octet_temporal_info(film.temporal, 1, &layer);
  EXPECT_EQ(layer.held, 2u);
  octet_temporal_apply(film.temporal, film.get(), kLayerAdd + 1);  // the session does that
  const StateBytes before = film.State();
  octet_temporal_apply(film.temporal, film.get(), kLayerAdd + 1);
  EXPECT_EQ(film.State(), before);
  octet_set_plan(film.get(), kFp16);
  octet_set_plan(film.get(), kInt8);
  EXPECT_EQ(film.State(), before) << "another plan that has not run";
  TestSession without(TheBlob(), {.plan_mask = OCTET_WITH_GUARD});
  EXPECT_EQ(octet_temporal_bound(without.get(), &film.temporal).code, OCTET_INVALID_ARGUMENT);
  const Blob unfiltered = MakeDriftBlob();
  TestSession none(unfiltered, {.plan_mask = OCTET_WITH_TEMPORAL});
  ASSERT_EQ(none.status().code, OCTET_OK);
  EXPECT_EQ(octet_temporal_bound(none.get(), &film.temporal).code, OCTET_INVALID_ARGUMENT);
}

TEST(State, ACopyBringsItBack) {
  ForEach([](octet_isa isa, uint32_t threads, uint32_t plan) {
    Film film(isa, threads, plan), other(isa, threads, plan);
    for (uint32_t number = 0; number < 5; ++number) film.Frame(number);
    const StateBytes copy = film.State();
    std::vector<std::vector<float>> first;
    for (uint32_t number = 5; number < 10; ++number) first.push_back(film.Frame(number));
    const octet_drift_answer worse = {0, 0}, better = {1000, 0};
    octet_drift_judged(film.get(), &worse, &better);  // other scales since then
    for (Film* one : {&film, &other}) {
      ASSERT_EQ(octet_state_set(one->get(), copy.data(), copy.size()).code, OCTET_OK);
      EXPECT_EQ(one->State(), copy);
      for (uint32_t number = 5; number < 10; ++number) {
        EXPECT_EQ(one->Frame(number), first[number - 5]) << number;
      }
    }
  });
}

TEST(State, CopiesThatAreNoneAreRefused) {
  Film film(OCTET_ISA_REFERENCE, 1, kInt8);
  film.Frame(0);
  const StateBytes good = film.State();
  const auto set = [&film](const StateBytes& bytes) {
    const octet_code code = octet_state_set(film.get(), bytes.data(), bytes.size()).code;
    return code;
  };
  EXPECT_EQ(set(StateBytes(good.begin(), good.end() - 1)), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_state_get(film.get(), nullptr, good.size() - 1).code, OCTET_INVALID_ARGUMENT);
  for (const size_t at : {size_t{0}, size_t{31}, size_t{35}, size_t{36}, size_t{40}}) {
    StateBytes of_another = good;  // blob, features, word size, size
    of_another[at] ^= 1;
    EXPECT_EQ(set(of_another), OCTET_INVALID_ARGUMENT) << at;
  }
  {
    const RunAside aside(film.get());
    EXPECT_EQ(set(good), OCTET_INVALID_ARGUMENT);
    EXPECT_EQ(film.State(), good);
  }
  // Any bytes at all: refused, or frames run within their memory (sanitizers watch).
  std::mt19937 random(6);
  uint32_t refused = 0;
  for (uint32_t i = 0; i < 400; ++i) {
    StateBytes bad = good;
    for (uint32_t k = 0; k < 1 + i % 4; ++k) {
      bad[48 + random() % (bad.size() - 48)] = static_cast<uint8_t>(random());
    }
    const octet_code code = set(bad);
    if (code == OCTET_OK) {
      film.Frame(i);
      EXPECT_EQ(set(good), OCTET_OK);
    } else {
      EXPECT_EQ(code, OCTET_CORRUPT);
      ++refused;
    }
    ASSERT_EQ(film.State(), good);
  }
  EXPECT_GT(refused, 20u);
}

TEST(State, SaysWhatItTakes) {
  Film film(OCTET_ISA_REFERENCE, 1, kInt8);
  octet_state_info info;
  ASSERT_EQ(octet_state_describe(film.get(), &info).code, OCTET_OK);
  size_t plain = 0;
  ASSERT_EQ(
      octet_arena_bytes(TheBlob().data(), TheBlob().size(), OCTET_ISA_REFERENCE, 1, 0, &plain).code,
      OCTET_OK);
  EXPECT_EQ(film.session().arena_bytes(), plain + info.arena_bytes);
  const auto rounded = [](size_t bytes) { return (bytes + 63) / 64 * 64; };
  EXPECT_EQ(info.bytes, 48 + info.frame_bytes + 2 * rounded(BytesOfLayer(kLayerConv)) +
                            3 * rounded(BytesOfLayer(kLayerAdd)))
      << "a frame more than a filter looks back on";
  EXPECT_GT(info.arena_bytes, info.bytes + info.frame_bytes);
  TestSession none(TheBlob(), {});
  ASSERT_EQ(octet_state_describe(none.get(), &info).code, OCTET_OK);
  EXPECT_EQ(info.bytes + info.frame_bytes + info.arena_bytes, 0u);
  EXPECT_EQ(octet_state_get(none.get(), nullptr, 0).code, OCTET_OK);
  EXPECT_EQ(octet_state_set(none.get(), nullptr, 0).code, OCTET_OK);
  EXPECT_EQ(octet_aside_begin(none.get()).code, OCTET_OK);
  octet_set_plan(none.get(), kFp16);
  EXPECT_EQ(octet_aside_end(none.get()).code, OCTET_OK);
  EXPECT_EQ(octet_plan(none.get()), kInt8);
}

TEST(State, AFeatureThatIsNoneIsRefused) {
  for (const uint32_t bit : {24u, 25u, 28u}) {
    TestSession session(TheBlob(), {.plan_mask = 1u << bit});
    EXPECT_EQ(session.status().code, OCTET_INVALID_ARGUMENT) << bit;
  }
}

}  // namespace
}  // namespace octet::test
