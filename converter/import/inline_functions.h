// Functions that a model brings with it: each call becomes the nodes of the function.
#ifndef OCTET_CONVERTER_IMPORT_INLINE_FUNCTIONS_H_
#define OCTET_CONVERTER_IMPORT_INLINE_FUNCTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

namespace octet::import {

// Also calls inside functions, and in the graphs inside nodes. Names inside are prefixed with the
// call's. An attribute that refers to one of the function is the one that the call gives, else the
// function's default, else absent. A function with the name of an operator of ONNX at `opset`, the
// model's, is not used: a line of the result says so. Throws UserError for functions that call
// themselves or grow without bound.
std::vector<std::string> InlineFunctions(int64_t opset, onnx::ModelProto* model);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_INLINE_FUNCTIONS_H_
