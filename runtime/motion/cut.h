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

// black + (gain - 1) * 255 levels. gain: 2^-20, within 2^25.
static inline int32_t WhiteOf(int32_t black, int32_t gain) {
  const int32_t more = gain - (1 << 20);
  return black + more + (-more >> 8);  // more * 255 / 256
}

// The swing of light follows this frame as the background does. rate: of the background, 2^-16.
void FollowSwing(const Ends& light, uint32_t rate, State* state);

// Let a pixel that is cut at black follow light with any slope of 0 to 1. Its background is the
// mean of max(0, pixel + light). If it is cut now, it lacks all of a fall of light. If it is seen
// now, its background is too high by the mean of what light lacked: for light within a swing with a
// mean of 0 at most (light - low) * high / (high - low), which is convex between both ends. White
// is the mirror image.
class Cut {
 public:
  explicit Cut(const State& state)
      : black_(state.black), white_(Swing{-state.white.high, -state.white.low}) {}

  // Takes from the differences of cells, q12, what their pixels at an end explain. They are `count`
  // cells from `first` on, one of each kStep. black: what light adds there, q12; gain(i): of light
  // at the cell, 2^-20. All is within 32 bits and without branches, so that compilers do four cells
  // at a time.
  template <uint32_t kStep, typename Gain>
  void TakeFrom(const Parts& parts, uint32_t first, uint32_t count, int32_t black, Gain gain,
                int32_t* differences) const {
    const uint8_t* const cut = parts.cut + first;
    const uint8_t* const was_cut = parts.was_cut + first;
    const End at_black = black_, at_white = white_;  // so that no store changes them
    for (size_t i = 0; i < count; ++i) {
      const uint8_t is = cut[kStep * i], was = was_cut[kStep * i];
      const int32_t now = Widened(is), ever = Widened(is > was ? is : was);
      const Interval dark = at_black.At(black, now, ever);
      const Interval bright = at_white.At(-WhiteOf(black, gain(i)), now, ever);
      const int32_t least = dark.least < -bright.most ? dark.least : -bright.most;
      const int32_t most = dark.most > -bright.least ? dark.most : -bright.least;
      const int32_t above = differences[i] - most, below = differences[i] - least;
      differences[i] = above > 0 ? above : below < 0 ? below : 0;
    }
  }

 private:
  struct Interval {
    int32_t least, most;
  };
  struct End {
    int32_t low;    // of the swing
    int32_t slope;  // high / (high - low), 2^-8
    explicit End(const Swing& swing);
    Interval At(int32_t light, int32_t now, int32_t ever) const {
      light = light > kMostLight ? kMostLight : light < -kMostLight ? -kMostLight : light;
      const int32_t above = light > low ? light - low : 0, lacked = (above * slope) >> 8;
      const int32_t lacks = lacked > light ? lacked : light, falls = light < 0 ? -light : 0;
      return {-((lacks * ever) >> 8), (falls * now) >> 8};
    }
  };
  // Beyond 1024 levels, q12, light explains no more: products are within 2^31.
  static constexpr int32_t kMostLight = 1 << 22;

  // A share of pixels, of which noise may lift some over the end; 2^-8.
  static int32_t Widened(int32_t cut) {
    const int32_t share = cut + cut / 8 + 1;
    return cut == 0 ? 0 : share < 256 ? share : 256;
  }

  End black_, white_;
};

}  // namespace motion
}  // namespace octet

#endif  // OCTET_RUNTIME_MOTION_CUT_H_
