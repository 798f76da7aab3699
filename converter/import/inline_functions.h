// Functions that a model brings with it: each call becomes the nodes of the function.
#ifndef OCTET_CONVERTER_IMPORT_INLINE_FUNCTIONS_H_
#define OCTET_CONVERTER_IMPORT_INLINE_FUNCTIONS_H_

#include <onnx/onnx_pb.h>

namespace octet::import {

// Names inside are prefixed with the call's, attributes that refer to the function's are replaced
// by the call's. Throws UserError for functions that call themselves or grow without bound.
void InlineFunctions(onnx::ModelProto* model);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_INLINE_FUNCTIONS_H_
