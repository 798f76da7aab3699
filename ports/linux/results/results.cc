#include "ports/linux/results/results.h"

#include <algorithm>
#include <cstring>

namespace octet::port {
namespace {

constexpr uint32_t kMostBoxes = 1024;

}  // namespace

ResultReader::ResultReader(const Model& model) {
  octet_session* session = model.session();
  const size_t bytes = octet_decode_bytes(session);
  if (bytes == 0) return;
  memory_.reset(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
  if (memory_ == nullptr) throw InputError("no memory to decode into");
  std::memset(memory_.get(), 0, bytes);  // resident from now on
  results_.task = octet_model_task(session);
  if (results_.task == OCTET_TASK_DETECT) {
    results_.boxes.resize(std::min(kMostBoxes, DecodeOf(model.blob()).max_detections));
  } else if (results_.task == OCTET_TASK_SEGMENT) {
    octet_segment_size(session, &results_.map_height, &results_.map_width);
    results_.map.resize(size_t{results_.map_height} * results_.map_width);
    results_.pixels.resize(256);
  }
}

const Results& ResultReader::Read(octet_session* session, uint32_t frame_width,
                                  uint32_t frame_height) {
  Results& r = results_;
  switch (r.task) {
    case OCTET_TASK_NONE:
      break;
    case OCTET_TASK_CLASSIFY:
      octet_classify(session, memory_.get(), r.classes, Results::kTopClasses, &r.count);
      break;
    case OCTET_TASK_DETECT:
      octet_detect(session, frame_width, frame_height, memory_.get(), r.boxes.data(),
                   static_cast<uint32_t>(r.boxes.size()), &r.count);
      break;
    case OCTET_TASK_SEGMENT:
      octet_segment(session, memory_.get(), r.map.data(), r.map.size());
      std::fill(r.pixels.begin(), r.pixels.end(), 0);
      for (const uint8_t label : r.map) ++r.pixels[label];
      break;
  }
  return r;
}

const char* LabelName(const octet_session* session, uint32_t label) {
  return label < octet_label_count(session) ? octet_label(session, label) : "";
}

}  // namespace octet::port
