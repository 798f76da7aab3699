// Frames and float values in and out of the tensors of the current plan.
#ifndef OCTET_ENGINE_TRANSFER_H_
#define OCTET_ENGINE_TRANSFER_H_

#include "runtime/engine/session.h"

namespace octet {

// The current plan's tensor of an input or output part.
const blob::TensorRecord& TensorOf(const Session& session, uint32_t tensor);

// values: the input's logical layout; every element of the tensor is quantized or rounded.
void StoreFloats(const Session& session, uint32_t input, const float* values);

// frame: valid; the input takes pictures. Rows of the tensor are divided among the threads.
void StoreFrame(const Session& session, uint32_t input, const Frame& frame);

// values: the output's logical layout, OutputRecord::element_count floats; the parts are
// dequantized into place.
void LoadFloats(const Session& session, uint32_t output, float* values);

}  // namespace octet

#endif  // OCTET_ENGINE_TRANSFER_H_
