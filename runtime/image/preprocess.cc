#include "runtime/image/preprocess.h"

namespace octet {
void FillInputTable(const blob::InputRecord& input, const blob::TensorRecord& tensor, uint8_t sign,
                    uint16_t* entries) {
  for (uint32_t c = 0; c < tensor.dims[3]; ++c) {
    for (uint32_t x = 0; x < 256; ++x) {
      const float value = NormalizedPixel(input, c, (uint8_t)x);
      entries[c * 256 + x] =
          tensor.type == blob::ElementType::kFp16
              ? FloatToHalf(value * (1.0f / tensor.scale))
              : (uint8_t)((uint8_t)QuantizeInput(value, tensor.scale, tensor.zero_point) ^ sign);
    }
  }
}

}  // namespace octet
