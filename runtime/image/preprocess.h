// Pixels and floats to the values of an input tensor: scalar float in one fixed order, the same on
// every machine. The only float before an int8 network.
#ifndef OCTET_IMAGE_PREPROCESS_H_
#define OCTET_IMAGE_PREPROCESS_H_

#include <stdint.h>

#include "runtime/core/half.h"
#include "runtime/format/view.h"

namespace octet {

// q = clamp(floor(value / scale + 0.5) + zero_point, -128, 127): a float division, a float
// addition, an exact floor. NaN gives the zero point.
static inline int8_t QuantizeInput(float value, float scale, int32_t zero_point) {
  const float shifted = value / scale + 0.5f;
  int32_t q = 0;
  if (shifted >= 512.0f) {
    q = 512;  // beyond every zero point; also +inf
  } else if (shifted <= -512.0f) {
    q = -512;
  } else if (shifted == shifted) {
    q = (int32_t)shifted;
    if ((float)q > shifted) --q;
  }
  q += zero_point;
  return (int8_t)(q < -128 ? -128 : (q > 127 ? 127 : q));
}

// What the network sees for byte x of model channel c: ((x * scale) - mean[c]) / std_dev[c].
static inline float NormalizedPixel(const blob::InputRecord& input, uint32_t c, uint8_t x) {
  return ((float)x * input.scale - input.mean[c]) / input.std_dev[c];
}

// The channels of one source pixel (1 or 3, files are RGB) as those of the model (1 or 3): reversed
// for BGR, grey repeated, colour to grey by (77 R + 150 G + 29 B + 128) >> 8.
static inline void ModelChannels(const uint8_t* pixel, uint32_t channels, blob::ColourOrder colour,
                                 uint32_t model_channels, uint8_t* values) {
  if (model_channels == 1) {
    values[0] = channels == 1
                    ? pixel[0]
                    : (uint8_t)((77u * pixel[0] + 150u * pixel[1] + 29u * pixel[2] + 128u) >> 8);
    return;
  }
  const bool reversed = colour == blob::ColourOrder::kBgr;
  for (uint32_t c = 0; c < 3; ++c) {
    values[c] = channels == 1 ? pixel[0] : pixel[reversed ? 2 - c : c];
  }
}

// Stored elements of an input tensor for every byte and model channel: int8 tensors the byte q ^
// sign, FP16 tensors the half. `entries` is [channels][256].
void FillInputTable(const blob::InputRecord& input, const blob::TensorRecord& tensor, uint8_t sign,
                    uint16_t* entries);

}  // namespace octet

#endif  // OCTET_IMAGE_PREPROCESS_H_
