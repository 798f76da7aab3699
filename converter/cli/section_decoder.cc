#include "converter/cli/section_decoder.h"

#include <algorithm>
#include <cstring>

#include "runtime/format/view.h"

namespace octet::cli {
namespace {

void CopyDims(const graph::Shape& shape, uint32_t (&dims)[blob::kMaxRank]) {
  for (size_t i = 0; i < std::min<size_t>(shape.size(), blob::kMaxRank); ++i) {
    dims[i] = static_cast<uint32_t>(shape[i]);
  }
}

}  // namespace

SectionDecoder::SectionDecoder(const write::ModelInfo& info)
    : inputs_(info.inputs.size()),
      outputs_(info.outputs.size()),
      section_((info.decode.size() + sizeof(uint64_t) - 1) / sizeof(uint64_t)) {
  std::memcpy(section_.data(), info.decode.data(), info.decode.size());
  model_.task = info.task;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    CopyDims(info.inputs[i].shape, inputs_[i].dims);
    inputs_[i].resize = info.preprocess.resize;
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    CopyDims(info.outputs[i].shape, outputs_[i].dims);
    outputs_[i].element_count = static_cast<uint32_t>(graph::ElementCount(info.outputs[i].shape));
  }
  BlobView view{};
  view.model = &model_;
  view.inputs = inputs_.data();
  view.outputs = outputs_.data();
  view.decode = {reinterpret_cast<const uint8_t*>(section_.data()),
                 static_cast<uint32_t>(info.decode.size()), 0};
  const blob::DecodeRecord& record = DecodeOf(view);
  classes_ = record.class_count - (record.background == blob::kNone ? 0 : 1);
  decoder_ = std::make_unique<Decoder>(view);
}

}  // namespace octet::cli
