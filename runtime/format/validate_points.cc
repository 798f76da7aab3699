// What the model section says about this plan: the tensors of inputs, states and outputs.
#include "runtime/core/checked.h"
#include "runtime/format/tiling.h"
#include "runtime/format/validate.h"

namespace octet {
namespace {

using blob::ElementType;
using blob::TensorRecord;

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

// Of a shape of the model section, which was checked before.
uint64_t Product(const uint32_t* dims, uint32_t rank) {
  uint64_t count = 1;
  for (uint32_t d = 0; d < rank; ++d) count *= dims[d];
  return count;
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
    const uint64_t element_count = Product(input.dims, input.rank);
    if (SaturatedElementCount(tensor) != element_count ||
        Reach(tensor, input.strides) >= element_count) {
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
    if (read.type != state.type || !AreAlike(read, plan.tensors[own.written]) ||
        !AreAlike(read, first.tensors[PlanStateTensors(view, *first.record, i).read]) ||
        SaturatedElementCount(read) != Product(state.dims, state.rank)) {
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
      found += SaturatedElementCount(tensor);
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

Status ValidatePoints(const BlobView& view, const PlanView& plan, const PlanView& first) {
  Status status = CheckInputs(view, plan, first);
  if (IsOk(status)) status = CheckStates(view, plan, first);
  if (IsOk(status)) status = CheckOutputs(view, plan);
  return status;
}

}  // namespace octet
