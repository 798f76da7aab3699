#include "runtime/format/validate_model.h"

#include "runtime/core/checked.h"

namespace octet {
namespace {

using blob::InputRecord;
using blob::ModelRecord;
using blob::OutputRecord;
using blob::PlanRecord;
using blob::StateRecord;

// Offset in the blob of a record of the model section.
template <typename Record>
uint32_t OffsetOf(const BlobView& view, const Record* record) {
  return (uint32_t)(reinterpret_cast<const uint8_t*>(record) - view.base);
}

bool IsString(const BlobView& view, uint32_t offset) {
  return offset < view.strings.bytes;
}

// Product of the dims, 0 where a dim is 0 or the product passes the largest tensor.
uint64_t ElementCount(const uint32_t* dims, uint32_t rank) {
  uint64_t count = 1;
  for (uint32_t i = 0; i < rank; ++i) {
    count = SaturatingMul(count, dims[i]);
    if (count == 0 || count > kMaxTensorBytes) return 0;
  }
  return count;
}

template <typename Record>
bool PlaceArray(const Bytes& section, uint32_t offset, uint32_t count, const Record** records) {
  if (offset % alignof(Record) != 0 || !InRange(offset, count, sizeof(Record), section.bytes)) {
    return false;
  }
  *records = reinterpret_cast<const Record*>(section.data + offset);
  return true;
}

Status PlaceArrays(BlobView* view) {
  const Bytes& section = view->model_section;
  if (section.bytes < sizeof(ModelRecord)) return Malformed(section.offset);
  const auto* model = reinterpret_cast<const ModelRecord*>(section.data);
  view->model = model;
  if (model->input_count > kMaxInputs ||
      !PlaceArray(section, model->inputs_offset, model->input_count, &view->inputs)) {
    return Malformed(section.offset + (uint32_t)offsetof(ModelRecord, input_count));
  }
  if (model->output_count == 0 || model->output_count > kMaxOutputs ||
      !PlaceArray(section, model->outputs_offset, model->output_count, &view->outputs)) {
    return Malformed(section.offset + (uint32_t)offsetof(ModelRecord, output_count));
  }
  if (model->plan_count == 0 || model->plan_count > blob::kMaxPlans ||
      !PlaceArray(section, model->plans_offset, model->plan_count, &view->plans)) {
    return Malformed(section.offset + (uint32_t)offsetof(ModelRecord, plan_count));
  }
  if (!PlaceArray(section, model->plan_io_offset, model->plan_io_count, &view->plan_io)) {
    return Malformed(section.offset + (uint32_t)offsetof(ModelRecord, plan_io_count));
  }
  if (model->part_count > kMaxParts ||
      !PlaceArray(section, model->parts_offset, model->part_count, &view->parts)) {
    return Malformed(section.offset + (uint32_t)offsetof(ModelRecord, part_count));
  }
  const bool has_states = (view->header->required_features & blob::kFeatureStates) != 0;
  if (model->state_count > (has_states ? kMaxStates : 0) ||
      !PlaceArray(section, model->states_offset, model->state_count, &view->states)) {
    return Malformed(section.offset + (uint32_t)offsetof(ModelRecord, state_count));
  }
  for (uint32_t plan = 0; plan < blob::kMaxPlans; ++plan) {
    if ((view->plan_sections[plan].data != nullptr) != (plan < model->plan_count)) {
      return Malformed(section.offset + (uint32_t)offsetof(ModelRecord, plan_count));
    }
  }
  return Ok();
}

Status CheckInput(const BlobView& view, const InputRecord& input) {
  const uint32_t at = OffsetOf(view, &input);
  if (!IsString(view, input.name)) return Malformed(at);
  if (input.rank > blob::kMaxRank) return Malformed(at + (uint32_t)offsetof(InputRecord, rank));
  if (ElementCount(input.dims, input.rank) == 0) {
    return Malformed(at + (uint32_t)offsetof(InputRecord, dims));
  }
  if (input.is_image > 1) return Malformed(at + (uint32_t)offsetof(InputRecord, is_image));
  if (input.is_image == 0) return Ok();
  if ((uint8_t)input.colour > (uint8_t)blob::ColourOrder::kBgr) {
    return Malformed(at + (uint32_t)offsetof(InputRecord, colour));
  }
  if ((uint8_t)input.resize > (uint8_t)blob::ResizeMode::kCrop) {
    return Malformed(at + (uint32_t)offsetof(InputRecord, resize));
  }
  if (!IsFiniteFloat(input.scale)) return Malformed(at + (uint32_t)offsetof(InputRecord, scale));
  for (uint32_t c = 0; c < 3; ++c) {
    if (!IsFiniteFloat(input.mean[c])) return Malformed(at + (uint32_t)offsetof(InputRecord, mean));
    if (!IsFiniteFloat(input.std_dev[c]) || input.std_dev[c] == 0.0f) {
      return Malformed(at + (uint32_t)offsetof(InputRecord, std_dev));
    }
  }
  return Ok();
}

Status CheckOutput(const BlobView& view, const OutputRecord& output) {
  const uint32_t at = OffsetOf(view, &output);
  if (!IsString(view, output.name)) return Malformed(at);
  if (output.rank > blob::kMaxRank) return Malformed(at + (uint32_t)offsetof(OutputRecord, rank));
  const uint64_t count = ElementCount(output.dims, output.rank);
  if (count == 0) return Malformed(at + (uint32_t)offsetof(OutputRecord, dims));
  if (count != output.element_count) {
    return Malformed(at + (uint32_t)offsetof(OutputRecord, element_count));
  }
  return Ok();
}

// Its tensors are the plans'.
Status CheckState(const BlobView& view, const StateRecord& state) {
  const uint32_t at = OffsetOf(view, &state);
  if (!IsString(view, state.name) || !IsString(view, state.output_name)) return Malformed(at);
  if (state.type != blob::ElementType::kFp16 && state.type != blob::ElementType::kInt32) {
    return Malformed(at + (uint32_t)offsetof(StateRecord, type));
  }
  if (state.rank > blob::kMaxRank) return Malformed(at + (uint32_t)offsetof(StateRecord, rank));
  if (ElementCount(state.dims, state.rank) == 0) {
    return Malformed(at + (uint32_t)offsetof(StateRecord, dims));
  }
  return Ok();
}

Status CheckPlanRecord(const BlobView& view, const PlanRecord& plan) {
  const ModelRecord& model = *view.model;
  const uint32_t at = OffsetOf(view, &plan);
  if (!IsString(view, plan.name)) return Malformed(at);
  if ((uint8_t)plan.precision > (uint8_t)blob::Precision::kFp16) {
    return Malformed(at + (uint32_t)offsetof(PlanRecord, precision));
  }
  if (plan.arena_bytes > kMaxTensorBytes) {
    return Malformed(at + (uint32_t)offsetof(PlanRecord, arena_bytes));
  }
  if (!InRange(plan.first_input, model.input_count, 1, model.plan_io_count)) {
    return Malformed(at + (uint32_t)offsetof(PlanRecord, first_input));
  }
  if (!InRange(plan.first_range, model.output_count, 2, model.plan_io_count)) {
    return Malformed(at + (uint32_t)offsetof(PlanRecord, first_range));
  }
  if (!InRange(plan.first_state, model.state_count, 2, model.plan_io_count)) {
    return Malformed(at + (uint32_t)offsetof(PlanRecord, first_state));
  }
  if (plan.layer_count > kMaxLayers) {
    return Malformed(at + (uint32_t)offsetof(PlanRecord, layer_count));
  }
  if (plan.tensor_count == 0 || plan.tensor_count > kMaxTensors) {
    return Malformed(at + (uint32_t)offsetof(PlanRecord, tensor_count));
  }
  uint64_t part_count = 0;
  for (uint32_t output = 0; output < model.output_count; ++output) {
    const PartRange range = PlanOutputParts(view, plan, output);
    part_count += range.count;
    if (range.count == 0 || part_count > kMaxParts ||
        !InRange(range.first, range.count, 1, model.part_count)) {
      return Malformed(OffsetOf(view, view.plan_io + plan.first_range + (size_t)2 * output));
    }
  }
  return Ok();
}

// Strings end with a zero and the first is empty, so that any offset inside is a terminated string.
Status CheckStrings(const BlobView& view) {
  const Bytes& strings = view.strings;
  if (strings.bytes == 0 || strings.data[0] != 0 || strings.data[strings.bytes - 1] != 0) {
    return Malformed(strings.offset);
  }
  const Bytes& labels = view.labels;
  uint32_t label_count = 0;
  for (uint32_t i = 0; i < labels.bytes; ++i) label_count += labels.data[i] == 0 ? 1 : 0;
  if (label_count != view.model->label_count) {
    return Malformed(view.model_section.offset + (uint32_t)offsetof(ModelRecord, label_count));
  }
  if (labels.bytes != 0 && labels.data[labels.bytes - 1] != 0) return Malformed(labels.offset);
  return Ok();
}

}  // namespace

Status ValidateModel(BlobView* view) {
  Status status = PlaceArrays(view);
  if (!IsOk(status)) return status;
  const ModelRecord& model = *view->model;
  status = CheckStrings(*view);
  if (!IsOk(status)) return status;
  if (!IsString(*view, model.name)) return Malformed(view->model_section.offset);
  for (uint32_t i = 0; i < model.input_count; ++i) {
    status = CheckInput(*view, view->inputs[i]);
    if (!IsOk(status)) return status;
  }
  for (uint32_t i = 0; i < model.output_count; ++i) {
    status = CheckOutput(*view, view->outputs[i]);
    if (!IsOk(status)) return status;
  }
  for (uint32_t i = 0; i < model.state_count; ++i) {
    status = CheckState(*view, view->states[i]);
    if (!IsOk(status)) return status;
  }
  for (uint32_t i = 0; i < model.plan_count; ++i) {
    status = CheckPlanRecord(*view, view->plans[i]);
    if (!IsOk(status)) return status;
  }
  return Ok();
}

}  // namespace octet
