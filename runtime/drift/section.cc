#include "runtime/drift/section.h"

#include "runtime/core/checked.h"
#include "runtime/drift/bank.h"
#include "runtime/format/move.h"

namespace octet {
namespace drift {
namespace {

using blob::DriftGroup;
using blob::DriftLayer;
using blob::DriftRecord;
using blob::LayerRecord;
using blob::Op;
using blob::TensorRecord;

template <typename Params>
const Params& ParamsOf(const LayerRecord& layer) {
  return *reinterpret_cast<const Params*>(layer.params.bytes);
}

bool IsInt8(const TensorRecord& tensor) {
  return tensor.type == blob::ElementType::kInt8;
}

// An array of the section: where it says it is, aligned, and inside.
template <typename T>
bool Find(const Bytes& bytes, uint32_t offset, uint32_t count, const T** array) {
  *array = reinterpret_cast<const T*>(bytes.data + offset);
  return offset % alignof(T) == 0 && InRange(offset, count, sizeof(T), bytes.bytes);
}

bool GroupIsSound(const DriftGroup& group, const PlanView& observe) {
  if (group.tensor >= observe.header->tensor_count) return false;
  const TensorRecord& seen = observe.tensors[group.tensor];
  constexpr int32_t kMostLog = 160 * 256;  // beyond what floats and scales of tensors hold
  return seen.type == blob::ElementType::kFp16 && group.peak > -kMostLog && group.peak < kMostLog &&
         group.spread < (uint32_t)kMostLog && group.reserved == 0;
}

// Channels with scales of their own stand behind convolutions, and in front of tables by channel.
bool ChannelsAreSound(const Section& section, const DriftLayer& entry, const LayerRecord& layer) {
  const bool convolution = layer.op == Op::kConv || layer.op == Op::kDepthwiseConv;
  const bool tables = layer.op == Op::kUnary && layer.extra.offset != blob::kNone;
  if (entry.first_channel == blob::kNone) return !tables;
  if (!convolution && !tables) return false;
  const uint64_t count = section.plan.tensors[layer.output].dims[3];
  if (!InRange(entry.first_channel, count, 1, section.record->channel_count)) return false;
  for (uint64_t c = 0; c < count; ++c) {
    const blob::DriftChannel& channel = section.channels[entry.first_channel + c];
    if (!IsNormalPositiveFloat(channel.scale) || channel.reserved[0] != 0 ||
        channel.reserved[1] != 0 || channel.reserved[2] != 0) {
      return false;
    }
  }
  return true;
}

bool LayerIsSound(const Section& section, const DriftLayer& entry, const LayerRecord& layer) {
  if (!CanRescale(layer) || entry.follows > 1 || entry.reserved[0] != 0 || entry.reserved[1] != 0 ||
      (uint8_t)entry.function >= blob::kFunctionCount || entry.alpha != entry.alpha ||
      entry.beta != entry.beta || !ChannelsAreSound(section, entry, layer)) {
    return false;
  }
  const bool convolution = layer.op == Op::kConv || layer.op == Op::kDepthwiseConv;
  const bool maps = convolution && layer.table.offset != blob::kNone;
  return maps ? IsNormalPositiveFloat(entry.table_scale) : entry.table_scale == 0.0f;
}

// Outputs keep their scales: whoever reads them may have looked them up before.
bool KeepsOutputs(const BlobView& blob, const Section& section) {
  const blob::PlanRecord& plan = *section.plan.record;
  for (uint32_t i = 0; i < blob.model->output_count; ++i) {
    const PartRange parts = PlanOutputParts(blob, plan, i);
    for (uint32_t k = 0; k < parts.count; ++k) {
      if (section.group_of[blob.parts[parts.first + k].tensor] != blob::kNoDriftGroup) return false;
    }
  }
  return true;
}

// A layer that is not listed sees one group, or none, and cares for no scale.
bool IsUnmoved(const Section& section, uint32_t number) {
  const LayerRecord& layer = section.plan.layers[number];
  const uint16_t group = section.group_of[layer.output];
  bool one = true;
  for (uint32_t i = 0; i < layer.input_count; ++i) {
    const uint32_t input = section.plan.operands[layer.first_operand + i];
    if (IsInt8(section.plan.tensors[input]) || section.group_of[input] != blob::kNoDriftGroup) {
      one = one && section.group_of[input] == group;
    }
  }
  return one &&
         (group == blob::kNoDriftGroup || KeepsScale(layer, section.plan.tensors[layer.output]));
}

}  // namespace

bool CanRescale(const LayerRecord& layer) {
  if (layer.op == Op::kConvert) return true;
  if (layer.precision != blob::Precision::kInt8) return false;
  switch (layer.op) {
    case Op::kConv:
    case Op::kDepthwiseConv:
    case Op::kAdd:
    case Op::kMul:
    case Op::kAveragePool:
    case Op::kUnary:
      return true;
    case Op::kConcat:
      return layer.table.offset != blob::kNone;
    default:
      return false;
  }
}

bool KeepsScale(const LayerRecord& layer, const TensorRecord& output) {
  if (layer.precision != blob::Precision::kInt8) return false;
  switch (layer.op) {
    case Op::kMaxPool: {
      const auto& p = ParamsOf<blob::PoolParams>(layer);
      return p.clamp_hi == 127 && (p.clamp_lo == -128 || p.clamp_lo == output.zero_point);
    }
    case Op::kPad: {
      const auto& p = ParamsOf<blob::PadParams>(layer);
      return p.mode != blob::PadMode::kConstant || p.value_q == output.zero_point;
    }
    case Op::kMove: {
      const auto& p = ParamsOf<blob::MoveParams>(layer);
      return p.indexed == 0 || (int8_t)p.fill == output.zero_point;
    }
    case Op::kConcat:
      return layer.table.offset == blob::kNone;
    case Op::kSlice:
    case Op::kTranspose:
    case Op::kReshape:
    case Op::kResizeNearest:
    case Op::kResizeLinear:
    case Op::kGather:
      return true;
    default:
      return false;
  }
}

Status ViewSection(const BlobView& blob, Section* section) {
  Bytes bytes;
  const Status found = FindSection(blob, blob::SectionKind::kDrift, &bytes);
  if (!IsOk(found)) return found;
  if (bytes.data == nullptr) return Status{Code::kInvalidArgument, 0};
  const Status malformed = {Code::kMalformed, bytes.offset};
  if (bytes.bytes < sizeof(DriftRecord)) return malformed;
  const DriftRecord& r = *reinterpret_cast<const DriftRecord*>(bytes.data);
  section->record = &r;
  const uint32_t plan_count = blob.model->plan_count;
  if (r.record_bytes != sizeof(DriftRecord) || r.plan >= plan_count ||
      r.observe_plan >= plan_count || r.plan == r.observe_plan || r.group_count == 0 ||
      r.group_count > blob::kMostDriftGroups || r.reserved != 0 ||
      !IsOk(ViewPlan(blob, r.plan, &section->plan)) ||
      !IsOk(ViewPlan(blob, r.observe_plan, &section->observe)) ||
      r.tensor_count != section->plan.header->tensor_count ||
      !Find(bytes, r.groups_offset, r.group_count, &section->groups) ||
      !Find(bytes, r.layers_offset, r.layer_count, &section->layers) ||
      !Find(bytes, r.tensors_offset, r.tensor_count, &section->group_of) ||
      !Find(bytes, r.channels_offset, r.channel_count, &section->channels)) {
    return malformed;
  }
  for (uint32_t i = 0; i < r.group_count; ++i) {
    if (!GroupIsSound(section->groups[i], section->observe)) return malformed;
  }
  for (uint32_t i = 0; i < r.tensor_count; ++i) {
    const uint16_t group = section->group_of[i];
    if (group == blob::kNoDriftGroup) continue;
    if ((group & ~blob::kGrowsOnly) >= (int32_t)r.group_count || !IsInt8(section->plan.tensors[i]))
      return malformed;
  }
  if (!KeepsOutputs(blob, *section)) return malformed;
  uint32_t listed = 0;
  for (uint32_t k = 0; k < section->plan.header->layer_count; ++k) {
    const bool is_listed = listed < r.layer_count && section->layers[listed].layer == k;
    if (is_listed ? !LayerIsSound(*section, section->layers[listed], section->plan.layers[k])
                  : !IsUnmoved(*section, k)) {
      return malformed;
    }
    listed += is_listed ? 1 : 0;
  }
  // In rising order, each once: all were met on the way. Layers may share bytes of the blob, and
  // have copies of their own in a bank, so a small blob may ask for one of any size.
  return listed == r.layer_count && BankBytes(*section) <= kMostBankBytes ? Ok() : malformed;
}

}  // namespace drift
}  // namespace octet
