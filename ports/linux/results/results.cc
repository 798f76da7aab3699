#include "ports/linux/results/results.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ports/linux/results/text.h"

namespace octet::port {
namespace {

constexpr uint32_t kMostBoxes = 1024;
// Of all masks of a frame: a hundred objects of 500 rows with two edges each, and room.
constexpr size_t kMostRuns = size_t{1} << 17;
// In JSON: `[1234.5,1234.5,0.9999],` of a point; digits and comma of a run.
constexpr size_t kPointBytes = 24, kRunBytes = 6;
// `0.9999,` of a character, and six bytes of JSON for each byte of its name.
constexpr size_t kCharacterBytes = 8, kEscapedBytes = 6;
// Ways of tracks and edges of zones: 128 ways of 32 points, 64 zones of 64 edges.
constexpr size_t kMostLines = 8192, kMostTexts = 64;

}  // namespace

ResultReader::ResultReader(const Model& model, float least_score) : least_score_(least_score) {
  octet_session* session = model.session();
  const size_t bytes = octet_decode_bytes(session);
  if (bytes == 0) return;
  memory_.reset(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
  if (memory_ == nullptr) {
    throw InputError("no memory to decode into (" + std::to_string(bytes) +
                     " bytes); end other programs");
  }
  std::memset(memory_.get(), 0, bytes);  // resident from now on
  results_.task = octet_model_task(session);
  if (results_.task == OCTET_TASK_DETECT) {
    results_.boxes.resize(std::min(kMostBoxes, DecodeOf(model.blob()).max_detections));
    threshold_ = DecodeOf(model.blob()).score_threshold;
    results_.ids.resize(results_.boxes.size());
    results_.lines.reserve(kMostLines);
    results_.texts.reserve(kMostTexts);
    results_.point_count = octet_keypoint_count(session);
    results_.points.resize(results_.boxes.size() * results_.point_count);
    has_masks_ = octet_has_masks(session) != 0;
    if (has_masks_) {
      results_.masks.reserve(results_.boxes.size());
      results_.runs.reserve(kMostRuns);
    }
  } else if (results_.task == OCTET_TASK_SEGMENT) {
    octet_segment_size(session, &results_.map_height, &results_.map_width);
    results_.map.resize(size_t{results_.map_height} * results_.map_width);
    results_.pixels.resize(256);
  } else if (results_.task == OCTET_TASK_TEXT) {
    uint32_t most = 0;
    octet_text_size(session, &most);
    results_.characters.resize(most);
    size_t longest = 0;
    for (uint32_t i = 0; i < octet_label_count(session); ++i) {
      longest = std::max(longest, std::strlen(octet_label(session, i)));
    }
    results_.text.reserve(most * longest);
  }
}

Results& ResultReader::Read(octet_session* session, uint32_t frame_width, uint32_t frame_height) {
  Results& r = results_;
  switch (r.task) {
    case OCTET_TASK_NONE:
      break;
    case OCTET_TASK_CLASSIFY:
      octet_classify(session, memory_.get(), r.classes, Results::kTopClasses, &r.count);
      break;
    case OCTET_TASK_DETECT:
      ReadBoxes(session, frame_width, frame_height);
      for (uint32_t i = 0; i < r.count && r.point_count != 0; ++i) {
        octet_keypoints(session, frame_width, frame_height, memory_.get(), i,
                        r.points.data() + size_t{i} * r.point_count, r.point_count);
      }
      if (has_masks_) ReadMasks(session, frame_width, frame_height);
      break;
    case OCTET_TASK_SEGMENT:
      octet_segment(session, memory_.get(), r.map.data(), r.map.size());
      std::fill(r.pixels.begin(), r.pixels.end(), 0);
      for (const uint8_t label : r.map) ++r.pixels[label];
      break;
    case OCTET_TASK_TEXT:
      ReadText(session);
      break;
  }
  return r;
}

void ResultReader::ReadText(octet_session* session) {
  Results& r = results_;
  octet_text(session, memory_.get(), r.characters.data(),
             static_cast<uint32_t>(r.characters.size()), &r.count);
  r.text.clear();
  for (uint32_t i = 0; i < r.count; ++i) r.text += LabelName(session, r.characters[i].label);
}

// Weak boxes stand behind the others, which they do not change.
void ResultReader::ReadBoxes(octet_session* session, uint32_t frame_width, uint32_t frame_height) {
  Results& r = results_;
  const auto most = static_cast<uint32_t>(r.boxes.size());
  r.weak_count = 0;
  if (least_score_ >= threshold_) {
    octet_detect(session, frame_width, frame_height, memory_.get(), r.boxes.data(), most, &r.count);
    return;
  }
  uint32_t all = 0;
  octet_detect_above(session, least_score_, frame_width, frame_height, memory_.get(),
                     r.boxes.data(), most, &all);
  r.count = 0;
  while (r.count < all && r.boxes[r.count].score >= threshold_) ++r.count;
  r.weak_count = all - r.count;
}

// A mask without room for its runs has no runs.
void ResultReader::ReadMasks(octet_session* session, uint32_t frame_width, uint32_t frame_height) {
  Results& r = results_;
  r.masks.clear();
  r.runs.clear();
  for (uint32_t i = 0; i < r.count; ++i) {
    const octet_detection& box = r.boxes[i];
    ObjectMask mask;
    mask.first_run = static_cast<uint32_t>(r.runs.size());
    mask.left = static_cast<uint32_t>(box.x0), mask.top = static_cast<uint32_t>(box.y0);
    // The right side may be left of the left side: such a box has no pixels.
    const uint32_t right = std::min(frame_width, static_cast<uint32_t>(std::ceil(box.x1)));
    const uint32_t bottom = std::min(frame_height, static_cast<uint32_t>(std::ceil(box.y1)));
    mask.width = right > mask.left ? right - mask.left : 0;
    mask.height = bottom > mask.top ? bottom - mask.top : 0;
    const size_t bytes = size_t{mask.width} * mask.height;
    if (mask_.size() < bytes) mask_.resize(bytes);
    if (bytes != 0) {
      octet_mask(session, frame_width, frame_height, memory_.get(), i, mask.left, mask.top,
                 mask.width, mask.height, mask_.data(), bytes);
    }
    uint8_t value = 0;
    for (size_t first = 0; first < bytes; value ^= 1) {
      size_t end = first;
      while (end < bytes && mask_[end] == value) ++end;
      if (r.runs.size() == kMostRuns) {
        r.runs.resize(mask.first_run);
        mask.pixels = 0;
        break;
      }
      r.runs.push_back(static_cast<uint32_t>(end - first));
      if (value != 0) mask.pixels += r.runs.back();
      first = end;
    }
    mask.run_count = static_cast<uint32_t>(r.runs.size()) - mask.first_run;
    r.masks.push_back(mask);
  }
}

size_t ResultReader::LineBytes() const {
  return kLineBytes + results_.points.size() * kPointBytes +
         results_.characters.size() * kCharacterBytes + results_.text.capacity() * kEscapedBytes +
         (has_masks_ ? kMostRuns * kRunBytes + results_.boxes.size() * 64 : 0);
}

const char* LabelName(const octet_session* session, uint32_t label) {
  return label < octet_label_count(session) ? octet_label(session, label) : "";
}

}  // namespace octet::port
