#include "converter/judge/section_decoder.h"

#include <algorithm>

namespace octet::judge {
namespace {

void CopyDims(const graph::Shape& shape, uint32_t (&dims)[blob::kMaxRank]) {
  for (size_t i = 0; i < std::min<size_t>(shape.size(), blob::kMaxRank); ++i) {
    dims[i] = static_cast<uint32_t>(shape[i]);
  }
}

}  // namespace

SectionDecoder::SectionDecoder(const write::ModelInfo& info, std::optional<float> least_score)
    : inputs_(info.inputs.size()),
      outputs_(info.outputs.size()),
      section_((info.decode.size() + sizeof(uint64_t) - 1) / sizeof(uint64_t)) {
  std::copy(info.decode.begin(), info.decode.end(), reinterpret_cast<uint8_t*>(section_.data()));
  model_.task = info.task;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    CopyDims(info.inputs[i].shape, inputs_[i].dims);
    inputs_[i].resize = info.preprocess.resize;
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    CopyDims(info.outputs[i].shape, outputs_[i].dims);
    outputs_[i].element_count = static_cast<uint32_t>(graph::ElementCount(info.outputs[i].shape));
  }
  view_.model = &model_;
  view_.inputs = inputs_.data();
  view_.outputs = outputs_.data();
  if (info.decode.empty()) {
    classes_ = outputs_[0].element_count;
  } else {
    view_.decode = {reinterpret_cast<const uint8_t*>(section_.data()),
                    static_cast<uint32_t>(info.decode.size()), 0};
    auto& record = *reinterpret_cast<blob::DecodeRecord*>(section_.data());
    if (least_score) record.score_threshold = std::min(record.score_threshold, *least_score);
    classes_ = record.class_count - (record.background == blob::kNone ? 0 : 1);
  }
  decoder_ = std::make_unique<Decoder>(view_);
}

}  // namespace octet::judge
