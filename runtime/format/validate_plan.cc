// Tensors, layers and their order; what the model section says about this plan.
#include "runtime/core/checked.h"
#include "runtime/format/tiling.h"
#include "runtime/format/validate.h"

namespace octet {
namespace {

using blob::DataRef;
using blob::ElementType;
using blob::LayerRecord;
using blob::TensorRecord;

uint32_t TensorOffset(const PlanView& plan, uint32_t tensor) {
  return plan.offset + plan.header->tensors_offset + tensor * (uint32_t)sizeof(TensorRecord);
}

uint32_t LayerOffset(const PlanView& plan, uint32_t layer) {
  return plan.offset + plan.header->layers_offset + layer * (uint32_t)sizeof(LayerRecord);
}

uint64_t ElementCount(const TensorRecord& tensor) {
  uint64_t count = 1;
  for (const uint32_t dim : tensor.dims) count = SaturatingMul(count, dim);
  return count;
}

// Bytes of an element; 0 for an unknown type.
uint32_t ElementBytes(ElementType type) {
  switch (type) {
    case ElementType::kInt8:
      return 1;
    case ElementType::kFp16:
      return 2;
    case ElementType::kInt32:
      return 4;
  }
  return 0;
}

bool ScaleFits(const BlobView& view, const TensorRecord& tensor) {
  if (tensor.type == ElementType::kInt8) return IsNormalPositiveFloat(tensor.scale);
  if (tensor.scale == 1.0f) return true;
  return tensor.type == ElementType::kFp16 && IsPowerOfTwo(tensor.scale) &&
         (view.header->required_features & blob::kFeatureHalfScale) != 0;
}

Status CheckTensor(const BlobView& view, const PlanView& plan, uint32_t number) {
  const TensorRecord& tensor = plan.tensors[number];
  const uint32_t at = TensorOffset(plan, number);
  if (tensor.name >= view.strings.bytes) return Malformed(at);
  const bool int8 = tensor.type == ElementType::kInt8;
  const bool integers = tensor.type == ElementType::kInt32;
  if (ElementBytes(tensor.type) == 0 ||
      (integers && (view.header->required_features & blob::kFeatureIntegers) == 0)) {
    return Malformed(at + (uint32_t)offsetof(TensorRecord, type));
  }
  if (!int8 && tensor.zero_point != 0) {
    return Malformed(at + (uint32_t)offsetof(TensorRecord, zero_point));
  }
  if (!ScaleFits(view, tensor)) return Malformed(at + (uint32_t)offsetof(TensorRecord, scale));
  const uint64_t bytes = SaturatingMul(ElementCount(tensor), ElementBytes(tensor.type));
  if (bytes == 0 || bytes > kMaxTensorBytes) {
    return Malformed(at + (uint32_t)offsetof(TensorRecord, dims));
  }
  if (tensor.bytes != bytes) return Malformed(at + (uint32_t)offsetof(TensorRecord, bytes));
  if (tensor.arena_offset % blob::kTensorAlignment != 0 ||
      !InRange(tensor.arena_offset, bytes, 1, plan.record->arena_bytes)) {
    return Malformed(at + (uint32_t)offsetof(TensorRecord, arena_offset));
  }
  return Ok();
}

bool CheckData(const DataRef& data, uint32_t alignment, const Bytes& section) {
  if (data.offset == blob::kNone) return data.bytes == 0;
  return data.offset % alignment == 0 && InRange(data.offset, data.bytes, 1, section.bytes);
}

Status CheckLayer(const BlobView& view, const PlanView& plan, uint32_t number) {
  constexpr uint32_t kTableAlignment = 4;  // tables hold 32-bit entries at most
  const LayerRecord& layer = plan.layers[number];
  const uint32_t at = LayerOffset(plan, number);
  if ((uint8_t)layer.precision > (uint8_t)blob::Precision::kFp16) {
    return Malformed(at + (uint32_t)offsetof(LayerRecord, precision));
  }
  const bool fp16 = layer.precision == blob::Precision::kFp16;
  if (fp16 && (view.header->required_features & blob::kFeatureFp16Plan) == 0) {
    return Malformed(at + (uint32_t)offsetof(LayerRecord, precision));
  }
  if ((uint8_t)layer.arithmetic > (uint8_t)blob::Arithmetic::kWinograd ||
      (layer.arithmetic != blob::Arithmetic::kFloat &&
       (!fp16 || layer.op != blob::Op::kConv ||
        plan.record->precision != blob::Precision::kFp16))) {
    return Malformed(at + (uint32_t)offsetof(LayerRecord, arithmetic));
  }
  if (layer.name >= view.strings.bytes) {
    return Malformed(at + (uint32_t)offsetof(LayerRecord, name));
  }
  if (layer.input_count > kMaxLayerInputs ||
      !InRange(layer.first_operand, layer.input_count, 1, plan.header->operand_count)) {
    return Malformed(at + (uint32_t)offsetof(LayerRecord, first_operand));
  }
  const uint32_t tensor_count = plan.header->tensor_count;
  // One writer a tensor: the tensor names its layer, and it can name only one.
  if (layer.output >= tensor_count || plan.tensors[layer.output].first_layer != number) {
    return Malformed(at + (uint32_t)offsetof(LayerRecord, output));
  }
  for (uint32_t i = 0; i < layer.input_count; ++i) {
    const uint32_t input = plan.operands[layer.first_operand + i];
    if (input >= tensor_count) {
      return Malformed(at + (uint32_t)offsetof(LayerRecord, first_operand));
    }
    // Written before (or a model input), and still alive here.
    const TensorRecord& tensor = plan.tensors[input];
    if ((tensor.first_layer != blob::kNone && tensor.first_layer >= number) ||
        tensor.last_layer < number) {
      return Malformed(at + (uint32_t)offsetof(LayerRecord, first_operand));
    }
  }
  const Bytes& weights = fp16 ? view.weights_f16 : view.weights_s8;
  if (!CheckData(layer.weights, blob::kDataAlignment, weights)) {
    return Malformed(at + (uint32_t)offsetof(LayerRecord, weights));
  }
  if (!CheckData(layer.channels, blob::kDataAlignment, weights)) {
    return Malformed(at + (uint32_t)offsetof(LayerRecord, channels));
  }
  if (!CheckData(layer.table, kTableAlignment, view.tables)) {
    return Malformed(at + (uint32_t)offsetof(LayerRecord, table));
  }
  const bool has_layout = layer.layout != blob::Layout::kNone;
  if (has_layout && layer.op != blob::Op::kConv && layer.op != blob::Op::kDepthwiseConv) {
    return Malformed(at + (uint32_t)offsetof(LayerRecord, layout));
  }
  if (HasChannelTables(layer) &&
      (view.header->required_features & blob::kFeatureChannelTables) == 0) {
    return Malformed(at + (uint32_t)offsetof(LayerRecord, extra));
  }
  if (has_layout ? !CheckData(layer.extra, blob::kDataAlignment, view.layouts)
                 : !CheckData(layer.extra, kTableAlignment, view.tables)) {
    return Malformed(at + (uint32_t)offsetof(LayerRecord, extra));
  }
  return Ok();
}

bool LayerReads(const PlanView& plan, uint32_t layer_number, uint32_t tensor) {
  const LayerRecord& layer = plan.layers[layer_number];
  for (uint32_t i = 0; i < layer.input_count; ++i) {
    if (plan.operands[layer.first_operand + i] == tensor) return true;
  }
  return false;
}

bool IsPlanInput(const BlobView& view, const PlanView& plan, uint32_t tensor) {
  for (uint32_t i = 0; i < view.model->input_count; ++i) {
    if (PlanInputTensor(view, *plan.record, i) == tensor) return true;
  }
  for (uint32_t i = 0; i < view.model->state_count; ++i) {
    if (PlanStateTensors(view, *plan.record, i).read == tensor) return true;
  }
  return false;
}

bool IsPlanOutput(const BlobView& view, const PlanView& plan, uint32_t tensor) {
  for (uint32_t i = 0; i < view.model->output_count; ++i) {
    const PartRange range = PlanOutputParts(view, *plan.record, i);
    for (uint32_t p = 0; p < range.count; ++p) {
      if (view.parts[range.first + p].tensor == tensor) return true;
    }
  }
  for (uint32_t i = 0; i < view.model->state_count; ++i) {
    if (PlanStateTensors(view, *plan.record, i).written == tensor) return true;
  }
  return false;
}

// first_layer and last_layer as the layers say. CheckLayer has seen every reader and writer; what
// is left is that the two fields claim nothing more. A tensor nobody reads dies where it is written
// (a model input: at layer 0).
Status CheckLifetime(const BlobView& view, const PlanView& plan, uint32_t number) {
  const TensorRecord& tensor = plan.tensors[number];
  const uint32_t at = TensorOffset(plan, number);
  const uint32_t layer_count = plan.header->layer_count;
  const bool is_input = tensor.first_layer == blob::kNone;
  if (is_input ? !IsPlanInput(view, plan, number)
               : (tensor.first_layer >= layer_count ||
                  plan.layers[tensor.first_layer].output != number)) {
    return Malformed(at + (uint32_t)offsetof(TensorRecord, first_layer));
  }
  const uint32_t written = is_input ? 0 : tensor.first_layer;
  const bool is_output = IsPlanOutput(view, plan, number);
  bool right = false;
  if (is_output) {
    right = tensor.last_layer == layer_count;
  } else if (tensor.last_layer < layer_count) {
    right = tensor.last_layer == written || LayerReads(plan, tensor.last_layer, number);
  }
  return right ? Ok() : Malformed(at + (uint32_t)offsetof(TensorRecord, last_layer));
}

bool IsOutputFunction(uint32_t function) {
  return function == (uint32_t)blob::Function::kIdentity ||
         function == (uint32_t)blob::Function::kSigmoid ||
         function == (uint32_t)blob::Function::kTanh || function == (uint32_t)blob::Function::kExp;
}

// sum((dims[i] - 1) * strides[i]): the largest index a strided box reaches beyond its base.
uint64_t Reach(const TensorRecord& tensor, const uint32_t strides[4]) {
  uint64_t reach = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    reach = SaturatingAdd(reach, SaturatingMul(tensor.dims[i] - 1u, strides[i]));
  }
  return reach;
}

Status CheckInputs(const BlobView& view, const PlanView& plan, const PlanView& first) {
  const PlanView* p = &plan;
  for (uint32_t i = 0; i < view.model->input_count; ++i) {
    const blob::InputRecord& input = view.inputs[i];
    const uint32_t at = (uint32_t)(reinterpret_cast<const uint8_t*>(&input) - view.base);
    const uint32_t number = PlanInputTensor(view, *p->record, i);
    if (number >= plan.header->tensor_count || plan.tensors[number].first_layer != blob::kNone) {
      return Malformed(at);
    }
    for (uint32_t j = 0; j < i; ++j) {
      if (PlanInputTensor(view, *p->record, j) == number) return Malformed(at);
    }
    const TensorRecord& tensor = plan.tensors[number];
    uint64_t element_count = 1;
    for (uint32_t d = 0; d < input.rank; ++d) element_count *= input.dims[d];  // checked before
    if (ElementCount(tensor) != element_count || Reach(tensor, input.strides) >= element_count) {
      return Malformed(at + (uint32_t)offsetof(blob::InputRecord, strides));
    }
    if (input.is_image != 0) {
      // All plans see the same picture.
      const TensorRecord& same = first.tensors[PlanInputTensor(view, *first.record, i)];
      const uint32_t channels = tensor.dims[3];
      if (tensor.type == ElementType::kInt32 || tensor.dims[0] != 1 ||
          (channels != 1 && channels != 3) || tensor.dims[1] > kMaxPictureSize ||
          tensor.dims[2] > kMaxPictureSize || tensor.dims[1] != same.dims[1] ||
          tensor.dims[2] != same.dims[2] || channels != same.dims[3]) {
        return Malformed(at + (uint32_t)offsetof(blob::InputRecord, is_image));
      }
    }
  }
  return Ok();
}

bool AreAlike(const TensorRecord& a, const TensorRecord& b) {
  for (uint32_t d = 0; d < 4; ++d) {
    if (a.dims[d] != b.dims[d]) return false;
  }
  return a.type == b.type && a.scale == b.scale;
}

// A state is copied from plan to plan as it stands: all its tensors are alike.
Status CheckStates(const BlobView& view, const PlanView& plan, const PlanView& first) {
  const PlanView* p = &plan;
  const uint32_t tensor_count = plan.header->tensor_count;
  for (uint32_t i = 0; i < view.model->state_count; ++i) {
    const blob::StateRecord& state = view.states[i];
    const uint32_t at = (uint32_t)(reinterpret_cast<const uint8_t*>(&state) - view.base);
    const StateTensors own = PlanStateTensors(view, *p->record, i);
    if (own.read >= tensor_count || own.written >= tensor_count ||
        plan.tensors[own.read].first_layer != blob::kNone) {
      return Malformed(at);
    }
    for (uint32_t j = 0; j < view.model->input_count; ++j) {
      if (PlanInputTensor(view, *p->record, j) == own.read) return Malformed(at);
    }
    for (uint32_t j = 0; j < i; ++j) {
      if (PlanStateTensors(view, *p->record, j).read == own.read) return Malformed(at);
    }
    const TensorRecord& read = plan.tensors[own.read];
    uint64_t element_count = 1;
    for (uint32_t d = 0; d < state.rank; ++d) element_count *= state.dims[d];  // checked before
    if (read.type != state.type || !AreAlike(read, plan.tensors[own.written]) ||
        !AreAlike(read, first.tensors[PlanStateTensors(view, *first.record, i).read]) ||
        ElementCount(read) != element_count) {
      return Malformed(at + (uint32_t)offsetof(blob::StateRecord, dims));
    }
    if (state.initial != blob::kNone &&
        (state.initial % sizeof(uint32_t) != 0 ||
         !InRange(state.initial, read.bytes, 1, view.tables.bytes))) {
      return Malformed(at + (uint32_t)offsetof(blob::StateRecord, initial));
    }
  }
  return Ok();
}

// As many elements as the output has, each with a place of its own: none is left out.
bool IsApartFromEarlier(const BlobView& view, const PlanView& plan, const PartRange& range,
                        uint32_t k) {
  const auto lattice_of = [&](uint32_t i, Lattice* lattice) {
    const blob::OutputPart& part = view.parts[range.first + i];
    return lattice->OfStrides(part.base, plan.tensors[part.tensor].dims, part.strides);
  };
  Lattice own, other;
  if (!lattice_of(k, &own)) return false;
  for (uint32_t i = 0; i < k; ++i) {
    if (!lattice_of(i, &other) || !AreApart(own, other)) return false;
  }
  return true;
}

// Offsets of a part: one for all, or one for each element of the innermost dimensions of the
// tensor. `floats_left`: of the plan's share of the model section. Parts of one plan that all refer
// to the same large array would make validation slow.
bool CheckOffsets(const BlobView& view, const blob::OutputPart& part, const TensorRecord& tensor,
                  uint64_t* floats_left) {
  if (part.offsets == 0) return true;
  const Bytes& section = view.model_section;
  if ((view.header->required_features & blob::kFeatureOffsets) == 0 ||
      part.offsets % sizeof(uint32_t) != 0 ||
      !InRange(part.offsets, 1, sizeof(uint32_t), section.bytes)) {
    return false;
  }
  const PartOffsets offsets = OffsetsOf(view, part);
  uint64_t block = 1;
  bool fits = offsets.count == 1;
  for (uint32_t d = 4; d-- > 0;) {
    block *= tensor.dims[d];
    fits = fits || offsets.count == block;
  }
  if (!fits || offsets.count > *floats_left ||
      !InRange((uint64_t)part.offsets + sizeof(uint32_t), offsets.count, sizeof(float),
               section.bytes)) {
    return false;
  }
  *floats_left -= offsets.count;
  for (uint32_t i = 0; i < offsets.count; ++i) {
    if (!IsFiniteFloat(offsets.values[i])) return false;
  }
  return true;
}

Status CheckOutputs(const BlobView& view, const PlanView& plan) {
  uint64_t floats_left = view.model_section.bytes / sizeof(float);
  for (uint32_t i = 0; i < view.model->output_count; ++i) {
    const uint64_t wanted = view.outputs[i].element_count;
    const PartRange range = PlanOutputParts(view, *plan.record, i);
    uint64_t found = 0;
    for (uint32_t k = 0; k < range.count; ++k) {
      const blob::OutputPart& part = view.parts[range.first + k];
      const uint32_t at = (uint32_t)(reinterpret_cast<const uint8_t*>(&part) - view.base);
      if (part.tensor >= plan.header->tensor_count) return Malformed(at);
      if (!IsOutputFunction(part.function)) {
        return Malformed(at + (uint32_t)offsetof(blob::OutputPart, function));
      }
      const TensorRecord& tensor = plan.tensors[part.tensor];
      if (SaturatingAdd(part.base, Reach(tensor, part.strides)) >= wanted) {
        return Malformed(at + (uint32_t)offsetof(blob::OutputPart, strides));
      }
      if (!CheckOffsets(view, part, tensor, &floats_left)) {
        return Malformed(at + (uint32_t)offsetof(blob::OutputPart, offsets));
      }
      found += ElementCount(tensor);
      if (found > wanted) return Malformed(at);
      if (!IsApartFromEarlier(view, plan, range, k)) {
        return Malformed(at + (uint32_t)offsetof(blob::OutputPart, base));
      }
    }
    if (found != wanted) {
      return Malformed((uint32_t)(reinterpret_cast<const uint8_t*>(&view.outputs[i]) - view.base) +
                       (uint32_t)offsetof(blob::OutputRecord, element_count));
    }
  }
  return Ok();
}

}  // namespace

Status ValidatePlan(const BlobView& view, const PlanView& plan, const PlanView& first) {
  const blob::PlanHeader& header = *plan.header;
  if (header.tensor_count != plan.record->tensor_count) {
    return Malformed(plan.offset + (uint32_t)offsetof(blob::PlanHeader, tensor_count));
  }
  if (header.layer_count != plan.record->layer_count) {
    return Malformed(plan.offset + (uint32_t)offsetof(blob::PlanHeader, layer_count));
  }
  // Operators look at every channel block and table they are given: without a bound, layers that
  // all refer to the same large block would make validation slow. A plan that shares nothing refers
  // to at most 1 x the file.
  uint64_t referenced_bytes = 0;
  for (uint32_t i = 0; i < header.layer_count; ++i) {
    const LayerRecord& layer = plan.layers[i];
    referenced_bytes += (uint64_t)layer.channels.bytes + layer.table.bytes + layer.extra.bytes;
  }
  if (referenced_bytes > kMaxDataReuse * view.header->file_bytes) {
    return Malformed(plan.offset + (uint32_t)offsetof(blob::PlanHeader, layers_offset));
  }
  Status status = Ok();
  for (uint32_t i = 0; i < header.tensor_count && IsOk(status); ++i) {
    status = CheckTensor(view, plan, i);
  }
  for (uint32_t i = 0; i < header.layer_count && IsOk(status); ++i) {
    status = CheckLayer(view, plan, i);
  }
  if (IsOk(status)) status = CheckInputs(view, plan, first);
  if (IsOk(status)) status = CheckStates(view, plan, first);
  if (IsOk(status)) status = CheckOutputs(view, plan);
  for (uint32_t i = 0; i < header.tensor_count && IsOk(status); ++i) {
    status = CheckLifetime(view, plan, i);
  }
  return status;
}

}  // namespace octet
