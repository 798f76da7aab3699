#include "ports/linux/serve/engine/served.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace octet::port::serve {
namespace {

constexpr uint32_t kMostBoxes = 1024;

Model Open(const std::string& path, std::shared_ptr<LoadedBlob> blob, const ModelOptions& options) {
  if (blob != nullptr) return Model(std::move(blob), options);
  return Model(path, options);
}

}  // namespace

Bound::Bound(const std::string& path, std::shared_ptr<LoadedBlob> blob, const ModelOptions& options)
    : model_(Open(path, std::move(blob), options)) {
  model_.Bind();
  const size_t bytes = octet_decode_bytes(session());
  if (bytes == 0) return;
  memory_.reset(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
  if (memory_ == nullptr) {
    throw InputError("no memory to decode into (" + std::to_string(bytes) +
                     " bytes); use fewer --threads");
  }
  std::memset(memory_.get(), 0, bytes);  // resident from now on
  if (octet_model_task(session()) == OCTET_TASK_DETECT) {
    boxes_.resize(std::min(kMostBoxes, DecodeOf(model_.blob()).max_detections));
  }
}

std::span<const octet_detection> Bound::Detect(float threshold, uint32_t width, uint32_t height) {
  uint32_t count = 0;
  octet_detect_above(session(), threshold, width, height, memory_.get(), boxes_.data(),
                     static_cast<uint32_t>(boxes_.size()), &count);
  return {boxes_.data(), count};
}

Served::Served(const std::string& path, bool of_store, uint32_t workers) {
  const ModelOptions options;
  for (uint32_t i = 0; i < workers; ++i) {
    bound_.push_back(
        std::make_unique<Bound>(path, i == 0 ? nullptr : bound_[0]->model().loaded(), options));
  }
  facts_ = FactsOf(bound_[0]->model(), path, of_store);
  numbers_ = OwnNumbers(facts_.labels);
}

void Served::SetLabelMap(const LabelMap& map) {
  numbers_ = map.NumbersOf(facts_.labels);
}

void Served::Count(bool good) {
  if (good) {
    good_.fetch_add(1, std::memory_order_relaxed);
    bad_in_a_row_.store(0, std::memory_order_relaxed);
  } else {
    bad_in_a_row_.fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace octet::port::serve
