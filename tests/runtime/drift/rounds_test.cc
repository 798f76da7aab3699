// Rounds of recalibration through the C API: who looks, who judges, what is kept and stored.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "octet/drift.h"
#include "runtime/drift/record.h"
#include "runtime/engine/session.h"
#include "runtime/format/sha256.h"
#include "tests/runtime/drift/drift_blob.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

int Look(void* context, uint32_t layer) {
  auto* session = *static_cast<octet_session**>(context);
  if (session != nullptr) octet_drift_observe(session, layer);
  return 0;
}

class Drifting {
 public:
  explicit Drifting(octet_isa isa = OCTET_ISA_REFERENCE, uint32_t threads = 1)
      : blob_(MakeDriftBlob()),
        session_(blob_, {.isa = isa,
                         .threads = threads,
                         .plan_mask = OCTET_WITH_DRIFT,
                         .before_layer = Look,
                         .before_layer_context = &looking_}) {
    EXPECT_EQ(session_.status().code, OCTET_OK);
  }
  octet_session* get() const { return session_.get(); }
  const Blob& blob() const { return blob_; }
  TestSession& session() { return session_; }

  // A frame whose largest |x| is `peak`, in the observing plan.
  octet_drift_event Fit(float peak) {
    octet_set_plan(get(), 1);
    SetInput(peak);
    looking_ = get();
    octet_run(get());
    octet_drift_observe(get(), octet_layer_count(get()));
    looking_ = nullptr;
    const octet_drift_event event = octet_drift_fitted(get());
    octet_set_plan(get(), 0);
    return event;
  }
  void SetInput(float peak) {
    std::vector<float> x(kDriftInputs);
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = peak * std::sin(static_cast<float>(i * i % 97)) * 0.9f;
    }
    x[17] = -peak;
    session_.SetInput(0, x);
  }
  std::vector<float> Run(float peak) {
    SetInput(peak);
    octet_run(get());
    session_.ExpectGuardsIntact();
    return session_.Output(0);
  }
  octet_drift_record Record(const std::vector<int8_t>& steps) const {
    drift::Record record{};
    std::memcpy(record.magic, drift::kRecordMagic, sizeof(record.magic));
    record.version = drift::kRecordVersion;
    record.group_count = kDriftGroups;
    record.sequence = 5;
    std::memcpy(record.digest, reinterpret_cast<const blob::Header*>(blob_.data())->sha256, 32);
    std::copy(steps.begin(), steps.end(), record.steps);
    return Sealed(record);
  }
  static octet_drift_record Sealed(drift::Record record) {
    Sha256Of(reinterpret_cast<const uint8_t*>(&record), offsetof(drift::Record, sha256),
             Sha256BlocksPortable, record.sha256);
    octet_drift_record stored;
    std::memcpy(stored.bytes, &record, sizeof(record));
    return stored;
  }

 private:
  Blob blob_;
  octet_session* looking_ = nullptr;
  TestSession session_;
};

octet_drift_config Config(uint32_t fit, uint32_t judge, uint32_t gain) {
  octet_drift_config config;
  config.fit_frames = fit;
  config.judge_frames = judge;
  config.gain = gain;
  config.fidelity_gain = 43;
  return config;
}

octet_drift_event Judge(octet_session* session, uint32_t current, uint32_t candidate,
                        uint32_t current_fidelity = 0, uint32_t candidate_fidelity = 0) {
  const octet_drift_answer answers[2] = {{current, current_fidelity},
                                         {candidate, candidate_fidelity}};
  return octet_drift_judged(session, &answers[0], &answers[1]);
}

TEST(DriftRounds, Defaults) {
  octet_drift_config config;
  octet_drift_defaults(&config);
  EXPECT_EQ(config.fit_frames, 5u);
  EXPECT_EQ(config.judge_frames, 5u);
  EXPECT_EQ(config.gain, 5u);
  EXPECT_EQ(config.fidelity_gain, 43u);
}

// Calibration's peak is 1 (log2 0) and its spread 10 of 256.
TEST(DriftRounds, ARangeThatGrewIsProposedJudgedAndKept) {
  Drifting d;
  octet_drift_config config = Config(2, 2, 5);
  ASSERT_EQ(octet_drift_configure(d.get(), &config).code, OCTET_OK);
  EXPECT_EQ(octet_drift_role_now(d.get()), uint32_t{OCTET_DRIFT_FIT});
  EXPECT_EQ(octet_drift_use(d.get(), OCTET_DRIFT_CANDIDATE).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(d.Fit(2), uint32_t{OCTET_DRIFT_NOTHING});
  EXPECT_EQ(d.Fit(2), uint32_t{OCTET_DRIFT_PROPOSED});
  EXPECT_EQ(octet_drift_role_now(d.get()), uint32_t{OCTET_DRIFT_JUDGE});
  EXPECT_EQ(octet_drift_moved(d.get(), nullptr), 0u) << "a candidate, not more";
  const std::vector<float> own = d.Run(2);
  ASSERT_EQ(octet_drift_use(d.get(), OCTET_DRIFT_CANDIDATE).code, OCTET_OK);
  const std::vector<float> moved = d.Run(2);
  EXPECT_NE(moved, own);
  EXPECT_EQ(Judge(d.get(), 900, 904), uint32_t{OCTET_DRIFT_NOTHING});
  EXPECT_EQ(d.Run(2), own) << "current scales are back";
  EXPECT_EQ(Judge(d.get(), 900, 906), uint32_t{OCTET_DRIFT_KEPT}) << "5 each, as asked";
  int32_t largest = 0;
  EXPECT_EQ(octet_drift_moved(d.get(), &largest), uint32_t{kDriftGroups});
  EXPECT_EQ(largest, 8) << "an octave";
  EXPECT_EQ(d.Run(2), moved);
  EXPECT_EQ(octet_drift_role_now(d.get()), uint32_t{OCTET_DRIFT_FIT});
}

TEST(DriftRounds, WhatGainsTooLittleIsDropped) {
  Drifting d;
  octet_drift_config config = Config(1, 2, 5);
  octet_drift_configure(d.get(), &config);
  ASSERT_EQ(d.Fit(2), uint32_t{OCTET_DRIFT_PROPOSED});
  Judge(d.get(), 900, 904);
  EXPECT_EQ(Judge(d.get(), 900, 905), uint32_t{OCTET_DRIFT_DROPPED});
  EXPECT_EQ(octet_drift_moved(d.get(), nullptr), 0u);
  config.gain = 0;
  octet_drift_configure(d.get(), &config);
  ASSERT_EQ(d.Fit(2), uint32_t{OCTET_DRIFT_PROPOSED});
  Judge(d.get(), 1000, 1000);
  EXPECT_EQ(Judge(d.get(), 1000, 1000), uint32_t{OCTET_DRIFT_DROPPED})
      << "no gain is none, whatever was asked for";
}

TEST(DriftRounds, NeitherMayFallAndOneHasToGrow) {
  const octet_drift_config config = Config(1, 2, 5);
  struct Case {
    uint32_t agreement, fidelity;  // of the second judge; the first's are 1000, 543 for both
    octet_drift_event expected;
  };
  for (const Case& c : {Case{1000, 629, OCTET_DRIFT_KEPT}, Case{1000, 628, OCTET_DRIFT_DROPPED},
                        Case{999, 2000, OCTET_DRIFT_DROPPED}, Case{1001, 629, OCTET_DRIFT_KEPT},
                        Case{1010, 543, OCTET_DRIFT_KEPT}, Case{1009, 543, OCTET_DRIFT_DROPPED},
                        Case{1500, 542, OCTET_DRIFT_DROPPED}}) {
    Drifting fresh;
    octet_drift_configure(fresh.get(), &config);
    ASSERT_EQ(fresh.Fit(2), uint32_t{OCTET_DRIFT_PROPOSED});
    Judge(fresh.get(), 1000, 1000, 543, 543);
    EXPECT_EQ(Judge(fresh.get(), 1000, c.agreement, 543, c.fidelity), c.expected)
        << c.agreement << " " << c.fidelity;
  }
}

TEST(DriftRounds, FidelityIsTheRatioOfPowers) {
  std::vector<float> finer(1000, 2.0f), other(1000, 2.25f);
  EXPECT_EQ(octet_drift_fidelity(finer.data(), other.data(), 1000), 6 * 256u);
  EXPECT_EQ(octet_drift_fidelity(finer.data(), finer.data(), 1000), 25600u);
  EXPECT_EQ(octet_drift_fidelity(finer.data(), other.data(), 0), 0u);
  other[999] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(octet_drift_fidelity(finer.data(), other.data(), 1000), 0u);
  std::vector<float> far(1000, -60.0f);
  EXPECT_EQ(octet_drift_fidelity(finer.data(), far.data(), 1000), 0u);
}

TEST(DriftRounds, RangesWithinCalibrationsSpreadAreSteady) {
  Drifting d;
  octet_drift_config config = Config(1, 1, 5);
  octet_drift_configure(d.get(), &config);
  EXPECT_EQ(d.Fit(1), uint32_t{OCTET_DRIFT_STEADY});
  EXPECT_EQ(d.Fit(1.02f), uint32_t{OCTET_DRIFT_STEADY}) << "7 of 256";
  EXPECT_EQ(d.Fit(1.09f), uint32_t{OCTET_DRIFT_STEADY}) << "one step is rounding";
  EXPECT_EQ(d.Fit(1.25f), uint32_t{OCTET_DRIFT_PROPOSED});
}

TEST(DriftRounds, MovesEndAtFourTimesAndAQuarter) {
  Drifting d;
  octet_drift_config config = Config(1, 1, 0);
  octet_drift_configure(d.get(), &config);
  int32_t largest = 0;
  ASSERT_EQ(d.Fit(1000), uint32_t{OCTET_DRIFT_PROPOSED});
  Judge(d.get(), 0, 1000);
  octet_drift_moved(d.get(), &largest);
  EXPECT_EQ(largest, 16);
  ASSERT_EQ(d.Fit(0.001f), uint32_t{OCTET_DRIFT_PROPOSED});
  Judge(d.get(), 0, 1000);
  octet_drift_moved(d.get(), &largest);
  EXPECT_EQ(largest, -16);
  ASSERT_EQ(d.Fit(1), uint32_t{OCTET_DRIFT_PROPOSED}) << "and back to the blob's";
  Judge(d.get(), 0, 1000);
  EXPECT_EQ(octet_drift_moved(d.get(), &largest), 0u);
}

TEST(DriftRounds, FramesOfNothingSayNothing) {
  Drifting d;
  octet_drift_config config = Config(3, 1, 0);
  octet_drift_configure(d.get(), &config);
  d.Fit(0);
  d.Fit(0);
  EXPECT_EQ(d.Fit(4), uint32_t{OCTET_DRIFT_STEADY}) << "one of three";
  d.Fit(0);
  d.Fit(4);
  EXPECT_EQ(d.Fit(4), uint32_t{OCTET_DRIFT_PROPOSED}) << "two of three";
  EXPECT_EQ(d.Fit(std::numeric_limits<float>::infinity()), uint32_t{OCTET_DRIFT_NOTHING})
      << "no frame of this role";
}

TEST(DriftRounds, ConfigurationsThatCannotBe) {
  Drifting d;
  for (const octet_drift_config& bad : {Config(0, 1, 0), Config(1, 0, 0), Config(1001, 1, 0),
                                        Config(1, 1001, 0), Config(1, 1, 1001)}) {
    EXPECT_EQ(octet_drift_configure(d.get(), &bad).code, OCTET_INVALID_ARGUMENT);
  }
  EXPECT_EQ(octet_drift_configure(d.get(), nullptr).code, OCTET_INVALID_ARGUMENT);
}

TEST(DriftRounds, SessionsWithoutDriftRefuseIt) {
  const Blob blob = MakeDriftBlob();
  TestSession session(blob, {});
  octet_drift_config config = Config(1, 1, 0);
  octet_drift_record record;
  EXPECT_EQ(octet_drift_configure(session.get(), &config).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_drift_use(session.get(), OCTET_DRIFT_CURRENT).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_drift_save(session.get(), &record).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_drift_load(session.get(), &record).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_drift_fitted(session.get()), uint32_t{OCTET_DRIFT_NOTHING});
  EXPECT_EQ(Judge(session.get(), 0, 1000), uint32_t{OCTET_DRIFT_NOTHING});
  EXPECT_EQ(octet_drift_moved(session.get(), nullptr), 0u);
  octet_drift_observe(session.get(), 0);
}

TEST(DriftRecord, IsTheSameAfterARestart) {
  Drifting first;
  octet_drift_config config = Config(1, 1, 0);
  octet_drift_configure(first.get(), &config);
  first.Fit(2.5f);
  Judge(first.get(), 0, 1000);
  octet_drift_record record;
  ASSERT_EQ(octet_drift_save(first.get(), &record).code, OCTET_OK);
  Drifting second;
  ASSERT_EQ(octet_drift_load(second.get(), &record).code, OCTET_OK);
  EXPECT_EQ(second.Run(2), first.Run(2));
  octet_drift_record again;
  ASSERT_EQ(octet_drift_save(second.get(), &again).code, OCTET_OK);
  drift::Record a, b;
  std::memcpy(&a, record.bytes, sizeof(a));
  std::memcpy(&b, again.bytes, sizeof(b));
  EXPECT_EQ(b.sequence, a.sequence + 1);
  EXPECT_EQ(std::memcmp(a.steps, b.steps, sizeof(a.steps)), 0);
}

TEST(DriftRecord, EveryByteChangedIsCorruptAndChangesNothing) {
  Drifting d;
  const octet_drift_record good = d.Record({0, 3, -2});
  ASSERT_EQ(octet_drift_load(d.get(), &good).code, OCTET_OK);
  const std::vector<float> before = d.Run(1);
  for (size_t at = 0; at < OCTET_DRIFT_RECORD_BYTES; ++at) {
    octet_drift_record bad = good;
    bad.bytes[at] ^= 0x10;
    EXPECT_EQ(octet_drift_load(d.get(), &bad).code, OCTET_CORRUPT) << at;
  }
  EXPECT_EQ(d.Run(1), before);
}

TEST(DriftRecord, OfAnotherBlobOrWithWildScalesIsRefused) {
  Drifting d;
  const octet_drift_record good = d.Record({0, 3, -2});
  ASSERT_EQ(octet_drift_load(d.get(), &good).code, OCTET_OK);
  const std::vector<float> before = d.Run(1);
  drift::Record record;
  const auto with = [&](auto change) {
    std::memcpy(&record, good.bytes, sizeof(record));
    change();
    const octet_drift_record sealed = Drifting::Sealed(record);
    return octet_drift_load(d.get(), &sealed).code;
  };
  EXPECT_EQ(with([&] { record.digest[0] ^= 1; }), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(with([&] { record.version = 2; }), OCTET_CORRUPT);
  EXPECT_EQ(with([&] { record.steps[0] = 17; }), OCTET_MALFORMED);
  EXPECT_EQ(with([&] { record.steps[0] = -17; }), OCTET_MALFORMED);
  EXPECT_EQ(with([&] { record.steps[kDriftGroups] = 1; }), OCTET_MALFORMED);
  EXPECT_EQ(with([&] { --record.group_count; }), OCTET_MALFORMED);
  EXPECT_EQ(d.Run(1), before);
  EXPECT_EQ(with([&] { record.steps[0] = 16; }), OCTET_OK);
}

// One rule for all: at any steps, levels and threads give the reference's bytes.
TEST(DriftBits, AreTheSameAtEveryLevel) {
  for (int round = 0; round < 40; ++round) {
    std::vector<int8_t> steps;
    for (uint32_t g = 0; g < kDriftGroups; ++g) {
      steps.push_back(
          static_cast<int8_t>(static_cast<int>(round * 131 + g * g * 29 + g) % 33 - 16));
    }
    std::vector<float> expected;
    for (const octet_isa isa : RunnableLevels()) {
      for (const uint32_t threads : {1u, 3u}) {
        Drifting d(isa, threads);
        const octet_drift_record record = d.Record(steps);
        ASSERT_EQ(octet_drift_load(d.get(), &record).code, OCTET_OK) << round;
        const std::vector<float> y = d.Run(0.5f + 0.1f * static_cast<float>(round));
        if (expected.empty()) expected = y;
        EXPECT_EQ(y, expected) << octet_isa_name(isa) << " round " << round;
      }
    }
  }
}

// Scales that move by little say the same in other steps.
TEST(DriftBits, ValuesStayWhatTheyAre) {
  Drifting d;
  const std::vector<float> own = d.Run(1);
  const octet_drift_record wider = d.Record({2, 1, 2, 1, 2, 1, 2, 1, 2});
  ASSERT_EQ(octet_drift_load(d.get(), &wider).code, OCTET_OK);
  const std::vector<float> moved = d.Run(1);
  double difference = 0, power = 0;
  for (size_t i = 0; i < own.size(); ++i) {
    difference += (double{moved[i]} - double{own[i]}) * (double{moved[i]} - double{own[i]});
    power += double{own[i]} * double{own[i]};
  }
  EXPECT_GT(power, 1);
  EXPECT_LT(difference / power, 0.01) << "20 dB; a wrong factor is 9 % in every layer";
}

}  // namespace
}  // namespace octet::test
