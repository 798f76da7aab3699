// Key points and masks of detections in the C API: they are read from
// what octet_detect left in the caller's memory.
#include "octet/octet.h"
#include "runtime/decode/objects.h"
#include "runtime/engine/c_api.h"
#include "runtime/engine/decode_memory.h"
#include "runtime/engine/transfer.h"

namespace octet {
namespace {

// A detection that octet_detect kept.
struct Found {
  DecodeOutputs outputs;
  Detection box;
  uint32_t level;
  Cell cell;
};

bool FindDetection(const Session& session, const void* memory, uint32_t index, Found* found) {
  if (!ViewOutputs(session, blob::Task::kDetect, memory, &found->outputs)) return false;
  if (index >= found->outputs.in.record->max_detections) return false;
  const auto* candidates = reinterpret_cast<const Candidate*>(
      static_cast<const uint8_t*>(memory) + LayOutDecodeMemory(session.blob).candidates_offset);
  found->box = candidates[index].box;
  return FindCandidate(found->outputs.in, candidates[index].order, &found->level, &found->cell);
}

// From pixels of the frame to shares of the input's size.
struct FromFrame {
  float scale, shift;
  float operator()(float pixel) const { return pixel * scale + shift; }
};

FromFrame Across(uint32_t target_first, uint32_t target_size, uint32_t source_first,
                 uint32_t source_size, uint32_t input_size) {
  const float scale = (float)target_size / (float)source_size;
  const float shift = (float)target_first - (float)source_first * scale;
  return FromFrame{scale / (float)input_size, shift / (float)input_size};
}

}  // namespace
}  // namespace octet

using octet::Code;
using octet::Session;
using octet::SessionOf;
using octet::ToC;

namespace {

const octet::blob::DecodeRecord* DetectorOf(const octet_session* session) {
  const octet::BlobView& blob = SessionOf(session)->blob;
  const bool detects =
      blob.decode.data != nullptr && blob.model->task == octet::blob::Task::kDetect;
  return detects ? &octet::DecodeOf(blob) : nullptr;
}

}  // namespace

uint32_t octet_keypoint_count(const octet_session* session) {
  const octet::blob::DecodeRecord* record = DetectorOf(session);
  return record == nullptr ? 0 : record->point_count;
}

int octet_has_masks(const octet_session* session) {
  const octet::blob::DecodeRecord* record = DetectorOf(session);
  return record != nullptr && record->mask_count != 0 ? 1 : 0;
}

octet_status octet_keypoints(const octet_session* session, uint32_t frame_width,
                             uint32_t frame_height, const void* memory, uint32_t index,
                             octet_keypoint* points, uint32_t capacity) {
  const Session& s = *SessionOf(session);
  octet::Found found;
  const uint32_t count = octet_keypoint_count(session);
  if (count == 0 || points == nullptr || capacity < count || frame_width == 0 ||
      frame_height == 0 || !octet::FindDetection(s, memory, index, &found)) {
    return ToC(Code::kInvalidArgument);
  }
  octet::KeyPoint places[octet::blob::kMaxDecodePoints];
  octet::ReadKeyPoints(found.outputs.in, found.level, found.cell, places);
  const octet::FramePlace frame = {octet::PlaceFrame(s, frame_width, frame_height), frame_width,
                                   frame_height};
  for (uint32_t i = 0; i < count; ++i) {
    // A point is a box without a size.
    const octet::Detection point = octet::ToFrame(
        octet::Detection{places[i].x, places[i].y, places[i].x, places[i].y, places[i].score, 0},
        frame);
    points[i] = octet_keypoint{point.x0, point.y0, point.score};
  }
  return ToC(Code::kOk);
}

octet_status octet_mask(const octet_session* session, uint32_t frame_width, uint32_t frame_height,
                        void* memory, uint32_t index, uint32_t left, uint32_t top, uint32_t width,
                        uint32_t height, uint8_t* mask, size_t mask_bytes) {
  const Session& s = *SessionOf(session);
  octet::Found found;
  if (octet_has_masks(session) == 0 || mask == nullptr || frame_width == 0 || frame_height == 0 ||
      left > frame_width || width > frame_width - left || top > frame_height ||
      height > frame_height - top || !octet::FindDetection(s, memory, index, &found)) {
    return ToC(Code::kInvalidArgument);
  }
  if ((uint64_t)width * height != mask_bytes) return ToC(Code::kShapeMismatch);
  const octet::MaskGrid grid = octet::MaskGridOf(s.blob);
  auto* sums = reinterpret_cast<float*>(static_cast<uint8_t*>(memory) +
                                        octet::LayOutDecodeMemory(s.blob).sums_offset);
  octet::SumPrototypes(found.outputs.in, grid, found.level, found.cell, sums);
  const octet::Placement place = octet::PlaceFrame(s, frame_width, frame_height);
  const octet::Detection box =
      octet::ToFrame(found.box, octet::FramePlace{place, frame_width, frame_height});
  const uint32_t input = found.outputs.in.record->input;
  const octet::blob::TensorRecord& tensor =
      octet::TensorOf(s, octet::PlanInputTensor(s.blob, octet::CurrentPlan(s), input));
  const octet::FromFrame across = octet::Across(place.target.x, place.target.width, place.source.x,
                                                place.source.width, tensor.dims[2]);
  const octet::FromFrame down = octet::Across(place.target.y, place.target.height, place.source.y,
                                              place.source.height, tensor.dims[1]);
  for (uint32_t y = 0; y < height; ++y) {
    const float row = (float)(top + y) + 0.5f;
    for (uint32_t x = 0; x < width; ++x) {
      const float column = (float)(left + x) + 0.5f;
      const bool inside = column >= box.x0 && column < box.x1 && row >= box.y0 && row < box.y1;
      *mask++ = inside && octet::InMask(sums, grid, across(column), down(row)) ? 1 : 0;
    }
  }
  return ToC(Code::kOk);
}
