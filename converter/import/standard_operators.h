// Which operators ONNX itself defines.
#ifndef OCTET_CONVERTER_IMPORT_STANDARD_OPERATORS_H_
#define OCTET_CONVERTER_IMPORT_STANDARD_OPERATORS_H_

#include <cstdint>
#include <string_view>

namespace octet::import {

// Whether the domain ai.onnx has the operator at this opset.
bool IsStandardOperator(std::string_view op, int64_t opset);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_STANDARD_OPERATORS_H_
