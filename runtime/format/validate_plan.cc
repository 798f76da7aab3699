// Tensors, layers and their order.
#include "runtime/core/checked.h"
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
  const uint64_t bytes = SaturatingMul(SaturatedElementCount(tensor), ElementBytes(tensor.type));
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

}  // namespace

uint64_t SaturatedElementCount(const TensorRecord& tensor) {
  uint64_t count = 1;
  for (const uint32_t dim : tensor.dims) count = SaturatingMul(count, dim);
  return count;
}

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
  if (IsOk(status)) status = ValidatePoints(view, plan, first);
  for (uint32_t i = 0; i < header.tensor_count && IsOk(status); ++i) {
    status = CheckLifetime(view, plan, i);
  }
  return status;
}

}  // namespace octet
