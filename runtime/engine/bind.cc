#include <string.h>

#include "runtime/engine/kept.h"
#include "runtime/image/preprocess.h"

namespace octet {

uint32_t InputTableIndex(const BlobView& blob, uint32_t input) {
  uint32_t index = 0;
  for (uint32_t i = 0; i < input; ++i) index += blob.inputs[i].is_image;
  return index;
}

ArenaLayout LayOutArena(const BlobView& blob, uint32_t plan_mask, const FeatureSizes& features,
                        Isa isa, uint32_t threads) {
  uint64_t layer_count = 0, tensor_bytes = 0, scratch_bytes = 0;
  for (uint32_t left = plan_mask; left != 0; left &= left - 1) {
    PlanView plan;
    ViewPlan(blob, (uint32_t)__builtin_ctz(left), &plan);  // validated
    for (uint32_t k = 0; k < plan.header->layer_count; ++k) {
      const uint64_t scratch = RoundUp64(LayerScratchBytes(blob, plan, k, isa));
      if (scratch > scratch_bytes) scratch_bytes = scratch;
    }
    if (plan.header->layer_count > layer_count) layer_count = plan.header->layer_count;
    if (plan.record->arena_bytes > tensor_bytes) tensor_bytes = plan.record->arena_bytes;
  }
  const uint64_t table_count = InputTableIndex(blob, blob.model->input_count);
  // At most 2^31 bytes of tensors, 2^40 for each of 256 threads, 2^41 of features, and 2^29 kept of
  // each of 2^26 layers of 8 plans: far below 2^64.
  ArenaLayout layout;
  layout.scratch_bytes = scratch_bytes;
  layout.layers_offset = kKeptOffset + KeptBytes(blob, plan_mask, isa);
  layout.tables_offset = layout.layers_offset + RoundUp64(layer_count * sizeof(BoundLayer));
  layout.features_offset =
      layout.tables_offset + RoundUp64(table_count * kInputTableEntries * sizeof(uint16_t));
  layout.scratch_offset = layout.features_offset + features.bytes;
  layout.tensors_offset = layout.scratch_offset + scratch_bytes * threads;
  layout.bytes = layout.tensors_offset + tensor_bytes;
  return layout;
}

Session* Bind(const BlobView& blob, uint32_t plan_mask, const FeatureSizes& features,
              const ArenaLayout& layout, Isa isa, uint32_t threads, const octet_config& config,
              uint8_t* arena) {
  Session* session = reinterpret_cast<Session*>(arena);
  memset(static_cast<void*>(session), 0, sizeof(*session));
  session->blob = blob;
  FillKernelTable(isa, (uint32_t)config.cpu_features, &session->kernels);
  if (config.pool != nullptr && threads > 1) session->pool = *config.pool;
  session->ticks = config.ticks;
  session->before_layer = config.before_layer;
  session->before_layer_context = config.before_layer_context;
  session->thread_count = threads;
  session->isa = isa;
  session->sign = IsaSignByte(isa);
  session->half_sums = config.float_sums == 0;
  session->layers = reinterpret_cast<BoundLayer*>(arena + layout.layers_offset);
  session->input_tables = reinterpret_cast<uint16_t*>(arena + layout.tables_offset);
  session->scratch = arena + layout.scratch_offset;
  session->scratch_bytes = (size_t)layout.scratch_bytes;  // the arena is in memory
  if (kKernelsKeep && layout.layers_offset != kKeptOffset) {
    KeepLayers(blob, plan_mask, isa, session->scratch, arena + kKeptOffset);
  }
  session->tensors = arena + layout.tensors_offset;
  session->plan_mask = (uint8_t)plan_mask;
  session->resident_plans = (uint8_t)plan_mask;
  session->features =
      MakeFeatures(blob, config.plan_mask, features, arena + layout.features_offset);
  SelectPlan(session, (uint32_t)__builtin_ctz(plan_mask));
  return session;
}

void SelectPlan(Session* session, uint32_t plan) {
  CancelFrame(session);
  const BlobView& blob = session->blob;
  session->plan = plan;
  PlanView view;
  ViewPlan(blob, plan, &view);  // validated
  session->records = view.tensors;
  for (uint32_t k = 0; k < view.header->layer_count; ++k) {
    session->layers[k] = BoundLayer{MakeLayerView(blob, view, k), LayerRun(view.layers[k].op), {0}};
  }
  BindFeatures(session);
  uint16_t* entries = session->input_tables;
  for (uint32_t i = 0; i < blob.model->input_count; ++i) {
    const blob::InputRecord& input = blob.inputs[i];
    if (input.is_image == 0) continue;
    FillInputTable(input, session->records[PlanInputTensor(blob, *view.record, i)], session->sign,
                   entries);
    entries += kInputTableEntries;
  }
}

}  // namespace octet
