// Typed pointers into a blob. ViewBlob fills them after checking header, section table and model
// section; a plan's arrays come from ViewPlan. Nothing is copied.
#ifndef OCTET_FORMAT_VIEW_H_
#define OCTET_FORMAT_VIEW_H_

#include <stddef.h>
#include <stdint.h>

#include "runtime/core/status.h"
#include "runtime/format/blob.h"
#include "runtime/format/decode.h"

namespace octet {

// Bounds that keep the worst case of validation below a second (FORMAT.md, "Limits").
constexpr uint32_t kMaxInputs = 64;
constexpr uint32_t kMaxOutputs = 64;
constexpr uint32_t kMaxStates = 64;
constexpr uint32_t kMaxParts = 1024;
constexpr uint32_t kMaxLayers = 8192;       // of a plan
constexpr uint32_t kMaxTensors = 8192;      // of a plan
constexpr uint32_t kMaxLayerInputs = 1024;  // of a layer
constexpr uint64_t kMaxDataReuse =
    64;  // channel, table and extra bytes of a plan's layers per byte of file
constexpr uint64_t kMaxTensorBytes = 0x7FFFFFFF;
constexpr uint32_t kMaxPictureSize = 65535;  // height and width, of sources and of image inputs

// A section, or {nullptr, 0, 0} where the blob has none.
struct Bytes {
  const uint8_t* data;
  uint32_t bytes;
  uint32_t offset;  // in the blob, for error messages
};

struct BlobView {
  const uint8_t* base;
  const blob::Header* header;
  const blob::ModelRecord* model;
  const blob::InputRecord* inputs;
  const blob::OutputRecord* outputs;
  const blob::StateRecord* states;
  const blob::PlanRecord* plans;
  const uint32_t* plan_io;
  const blob::OutputPart* parts;
  Bytes model_section;
  Bytes weights_s8, weights_f16, layouts, tables, strings, labels, decode;
  Bytes plan_sections[blob::kMaxPlans];
};

struct PlanView {
  const blob::PlanRecord* record;
  const blob::PlanHeader* header;
  const blob::TensorRecord* tensors;
  const blob::LayerRecord* layers;
  const uint32_t* operands;
  uint32_t offset;  // of the plan section in the blob
};

// Checks header, section table and model section (without hashes) and fills the view.
// base: 64-byte aligned, `bytes` readable bytes.
Status ViewBlob(const void* base, size_t bytes, BlobView* view);
// Its first half: checks header and section table, reads nothing behind them, and fills in where
// the sections lie.
Status ViewSections(const void* base, size_t bytes, BlobView* view);
// The same of a blob of blob_bytes bytes of which only the first `bytes` are there yet. kTruncated:
// header and section table are not all there.
Status ViewHead(const void* base, size_t bytes, size_t blob_bytes, BlobView* view);

// The section of a kind that only some read, of which a blob may have one; {nullptr, 0, 0}: it has
// none. kMalformed: it has two.
Status FindSection(const BlobView& view, blob::SectionKind kind, Bytes* bytes);

// The plan's arrays; checks that they lie inside their section, nothing more.
Status ViewPlan(const BlobView& view, uint32_t plan, PlanView* plan_view);

// Section i of the table, whatever the size of an entry.
static inline const blob::Section* SectionAt(const blob::Header* header, uint32_t i) {
  return reinterpret_cast<const blob::Section*>(reinterpret_cast<const uint8_t*>(header) +
                                                header->section_table_offset +
                                                (size_t)i * header->section_entry_bytes);
}

static inline const char* StringAt(const BlobView& view, uint32_t offset) {
  return reinterpret_cast<const char*>(view.strings.data + offset);
}

static inline bool HasChannelTables(const blob::LayerRecord& layer) {
  return layer.op == blob::Op::kUnary && layer.precision == blob::Precision::kInt8 &&
         layer.extra.offset != blob::kNone;
}

// m of the layer's transformed weights (FORMAT.md, "Other layouts of weights"), 0 where it has
// none.
static inline uint8_t WinogradOf(const blob::LayerRecord& layer) {
  if (layer.op != blob::Op::kConv || layer.precision != blob::Precision::kInt8) return 0;
  if (layer.layout == blob::Layout::kWinograd2) return 2;
  return layer.layout == blob::Layout::kWinograd4 ? 4 : 0;
}

static inline bool AllowsHalfSums(const blob::LayerRecord& layer) {
  return layer.arithmetic == blob::Arithmetic::kHalf;
}

// FP16 convolutions whose only weights are transformed (FORMAT.md, "FP16 arithmetic").
static inline bool IsWinogradF16(const blob::LayerRecord& layer) {
  return layer.arithmetic == blob::Arithmetic::kWinograd;
}

// Of a blob whose `decode` section is there and has been checked.
static inline const blob::DecodeRecord& DecodeOf(const BlobView& view) {
  return *reinterpret_cast<const blob::DecodeRecord*>(view.decode.data);
}
static inline const blob::DecodeLevel* DecodeLevels(const BlobView& view) {
  return reinterpret_cast<const blob::DecodeLevel*>(view.decode.data +
                                                    DecodeOf(view).levels_offset);
}
static inline const blob::DecodeAnchor* DecodeAnchors(const BlobView& view) {
  return reinterpret_cast<const blob::DecodeAnchor*>(view.decode.data +
                                                     DecodeOf(view).anchors_offset);
}
// One a level, where the record has key points or masks.
static inline const blob::DecodeExtra* DecodeExtras(const BlobView& view) {
  return reinterpret_cast<const blob::DecodeExtra*>(view.decode.data +
                                                    DecodeOf(view).extras_offset);
}

// Tensor number of model input i in a plan.
static inline uint32_t PlanInputTensor(const BlobView& view, const blob::PlanRecord& plan,
                                       uint32_t input) {
  return view.plan_io[plan.first_input + input];
}

// What is added to the floats of an output part: values[i % count] to element i of its tensor.
// count 0: nothing.
struct PartOffsets {
  uint32_t count;
  const float* values;
};
// Of a blob that has been checked.
static inline PartOffsets OffsetsOf(const BlobView& view, const blob::OutputPart& part) {
  if (part.offsets == 0) return PartOffsets{0, nullptr};
  const auto* words = reinterpret_cast<const uint32_t*>(view.model_section.data + part.offsets);
  return PartOffsets{words[0], reinterpret_cast<const float*>(words + 1)};
}

// Tensor numbers of a state in a plan: what a frame reads, and what it leaves for the next one.
struct StateTensors {
  uint32_t read, written;
};
static inline StateTensors PlanStateTensors(const BlobView& view, const blob::PlanRecord& plan,
                                            uint32_t state) {
  const uint32_t* pair = view.plan_io + plan.first_state + (size_t)2 * state;
  return StateTensors{pair[0], pair[1]};
}

// Of a blob that has been checked.
static inline uint64_t StateBytes(const blob::StateRecord& state) {
  uint64_t bytes = state.type == blob::ElementType::kInt32 ? 4 : 2;
  for (uint32_t d = 0; d < state.rank; ++d) bytes *= state.dims[d];
  return bytes;
}

struct PartRange {
  uint32_t first, count;
};
static inline PartRange PlanOutputParts(const BlobView& view, const blob::PlanRecord& plan,
                                        uint32_t output) {
  const uint32_t* pair = view.plan_io + plan.first_range + (size_t)2 * output;
  return PartRange{pair[0], pair[1]};
}

}  // namespace octet

#endif  // OCTET_FORMAT_VIEW_H_
