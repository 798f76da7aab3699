// What light does to the whole picture, or smoothly over it, is no change.
#ifndef OCTET_MOTION_LIGHT_H_
#define OCTET_MOTION_LIGHT_H_

#include "runtime/motion/cut.h"
#include "runtime/motion/memory.h"

namespace octet {
namespace motion {

// Gain and offset of the whole picture.
struct Exposure {
  int64_t gain;    // 2^-16
  int64_t offset;  // q24
};

struct Light {
  Exposure exposure;
  Model model;
};

// What light did since the background. A cell is expected to be
//   gain * background + offset + place * background
// Gain and offset are of the whole picture (the exposure of the camera), by least squares over the
// cells that are seen and not near black or white. `place` is a gain of each place (clouds): the
// mean over the tiles around, interpolated between the middles of tiles. Clouds bend gain and
// offset, and an offset is no gain of places. So both models are tried, with gain and offset and
// without, and the one that leaves less of a quarter of the rows counts.
Light FitLight(const Parts& parts);

// What light adds at black and at white, without gains of places.
Ends EndsOf(const Light& light);

// parts.difference: what is not expected in a row of cells, q12.
void TakeLight(const Parts& parts, const Light& light, uint32_t row);

}  // namespace motion
}  // namespace octet

#endif  // OCTET_MOTION_LIGHT_H_
