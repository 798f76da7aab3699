// While a tensor lives nobody else writes its bytes, except a layer that works in place.
#include "runtime/format/validate.h"

namespace octet {
namespace {

using blob::TensorRecord;

// May the layer write its output over the dying tensor `input`?
bool MayReplace(const PlanView& plan, const blob::LayerRecord& layer, uint32_t input) {
  return blob::WorksInPlace(layer.op) && layer.input_count != 0 &&
         plan.operands[layer.first_operand] == input;
}

bool Overlap(const TensorRecord& a, const TensorRecord& b) {
  // Extents lie below 2^31, so the sums do not wrap.
  return a.arena_offset < b.arena_offset + b.bytes && b.arena_offset < a.arena_offset + a.bytes;
}

// Number of the moment a tensor is written: 0 for model inputs (before the run), layer + 1 else.
uint32_t Birth(const TensorRecord& tensor) {
  return tensor.first_layer == blob::kNone ? 0 : tensor.first_layer + 1;
}

bool MayShare(const PlanView& plan, uint32_t older_number, uint32_t younger_number) {
  const TensorRecord& older = plan.tensors[older_number];
  const TensorRecord& younger = plan.tensors[younger_number];
  if (Birth(younger) == 0) return false;  // both are model inputs
  if (older.last_layer < younger.first_layer) return true;
  return older.last_layer == younger.first_layer && older.arena_offset == younger.arena_offset &&
         older.bytes == younger.bytes &&
         MayReplace(plan, plan.layers[younger.first_layer], older_number);
}

}  // namespace

// Pairs: at most kMaxTensors^2 / 2 = 3.4e7 comparisons of two extents, about 50 ms; 2000 tensors
// take 2 to 3 ms.
Status ValidateLifetimes(const PlanView& plan) {
  const uint32_t count = plan.header->tensor_count;
  for (uint32_t i = 0; i < count; ++i) {
    const TensorRecord& tensor = plan.tensors[i];
    const uint32_t birth = Birth(tensor);
    for (uint32_t j = 0; j < i; ++j) {
      if (!Overlap(tensor, plan.tensors[j])) continue;
      const bool is_older = birth < Birth(plan.tensors[j]);
      if (!(is_older ? MayShare(plan, i, j) : MayShare(plan, j, i))) {
        return Malformed(plan.offset + plan.header->tensors_offset +
                         i * (uint32_t)sizeof(TensorRecord) +
                         (uint32_t)offsetof(TensorRecord, arena_offset));
      }
    }
  }
  return Ok();
}

}  // namespace octet
