// Byte layout of an Octet blob, format version 2: FORMAT.md is the specification, this file its
// transcription. Little-endian; no pointers; every record is naturally aligned, read in place.
#ifndef OCTET_FORMAT_BLOB_H_
#define OCTET_FORMAT_BLOB_H_

#include <stddef.h>
#include <stdint.h>

namespace octet {
namespace blob {

constexpr uint8_t kMagic[8] = {0x89, 'O', 'C', 'T', '\r', '\n', 0x1A, '\n'};
constexpr uint16_t kVersionMajor = 2;
constexpr uint16_t kVersionMinor = 0;
constexpr uint32_t kSmallestSectionAlignment = 64;   // Header::section_alignment: for flash
constexpr uint32_t kLargestSectionAlignment = 4096;  // for files that are mapped
constexpr uint32_t kDataAlignment = 64;    // offset of weights and channel blocks in a section
constexpr uint32_t kTensorAlignment = 16;  // arena offset of every tensor
constexpr uint32_t kMaxSections = 32;
constexpr uint32_t kMaxPlans = 8;
constexpr uint32_t kMaxRank = 8;

// Unknown required bits are refused, unknown optional ones ignored.
enum RequiredFeature : uint64_t {
  kFeatureFp16Plan = 1u << 0,       // at least one layer computes in FP16
  kFeatureChannelTables = 1u << 2,  // at least one int8 kUnary has a table index a channel
  kFeatureIntegers = 1u << 3,       // at least one tensor is kInt32
  kFeatureHalfScale = 1u << 4,      // at least one FP16 tensor has a scale other than 1
  kFeatureOffsets = 1u << 5,        // at least one output part has offsets
  kFeatureClassNumbers = 1u << 6,   // the decoder reads classes of form kNumber
};
constexpr uint64_t kKnownRequiredFeatures = kFeatureFp16Plan | kFeatureChannelTables |
                                            kFeatureIntegers | kFeatureHalfScale | kFeatureOffsets |
                                            kFeatureClassNumbers;

struct Header {  // 128 bytes at offset 0
  uint8_t magic[8];
  uint16_t version_major;
  uint16_t version_minor;
  uint32_t header_bytes;  // 128 here; a later minor version may grow it
  uint32_t file_bytes;
  uint32_t section_count;
  uint32_t section_table_offset;  // right behind the header
  uint32_t section_entry_bytes;   // 64 here
  uint64_t required_features;
  uint64_t optional_features;
  uint64_t security_counter;  // monotonic, 0 when unused
  uint8_t board[24];          // compatible string, zero padded; all zero: any board
  uint32_t section_alignment;
  uint8_t reserved[12];  // zero
  uint8_t sha256[32];    // of header + section table; FORMAT.md, "Hashes"
};
static_assert(sizeof(Header) == 128, "Header layout");

enum class SectionKind : uint32_t {
  kModel = 1,       // ModelRecord, inputs, outputs, output parts, plan directory
  kPlan = 2,        // one a plan, `index` = plan number
  kWeightsS8 = 3,   // int8 weights and their channel blocks
  kWeightsF16 = 4,  // FP16 weights and their biases; need not be resident until an FP16 layer runs
  kTables = 5,      // 256-entry tables, resize tables, constants
  kStrings = 6,     // zero-terminated UTF-8, names of model, layers and tensors; offset 0 is ""
  kLabels = 7,      // zero-terminated UTF-8 class labels, in order
  kReport = 8,      // free-form JSON for the inspector, never read by the runtime
  kLayouts = 9,     // weights in other layouts (Layout), beside kWeightsS8 and kWeightsF16
  kDecode = 10,     // what the outputs mean (decode.h)
  kSignature = 11,  // signature.h
  kGolden = 12,     // golden.h
  kGuard = 13,      // when which plan runs (guard_record.h)
  kDrift = 14,      // whose scales may move (drift_record.h)
  kTemporal = 15,   // filters from frame to frame (temporal_record.h)
};

struct Section {  // 64 bytes
  SectionKind kind;
  uint32_t index;   // plan number for kPlan, else 0
  uint32_t offset;  // from the start of the file, right behind the section before it
  uint32_t bytes;   // without padding
  uint32_t flags;   // zero
  uint32_t reserved[3];
  uint8_t sha256[32];  // of `bytes` bytes at `offset`
};
static_assert(sizeof(Section) == 64, "Section layout");
// --- SectionKind::kModel -----------------------------------------------------------------------

enum class Task : uint32_t { kNone = 0, kClassify = 1, kDetect = 2, kSegment = 3 };
enum class ColourOrder : uint8_t { kRgb = 0, kBgr = 1 };
enum class ResizeMode : uint8_t { kStretch = 0, kLetterbox = 1, kCrop = 2 };

// At offset 0 of the model section; the arrays follow at the offsets given (within the section).
struct ModelRecord {  // 64 bytes
  uint32_t name;      // string offset
  Task task;
  uint32_t input_count, inputs_offset;     // InputRecord[]
  uint32_t output_count, outputs_offset;   // OutputRecord[]
  uint32_t plan_count, plans_offset;       // PlanRecord[]; plan 0 is the default
  uint32_t plan_io_count, plan_io_offset;  // PlanInput[] / see below
  uint32_t part_count, parts_offset;       // OutputPart[]
  uint32_t label_count;                    // strings in kLabels
  uint32_t reserved[3];
};
static_assert(sizeof(ModelRecord) == 64, "ModelRecord layout");

// A model input. Float data comes in the model's own logical layout (`rank`, `dims`); image data
// comes as uint8 [H, W, C] and goes through the preprocessing here when `is_image` is 1 (then the
// tensor is [1, H, W, C], C in {1, 3}).
struct InputRecord {  // 128 bytes
  uint32_t name;
  uint32_t rank;
  uint32_t dims[kMaxRank];  // logical, dims[0] is the batch, pinned
  uint32_t strides[4];      // element (n,h,w,c) of the tensor is float source[sum(index * stride)]
  uint32_t is_image;
  ColourOrder colour;  // order of channels in the model; files are RGB
  ResizeMode resize;
  uint8_t letterbox_value;  // grey of the bars, 0..255
  uint8_t reserved0;
  float scale;  // value = (x * scale - mean[c]) / std_dev[c]; model channel order
  float mean[3];
  float std_dev[3];
  uint32_t reserved[9];
};
static_assert(sizeof(InputRecord) == 128, "InputRecord layout");

// A model output: float, logical row-major layout, assembled from parts (at least one).
struct OutputRecord {  // 64 bytes
  uint32_t name;
  uint32_t rank;
  uint32_t dims[kMaxRank];
  uint32_t element_count;  // product of dims
  uint32_t reserved[5];
};
static_assert(sizeof(OutputRecord) == 64, "OutputRecord layout");

// One arena tensor that fills a strided box of an output: element (n,h,w,c) of the tensor is
// dequantized to output[base + n*strides[0] + h*strides[1] + w*strides[2] + c*strides[3]].
// The boxes of an output tile it exactly: their element counts add up to element_count.
struct OutputPart {  // 32 bytes
  uint32_t tensor;   // in the plan
  uint32_t base;
  uint32_t strides[4];
  uint32_t function;  // Function applied in float to the dequantized value: kIdentity, kSigmoid,
                      // kTanh or kExp
  uint32_t offsets;   // 0: none, else where in the model section they lie: u32 count, f32[count];
                      // element i of the dense tensor gets number i mod count added, in float
};
static_assert(sizeof(OutputPart) == 32, "OutputPart layout");

enum class Precision : uint8_t { kInt8 = 0, kFp16 = 1 };

struct PlanRecord {     // 128 bytes
  uint32_t name;        // "int8", "fp16", "mixed", ...
  Precision precision;  // of most layers
  uint8_t reserved0[3];
  uint32_t arena_bytes;  // tensors of the plan, without scratch and records
  uint32_t first_input;  // index into plan_io: input_count tensor numbers
  uint32_t first_range;  // index into plan_io: output_count pairs (first part, part count)
  uint32_t layer_count;  // repeated from the plan section
  uint32_t tensor_count;
  uint32_t reserved1;
  uint64_t macs;  // informative
  uint32_t reserved2[6];
};
static_assert(sizeof(PlanRecord) == 64, "PlanRecord layout");

// --- SectionKind::kPlan ------------------------------------------------------------------------

struct PlanHeader {                         // 32 bytes at offset 0 of the plan section
  uint32_t tensor_count, tensors_offset;    // TensorRecord[]
  uint32_t layer_count, layers_offset;      // LayerRecord[], in execution order
  uint32_t operand_count, operands_offset;  // uint32 tensor numbers
  uint32_t reserved[2];
};
static_assert(sizeof(PlanHeader) == 32, "PlanHeader layout");

// kInt32 holds what the model computes with integers: indices, counts, and bool as 0 and 1. Layers
// on such tensors have precision kFp16 in every plan.
enum class ElementType : uint8_t { kInt8 = 1, kFp16 = 2, kInt32 = 3 };

// An activation in the arena: dense [n, h, w, c], row-major. Tensors of lower rank have leading 1s.
struct TensorRecord {  // 48 bytes
  uint32_t name;
  ElementType type;
  int8_t zero_point;    // real = scale * (q - zero_point); 0 for FP16 and int32
  uint8_t per_channel;  // 1: channels have scales of their own, scale is the largest (informative)
  uint8_t reserved0;
  float scale;  // finite, > 0; 1 for FP16 and int32
  uint32_t dims[4];
  uint32_t arena_offset;  // multiple of kTensorAlignment
  uint32_t bytes;         // product of dims * element size
  uint32_t first_layer;   // layer that writes it; kNone for a model input
  uint32_t last_layer;    // last layer that reads it; layer_count for a model output;
                          // first_layer (0 for a model input) when nobody reads it
  uint32_t reserved1;
};
static_assert(sizeof(TensorRecord) == 48, "TensorRecord layout");

// "s8" and "f16" tell by the tensors' types.
enum class Op : uint16_t {
#define OCTET_OPERATOR(code, Name, ...) k##Name = (code),
#include "runtime/format/operators.inc"
#undef OCTET_OPERATOR
};
constexpr uint16_t kFirstPluginOp = 0x8000;  // from here on: operators of others (kernels/plugin.h)

// May a layer write its output over its dying first operand?
constexpr bool kInPlace = true, kApart = false;
constexpr bool WorksInPlace(Op op) {
  switch (op) {
#define OCTET_OPERATOR(code, Name, word, int8, place, ...) \
  case Op::k##Name:                                        \
    return place;
#include "runtime/format/operators.inc"
#undef OCTET_OPERATOR
  }
  return false;  // nobody's, or of others
}

// A run of bytes in a data section. offset == kNone: absent (then bytes == 0).
struct DataRef {
  uint32_t offset;
  uint32_t bytes;
};

// How a convolution's weights stand in `extra` of section kLayouts, besides `weights`. Winograd:
// int8 kConv of 3x3, stride 1, dilation 1, one group, in_c % 8 == 0, for output tiles of m = 2, 4:
// int16 U[(m + 2)^2][ceil(out_c / 16)][in_c][16].
enum class Layout : uint8_t { kNone = 0, kWinograd2 = 1, kWinograd4 = 2 };

// How an FP16 convolution adds. kFloat: products and sums as floats, one rounding at the end: the
// same bits from every level. The others in whole FP16 plans that ask for them. kHalf: levels that
// compute in FP16 may, within FORMAT.md's bounds; others add as floats. kWinograd: `weights` are
// transformed, and every level gives the same bits, near those of kFloat.
enum class Arithmetic : uint8_t { kFloat = 0, kHalf = 1, kWinograd = 2 };

struct LayerRecord {  // 144 bytes
  Op op;
  Precision precision;  // of the computation
  Layout layout;        // of `extra`, where it lies in kLayouts
  uint32_t name;
  uint32_t first_operand;  // input tensor numbers: operands[first_operand .. + input_count)
  uint32_t input_count;
  uint32_t output;  // tensor number; every layer writes exactly one tensor
  Arithmetic arithmetic;
  uint8_t reserved1[3];
  uint64_t macs;
  DataRef weights;   // kWeightsS8 or kWeightsF16, by precision
  DataRef channels;  // ChannelBlockS8[] or float bias[], same section
  DataRef table;     // kTables: of the fused activation, of kUnary, ...
  DataRef extra;     // kTables: operator specific; with a layout: kLayouts
  union {
    int32_t words[20];
    uint8_t bytes[80];
  } params;  // one of the structs below, or of the files beside this one
};
static_assert(sizeof(LayerRecord) == 144, "LayerRecord layout");

// Per-channel data of 16 int8 output channels (channel tail: zeros, shift 1).
// bias = round(bias_real / (scale_in * scale_w)) - zero_point_in * weight_sum. 16 bytes a channel.
struct ChannelBlockS8 {
  int32_t bias[16];
  int32_t weight_sum[16];  // sum of the channel's int8 weights
  int32_t multiplier[16];
  int32_t shift[16];
};
static_assert(sizeof(ChannelBlockS8) == 256, "ChannelBlockS8 layout");

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

constexpr uint32_t kNone = 0xFFFFFFFFu;  // "no such index / offset"

}  // namespace blob
}  // namespace octet

#endif  // OCTET_FORMAT_BLOB_H_
