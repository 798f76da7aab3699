// Parameters of the operators that move, gather and select elements. Dims and strides are those of
// logical views of dense tensors, in elements; FORMAT.md has the rules.
#ifndef OCTET_FORMAT_MOVE_H_
#define OCTET_FORMAT_MOVE_H_

#include "runtime/format/blob.h"

namespace octet {
namespace blob {

// Output element (i[0], ..., i[rank - 1]) of a logical view of the output, dims[rank - 1]
// innermost, is input element base + sum of the axes' shares, or the fill value. The share of an
// axis is i[d] * stride[d]; where bit d of `indexed` is set it is entry i[d] of the axis's table
// instead, and kNone there fills. layer.extra holds the tables of the indexed axes, uint32 each, in
// the order of the axes (absent: none). Input and output are both of one type, scale and zero
// point. fill: the int8 value, the 16 bits of an FP16 value, or the int32 value, in the lowest
// bits.
constexpr uint32_t kMaxMoveRank = 6;
struct MoveParams {
  uint32_t rank;  // 1 to kMaxMoveRank
  uint32_t dims[kMaxMoveRank];
  int32_t stride[kMaxMoveRank];
  uint32_t base;
  uint32_t indexed;
  uint32_t fill;
};
static_assert(sizeof(MoveParams) == 64, "MoveParams layout");

// Indices are int32, of an axis of `n` elements: a negative one counts from the end (index + n),
// and what then lies outside [0, n) is the nearest one inside. Data and output are of one type,
// scale and zero point.

// Operands data [outer][axis][inner], indices [count]: output [outer][count][inner].
struct GatherParams {
  uint32_t outer, axis, inner, count;
};
static_assert(sizeof(GatherParams) == 16, "GatherParams layout");

// Operands data, indices: output and indices have dims[rank]; element (i[0], ...) is data element
// sum(i[d] * stride[d]) with the index in place of i[axis], an axis of axis_size elements.
struct GatherElementsParams {
  uint32_t rank;  // 1 to kMaxMoveRank
  uint32_t dims[kMaxMoveRank];
  uint32_t stride[kMaxMoveRank];
  uint32_t axis, axis_size;
};
static_assert(sizeof(GatherElementsParams) == 60, "GatherElementsParams layout");

// Operands data [batch][dims[0]]..[dims[depth - 1]][inner], indices [batch][count][depth]: output
// [batch][count][inner].
struct GatherNdParams {
  uint32_t batch, count, depth, inner;
  uint32_t dims[kMaxMoveRank];
};
static_assert(sizeof(GatherNdParams) == 40, "GatherNdParams layout");

// Operands data, indices, updates; the output is the data with every update taken in order. depth
// 0: updates and indices have dims[rank], places as GatherElements reads them. Otherwise data
// [dims[0]]..[dims[depth - 1]][inner], indices [count][depth], updates [count][inner].
// FP16 and int32. FP16 sums and products: float, rounded to half at every update; int32 ones wrap.
// kMin and kMax: the update where it is smaller, larger.
enum class ScatterReduction : uint32_t { kReplace = 0, kAdd = 1, kMul = 2, kMin = 3, kMax = 4 };
struct ScatterParams {
  ScatterReduction reduction;
  uint32_t depth;
  uint32_t rank;
  uint32_t dims[kMaxMoveRank];
  uint32_t stride[kMaxMoveRank];
  uint32_t axis, axis_size;
  uint32_t count, inner;
};
static_assert(sizeof(ScatterParams) == 76, "ScatterParams layout");

// Operand [outer][axis][inner]: output int32 [outer][k][inner], where along the axis the k largest
// (or smallest) elements stand, best first; of equal ones the earlier is the better, -0 equals 0
// and a NaN lies beyond the infinity of its sign.
struct TopKParams {
  uint32_t outer, axis, inner, k;
  uint32_t largest;  // 0 or 1
};
static_assert(sizeof(TopKParams) == 20, "TopKParams layout");

// Operands boxes FP16 [batch][boxes][4], scores FP16 [batch][classes][boxes]: output int32
// [batch * classes * min(most, boxes)][3]: batch, class and box of every box kept, batch by batch,
// class by class, best first; -1 in the rows behind the last. A box is kept where its score is
// above least_score and it overlaps no kept one of its class by more than most_overlap; of equal
// scores the earlier box is the better. A third operand, int32 [batch][boxes], labels the boxes:
// only those of one label are compared. Scratch: uint32 [boxes].
struct NonMaxSuppressionParams {
  uint32_t batch, classes, boxes, most;
  float most_overlap, least_score;  // least_score may be -infinity: none
  uint32_t centre;                  // 0: two corners (y, x, y, x); 1: centre and size (x, y, w, h)
};
static_assert(sizeof(NonMaxSuppressionParams) == 28, "NonMaxSuppressionParams layout");

}  // namespace blob
}  // namespace octet

#endif  // OCTET_FORMAT_MOVE_H_
