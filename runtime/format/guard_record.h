// Content of SectionKind::kGuard; FORMAT.md, "Guard section".
#ifndef OCTET_FORMAT_GUARD_RECORD_H_
#define OCTET_FORMAT_GUARD_RECORD_H_

#include <stdint.h>

namespace octet {
namespace blob {

struct GuardRecord {  // 84 bytes, then zones_bytes of zero-terminated names of thermal zones
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
};
static_assert(sizeof(GuardRecord) == 84, "GuardRecord layout");

}  // namespace blob
}  // namespace octet

#endif  // OCTET_FORMAT_GUARD_RECORD_H_
