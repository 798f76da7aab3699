// A stream of model inputs: a folder of pictures or a .npy file, preprocessed exactly as the
// runtime does it.
#ifndef OCTET_CONVERTER_IMAGES_DATASET_H_
#define OCTET_CONVERTER_IMAGES_DATASET_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "converter/graph/graph.h"
#include "runtime/format/blob.h"

namespace octet::images {

// value = (x * scale - mean[c]) / std_dev[c], in the model's channel order; geometry [1, channels,
// height, width] of the model.
struct Preprocess {
  bool is_image = true;
  float scale = 1.0f / 255.0f;
  float mean[3] = {0, 0, 0};
  float std_dev[3] = {1, 1, 1};
  blob::ColourOrder colour = blob::ColourOrder::kRgb;
  blob::ResizeMode resize = blob::ResizeMode::kStretch;
  uint8_t letterbox_value = 114;
};

// uint8 [h, w, c] picture.
struct Image {
  int height = 0, width = 0, channels = 0;
  std::vector<uint8_t> pixels;
};

// .npy (ports/linux/pictures/npy_header.h): uint8 pictures, floats (16, 32 or 64 bits) in the
// model's layout. Memory-mapped, samples are read one by one.
class NpyFile {
 public:
  explicit NpyFile(const std::filesystem::path& path);  // throws UserError
  ~NpyFile();
  NpyFile(NpyFile&&) noexcept;
  const graph::Shape& shape() const { return shape_; }
  const std::string& dtype() const { return dtype_; }  // "|u1", "<f4", ...
  const void* data() const { return data_; }

 private:
  void* map_ = nullptr;
  size_t map_bytes_ = 0;
  const void* data_ = nullptr;
  graph::Shape shape_;
  std::string dtype_;
};
void WriteNpyFloat(const std::filesystem::path& path, const graph::Shape& shape,
                   const float* values);

struct PictureSize {
  uint32_t height = 0, width = 0;
};

// The samples for ONE model input of logical shape `input_shape` ([1, C, H, W] for images). Where
// its leading dimension is B, each B rows of an array are one sample.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual int64_t size() const = 0;
  // Sample i as the model's float input. Thread-safe.
  virtual graph::Tensor Load(int64_t i) const = 0;
  // Fails where Load would, for no more than reading the sample costs. Thread-safe.
  virtual void Check(int64_t) const {}
  // Of the picture behind sample i; zeros where it is none.
  virtual PictureSize Picture(int64_t) const { return {}; }
  // That picture as it is, RGB or grey; empty where it is none. Thread-safe.
  virtual Image Pixels(int64_t) const { return {}; }
  // Its file, where each sample has one; else empty.
  virtual std::string File(int64_t) const { return {}; }
  // 1 or 3: channels of the pictures, as the first of them tells; 0 where they are none.
  virtual int SourceChannels() const { return 0; }
};

// path: a picture, a folder of pictures (ports/linux/pictures says which) or a .npy file. A file
// that cannot be read is refused by Load: what was measured is what was named. `channels_last`: the
// model's input is [1, H, W, C].
std::unique_ptr<Dataset> OpenDataset(const std::filesystem::path& path,
                                     const graph::Shape& input_shape, const Preprocess& preprocess,
                                     bool channels_last);

// Some samples of a data set, in the order given; each index lies in it.
std::unique_ptr<Dataset> Subset(std::unique_ptr<Dataset> all, std::vector<int64_t> samples);

Image DecodePicture(const std::filesystem::path& path);
// Height, width and channels alone, without pixels.
Image ReadPictureHeader(const std::filesystem::path& path);
// The normative resize (runtime/image/resize.h) + table, in float.
graph::Tensor ToInput(const Image& image, const graph::Shape& input_shape,
                      const Preprocess& preprocess, bool channels_last);

}  // namespace octet::images

#endif  // OCTET_CONVERTER_IMAGES_DATASET_H_
