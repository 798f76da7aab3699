#include "converter/sections/golden/golden_inputs.h"

#include <cstring>
#include <utility>

#include "converter/blobs/blob_file.h"
#include "converter/images/image_input.h"
#include "converter/support/error.h"
#include "runtime/format/golden.h"

namespace octet::sections {
namespace {

// Samples of one input in memory: pictures, or numbers in the model's own layout.
class Kept : public images::Dataset {
 public:
  Kept(graph::Shape shape, const images::Preprocess& preprocess) : shape_(std::move(shape)) {
    preprocess_ = preprocess;
    preprocess_.is_image = images::IsImageInput(shape_, &channels_last_);
  }
  void Add(images::Image picture) { pictures_.push_back(std::move(picture)); }
  void Add(std::vector<float> values) { values_.push_back(std::move(values)); }

  int64_t size() const override { return static_cast<int64_t>(pictures_.size() + values_.size()); }
  graph::Tensor Load(int64_t i) const override {
    const auto at = static_cast<size_t>(i);
    if (pictures_.empty()) return graph::Tensor::Floats(shape_, values_[at]);
    return images::ToInput(pictures_[at], shape_, preprocess_, channels_last_);
  }
  images::PictureSize Picture(int64_t i) const override {
    const images::Image image = Pixels(i);
    return {static_cast<uint32_t>(image.height), static_cast<uint32_t>(image.width)};
  }
  images::Image Pixels(int64_t i) const override {
    return pictures_.empty() ? images::Image{} : pictures_[static_cast<size_t>(i)];
  }
  int SourceChannels() const override { return pictures_.empty() ? 0 : pictures_[0].channels; }

 private:
  graph::Shape shape_;
  images::Preprocess preprocess_;
  bool channels_last_ = false;
  std::vector<images::Image> pictures_;
  std::vector<std::vector<float>> values_;
};

}  // namespace

std::vector<std::unique_ptr<images::Dataset>> GoldenInputs(const std::string& blob,
                                                           const graph::Graph& graph,
                                                           const images::Preprocess& preprocess) {
  const blobs::BlobFile file(blob);
  GoldenView golden;
  const BlobView view = blobs::ViewOf(file);
  if (!IsOk(ViewGolden(view, &golden)) || golden.record == nullptr ||
      golden.record->vector_count == 0) {
    Fail("{}: has no samples (octet convert --golden N stores them); give --calibrate", blob);
  }
  std::vector<std::unique_ptr<images::Dataset>> inputs;
  for (uint32_t i = 0; i < golden.record->input_count; ++i) {
    const graph::Value& value = graph.At(graph.inputs[i]);
    auto kept = std::make_unique<Kept>(*value.shape, preprocess);
    for (uint32_t v = 0; v < golden.record->vector_count; ++v) {
      const blob::GoldenInput& input = GoldenInputOf(golden, v, i);
      const uint8_t* bytes = golden.section.data + input.offset;
      switch (input.kind) {
        case blob::GoldenKind::kPicture:
          kept->Add(images::Image{static_cast<int>(input.height), static_cast<int>(input.width),
                                  static_cast<int>(input.channels),
                                  std::vector<uint8_t>(bytes, bytes + input.bytes)});
          break;
        case blob::GoldenKind::kValues: {
          std::vector<float> values(input.bytes / sizeof(float));
          std::memcpy(values.data(), bytes, values.size() * sizeof(float));
          kept->Add(std::move(values));
          break;
        }
        case blob::GoldenKind::kGenerated:
          Fail(
              "{}: samples of input '{}' were too large to store, the blob has only their range; "
              "give --calibrate",
              blob, value.name);
      }
    }
    inputs.push_back(std::move(kept));
  }
  return inputs;
}

}  // namespace octet::sections
