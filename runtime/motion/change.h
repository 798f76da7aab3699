// From differences in the background's light to what has changed.
#ifndef OCTET_MOTION_CHANGE_H_
#define OCTET_MOTION_CHANGE_H_

#include "runtime/motion/memory.h"

namespace octet {
namespace motion {

// docs/motion.md derives these.
constexpr uint32_t kSmoothUs = 200 * 1000;            // of `change`
constexpr uint32_t kBackgroundUs = 10 * 1000 * 1000;  // of `background`
constexpr uint32_t kNoiseUs = 20 * 1000 * 1000;       // of `variance`
constexpr uint32_t kTurns = 8;  // frames in which the noise of all cells is learned
// Of `variance`: 1/32 level, below the rounding of a cell's 64 pixels.
constexpr uint32_t kLeastVariance = 128 * 128;
constexpr uint32_t kLightShift = 6;        // a share of light that no model explains: 1/64
constexpr uint32_t kMostCoded = 9u << 22;  // of `coded`: 1.5 levels

// Bounds that hold after every frame.
constexpr int32_t kMostChange = (1 << 16) - 1;  // 16 levels, so that its square is within 32 bits
constexpr uint32_t kMostMean = 255 << 8;
constexpr uint32_t kMostWeight = (uint32_t)(((uint64_t)1 << 36) / kLeastVariance),
                   kLeastWeight = 16;
constexpr uint32_t kMostCount = 1u << 16;  // of frames
constexpr uint32_t kMostDifference2 =
    2047u * 2047u;  // a step from frame to frame counts as 8 levels
constexpr uint32_t kMostFloor = kMostDifference2 << 4;

struct Found {
  uint32_t changed_cells;
  uint32_t far_cells;       // beyond three standard deviations
  uint64_t strength;        // of the strongest window; 65536 is its threshold
  uint32_t x0, y0, x1, y1;  // cells; x1 = 0: nothing
};

// The first frame, or the background is taken anew from this one.
void TakeBackground(const Parts& parts);
// Background and light follow the frame; `energy` and what windows of it have changed.
void FindChange(const Parts& parts, Found* found);
// Noise, of the rows whose turn it is.
void LearnNoise(const Parts& parts);

}  // namespace motion
}  // namespace octet

#endif  // OCTET_MOTION_CHANGE_H_
