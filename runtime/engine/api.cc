// The C API over the engine: checks arguments, nothing else.
#include <string.h>

#include "octet/octet.h"
#include "runtime/engine/isa_names.h"
#include "runtime/engine/session.h"
#include "runtime/engine/transfer.h"

using octet::Code;
using octet::Isa;
using octet::Session;
using octet::Status;

namespace {

octet_status ToC(Status status) {
  return octet_status{static_cast<octet_code>(status.code), status.offset};
}

octet_status ToC(Code code) {
  return ToC(Status{code, 0});
}

Session* Of(octet_session* session) {
  return reinterpret_cast<Session*>(session);
}
const Session* Of(const octet_session* session) {
  return reinterpret_cast<const Session*>(session);
}

octet::Sha256BlocksFn HashOf(uint32_t verify_hashes) {
  if (verify_hashes == OCTET_VERIFY_NONE) return nullptr;
  return verify_hashes == OCTET_VERIFY_SHA_INSTRUCTIONS ? octet::Sha256BlocksAccelerated()
                                                        : octet::Sha256BlocksPortable;
}

bool IsLevel(octet_isa isa) {
  return static_cast<uint32_t>(isa) < octet::kIsaCount;
}

Status Measure(const octet::BlobView& blob, octet_isa isa, uint32_t threads,
               octet::ArenaLayout* layout) {
  *layout = octet::LayOutArena(blob, static_cast<Isa>(isa), threads);
  return layout->bytes > SIZE_MAX / 2 ? Status{Code::kInvalidArgument, 0} : octet::Ok();
}

}  // namespace

octet_status octet_validate(const void* blob, size_t blob_bytes, uint32_t verify_hashes) {
  octet::BlobView view;
  return ToC(
      octet::ValidateBlob(blob, blob_bytes, HashOf(verify_hashes), octet::OperatorRules(), &view));
}

octet_status octet_arena_bytes(const void* blob, size_t blob_bytes, octet_isa isa, uint32_t threads,
                               size_t* arena_bytes) {
  if (arena_bytes == nullptr || !IsLevel(isa) || threads == 0 || threads > octet::kMaxThreads) {
    return ToC(Code::kInvalidArgument);
  }
  octet::BlobView view;
  Status status = octet::ViewBlob(blob, blob_bytes, &view);
  if (!octet::IsOk(status)) return ToC(status);
  octet::ArenaLayout layout;
  status = Measure(view, isa, threads, &layout);
  if (octet::IsOk(status)) *arena_bytes = static_cast<size_t>(layout.bytes);
  return ToC(status);
}

octet_status octet_bind(const void* blob, size_t blob_bytes, void* arena, size_t arena_bytes,
                        const octet_config* config, octet_session** session) {
  if (arena == nullptr || config == nullptr || session == nullptr || !IsLevel(config->isa)) {
    return ToC(Code::kInvalidArgument);
  }
  *session = nullptr;
  const octet_pool* pool = config->pool;
  const uint32_t threads = pool == nullptr ? 1 : pool->thread_count;
  if (threads == 0 || threads > octet::kMaxThreads || (pool != nullptr && pool->run == nullptr)) {
    return ToC(Code::kInvalidArgument);
  }
  if (!octet::IsaIsBuilt(static_cast<Isa>(config->isa))) return ToC(Code::kIsaUnavailable);
  if (reinterpret_cast<uintptr_t>(arena) % 64 != 0) return ToC(Code::kMisaligned);
  octet::BlobView view;
  Status status = octet::ValidateBlob(blob, blob_bytes, HashOf(config->verify_hashes),
                                      octet::OperatorRules(), &view);
  if (!octet::IsOk(status)) return ToC(status);
  octet::ArenaLayout layout;
  status = Measure(view, config->isa, threads, &layout);
  if (!octet::IsOk(status)) return ToC(status);
  if (layout.bytes > arena_bytes) return ToC(Code::kArenaTooSmall);
  *session = reinterpret_cast<octet_session*>(octet::Bind(
      view, layout, static_cast<Isa>(config->isa), threads, *config, static_cast<uint8_t*>(arena)));
  return ToC(Code::kOk);
}

octet_status octet_set_plan(octet_session* session, uint32_t plan) {
  if (plan >= Of(session)->blob.model->plan_count) return ToC(Code::kInvalidArgument);
  octet::SelectPlan(Of(session), plan);
  return ToC(Code::kOk);
}

octet_status octet_set_input_image(octet_session* session, uint32_t index, const uint8_t* pixels,
                                   uint32_t height, uint32_t width, uint32_t channels,
                                   size_t row_bytes) {
  if (channels != 1 && channels != 3) return ToC(Code::kInvalidArgument);
  const octet_frame frame = {channels == 1 ? OCTET_PIXELS_GREY8 : OCTET_PIXELS_RGB24,
                             width,
                             height,
                             {pixels, nullptr, nullptr},
                             {row_bytes, 0, 0}};
  return octet_set_input_frame(session, index, &frame);
}

octet_status octet_set_input_frame(octet_session* session, uint32_t index,
                                   const octet_frame* frame) {
  const Session* s = Of(session);
  if (index >= s->blob.model->input_count || frame == nullptr ||
      static_cast<uint32_t>(frame->format) > OCTET_PIXELS_YUYV) {
    return ToC(Code::kInvalidArgument);
  }
  octet::Frame source = {static_cast<octet::PixelFormat>(frame->format),
                         frame->width,
                         frame->height,
                         {frame->planes[0], frame->planes[1], frame->planes[2]},
                         {frame->strides[0], frame->strides[1], frame->strides[2]}};
  if (!octet::FrameIsValid(source)) return ToC(Code::kInvalidArgument);
  if (s->blob.inputs[index].is_image == 0) return ToC(Code::kShapeMismatch);
  octet::StoreFrame(*s, index, source);
  return ToC(Code::kOk);
}

octet_status octet_set_input_f32(octet_session* session, uint32_t index, const float* values,
                                 size_t element_count) {
  const Session* s = Of(session);
  if (index >= s->blob.model->input_count || values == nullptr) {
    return ToC(Code::kInvalidArgument);
  }
  octet_tensor_info info;
  octet_input_info(session, index, &info);
  if (info.element_count != element_count) return ToC(Code::kShapeMismatch);
  octet::StoreFloats(*s, index, values);
  return ToC(Code::kOk);
}

octet_status octet_run(octet_session* session) {
  return ToC(octet::Run(Of(session)));
}

octet_status octet_run_layer(octet_session* session, uint32_t layer) {
  if (layer >= octet::CurrentPlan(*Of(session)).layer_count) return ToC(Code::kInvalidArgument);
  octet::RunLayer(*Of(session), layer);
  return ToC(Code::kOk);
}

octet_status octet_get_output(const octet_session* session, uint32_t index, float* values,
                              size_t element_count) {
  const Session* s = Of(session);
  if (index >= s->blob.model->output_count || values == nullptr) {
    return ToC(Code::kInvalidArgument);
  }
  if (s->blob.outputs[index].element_count != element_count) return ToC(Code::kShapeMismatch);
  octet::LoadFloats(*s, index, values);
  return ToC(Code::kOk);
}
