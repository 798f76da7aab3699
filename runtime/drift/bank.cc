#include "runtime/drift/bank.h"

#include <string.h>

#include "runtime/core/checked.h"
#include "runtime/drift/rescale.h"

namespace octet {
namespace drift {
namespace {

constexpr uint64_t kAlignment = blob::kDataAlignment;

struct Offsets {
  uint64_t tensors, layers, data, bytes;
};
// At most 8192 tensors and layers and as many bytes of data as the blob has.
Offsets Measure(const Section& section) {
  Offsets at;
  at.tensors = RoundUpTo(sizeof(Bank), kAlignment);
  at.layers =
      at.tensors + RoundUpTo(section.record->tensor_count * sizeof(blob::TensorRecord), kAlignment);
  at.data =
      at.layers + RoundUpTo(section.record->layer_count * sizeof(blob::LayerRecord), kAlignment);
  at.bytes = at.data;
  for (uint32_t i = 0; i < section.record->layer_count; ++i) {
    at.bytes += DataBytes(section.plan.layers[section.layers[i].layer]);
  }
  return at;
}

}  // namespace

uint64_t BankBytes(const Section& section) {
  return Measure(section).bytes;
}

Bank* MakeBank(const Section& section, uint8_t* memory) {
  const Offsets at = Measure(section);
  Bank* bank = reinterpret_cast<Bank*>(memory);
  memset(static_cast<void*>(bank), 0, sizeof(*bank));
  bank->section = section;
  bank->base = memory;
  bank->tensors = reinterpret_cast<blob::TensorRecord*>(memory + at.tensors);
  bank->layers = reinterpret_cast<blob::LayerRecord*>(memory + at.layers);
  bank->data_offset = (uint32_t)at.data;
  return bank;
}

LayerView ViewOf(const Bank& bank, uint32_t number, const LayerView& from, uint32_t* at) {
  LayerView view = from;
  view.tensors = bank.tensors;
  if (*at == bank.section.record->layer_count || bank.section.layers[*at].layer != number) {
    return view;
  }
  view.layer = &bank.layers[*at];
  view.tables = view.channels = bank.base;
  ++*at;
  return view;
}

bool Fill(const BlobView& blob, const int8_t* steps, ViewInBlobFn view, CheckViewFn check,
          Bank* bank) {
  const Section& section = bank->section;
  const PlanView& plan = section.plan;
  for (uint32_t i = 0; i < section.record->tensor_count; ++i) {
    bank->tensors[i] = plan.tensors[i];
    const int32_t moved = StepsOf(section, steps, i);
    if (moved != 0) bank->tensors[i].scale = TimesPowerFloat(plan.tensors[i].scale, moved);
  }
  uint32_t data = bank->data_offset;
  for (uint32_t i = 0; i < section.record->layer_count; ++i) {
    const uint32_t number = section.layers[i].layer;
    const Place place = {bank->base, data, &bank->layers[i], bank->tensors};
    if (!Rescale(view(blob, plan, number), section.layers[i], section, steps, place)) {
      return false;
    }
    data += (uint32_t)DataBytes(plan.layers[number]);
  }
  uint32_t at = 0;
  for (uint32_t k = 0; k < plan.header->layer_count; ++k) {
    if (!check(ViewOf(*bank, k, view(blob, plan, k), &at))) return false;
  }
  for (uint32_t i = 0; i < section.record->tensor_count; ++i) {
    if (!IsNormalPositiveFloat(bank->tensors[i].scale)) return false;
  }
  return true;
}

}  // namespace drift
}  // namespace octet
