// The decoding half of the C API: outputs of the current plan -> classes, boxes, label maps.
#include "octet/octet.h"
#include "runtime/decode/detect.h"
#include "runtime/decode/scores.h"
#include "runtime/decode/text.h"
#include "runtime/engine/c_api.h"
#include "runtime/engine/decode_memory.h"
#include "runtime/engine/transfer.h"

namespace octet {
namespace {

// False where the blob decodes something else, or an argument is wrong.
bool LoadOutputs(const Session& session, blob::Task task, void* memory, DecodeOutputs* out) {
  if (!ViewOutputs(session, task, memory, out)) return false;
  const DecodeMemory layout = LayOutDecodeMemory(session.blob);
  for (uint32_t i = 0; i < session.blob.model->output_count; ++i) {
    LoadFloats(session, i,
               reinterpret_cast<float*>(static_cast<uint8_t*>(memory) + layout.output_offsets[i]));
  }
  return true;
}

}  // namespace
}  // namespace octet

using octet::Code;
using octet::LoadOutputs;
using octet::Session;
using octet::SessionOf;
using octet::ToC;

#define OCTET_TASK(number, Name, NAME, word) \
  static_assert(OCTET_TASK_##NAME == (number), "octet.h and the format have the same numbers");
#include "runtime/format/tasks.inc"
#undef OCTET_TASK

octet_task octet_model_task(const octet_session* session) {
  return static_cast<octet_task>(SessionOf(session)->blob.model->task);
}

size_t octet_decode_bytes(const octet_session* session) {
  const octet::BlobView& blob = SessionOf(session)->blob;
  return blob.decode.data == nullptr ? 0 : octet::LayOutDecodeMemory(blob).bytes;
}

octet_status octet_detect(const octet_session* session, uint32_t frame_width, uint32_t frame_height,
                          void* memory, octet_detection* detections, uint32_t capacity,
                          uint32_t* count) {
  const octet::BlobView& blob = SessionOf(session)->blob;
  if (blob.decode.data == nullptr) return ToC(Code::kInvalidArgument);
  return octet_detect_above(session, octet::DecodeOf(blob).score_threshold, frame_width,
                            frame_height, memory, detections, capacity, count);
}

octet_status octet_detect_above(const octet_session* session, float score_threshold,
                                uint32_t frame_width, uint32_t frame_height, void* memory,
                                octet_detection* detections, uint32_t capacity, uint32_t* count) {
  const Session& s = *SessionOf(session);
  octet::DecodeOutputs outputs;
  if (score_threshold != score_threshold || count == nullptr ||
      (detections == nullptr && capacity != 0) || frame_width == 0 || frame_height == 0 ||
      !LoadOutputs(s, octet::blob::Task::kDetect, memory, &outputs)) {
    return ToC(Code::kInvalidArgument);
  }
  const octet::blob::DecodeRecord& record = *outputs.in.record;
  auto* candidates = reinterpret_cast<octet::Candidate*>(
      static_cast<uint8_t*>(memory) + octet::LayOutDecodeMemory(s.blob).candidates_offset);
  const octet::FramePlace frame = {octet::PlaceFrame(s, frame_width, frame_height), frame_width,
                                   frame_height};
  const uint32_t found = octet::CollectCandidates(outputs.in, frame, score_threshold, candidates);
  const uint32_t limit = record.max_detections < capacity ? record.max_detections : capacity;
  *count = octet::SuppressOverlaps(record, candidates, found, limit);
  for (uint32_t i = 0; i < *count && detections != nullptr; ++i) {
    const octet::Detection box = octet::ToFrame(candidates[i].box, frame);
    detections[i] = octet_detection{box.x0, box.y0, box.x1, box.y1, box.score, box.label};
  }
  return ToC(Code::kOk);
}

octet_status octet_classify(const octet_session* session, void* memory, octet_class_score* best,
                            uint32_t capacity, uint32_t* count) {
  octet::DecodeOutputs outputs;
  if (count == nullptr || (best == nullptr && capacity != 0) ||
      !LoadOutputs(*SessionOf(session), octet::blob::Task::kClassify, memory, &outputs)) {
    return ToC(Code::kInvalidArgument);
  }
  static_assert(sizeof(octet::ClassScore) == sizeof(octet_class_score), "same record");
  const octet::blob::DecodeField& field = outputs.in.levels[0].scores;
  *count = octet::BestClasses(
      *outputs.in.record,
      octet::Strided{octet::FieldAt(field, outputs.places, 0, 0, 0), field.channel_step},
      reinterpret_cast<octet::ClassScore*>(best), capacity);
  return ToC(Code::kOk);
}

octet_status octet_segment_size(const octet_session* session, uint32_t* height, uint32_t* width) {
  const octet::BlobView& blob = SessionOf(session)->blob;
  if (height == nullptr || width == nullptr || blob.decode.data == nullptr ||
      blob.model->task != octet::blob::Task::kSegment) {
    return ToC(Code::kInvalidArgument);
  }
  *height = octet::DecodeLevels(blob)[0].grid_h;
  *width = octet::DecodeLevels(blob)[0].grid_w;
  return ToC(Code::kOk);
}

octet_status octet_segment(const octet_session* session, void* memory, uint8_t* labels,
                           size_t label_bytes) {
  octet::DecodeOutputs outputs;
  if (labels == nullptr ||
      !LoadOutputs(*SessionOf(session), octet::blob::Task::kSegment, memory, &outputs)) {
    return ToC(Code::kInvalidArgument);
  }
  const octet::blob::DecodeLevel& level = outputs.in.levels[0];
  if (label_bytes != (size_t)level.grid_h * level.grid_w) return ToC(Code::kShapeMismatch);
  for (uint32_t y = 0; y < level.grid_h; ++y) {
    for (uint32_t x = 0; x < level.grid_w; ++x) {
      *labels++ = octet::PixelLabel(outputs.in, y, x);
    }
  }
  return ToC(Code::kOk);
}

octet_status octet_text_size(const octet_session* session, uint32_t* characters) {
  const octet::BlobView& blob = SessionOf(session)->blob;
  if (characters == nullptr || blob.decode.data == nullptr ||
      blob.model->task != octet::blob::Task::kText) {
    return ToC(Code::kInvalidArgument);
  }
  *characters = octet::DecodeLevels(blob)[0].grid_w;
  return ToC(Code::kOk);
}

octet_status octet_text(const octet_session* session, void* memory, octet_class_score* characters,
                        uint32_t capacity, uint32_t* count) {
  octet::DecodeOutputs outputs;
  if (count == nullptr || (characters == nullptr && capacity != 0) ||
      !LoadOutputs(*SessionOf(session), octet::blob::Task::kText, memory, &outputs)) {
    return ToC(Code::kInvalidArgument);
  }
  *count = octet::ReadText(outputs.in, reinterpret_cast<octet::ClassScore*>(characters), capacity);
  return ToC(Code::kOk);
}
