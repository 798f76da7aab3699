// Pixels that the sensor cuts at black or white follow no light, so they say nothing of a motion
// that light alone may have made.
#ifndef OCTET_RUNTIME_MOTION_CUT_H_
#define OCTET_RUNTIME_MOTION_CUT_H_

#include "runtime/motion/memory.h"

namespace octet {
namespace motion {

// Bound of `Swing`: 512 levels, q12.
constexpr int32_t kMostSwing = 1 << 21;

// Share of the cell's pixels that are at an end, or were in the last seconds; 2^-8.
static inline uint32_t CutOf(const Parts& parts, uint32_t cell) {
  return parts.cut[cell] > parts.was_cut[cell] ? parts.cut[cell] : parts.was_cut[cell];
}

// In light that swings less, by 1/16 level, what is cut is as still as the rest; q12.
constexpr int32_t kLeastSwing = 256;

// Whether any cell of the row has a share of them, and light swings.
static inline bool HasCut(const Parts& parts, uint32_t row) {
  const State& state = *parts.state;
  if (state.black.high - state.black.low < kLeastSwing &&
      state.white.high - state.white.low < kLeastSwing) {
    return false;
  }
  const uint32_t columns = parts.state->columns;
  uint8_t any = 0;
  for (uint32_t i = row * columns; i < (row + 1) * columns; ++i) {
    any = (uint8_t)(any | parts.cut[i] | parts.was_cut[i]);
  }
  return any != 0;
}

// What light adds to a pixel at black and at white, from the mean of the last seconds; q12.
struct Ends {
  int32_t black, white;
};

// The swing of light follows this frame as the background does. rate: of the background, 2^-16.
void FollowSwing(const Ends& light, uint32_t rate, State* state);

// Let a pixel that is cut at black follow light with any slope of 0 to 1. Its background is the
// mean of max(0, pixel + light). If it is cut now, it lacks all of a fall of light. If it is seen
// now, its background is too high by the mean of what light lacked: for light within a swing with a
// mean of 0 at most (light - low) * high / (high - low), which is convex between both ends. White
// is the mirror image.
class Cut {
 public:
  explicit Cut(const State& state);
  // The difference of the cell, q12, without what its pixels at an end explain.
  int32_t Without(const Parts& parts, uint32_t cell, const Ends& light, int32_t difference) const;

 private:
  struct Interval {
    int32_t least, most;
  };
  struct End {
    int32_t low;    // of the swing
    int32_t slope;  // high / (high - low), 2^-8
    explicit End(const Swing& swing);
    Interval At(int32_t light, int32_t now, int32_t ever) const;
  };
  End black_, white_;
};

}  // namespace motion
}  // namespace octet

#endif  // OCTET_RUNTIME_MOTION_CUT_H_
