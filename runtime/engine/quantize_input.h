// Float inputs of a model to the codes of an int8 tensor, many at a time.
#ifndef OCTET_ENGINE_QUANTIZE_INPUT_H_
#define OCTET_ENGINE_QUANTIZE_INPUT_H_

#include <stdint.h>

#include "runtime/format/blob.h"

namespace octet {

// bytes[((n * H + h) * W + w) * C + c] = QuantizeInput(values[sum(index * stride)]) ^ sign, exactly
// the scalar rule of runtime/image/preprocess.h. values and bytes do not overlap.
void QuantizeInputTensor(const blob::TensorRecord& tensor, const uint32_t strides[4],
                         const float* values, uint8_t sign, uint8_t* bytes);

}  // namespace octet

#endif  // OCTET_ENGINE_QUANTIZE_INPUT_H_
