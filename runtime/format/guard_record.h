// Content of SectionKind::kGuard; docs/guard.md, "In the blob".
#ifndef OCTET_FORMAT_GUARD_RECORD_H_
#define OCTET_FORMAT_GUARD_RECORD_H_

#include <stdint.h>

namespace octet {
namespace blob {

constexpr uint32_t kMostProbes = 16;

struct GuardRecord {  // 96 bytes, then zones_bytes of zero-terminated names of thermal zones
  uint32_t record_bytes;
  uint32_t home_plan;
  uint32_t trip_score, trip_frames;
  uint32_t return_score, return_frames;
  uint32_t dwell_ms, dwell_max_ms;
  uint32_t weights[3];
  uint32_t reference_score;
  uint32_t shadow_every;
  uint32_t policy;
  int32_t enter_mc, leave_mc, throttle_mc;
  uint32_t heat_dwell_ms, sensor_lost_ms, sensor_stuck_ms;
  uint32_t zones_bytes;
  uint32_t probe_count, probes_offset;  // ProbeRecord[] in the section
  uint32_t latency_budget_us;           // of the board; 0: none
};
static_assert(sizeof(GuardRecord) == 96, "GuardRecord layout");

// In ProbeRecord::layers: the model's first input, not a layer's output.
constexpr uint32_t kProbedInput = 0xFFFFFFFEu;

// A tensor to watch: a layer's output in every plan.
struct ProbeRecord {   // 40 bytes
  uint32_t name;       // string offset
  uint32_t baseline;   // of values at an end of the int8 range in calibration, per mille
  uint32_t layers[8];  // by plan
};
static_assert(sizeof(ProbeRecord) == 40, "ProbeRecord layout");

}  // namespace blob
}  // namespace octet

#endif  // OCTET_FORMAT_GUARD_RECORD_H_
