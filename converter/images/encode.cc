#include "converter/images/encode.h"

#include <turbojpeg.h>

#include <algorithm>
#include <memory>

#include "converter/support/error.h"

namespace octet::images {

Image Shrink(const Image& image, int most) {
  const int k = (std::max(image.height, image.width) + most - 1) / most;
  if (k <= 1) return image;
  Image small;
  small.height = (image.height + k - 1) / k;
  small.width = (image.width + k - 1) / k;
  small.channels = image.channels;
  small.pixels.reserve(static_cast<size_t>(small.height) * static_cast<size_t>(small.width) *
                       static_cast<size_t>(small.channels));
  for (int y = 0; y < image.height; y += k) {
    for (int x = 0; x < image.width; x += k) {
      const int bottom = std::min(image.height, y + k), right = std::min(image.width, x + k);
      const int count = (bottom - y) * (right - x);
      for (int c = 0; c < image.channels; ++c) {
        int sum = count / 2;
        for (int row = y; row < bottom; ++row) {
          for (int column = x; column < right; ++column) {
            const auto pixel = static_cast<size_t>(row) * static_cast<size_t>(image.width) +
                               static_cast<size_t>(column);
            sum +=
                image.pixels[pixel * static_cast<size_t>(image.channels) + static_cast<size_t>(c)];
          }
        }
        small.pixels.push_back(static_cast<uint8_t>(sum / count));
      }
    }
  }
  return small;
}

std::vector<uint8_t> EncodeJpeg(const Image& image, int quality) {
  const std::unique_ptr<void, int (*)(void*)> writer(tjInitCompress(), tjDestroy);
  const bool grey = image.channels == 1;
  unsigned char* bytes = nullptr;
  unsigned long count = 0;  // the library's own type
  const int failed =
      writer == nullptr || tjCompress2(writer.get(), image.pixels.data(), image.width, 0,
                                       image.height, grey ? TJPF_GRAY : TJPF_RGB, &bytes, &count,
                                       grey ? TJSAMP_GRAY : TJSAMP_420, quality, 0) != 0;
  const std::unique_ptr<unsigned char, void (*)(unsigned char*)> owned(bytes, tjFree);
  if (failed != 0) {
    Fail("a picture of {} x {} cannot be written as JPEG: {}; remove or replace it", image.width,
         image.height, tjGetErrorStr2(writer.get()));
  }
  return {bytes, bytes + count};
}

}  // namespace octet::images
