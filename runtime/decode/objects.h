// What belongs to a detection besides its box: key points, a mask. A candidate is named by its
// place among all (Candidate::order), from which its numbers are found again. Nothing is allocated.
#ifndef OCTET_DECODE_OBJECTS_H_
#define OCTET_DECODE_OBJECTS_H_

#include <stddef.h>
#include <stdint.h>

#include "runtime/decode/detect.h"

namespace octet {

struct KeyPoint {
  float x, y;   // pixels of the model's input
  float score;  // 1 where the model gives none
};

// False where there is no such candidate: the number comes from memory that callers hold.
bool FindCandidate(const DecodeInput& in, uint64_t order, uint32_t* level, Cell* cell);

// points[record.point_count]. x and y are placed as the centre of a box by the record's rule:
// plain v * unit, grid (cell + cell_offset + v) * stride, prior and offset from the cell's point.
void ReadKeyPoints(const DecodeInput& in, uint32_t level, const Cell& cell, KeyPoint* points);

// One prototype's grid over the whole input.
struct MaskGrid {
  uint32_t rows, columns;
};

// sums[rows * columns]: sum over k, in order, of coefficient k times prototype k.
void SumPrototypes(const DecodeInput& in, const MaskGrid& grid, uint32_t level, const Cell& cell,
                   float* sums);

// Whether a point of the input (in shares of its size, 0 to 1) belongs to the mask: the sum there,
// bilinear between the middles of the grid's cells, is above 0.
bool InMask(const float* sums, const MaskGrid& grid, float x, float y);

}  // namespace octet

#endif  // OCTET_DECODE_OBJECTS_H_
