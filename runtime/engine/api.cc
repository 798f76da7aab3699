// The C API over the engine: checks arguments, nothing else.
#include <string.h>

#include "octet/octet.h"
#include "runtime/core/sized.h"
#include "runtime/engine/c_api.h"
#include "runtime/engine/isa_names.h"
#include "runtime/engine/transfer.h"

using octet::Code;
using octet::Isa;
using octet::Session;
using octet::SessionOf;
using octet::Status;
using octet::ToC;

namespace {

bool IsLevel(octet_isa isa) {
  return static_cast<uint32_t>(isa) < octet::kIsaCount;
}

}  // namespace

octet_status octet_arena_bytes(const void* blob, size_t blob_bytes, octet_isa isa, uint32_t threads,
                               uint32_t plan_mask, size_t* arena_bytes) {
  if (arena_bytes == nullptr || !IsLevel(isa) || threads == 0 || threads > octet::kMaxThreads) {
    return ToC(Code::kInvalidArgument);
  }
  if (!octet::IsaIsSelected(static_cast<Isa>(isa))) return ToC(Code::kIsaUnavailable);
  octet::BlobView view;
  const Status status =
      octet::ValidateBlob(blob, blob_bytes, nullptr, plan_mask, octet::OperatorRules(), &view);
  if (!octet::IsOk(status)) return ToC(status);
  octet::FeatureSizes features;
  const Status found = octet::MeasureFeatures(view, plan_mask, &features);
  if (!octet::IsOk(found)) return ToC(found);
  const octet::ArenaLayout layout = octet::LayOutArena(view, octet::PlansOf(view, plan_mask),
                                                       features, static_cast<Isa>(isa), threads);
  if (layout.bytes > SIZE_MAX / 2) return ToC(Code::kInvalidArgument);
  *arena_bytes = static_cast<size_t>(layout.bytes);
  return ToC(Code::kOk);
}

octet_status octet_bind(const void* blob, size_t blob_bytes, void* arena, size_t arena_bytes,
                        const octet_config* config, octet_session** session) {
  octet_config own = {};
  octet_pool pool = {};
  if (session == nullptr) return ToC(Code::kInvalidArgument);
  *session = nullptr;
  if (arena == nullptr || !octet::ReadSized(config, &own) || !IsLevel(own.isa) ||
      own.verify_hashes > OCTET_VERIFY_SHA_INSTRUCTIONS ||
      (own.cpu_features & ~uint64_t{OCTET_CPU_AVX512_VBMI}) != 0 ||
      (own.pool != nullptr && !octet::ReadSized(own.pool, &pool))) {
    return ToC(Code::kInvalidArgument);
  }
  const uint32_t threads = own.pool == nullptr ? 1 : pool.thread_count;
  if (threads == 0 || threads > octet::kMaxThreads ||
      (own.pool != nullptr && pool.run == nullptr)) {
    return ToC(Code::kInvalidArgument);
  }
  const auto isa = static_cast<Isa>(own.isa);
  if (!octet::IsaIsBuilt(isa)) return ToC(Code::kIsaUnavailable);
  if (reinterpret_cast<uintptr_t>(arena) % 64 != 0) return ToC(Code::kMisaligned);
  octet::BlobView view;
  const Status status = octet::ValidateBlob(blob, blob_bytes, octet::HashOf(own.verify_hashes),
                                            own.plan_mask, octet::OperatorRules(), &view);
  if (!octet::IsOk(status)) return ToC(status);
  const uint32_t plans = octet::PlansOf(view, own.plan_mask);
  octet::FeatureSizes features;
  const Status found = octet::MeasureFeatures(view, own.plan_mask, &features);
  if (!octet::IsOk(found)) return ToC(found);
  const octet::ArenaLayout layout = octet::LayOutArena(view, plans, features, isa, threads);
  if (layout.bytes > arena_bytes) return ToC(Code::kArenaTooSmall);
  if (own.pool != nullptr) own.pool = &pool;
  *session = reinterpret_cast<octet_session*>(
      octet::Bind(view, plans, features, layout, isa, threads, own, static_cast<uint8_t*>(arena)));
  return ToC(Code::kOk);
}

octet_status octet_set_resident_plans(octet_session* session, uint32_t plan_mask) {
  Session* s = SessionOf(session);
  if (plan_mask == 0 || (plan_mask & ~s->plan_mask) != 0) return ToC(Code::kInvalidArgument);
  s->resident_plans = static_cast<uint8_t>(plan_mask);
  return ToC(Code::kOk);
}

octet_status octet_set_plan(octet_session* session, uint32_t plan) {
  if (plan >= octet::blob::kMaxPlans || (SessionOf(session)->resident_plans >> plan & 1) == 0) {
    return ToC(Code::kInvalidArgument);
  }
  octet::SelectPlan(SessionOf(session), plan);
  return ToC(Code::kOk);
}

octet_status octet_set_input_image(octet_session* session, uint32_t index, const uint8_t* pixels,
                                   uint32_t height, uint32_t width, uint32_t channels,
                                   size_t row_bytes) {
  if (channels != 1 && channels != 3) return ToC(Code::kInvalidArgument);
  octet_frame frame = {};
  frame.format = channels == 1 ? OCTET_PIXELS_GREY8 : OCTET_PIXELS_RGB24;
  frame.width = width;
  frame.height = height;
  frame.planes[0] = pixels;
  frame.strides[0] = row_bytes;
  return octet_set_input_frame(session, index, &frame);
}

octet_status octet_set_input_frame(octet_session* session, uint32_t index,
                                   const octet_frame* frame) {
  const Session* s = SessionOf(session);
  octet_frame own;
  if (index >= s->blob.model->input_count || !octet::ReadSized(frame, &own) ||
      static_cast<uint32_t>(own.format) > OCTET_PIXELS_YUYV) {
    return ToC(Code::kInvalidArgument);
  }
  octet::Frame source = {static_cast<octet::PixelFormat>(own.format),
                         own.width,
                         own.height,
                         {own.planes[0], own.planes[1], own.planes[2]},
                         {own.strides[0], own.strides[1], own.strides[2]}};
  if (!octet::FrameIsValid(source)) return ToC(Code::kInvalidArgument);
  if (s->blob.inputs[index].is_image == 0) return ToC(Code::kShapeMismatch);
  octet::StoreFrame(*s, index, source);
  return ToC(Code::kOk);
}

octet_status octet_set_input_f32(octet_session* session, uint32_t index, const float* values,
                                 size_t element_count) {
  const Session* s = SessionOf(session);
  if (index >= s->blob.model->input_count || values == nullptr) {
    return ToC(Code::kInvalidArgument);
  }
  if (octet::InputElements(s->blob.inputs[index]) != element_count) {
    return ToC(Code::kShapeMismatch);
  }
  octet::StoreFloats(*s, index, values);
  return ToC(Code::kOk);
}

octet_status octet_run(octet_session* session) {
  return ToC(octet::Run(SessionOf(session)));
}

octet_status octet_run_layer(octet_session* session, uint32_t layer) {
  if (layer >= octet::CurrentPlan(*SessionOf(session)).layer_count)
    return ToC(Code::kInvalidArgument);
  octet::RunLayer(SessionOf(session), layer);
  return ToC(Code::kOk);
}

octet_status octet_get_output(const octet_session* session, uint32_t index, float* values,
                              size_t element_count) {
  const Session* s = SessionOf(session);
  if (index >= s->blob.model->output_count || values == nullptr) {
    return ToC(Code::kInvalidArgument);
  }
  if (s->blob.outputs[index].element_count != element_count) return ToC(Code::kShapeMismatch);
  octet::LoadFloats(*s, index, values);
  return ToC(Code::kOk);
}
