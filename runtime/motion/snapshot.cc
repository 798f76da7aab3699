// octet_motion_get and octet_motion_set. A copy has the order of the memory, without what lives for
// one frame.
#include <string.h>

#include "octet/motion.h"
#include "runtime/core/bytes.h"
#include "runtime/motion/change.h"
#include "runtime/motion/cut.h"
#include "runtime/motion/memory.h"

namespace octet {
namespace motion {
namespace {

// Of the state: what the configuration says stands before what frames change.
bool IsOfSameConfig(const State& a, const State& b) {
  return SameBytes(reinterpret_cast<const uint8_t*>(&a), reinterpret_cast<const uint8_t*>(&b),
                   offsetof(State, last_us));
}

bool IsSound(const Swing& swing) {
  return swing.low >= -kMostSwing && swing.low <= 0 && swing.high >= 0 && swing.high <= kMostSwing;
}

bool IsSoundState(const State& s) {
  return s.wanted_us <= s.last_us && s.frame_count <= kMostCount && s.age <= kMostCount &&
         s.step_us >= 1000 && s.step_us <= 1000000 && s.turn < kTurns && s.is_started <= 1 &&
         s.difference2 <= kMostDifference2 && s.floor <= kMostFloor && s.coded <= kMostCoded &&
         s.is_local <= 1 && IsSound(s.black) && IsSound(s.white) &&
         (s.is_started == 1) == (s.age != 0);
}

}  // namespace
}  // namespace motion
}  // namespace octet

octet_status octet_motion_get(const octet_motion* motion, void* memory, size_t bytes) {
  using namespace octet::motion;
  if (motion == nullptr || memory == nullptr) return {OCTET_INVALID_ARGUMENT, 0};
  const Parts parts(const_cast<octet_motion*>(motion));  // nothing is written through it
  if (bytes != parts.bytes) return {OCTET_INVALID_ARGUMENT, 0};
  memcpy(memory, motion, parts.snapshot_bytes);
  memset(static_cast<uint8_t*>(memory) + parts.snapshot_bytes, 0, bytes - parts.snapshot_bytes);
  return {OCTET_OK, 0};
}

octet_status octet_motion_set(octet_motion* motion, const void* memory, size_t bytes) {
  using namespace octet::motion;
  if (motion == nullptr || memory == nullptr) return {OCTET_INVALID_ARGUMENT, 0};
  const Parts parts(motion);
  if (bytes != parts.bytes) return {OCTET_INVALID_ARGUMENT, 0};
  const auto* copy = static_cast<const uint8_t*>(memory);
  const auto* own = reinterpret_cast<const uint8_t*>(motion);
  State state;
  memcpy(&state, copy, sizeof(state));
  const size_t cells = (size_t)parts.state->columns * parts.state->rows;
  const auto offset_of = [&](const void* part) {
    return (size_t)(static_cast<const uint8_t*>(part) - own);
  };
  if (!IsOfSameConfig(state, *parts.state) ||
      !octet::SameBytes(copy + offset_of(parts.is_seen), parts.is_seen, cells)) {
    return {OCTET_INVALID_ARGUMENT, 0};
  }
  if (!IsSoundState(state)) return {OCTET_CORRUPT, 0};
  for (size_t i = 0; i < cells && state.is_started != 0; ++i) {
    const auto word = [&](const void* part) {
      uint32_t value;
      memcpy(&value, copy + offset_of(part) + i * sizeof(value), sizeof(value));
      return value;
    };
    uint16_t mean;
    memcpy(&mean, copy + offset_of(parts.mean) + i * sizeof(mean), sizeof(mean));
    const auto change = (int32_t)word(parts.change);
    const uint32_t weight = word(parts.weight);
    if (word(parts.background) > kMostMean << 8 || change > kMostChange || change < -kMostChange ||
        word(parts.variance) < kLeastVariance || weight < kLeastWeight || weight > kMostWeight ||
        mean > kMostMean || copy[offset_of(parts.is_changed) + i] > 1) {
      return {OCTET_CORRUPT, 0};
    }
  }
  memcpy(static_cast<void*>(motion), memory, parts.snapshot_bytes);
  return {OCTET_OK, 0};
}
