// Means of cells: the one pass over the pixels of a frame.
#ifndef OCTET_MOTION_CELLS_H_
#define OCTET_MOTION_CELLS_H_

#include "runtime/motion/memory.h"

namespace octet {
namespace motion {

// Its first plane, in which brightness is: of RGB the mean of the three, else Y.
bool IsFrameOf(const State& state, const octet_frame& frame);

// Pixels beyond these may be cut: 16 and 235 are black and white of video, and noise lies on them.
constexpr uint8_t kBlack = 24, kWhite = 231;

// parts.fresh[cell] = mean of its pixels, q8, rounded to nearest; an edge's cell has those it has.
// parts.cut[cell] = share of them that may be cut.
// Of RGB every fourth row counts. Sums: a column of 128 pixels of 255 is within 16 bits, a cell of
// 3 * 128 * 128 within 23.
void MeanCells(const Parts& parts, const octet_frame& frame);

}  // namespace motion
}  // namespace octet

#endif  // OCTET_MOTION_CELLS_H_
