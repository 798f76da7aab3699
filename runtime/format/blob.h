// Byte layout of an Octet blob, format version 2: FORMAT.md is the specification, this file its
// transcription. Little-endian; no pointers; every record is naturally aligned, read in place.
#ifndef OCTET_FORMAT_BLOB_H_
#define OCTET_FORMAT_BLOB_H_

#include <stddef.h>
#include <stdint.h>

#include "runtime/format/layer_params.h"

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
  kFeatureStates = 1u << 7,         // the model has states (StateRecord)
  kFeatureText = 1u << 8,           // the decoder reads text
};
constexpr uint64_t kKnownRequiredFeatures = kFeatureFp16Plan | kFeatureChannelTables |
                                            kFeatureIntegers | kFeatureHalfScale | kFeatureOffsets |
                                            kFeatureClassNumbers | kFeatureStates | kFeatureText;

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
  // From 16 on each in a header of its own (product.h). FORMAT.md has all numbers.
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

enum class Task : uint32_t {
#define OCTET_TASK(number, Name, NAME, word) k##Name = (number),
#include "runtime/format/tasks.inc"
#undef OCTET_TASK
};
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
  uint32_t state_count, states_offset;     // StateRecord[]
  uint32_t reserved;
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

// kInt32 holds what the model computes with integers: indices, counts, and bool as 0 and 1. Layers
// on such tensors have precision kFp16 in every plan.
enum class ElementType : uint8_t { kInt8 = 1, kFp16 = 2, kInt32 = 3 };

// What the model keeps from frame to frame: an output that is the next frame's input. Neither is an
// input or output of the blob. Both are one tensor of the same type, dims and scale in every plan.
struct StateRecord {  // 64 bytes
  uint32_t name;      // of the input
  uint32_t output_name;
  uint32_t rank;
  uint32_t dims[kMaxRank];  // logical
  uint32_t initial;         // kNone: zeros; else in kTables, the bytes of the tensor at the start
  ElementType type;         // kFp16 or kInt32
  uint8_t reserved0[3];
  uint32_t reserved[3];
};
static_assert(sizeof(StateRecord) == 64, "StateRecord layout");

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
  uint32_t first_state;  // index into plan_io: state_count pairs (tensor read, tensor written)
  uint64_t macs;         // informative
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
  } params;  // a struct of layer_params.h, axes_params.h, move.h or resample.h
};
static_assert(sizeof(LayerRecord) == 144, "LayerRecord layout");

constexpr uint32_t kChannelBlock = 16;  // output channels of a block of weights

// Per-channel data of a block of int8 output channels (channel tail: zeros, shift 1).
// bias = round(bias_real / (scale_in * scale_w)) - zero_point_in * weight_sum. 16 bytes a channel.
struct ChannelBlockS8 {
  int32_t bias[kChannelBlock];
  int32_t weight_sum[kChannelBlock];  // sum of the channel's int8 weights
  int32_t multiplier[kChannelBlock];
  int32_t shift[kChannelBlock];
};
static_assert(sizeof(ChannelBlockS8) == 256, "ChannelBlockS8 layout");

constexpr uint32_t kNone = 0xFFFFFFFFu;  // "no such index / offset"

}  // namespace blob

using blob::kChannelBlock;
}  // namespace octet

#endif  // OCTET_FORMAT_BLOB_H_
