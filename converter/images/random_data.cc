#include "converter/images/random_data.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "converter/support/random.h"

namespace octet::images {
namespace {

// Of one sample of one input.
class Bits {
 public:
  Bits(uint64_t seed, uint64_t input, uint64_t sample)
      : random_(Random(Random(seed).Bits() ^ input).Bits() ^ sample) {}
  // 0 to limit - 1; limit far below 2^32.
  int Below(int limit) {
    return static_cast<int>(((random_.Bits() >> 32) * static_cast<uint64_t>(limit)) >> 32);
  }

 private:
  Random random_;
};

constexpr int kByte = 256;

// Adds a grid of random values, `cell` pixels each, to all pixels.
void AddGrid(int cell, Bits* bits, const Image& image, std::vector<int>* sums) {
  const int columns = (image.width + cell - 1) / cell;
  std::vector<int> line(static_cast<size_t>(columns) * static_cast<size_t>(image.channels));
  for (int y = 0; y < image.height; ++y) {
    if (y % cell == 0) {
      for (int& value : line) value = bits->Below(2 * kByte) - kByte;
    }
    int* to = sums->data() + static_cast<ptrdiff_t>(y) * image.width * image.channels;
    for (int x = 0; x < image.width; ++x) {
      const int* from = line.data() + static_cast<ptrdiff_t>(x / cell) * image.channels;
      for (int c = 0; c < image.channels; ++c) *to++ += from[c];
    }
  }
}

Image RandomPicture(int height, int width, int channels, Bits* bits) {
  Image image{height, width, channels, {}};
  const size_t count =
      static_cast<size_t>(height) * static_cast<size_t>(width) * static_cast<size_t>(channels);
  std::vector<int> sums(count);
  int grids = 0;
  for (int cell = std::max({height, width, 1}); cell > 0; cell /= 4, ++grids) {
    AddGrid(cell, bits, image, &sums);
  }
  // From a flat picture to one that is black and white.
  const int middle = bits->Below(kByte), contrast = kByte / 8 + bits->Below(2 * kByte);
  image.pixels.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const int value = middle + sums[i] * contrast / (kByte * grids);
    image.pixels[i] = static_cast<uint8_t>(std::clamp(value, 0, kByte - 1));
  }
  return image;
}

class RandomSamples : public Dataset {
 public:
  RandomSamples(graph::Shape shape, const Preprocess& preprocess, bool channels_last, int64_t count,
                uint64_t seed, size_t input)
      : shape_(std::move(shape)),
        preprocess_(preprocess),
        channels_last_(channels_last),
        count_(count),
        seed_(seed),
        input_(input) {}

  int64_t size() const override { return count_; }

  graph::Tensor Load(int64_t i) const override {
    if (preprocess_.is_image) return ToInput(Pixels(i), shape_, preprocess_, channels_last_);
    Bits bits(seed_, input_, static_cast<uint64_t>(i));
    std::vector<float> values(static_cast<size_t>(graph::ElementCount(shape_)));
    for (float& value : values) {
      // A sum of twelve numbers from 0 to 1 has variance 1 about 6.
      constexpr int kSteps = 1 << 16, kTerms = 12;
      int sum = 0;
      for (int k = 0; k < kTerms; ++k) sum += bits.Below(kSteps);
      value = static_cast<float>(sum - kTerms / 2 * kSteps) / static_cast<float>(kSteps);
    }
    return graph::Tensor::Floats(shape_, std::move(values));
  }

  Image Pixels(int64_t i) const override {
    if (!preprocess_.is_image) return {};
    Bits bits(seed_, input_, static_cast<uint64_t>(i));
    return RandomPicture(Extent(channels_last_ ? 1 : 2), Extent(channels_last_ ? 2 : 3),
                         SourceChannels(), &bits);
  }

  PictureSize Picture(int64_t) const override {
    if (!preprocess_.is_image) return {};
    return {static_cast<uint32_t>(Extent(channels_last_ ? 1 : 2)),
            static_cast<uint32_t>(Extent(channels_last_ ? 2 : 3))};
  }

  int SourceChannels() const override {
    return preprocess_.is_image ? Extent(channels_last_ ? 3 : 1) : 0;
  }

 private:
  int Extent(size_t dimension) const { return static_cast<int>(shape_[dimension]); }

  graph::Shape shape_;
  Preprocess preprocess_;
  bool channels_last_;
  int64_t count_;
  uint64_t seed_;
  size_t input_;
};

}  // namespace

std::unique_ptr<Dataset> RandomDataset(const graph::Shape& input_shape,
                                       const Preprocess& preprocess, bool channels_last,
                                       int64_t count, uint64_t seed, size_t input) {
  return std::make_unique<RandomSamples>(input_shape, preprocess, channels_last, count, seed,
                                         input);
}

}  // namespace octet::images
