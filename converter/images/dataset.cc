#include "converter/images/dataset.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <system_error>

#include "converter/support/error.h"
#include "ports/linux/pictures/npy_header.h"
#include "ports/linux/pictures/pictures.h"
#include "runtime/core/half.h"

namespace octet::images {
namespace {

namespace fs = std::filesystem;

// What was read of a mapped file need not stay in memory: it can be read again, and without this
// all that was ever read of a large file would count as this program's. Outwards to whole pages;
// what another thread reads of them at the same time comes from the file again.
void Release(const uint8_t* from, size_t bytes) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<uintptr_t>(from);
  const uintptr_t first = start / page * page;
  madvise(reinterpret_cast<void*>(first), start + bytes - first, MADV_DONTNEED);
}

// uint8 pictures of one .npy file.
class NpyPictures : public Dataset {
 public:
  NpyPictures(NpyFile file, const std::string& name, const graph::Shape& input_shape,
              const Preprocess& preprocess, bool channels_last)
      : file_(std::move(file)),
        input_shape_(input_shape),
        preprocess_(preprocess),
        channels_last_(channels_last) {
    const graph::Shape& shape = file_.shape();
    const pictures::PicturesOfArray found = pictures::FindPictures({shape.begin(), shape.end()});
    if (found.count == 0) {
      Fail(
          "{}: uint8 array of shape {} cannot be pictures; give [N,H,W,C], [N,C,H,W], [N,H,W] or "
          "[H,W,C] with 1 or 3 channels",
          name, graph::ToString(shape));
    }
    count_ = static_cast<int64_t>(found.count);
    height_ = found.height, width_ = found.width, channels_ = found.channels;
    planar_ = found.planar;
  }

  int64_t size() const override { return count_; }

  graph::Tensor Load(int64_t i) const override {
    return ToInput(Pixels(i), input_shape_, preprocess_, channels_last_);
  }

  Image Pixels(int64_t i) const override {
    const size_t plane = static_cast<size_t>(height_ * width_);
    const auto channels = static_cast<size_t>(channels_);
    const auto* source =
        static_cast<const uint8_t*>(file_.data()) + static_cast<size_t>(i) * plane * channels;
    Image image{static_cast<int>(height_), static_cast<int>(width_), static_cast<int>(channels_),
                std::vector<uint8_t>(source, source + plane * channels)};
    if (planar_) {
      for (size_t c = 0; c < channels; ++c) {
        for (size_t p = 0; p < plane; ++p) image.pixels[p * channels + c] = source[c * plane + p];
      }
    }
    Release(source, plane * channels);
    return image;
  }

  PictureSize Picture(int64_t) const override {
    return {static_cast<uint32_t>(height_), static_cast<uint32_t>(width_)};
  }

  int SourceChannels() const override { return static_cast<int>(channels_); }

 private:
  NpyFile file_;
  graph::Shape input_shape_;
  Preprocess preprocess_;
  bool channels_last_;
  bool planar_ = false;
  int64_t count_ = 0, height_ = 0, width_ = 0, channels_ = 0;
};

// Floats in the model's own layout.
class NpyFloats : public Dataset {
 public:
  NpyFloats(NpyFile file, const std::string& name, const graph::Shape& input_shape)
      : file_(std::move(file)), name_(name), input_shape_(input_shape) {
    const graph::Shape& shape = file_.shape();
    const graph::Shape tail(input_shape.empty() ? input_shape.end() : input_shape.begin() + 1,
                            input_shape.end());
    // An input of rank 0 has one number a sample: one row, without an end.
    const int64_t rows = input_shape.empty() ? 1 : input_shape[0];
    const bool is_column = input_shape.empty() && shape.size() == 2 && shape[1] == 1;
    if (shape == input_shape || (shape == tail && rows == 1)) {
      count_ = 1;
    } else if (is_column ||
               (!shape.empty() && shape[0] % rows == 0 &&
                std::equal(shape.begin() + 1, shape.end(), tail.begin(), tail.end()))) {
      count_ = shape[0] / rows;
    } else {
      Fail("{}: float array of shape {} does not fit the model's input {}; {}", name,
           graph::ToString(shape), graph::ToString(input_shape),
           input_shape.empty()
               ? std::string("give [N], one number a sample")
               : fmt::format("the first dimension counts samples{}, the others must be equal",
                             rows > 1 ? fmt::format(", {} rows each", rows) : ""));
    }
    if (count_ < 1) Fail("{}: has no samples; give at least one", name);
  }

  int64_t size() const override { return count_; }

  void Check(int64_t i) const override { Load(i); }

  graph::Tensor Load(int64_t i) const override {
    const auto elements = static_cast<size_t>(graph::ElementCount(input_shape_));
    std::vector<float> values(elements);
    const auto* data = static_cast<const uint8_t*>(file_.data());
    const size_t first = static_cast<size_t>(i) * elements;
    // The header may leave the data unaligned.
    if (file_.dtype() == "<f2") {
      for (size_t k = 0; k < elements; ++k) {
        uint16_t half;
        std::memcpy(&half, data + (first + k) * sizeof(half), sizeof(half));
        values[k] = HalfToFloat(half);
      }
    } else if (file_.dtype() == "<f8") {
      for (size_t k = 0; k < elements; ++k) {
        double wide;
        std::memcpy(&wide, data + (first + k) * sizeof(wide), sizeof(wide));
        values[k] = static_cast<float>(wide);
      }
    } else {
      std::memcpy(values.data(), data + first * sizeof(float), elements * sizeof(float));
    }
    const size_t element_bytes = file_.dtype() == "<f2"   ? 2
                                 : file_.dtype() == "<f8" ? 8
                                                          : sizeof(float);
    Release(data + first * element_bytes, elements * element_bytes);
    // Masks hold minus infinity; who reads them knows where they may.
    const auto is_number = [](float v) { return std::isfinite(v) || (std::isinf(v) && v < 0); };
    if (!std::all_of(values.begin(), values.end(), is_number)) {
      Fail("{}: sample {} (counted from 0) has NaN or infinity; remove it", name_, i);
    }
    return graph::Tensor::Floats(input_shape_, std::move(values));
  }

 private:
  NpyFile file_;
  std::string name_;
  graph::Shape input_shape_;
  int64_t count_ = 0;
};

class PictureFiles : public Dataset {
 public:
  PictureFiles(std::vector<std::string> files, const graph::Shape& input_shape,
               const Preprocess& preprocess, bool channels_last)
      : files_(std::move(files)),
        input_shape_(input_shape),
        preprocess_(preprocess),
        channels_last_(channels_last) {}

  int64_t size() const override { return static_cast<int64_t>(files_.size()); }

  graph::Tensor Load(int64_t i) const override {
    return ToInput(Pixels(i), input_shape_, preprocess_, channels_last_);
  }

  Image Pixels(int64_t i) const override { return DecodePicture(files_[static_cast<size_t>(i)]); }
  void Check(int64_t i) const override { Pixels(i); }

  PictureSize Picture(int64_t i) const override {
    const Image image = ReadPictureHeader(files_[static_cast<size_t>(i)]);
    return {static_cast<uint32_t>(image.height), static_cast<uint32_t>(image.width)};
  }

  std::string File(int64_t i) const override { return files_[static_cast<size_t>(i)]; }

  int SourceChannels() const override { return ReadPictureHeader(files_[0]).channels; }

 private:
  std::vector<std::string> files_;
  graph::Shape input_shape_;
  Preprocess preprocess_;
  bool channels_last_;
};

class SomeSamples : public Dataset {
 public:
  SomeSamples(std::unique_ptr<Dataset> all, std::vector<int64_t> samples)
      : all_(std::move(all)), samples_(std::move(samples)) {}

  int64_t size() const override { return static_cast<int64_t>(samples_.size()); }
  graph::Tensor Load(int64_t i) const override { return all_->Load(At(i)); }
  void Check(int64_t i) const override { all_->Check(At(i)); }
  PictureSize Picture(int64_t i) const override { return all_->Picture(At(i)); }
  Image Pixels(int64_t i) const override { return all_->Pixels(At(i)); }
  std::string File(int64_t i) const override { return all_->File(At(i)); }
  int SourceChannels() const override { return all_->SourceChannels(); }

 private:
  int64_t At(int64_t i) const { return samples_[static_cast<size_t>(i)]; }

  std::unique_ptr<Dataset> all_;
  std::vector<int64_t> samples_;
};

}  // namespace

std::unique_ptr<Dataset> Subset(std::unique_ptr<Dataset> all, std::vector<int64_t> samples) {
  return std::make_unique<SomeSamples>(std::move(all), std::move(samples));
}

std::unique_ptr<Dataset> OpenDataset(const fs::path& path, const graph::Shape& input_shape,
                                     const Preprocess& preprocess, bool channels_last) {
  const std::string name = path.string();
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) Fail("{}: no such file or folder; check the path", name);
  if (fs::is_directory(status) && !preprocess.is_image) {
    Fail("{}: a folder of pictures does not fit the model's input {}; give a .npy file of float32",
         name, graph::ToString(input_shape));
  }
  if (fs::is_directory(status) || (pictures::HasPictureName(name) && preprocess.is_image)) {
    pictures::Listing listing = pictures::ListPictures(name);
    if (!listing.error.empty()) Fail("{}", listing.error);
    return std::make_unique<PictureFiles>(std::move(listing.files), input_shape, preprocess,
                                          channels_last);
  }
  NpyFile file(path);
  if (file.dtype() == "<f2" || file.dtype() == "<f4" || file.dtype() == "<f8") {
    return std::make_unique<NpyFloats>(std::move(file), name, input_shape);
  }
  if (file.dtype() == "|u1" && preprocess.is_image) {
    return std::make_unique<NpyPictures>(std::move(file), name, input_shape, preprocess,
                                         channels_last);
  }
  Fail(
      "{}: element type {} does not fit the model's input {}; give {}float32 values in the model's "
      "layout",
      name, file.dtype(), graph::ToString(input_shape),
      preprocess.is_image ? "uint8 pictures or " : "");
}

}  // namespace octet::images
