// Rounds of recalibration: some frames tell new ranges, others judge them. Integers alone.
#ifndef OCTET_DRIFT_ROUNDS_H_
#define OCTET_DRIFT_ROUNDS_H_

#include "octet/drift.h"
#include "runtime/drift/section.h"

namespace octet {
namespace drift {

// Bits of the largest |half| of a frame, by group: measured by one run, and no state.
struct Peaks {
  uint16_t of[blob::kMostDriftGroups];
};

// What lives from frame to frame.
struct Rounds {
  uint32_t fit_frames, judge_frames, gain, fidelity_gain;
  uint32_t group_count;
  octet_drift_role role;
  octet_drift_scales scales;    // that run
  uint32_t frames;              // of this role so far
  int64_t agreement, fidelity;  // what the candidate has more of, summed over judges
  uint32_t sequence;            // of records made
  int8_t current[blob::kMostDriftGroups];
  int8_t candidate[blob::kMostDriftGroups];
  int32_t sum[blob::kMostDriftGroups];       // of log2 of the peaks
  uint16_t counted[blob::kMostDriftGroups];  // frames with a peak
};

// With octet_drift_defaults.
void StartRounds(const Section& section, Rounds* rounds);
// The bounds of octet_drift_config: sums of logarithms and of agreements stay far within 32 bits.
// Of any struct that has its fields.
template <typename Config>
static inline bool IsConfig(const Config& config) {
  constexpr uint32_t kMostFrames = 1000, kMostFidelity = 25600;
  return config.fit_frames != 0 && config.fit_frames <= kMostFrames && config.judge_frames != 0 &&
         config.judge_frames <= kMostFrames && config.gain <= 1000 &&
         config.fidelity_gain <= kMostFidelity;
}
// config: IsConfig.
void Configure(const octet_drift_config& config, Rounds* rounds);
void BeginRound(Rounds* rounds);

static inline const int8_t* WantedSteps(const Rounds& rounds) {
  return rounds.scales == OCTET_DRIFT_CANDIDATE ? rounds.candidate : rounds.current;
}

// Takes in a tensor of the observing plan.
void Observe(const Section& section, uint32_t tensor, const uint16_t* halves, uint64_t count,
             Peaks* peaks);

// Ends a frame of fitting. *over: it was the last one; true: and `candidate` differs from
// `current`.
bool EndFit(const Section& section, const Peaks& peaks, Rounds* rounds, bool* over);

// Ends a frame of judging. *over: it was the last one; true: and the candidate gained.
bool EndJudge(const octet_drift_answer& current, const octet_drift_answer& candidate,
              Rounds* rounds, bool* over);

}  // namespace drift
}  // namespace octet

#endif  // OCTET_DRIFT_ROUNDS_H_
