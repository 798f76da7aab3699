// Parameters of the operators that compute over chosen axes: products of matrices, reductions,
// normalizations, softmax. FORMAT.md is the specification.
#ifndef OCTET_FORMAT_AXES_PARAMS_H_
#define OCTET_FORMAT_AXES_PARAMS_H_

#include <stdint.h>

namespace octet {
namespace blob {

// C[b0][b1][b2][i][j] = sum over k of A[b0][b1][b2][i][k] B[b0][b1][b2][k][j]: A has `rows` and
// `depth`, B `depth` and `columns`; C is dense in this order. Strides count elements: of the three
// batch dimensions (0: broadcast), of rows, of columns of the operand. int8: acc = sum (qa - za)
// (qb - zb), depth <= kMaxMatMulDepthS8; q = clamp(Requantize(PreShift(acc), multiplier, shift) +
// zo). FP16: a sum in float by ascending k, each product rounded first.
constexpr uint32_t kMaxMatMulDepthS8 = (1u << 30) / (255 * 255);  // 2^30: limit of accumulators
struct MatMulParams {
  uint32_t rows, columns, depth;
  uint32_t batch[3];
  uint32_t a_strides[5], b_strides[5];
  int32_t multiplier, shift;
  int8_t clamp_lo, clamp_hi;
  uint8_t pre_shift;
  uint8_t reserved;
};

// A dense tensor under dims of its own (their product is its element count, outermost first), and
// which of them an operator runs over: bit d of `reduced` stands for dims[d].
constexpr uint32_t kMaxAxes = 6;
struct AxesView {
  uint32_t rank;  // 1 .. kMaxAxes
  uint32_t dims[kMaxAxes];
  uint32_t reduced;
};

// Most elements of an int8 group: 255 * count <= 2^30, the limit of accumulators, and count^2 *
// variance <= 2^44 * 2^16.
constexpr uint32_t kMaxGroupS8 = 1u << 22;

// One result for each index of the dimensions that are not reduced, in their order. int8 sum and
// mean: q = clamp(Requantize(PreShift(sum (q - zi)), multiplier, shift) + zo); max and min keep
// scale and zero point; others FP16 alone. Sums in float: kernels/reduce/walk.inl.h. Max and min:
// NaN where a value is NaN. kInt32 (precision kFp16): sum and product modulo 2^32, max, min, and
// the result of kArgMax and kArgMin, whose input is FP16 or kInt32.
enum class ReduceKind : uint8_t {
  kSum = 0,
  kMean = 1,
  kMax = 2,
  kMin = 3,
  kProd = 4,
  kL1 = 5,         // sum |x|
  kL2 = 6,         // sqrt(sum x^2)
  kSumSquare = 7,  // sum x^2
  kLogSum = 8,     // log(sum x)
  kLogSumExp = 9,  // log(sum exp(x - max)) + max
  kArgMax = 10,    // index along the one dimension that is reduced
  kArgMin = 11,
};
constexpr uint8_t kReduceKindCount = 12;
struct ReduceParams {
  AxesView view;
  ReduceKind kind;
  uint8_t select_last;  // kArgMax, kArgMin: of equal values the last, else the first
  uint8_t pre_shift;
  uint8_t reserved;
  int32_t multiplier, shift;
};

// y = (x - mean) / deviation * scale[a] + bias[a], a = the index over the dimensions in `affine`;
// layer.table is float scale[] then bias[], absent: 1 and 0. FP16: runtime/kernels/normalize. int8
// (kVariance and kMeanSquare): QUANTIZATION.md; layer.table is NormalizeChannelS8[].
enum class NormalizeKind : uint8_t {
  kVariance = 0,         // deviation = sqrt(variance + epsilon)
  kMeanSquare = 1,       // mean = 0, deviation = sqrt(mean square + epsilon)
  kVarianceThenAdd = 2,  // deviation = sqrt(variance) + epsilon
  kL1 = 3,               // mean = 0, deviation = sum |x| (0: the result is 0)
  kL2 = 4,               // mean = 0, deviation = sqrt(sum x^2) (0: the result is 0)
};
constexpr uint8_t kNormalizeKindCount = 5;
constexpr uint64_t kMaxEpsilonS8 = (uint64_t)1 << 60;
struct NormalizeParams {
  AxesView view;
  uint32_t affine;  // bit d stands for dims[d]
  NormalizeKind kind;
  uint8_t reserved[3];
  float epsilon;  // >= 0
  // int8: low and high half of epsilon * (count / scale_in)^2, >= 1. Where the channels of the
  // input have scales of their own layer.extra holds such a pair for each NormalizeChannelS8.
  uint32_t epsilon_q[2];
};
// y_q = clamp(((ratio * factor + offset + 2^(shift - 1)) >> shift) + zo).
struct NormalizeChannelS8 {
  uint32_t offset[2];  // int64, low half first
  int32_t factor;
  int32_t shift;  // 1 .. 62
};

// Sums along the middle of [outer][count][inner], in float from the first (reverse: last) on;
// exclusive leaves the own element out.
struct CumSumParams {
  uint32_t outer, count, inner;
  uint8_t exclusive, reverse;
  uint8_t reserved[2];
};

// y = x / (bias + alpha * sum of x^2 over the channels [c - before, c + after])^beta; the tensor is
// [outer][channels][inner]. FP16.
struct LrnParams {
  uint32_t outer, channels, inner;
  uint32_t before, after;
  float alpha, beta, bias;
};

// Along the middle of [outer][count][inner]. int8 (kSoftmax alone): as SoftmaxParams.
enum class SoftmaxKind : uint8_t {
  kSoftmax = 0,
  kLogSoftmax = 1,
  kHardmax = 2,  // 1 at the first maximum, else 0
};
struct AxisSoftmaxParams {
  uint32_t outer, count, inner;
  SoftmaxKind kind;
  uint8_t reserved[3];
};

static_assert(sizeof(ReduceParams) == 44, "ReduceParams layout");
static_assert(sizeof(NormalizeParams) == 52, "NormalizeParams layout");
static_assert(sizeof(NormalizeChannelS8) == 16, "NormalizeChannelS8 layout");
static_assert(sizeof(CumSumParams) == 16, "CumSumParams layout");
static_assert(sizeof(LrnParams) == 32, "LrnParams layout");
static_assert(sizeof(AxisSoftmaxParams) == 16, "AxisSoftmaxParams layout");
static_assert(sizeof(MatMulParams) == 76, "MatMulParams layout");

}  // namespace blob
}  // namespace octet

#endif  // OCTET_FORMAT_AXES_PARAMS_H_
