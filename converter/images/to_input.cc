// The float input of a picture, from the same resize and per-pixel arithmetic as the runtime's.
#include "converter/images/dataset.h"
#include "converter/support/error.h"
#include "runtime/image/preprocess.h"
#include "runtime/image/resize.h"

namespace octet::images {
namespace {

struct Destination {
  float table[3][256];
  float* values;
  uint32_t source_channels, channels;
  blob::ColourOrder colour;
  size_t pixel_stride, row_stride, channel_stride;
};

void StorePixelValues(void* context, uint32_t y, uint32_t x, const uint8_t* pixel) {
  const Destination& to = *static_cast<const Destination*>(context);
  uint8_t channels[3];
  ModelChannels(pixel, to.source_channels, to.colour, to.channels, channels);
  float* at = to.values + y * to.row_stride + x * to.pixel_stride;
  for (uint32_t c = 0; c < to.channels; ++c) at[c * to.channel_stride] = to.table[c][channels[c]];
}

}  // namespace

graph::Tensor ToInput(const Image& image, const graph::Shape& input_shape,
                      const Preprocess& preprocess, bool channels_last) {
  if (input_shape.size() != 4 || input_shape[0] != 1) {
    Fail("an input of shape {} does not take pictures; give float32 data in a .npy file",
         graph::ToString(input_shape));
  }
  const int64_t channels = input_shape[channels_last ? 3 : 1];
  const int64_t height = input_shape[channels_last ? 1 : 2];
  const int64_t width = input_shape[channels_last ? 2 : 3];
  if ((channels != 1 && channels != 3) || height < 1 || width < 1 || height > kMaxPictureSize ||
      width > kMaxPictureSize) {
    Fail(
        "an input of shape {} with {} channels does not take pictures; give float32 data in a .npy "
        "file",
        graph::ToString(input_shape), channels);
  }
  graph::Tensor tensor = graph::Tensor::Floats(
      input_shape, std::vector<float>(static_cast<size_t>(graph::ElementCount(input_shape))));
  blob::InputRecord record{};
  record.scale = preprocess.scale;
  for (int c = 0; c < 3; ++c) {
    record.mean[c] = preprocess.mean[c];
    record.std_dev[c] = preprocess.std_dev[c];
  }
  Destination to;
  to.values = tensor.floats.data();
  to.source_channels = static_cast<uint32_t>(image.channels);
  to.channels = static_cast<uint32_t>(channels);
  to.colour = preprocess.colour;
  const auto pixels = static_cast<size_t>(height * width);
  to.channel_stride = channels_last ? 1 : pixels;
  to.pixel_stride = channels_last ? static_cast<size_t>(channels) : 1;
  to.row_stride = to.pixel_stride * static_cast<size_t>(width);
  for (uint32_t c = 0; c < to.channels; ++c) {
    for (uint32_t x = 0; x < 256; ++x) {
      to.table[c][x] = NormalizedPixel(record, c, static_cast<uint8_t>(x));
    }
  }
  ResizePicture(image.pixels.data(), static_cast<uint32_t>(image.height),
                static_cast<uint32_t>(image.width), to.source_channels,
                static_cast<size_t>(image.width) * to.source_channels,
                static_cast<uint32_t>(height), static_cast<uint32_t>(width), preprocess.resize,
                preprocess.letterbox_value, StorePixelValues, &to);
  return tensor;
}

}  // namespace octet::images
