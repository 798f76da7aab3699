// Filters in a session: rings, what begins anew, and the same bits on every level.
#include "octet/temporal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/runtime/temporal/temporal_fixture.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

using blob::TemporalLayerRecord;
using Frame = std::vector<float>;  // whole numbers in [-128, 127]

// A session whose before_layer filters, as a program's would.
class Filtered {
 public:
  explicit Filtered(const Blob& blob, octet_isa isa = OCTET_ISA_REFERENCE)
      : blob_(blob), session_(blob_, Options(isa, this)) {
    size_t bytes = 0;
    EXPECT_EQ(octet_temporal_bytes(blob_.data(), blob_.size(), &bytes).code, OCTET_OK);
    memory_.assign(bytes + 64, 0x5A);
    EXPECT_EQ(
        octet_temporal_init(memory_.data(), bytes, blob_.data(), blob_.size(), &temporal).code,
        OCTET_OK);
  }
  Frame Run(const Frame& x) {
    session_.SetInput(0, x);
    EXPECT_EQ(octet_run(session_.get()).code, OCTET_OK);
    octet_temporal_apply(temporal, session_.get(), octet_layer_count(session_.get()));
    for (size_t i = memory_.size() - 64; i < memory_.size(); ++i) EXPECT_EQ(memory_[i], 0x5A);
    return session_.Output(0);
  }
  void SetPlan(uint32_t plan) { EXPECT_EQ(octet_set_plan(session_.get(), plan).code, OCTET_OK); }
  octet_temporal_layer Info(uint32_t index = 0) const {
    octet_temporal_layer layer;
    EXPECT_EQ(octet_temporal_info(temporal, index, &layer).code, OCTET_OK);
    return layer;
  }
  octet_session* session() { return session_.get(); }

  octet_temporal* temporal = nullptr;

 private:
  static SessionOptions Options(octet_isa isa, Filtered* self) {
    SessionOptions options;
    options.isa = isa;
    options.before_layer_context = self;
    options.before_layer = [](void* context, uint32_t layer) {
      auto* filtered = static_cast<Filtered*>(context);
      octet_temporal_apply(filtered->temporal, filtered->session_.get(), layer);
      return 0;
    };
    return options;
  }
  Blob blob_;
  TestSession session_;
  AlignedBytes memory_;
};

Frame All(float value) {
  return Frame(kElements, value);
}

Frame RandomFrame(std::mt19937& random) {
  Frame frame(kElements);
  for (float& value : frame) value = static_cast<float>(static_cast<int>(random() % 256) - 128);
  return frame;
}

TEST(Temporal, BlendsWithTheFrameBefore) {
  for (const octet_isa isa : RunnableLevels()) {
    Filtered filtered(MakeFiltered({SectionOf({SomeFilter()})}), isa);
    EXPECT_EQ(filtered.Run(All(10)), All(10)) << "nothing came before";
    EXPECT_EQ(filtered.Info().held, 1u);
    EXPECT_EQ(filtered.Run(All(20)), All(15));
    EXPECT_EQ(filtered.Run(All(20)), All(20)) << "with what came in, not with what went out";
    EXPECT_EQ(filtered.Run(All(-128)), All(-54));
    EXPECT_EQ(filtered.Run(All(-128)), All(-128));
    EXPECT_EQ(filtered.Run(All(127)), All(0)) << "-0.5 goes up";
    EXPECT_EQ(filtered.Run(All(127)), All(127));
    EXPECT_EQ(filtered.Run(All(126)), All(127));
  }
}

// The mean of ten over 35 frames against a history kept apart; the digest is that of every level on
// every machine.
TEST(Temporal, TheRingGoesRoundAndTheBitsAreTheSame) {
  TemporalLayerRecord mean = SomeFilter();
  mean.frames = 10;
  std::fill(std::begin(mean.weights), std::end(mean.weights), uint16_t{3276});
  TemporalLayerRecord last = SomeFilter();
  last.layer = 1;
  last.weights[0] = 2979;
  const Blob blob = MakeFiltered({SectionOf({mean, last})});
  for (const octet_isa isa : RunnableLevels()) {
    Filtered filtered(blob, isa);
    std::mt19937 random(5);
    std::vector<Frame> seen, means;  // newest first
    uint64_t digest = 0xCBF29CE484222325u;
    for (uint32_t t = 0; t < 35; ++t) {
      seen.insert(seen.begin(), RandomFrame(random));
      const Frame y = filtered.Run(seen[0]);
      EXPECT_EQ(filtered.Info().held, std::min(t + 1, 9u));
      Frame m(kElements), wanted(kElements);
      for (size_t i = 0; i < m.size(); ++i) {
        double sum = seen[0][i];
        for (size_t k = 1; k < std::min<size_t>(seen.size(), 10); ++k) {
          sum += 3276 / 32768.0 * (seen[k][i] - seen[0][i]);
        }
        m[i] = static_cast<float>(std::floor(sum + 0.5));
        const double before = means.empty() ? m[i] : means[0][i];
        wanted[i] = static_cast<float>(std::floor(m[i] + 2979 / 32768.0 * (before - m[i]) + 0.5));
        digest = (digest ^ static_cast<uint8_t>(static_cast<int>(y[i]))) * 0x100000001B3u;
      }
      means.insert(means.begin(), m);
      ASSERT_EQ(y, wanted) << "frame " << t << " on " << octet_isa_name(isa);
    }
    EXPECT_EQ(digest, 16098289344550426597u) << octet_isa_name(isa);
  }
}

TEST(Temporal, BeginsAnewWithAnotherPlanAndWhenAsked) {
  TemporalLayerRecord other = SomeFilter();
  other.plan = 1;
  Filtered filtered(MakeFiltered({SectionOf({SomeFilter(), other})}));
  ASSERT_EQ(octet_temporal_count(filtered.temporal), 2u);
  EXPECT_EQ(filtered.Run(All(10)), All(10));
  EXPECT_EQ(filtered.Run(All(20)), All(15));
  filtered.SetPlan(1);
  EXPECT_EQ(filtered.Run(All(40)), All(40));
  EXPECT_EQ(filtered.Run(All(60)), All(50));
  filtered.SetPlan(0);
  EXPECT_EQ(filtered.Run(All(30)), All(30));
  EXPECT_EQ(filtered.Run(All(50)), All(40));
  filtered.SetPlan(2);  // FP16 has no filter
  EXPECT_EQ(filtered.Run(All(7)), All(7));
  EXPECT_EQ(filtered.Run(All(9)), All(9));
  filtered.SetPlan(0);
  EXPECT_EQ(filtered.Run(All(50)), All(50));
  octet_temporal_reset(filtered.temporal);
  EXPECT_EQ(filtered.Info().held, 0u);
  EXPECT_EQ(filtered.Run(All(90)), All(90));
  EXPECT_EQ(filtered.Run(All(92)), All(91));
  EXPECT_EQ(filtered.Info().cuts, 0u);
}

// As drift moves it: what is held are steps of another size.
TEST(Temporal, BeginsAnewWithAnotherScale) {
  Filtered filtered(MakeFiltered({SectionOf({SomeFilter()})}));
  EXPECT_EQ(filtered.Run(All(10)), All(10));
  EXPECT_EQ(filtered.Run(All(20)), All(15));
  const Blob finer = MakeFiltered({}, 0.5f);
  TestSession session(finer, {});
  const auto run = [&](float value) {
    session.SetInput(0, All(value));
    for (uint32_t layer = 0; layer < 2; ++layer) {
      EXPECT_EQ(octet_run_layer(session.get(), layer).code, OCTET_OK);
      octet_temporal_apply(filtered.temporal, session.get(), layer + 1);
    }
    return session.Output(0);
  };
  EXPECT_EQ(run(20), All(20)) << "40 steps, beside 20 that were as much";
  EXPECT_EQ(run(30), All(25));
  EXPECT_EQ(filtered.Info().cuts, 0u);
  EXPECT_EQ(filtered.Run(All(40)), All(40));
}

TEST(Temporal, BeginsAnewAtACut) {
  TemporalLayerRecord record = SomeFilter();
  record.cut = 10 * 256;  // a mean change of ten steps
  Filtered filtered(MakeFiltered({SectionOf({record})}));
  EXPECT_EQ(filtered.Run(All(0)), All(0));
  EXPECT_EQ(filtered.Run(All(9)), All(5)) << "4.5";
  EXPECT_EQ(filtered.Run(All(19)), All(19)) << "ten";
  EXPECT_EQ(filtered.Info().cuts, 1u);
  EXPECT_EQ(filtered.Info().held, 1u);
  EXPECT_EQ(filtered.Run(All(21)), All(20));
  EXPECT_EQ(filtered.Run(All(11)), All(11));
  EXPECT_EQ(filtered.Info().cuts, 2u);
  // A small thing that moves far is no cut.
  Frame x = All(11);
  for (size_t i = 0; i < 20; ++i) x[i] = 111;
  EXPECT_EQ(filtered.Run(x)[0], 61);
  EXPECT_EQ(filtered.Info().cuts, 2u);
}

TEST(Temporal, LeavesOtherBlobsAloneAndTellsWhatItHas) {
  TemporalLayerRecord record = SomeFilter();
  record.cut = 77, record.gate = 3;
  const Blob blob = MakeFiltered({SectionOf({record})});
  Filtered filtered(blob);
  const octet_temporal_layer info = filtered.Info();
  EXPECT_EQ(info.plan, 0u);
  EXPECT_EQ(info.layer, 0u);
  EXPECT_EQ(info.frames, 2u);
  EXPECT_EQ(info.weights[0], 16384u);
  EXPECT_EQ(info.weights[8], 0u);
  EXPECT_EQ(info.gate, 3u);
  EXPECT_EQ(info.cut, 77u);
  EXPECT_EQ(info.noise, 0.25f);
  EXPECT_EQ(info.tensor_bytes, size_t{kElements});
  EXPECT_EQ(info.held, 0u);
  octet_temporal_layer none;
  EXPECT_EQ(octet_temporal_info(filtered.temporal, 1, &none).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_temporal_info(filtered.temporal, 0, nullptr).code, OCTET_INVALID_ARGUMENT);
  // A tensor of another size.
  const Blob conv = MakeConvBlob({});
  TestSession session(conv, {});
  session.SetInput(0, std::vector<float>(5 * 6 * 3, 1));
  ASSERT_EQ(octet_run(session.get()).code, OCTET_OK);
  const Frame before = session.Output(0);
  octet_temporal_apply(filtered.temporal, session.get(), 1);
  octet_temporal_apply(filtered.temporal, session.get(), 100);
  EXPECT_EQ(session.Output(0), before);
  EXPECT_EQ(filtered.Info().held, 0u);
}

// Who does not ask for the filters gets what a blob without them gives.
TEST(Temporal, OffIsTheSameAsNone) {
  const Blob with = MakeFiltered({SectionOf({SomeFilter()})}), without = MakeFiltered({});
  for (const octet_isa isa : RunnableLevels()) {
    SessionOptions options;
    options.isa = isa;
    TestSession a(with, options), b(without, options);
    EXPECT_EQ(a.arena_bytes(), b.arena_bytes());
    std::mt19937 random(9);
    for (int t = 0; t < 4; ++t) {
      const Frame x = RandomFrame(random);
      for (TestSession* session : {&a, &b}) {
        session->SetInput(0, x);
        ASSERT_EQ(octet_run(session->get()).code, OCTET_OK);
      }
      EXPECT_EQ(a.Output(0), b.Output(0));
      EXPECT_EQ(a.Output(0), x);
    }
  }
}

}  // namespace
}  // namespace octet::test
