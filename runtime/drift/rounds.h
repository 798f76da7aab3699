// Rounds of recalibration: some frames tell new ranges, others judge them. Integers alone.
#ifndef OCTET_DRIFT_ROUNDS_H_
#define OCTET_DRIFT_ROUNDS_H_

#include "octet/drift.h"
#include "runtime/drift/section.h"

namespace octet {
namespace drift {

struct Rounds {
  uint32_t fit_frames, judge_frames, gain, fidelity_gain;
  uint32_t group_count;
  octet_drift_role role;
  uint32_t frames;              // of this role so far
  int64_t agreement, fidelity;  // what the candidate has more of, summed over judges
  uint32_t sequence;            // of records made
  int8_t current[blob::kMostDriftGroups];
  int8_t candidate[blob::kMostDriftGroups];
  uint16_t peak[blob::kMostDriftGroups];     // bits of the largest |half| of this frame
  int32_t sum[blob::kMostDriftGroups];       // of log2 of the peaks
  uint16_t counted[blob::kMostDriftGroups];  // frames with a peak
};

// With octet_drift_defaults.
void StartRounds(const Section& section, Rounds* rounds);
// config: checked.
void Configure(const octet_drift_config& config, Rounds* rounds);
void BeginRound(Rounds* rounds);

// Takes in a tensor of the observing plan.
void Observe(const Section& section, uint32_t tensor, const uint16_t* halves, uint64_t count,
             Rounds* rounds);

// Ends a frame of fitting. *over: it was the last one; true: and `candidate` differs from
// `current`.
bool EndFit(const Section& section, Rounds* rounds, bool* over);

// Ends a frame of judging. *over: it was the last one; true: and the candidate gained.
bool EndJudge(const octet_drift_answer& current, const octet_drift_answer& candidate,
              Rounds* rounds, bool* over);

}  // namespace drift
}  // namespace octet

#endif  // OCTET_DRIFT_ROUNDS_H_
