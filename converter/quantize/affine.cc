#include <algorithm>
#include <cmath>

#include "converter/quantize/scheme.h"

namespace octet::quantize {
namespace {

// Below it a scale is no use: its inverse and its products with other scales leave the range of
// normal floats.
constexpr double kSmallestScale = 0x1p-64;

}  // namespace

TensorScheme Affine(float min, float max, bool symmetric) {
  // 0 stands for padding and for what a ReLU cuts off: it has to be exact.
  const double low = std::min(min, 0.0f), high = std::max(max, 0.0f);
  TensorScheme scheme;
  if (low == high) {
    scheme.scale = 1.0f / 127;  // always zero: any scale does
  } else if (symmetric) {
    scheme.scale = static_cast<float>(std::max(std::max(-low, high) / 127, kSmallestScale));
  } else {
    scheme.scale = static_cast<float>(std::max((high - low) / 255, kSmallestScale));
    scheme.zero_point =
        static_cast<int>(std::clamp(std::floor(-128 - low / scheme.scale + 0.5), -128.0, 127.0));
  }
  scheme.min = static_cast<float>(static_cast<double>(scheme.scale) * (-128 - scheme.zero_point));
  scheme.max = static_cast<float>(static_cast<double>(scheme.scale) * (127 - scheme.zero_point));
  return scheme;
}

}  // namespace octet::quantize
