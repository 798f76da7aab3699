#include "runtime/image/preprocess.h"

#include "runtime/image/resize.h"

namespace octet {
namespace {

struct Destination {
  const uint16_t* entries;
  uint8_t* bytes;
  uint32_t width, channels, source_channels;
  blob::ColourOrder colour;
  bool fp16;
};

void StoreModelPixel(void* context, uint32_t y, uint32_t x, const uint8_t* pixel) {
  const Destination& to = *static_cast<const Destination*>(context);
  uint8_t values[3];
  ModelChannels(pixel, to.source_channels, to.colour, to.channels, values);
  const size_t first = ((size_t)y * to.width + x) * to.channels;
  for (uint32_t c = 0; c < to.channels; ++c) {
    const uint16_t entry = to.entries[c * 256 + values[c]];
    if (to.fp16) {
      reinterpret_cast<uint16_t*>(to.bytes)[first + c] = entry;
    } else {
      to.bytes[first + c] = (uint8_t)entry;
    }
  }
}

}  // namespace

void FillInputTable(const blob::InputRecord& input, const blob::TensorRecord& tensor, uint8_t sign,
                    uint16_t* entries) {
  for (uint32_t c = 0; c < tensor.dims[3]; ++c) {
    for (uint32_t x = 0; x < 256; ++x) {
      const float value = NormalizedPixel(input, c, (uint8_t)x);
      entries[c * 256 + x] =
          tensor.type == blob::ElementType::kFp16
              ? FloatToHalf(value)
              : (uint8_t)((uint8_t)QuantizeInput(value, tensor.scale, tensor.zero_point) ^ sign);
    }
  }
}

void StorePicture(const blob::InputRecord& input, const blob::TensorRecord& tensor,
                  const uint16_t* entries, const uint8_t* pixels, uint32_t height, uint32_t width,
                  uint32_t channels, size_t row_bytes, uint8_t* destination) {
  Destination to = {entries,
                    destination,
                    tensor.dims[2],
                    tensor.dims[3],
                    channels,
                    input.colour,
                    tensor.type == blob::ElementType::kFp16};
  ResizePicture(pixels, height, width, channels, row_bytes, tensor.dims[1], tensor.dims[2],
                input.resize, input.letterbox_value, StoreModelPixel, &to);
}

}  // namespace octet
