// Parameters of the operators that work element by element or over windows (LayerRecord::params),
// and the functions they name. FORMAT.md is the specification; axes_params.h, move.h and resample.h
// have those of the others.
#ifndef OCTET_FORMAT_LAYER_PARAMS_H_
#define OCTET_FORMAT_LAYER_PARAMS_H_

#include <stdint.h>

namespace octet {
namespace blob {

// Functions of one variable, for FP16 layers (int8 ones are tables) and fused activations.
enum class Function : uint8_t {
  kIdentity = 0,
  kClamp = 1,      // min(max(x, alpha), beta); Relu is [0, +inf), Relu6 [0, 6]
  kLeakyRelu = 2,  // x < 0 ? alpha * x : x
  kSigmoid = 3,
  kSilu = 4,         // x * sigmoid(x)
  kHardSigmoid = 5,  // clamp(alpha * x + beta, 0, 1)
  kHardSwish = 6,    // x * clamp(x / 6 + 0.5, 0, 1)
  kTanh = 7,
  kExp = 8,
  kScale = 9,        // alpha * x + beta
  kReciprocal = 10,  // 1 / x
  kSqrt = 11,
  kLog = 12,
  kElu = 13,  // x < 0 ? alpha * (exp(x) - 1) : x
  kSoftplus = 14,
  kMish = 15,
  kGelu = 16,  // exact, with erf
  kAbs = 17,
  kNeg = 18,
  kPower = 19,  // pow(x, alpha)
  kErf = 20,
  kFloor = 21,
  kCeil = 22,
  kTable16 = 23,  // FP16 kUnary alone: layer.table is uint16 [65536], by the bits of x
};
constexpr uint8_t kFunctionCount = 23;  // of those that are computed
constexpr uint32_t kHalfTableEntries = 65536;

// Weights int8: [ceil(out_c / 16)][k_groups][16 outputs][4], k_groups = ceil(K / 4), where K runs
// over (kh, kw, c of the group) and both tails are zero. FP16: [ceil(out_c / 16)][K][16]. With
// groups > 1 output channel o reads input channels [g * in_c/groups, ...), g = o / (out_c/groups);
// a block of 16 outputs may span groups.
// Depthwise (groups == in_c == out_c): int8 and FP16 [ceil(c / 16)][kh * kw][16].
// Padding is by the zero point (int8) or 0 (FP16).
struct ConvParams {
  uint16_t kernel_h, kernel_w;
  uint16_t stride_h, stride_w;
  uint16_t dilation_h, dilation_w;
  uint16_t pad_top, pad_left, pad_bottom, pad_right;
  uint32_t groups;
  int8_t clamp_lo, clamp_hi;  // int8 output range (fused Relu, Relu6); -128, 127 when none
  uint8_t pre_shift;          // int8: see PreShift()
  Function function;          // FP16: fused activation; int8 uses clamp or `table`
  float alpha, beta;          // of `function`
  int8_t table_zero_point;    // int8 with `table`: zero point of the value the table maps
  uint8_t reserved[3];
};

// Broadcast of the second operand of Add, Mul, Div against the first (output has the first's
// shape).
enum class Broadcast : uint8_t {
  kNone = 0,     // same shape
  kChannel = 1,  // [1, 1, 1, c]
  kScalar = 2,   // one element
  kSpatial = 3,  // [1, h, w, 1]
};

// Add int8: q = clamp(((qa - za) * multiplier_a + (qb - zb) * multiplier_b + 2^(shift-1)) >> shift)
// + zo);
//   |multiplier_a|, |multiplier_b| < 2^15; shift in [1, 30].  Sub: multiplier_b < 0.
// Mul int8: q = clamp(Requantize(PreShift((qa - za) * (qb - zb)), multiplier_a, shift) + zo).
// Div int8: n = (qa - za) * multiplier_a (int64), d = (qb - zb) << shift, d != 0:
//   q = clamp(floor((2n + d) / 2d) + zo); d == 0: n > 0 ? clamp_hi : n < 0 ? clamp_lo : clamp(zo).
//   0 < multiplier_a < 2^31, shift in [0, 40].
// swap = 1 (Div only): the second operand is divided by the first.
// FP16: float arithmetic in the order written, then `function`. Sub is Add with negate_b = 1.
struct BinaryParams {
  int32_t multiplier_a, multiplier_b;
  int32_t shift;
  Broadcast broadcast;
  int8_t clamp_lo, clamp_hi;
  uint8_t pre_shift;
  Function function;
  uint8_t swap;
  uint8_t negate_b;
  uint8_t reserved0;
  float alpha, beta;
};

// int8: layer.table is int8 table[256] indexed by q + 128, or several of them: then layer.extra is
// uint8 index[c], the table of every channel. FP16: function (kTable16: layer.table). If the table
// is fused behind another layer (conv), it maps that layer's own int8 result.
struct UnaryParams {
  Function function;
  uint8_t reserved[3];
  float alpha, beta;
};

// Max: int8 input and output share scale and zero point; padding never wins.
// Average int8: acc = sum over the n valid elements of (q - zi); q =
// clamp(Requantize(PreShift(acc), m[n], s[n]) + zo). layer.table holds Multiplier[] : one entry if
// every window has the same n (no padding, or count_include_pad, n = kh*kw), else kh*kw entries
// indexed by n - 1.
struct PoolParams {
  uint16_t kernel_h, kernel_w;
  uint16_t stride_h, stride_w;
  uint16_t dilation_h, dilation_w;
  uint16_t pad_top, pad_left, pad_bottom, pad_right;
  uint8_t count_include_pad;
  int8_t clamp_lo, clamp_hi;
  uint8_t pre_shift;
  uint32_t multiplier_count;  // 1 or kh * kw
};

// Concat along one axis of [n, h, w, c]. int8: inputs with other scale or zero point than the
// output go through their own table: layer.table is int8 [input_count][256] (absent: all are
// copied).
struct ConcatParams {
  uint32_t axis;
};

// output[i0..i3] = input[begin + i * step]; step >= 1 (a negative ONNX step is converted to Slice +
// reversal only if supported by the importer). Same scale and zero point.
struct SliceParams {
  uint32_t begin[4];
  uint32_t step[4];
};

// Dense transpose of `rank` (<= 6) dims: output dim i is input dim perm[i]. dims are the input's.
struct TransposeParams {
  uint32_t rank;
  uint32_t dims[6];
  uint8_t perm[6];
  uint8_t reserved[2];
};

enum class PadMode : uint32_t { kConstant = 0, kReflect = 1, kEdge = 2 };
struct PadParams {
  uint32_t before[4], after[4];
  PadMode mode;
  int32_t value_q;  // int8 constant
  float value;      // FP16 constant
};

// Sampling positions are tables made by the converter, so that no float is needed:
// nearest: layer.extra = uint32 source row[out_h], column[out_w].
// linear: layer.extra = ResizeTap row[out_h], column[out_w]; weights of 11 bits:
//   v = sum over the 4 taps of q * wy * wx (wy, wx in [0, 2048], pairs sum to 2048);
//   q = (v + 2^21) >> 22. Same scale and zero point. FP16: float, weights / 2048.
struct ResizeTap {
  uint32_t low, high;  // source index of the two taps
  uint32_t weight_low, weight_high;
};
struct ResizeParams {
  uint32_t reserved;
};

// Over the last dim (c) of each (n,h,w) row. int8: t[d] = round(2^23 * exp(-scale_in * d)), d = max
// - q; layer.table is uint32 [256], t[0] = 2^23; N = 1 / output scale in steps of 2^-16, [1, 2^12];
// q = min(127, floor((2 N t + sum) / (2 sum)) + zo). c <= 2^16.
struct SoftmaxParams {
  uint32_t reserved;
};

// FP16 -> int8: q = clamp(floor(x * inverse_scale + 0.5) + zp); int8 -> FP16: scale * (q - zp), via
// float, one fixed order. NaN quantizes to the zero point.
struct ConvertParams {
  float inverse_scale;
};

// What kElementwise computes; elementwise.inc has the functions.
enum class Elementwise : uint8_t {
// NOLINTNEXTLINE(bugprone-macro-parentheses): an enumerator
#define OCTET_ELEMENTWISE(name, code, operands, result, half, integer, int8) k##name = code,
#include "runtime/format/elementwise.inc"
#undef OCTET_ELEMENTWISE
};
constexpr uint8_t kElementwiseCount = 33;
constexpr uint32_t kMaxElementwiseRank = 6;
constexpr uint32_t kMaxElementwiseOperands = 3;

// output[i] = function(operands[..]) over a view of `rank` dims, outermost first, whose product is
// the output's element count; the dims of the tensor records do not matter. Operand k is dense in
// the view with extent 1 in the dims of bits stretched[k] (bit d: dim d): each element there meets
// all of the output's. Types: operands and output FP16, or int32, or (int8 precision) int8; tests
// give int32; the first operand of Where is int32 (not 0: the second is taken, else the third).
// FP16: `activation` of the result in float; NaN is stored as 0x7E00. int8: QUANTIZATION.md, 13.
// int32 wraps modulo 2^32; a division or remainder by 0 is 0.
struct ElementwiseParams {
  Elementwise function;
  uint8_t rank;
  uint8_t stretched[kMaxElementwiseOperands];
  uint8_t pre_shift;
  int8_t clamp_lo, clamp_hi;
  uint32_t dims[kMaxElementwiseRank];
  int32_t multiplier_a, multiplier_b, shift;
  Function activation;
  uint8_t reserved[3];
  float alpha, beta;
};

// To int32: truncated towards zero, then clamped to [low, high]; NaN is 0; with `not_zero` x != 0
// instead (NaN is 1; low and high are 0 and 1). int32 to FP16: the nearest float, then the nearest
// half.
struct CastParams {
  int32_t low, high;
  uint32_t not_zero;
};

// layer.extra: the constant in the tensor's type (int8 values of the rule, FP16 bits, or int32).
struct ConstantParams {
  uint32_t reserved;
};

static_assert(sizeof(ConvParams) == 40, "ConvParams layout");
static_assert(sizeof(BinaryParams) == 28, "BinaryParams layout");
static_assert(sizeof(UnaryParams) == 12, "UnaryParams layout");
static_assert(sizeof(PoolParams) == 28, "PoolParams layout");
static_assert(sizeof(SliceParams) == 32, "SliceParams layout");
static_assert(sizeof(TransposeParams) == 36, "TransposeParams layout");
static_assert(sizeof(PadParams) == 44, "PadParams layout");
static_assert(sizeof(ResizeTap) == 16, "ResizeTap layout");
static_assert(sizeof(ElementwiseParams) == 56, "ElementwiseParams layout");
static_assert(sizeof(CastParams) == 12, "CastParams layout");

}  // namespace blob
}  // namespace octet

#endif  // OCTET_FORMAT_LAYER_PARAMS_H_
