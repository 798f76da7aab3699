// AttributeProto to graph::Attribute.
#ifndef OCTET_CONVERTER_IMPORT_ATTRIBUTE_H_
#define OCTET_CONVERTER_IMPORT_ATTRIBUTE_H_

#include <filesystem>
#include <string>

#include <onnx/onnx_pb.h>

#include "converter/graph/graph.h"
#include "converter/import/tensor.h"

namespace octet::import {

// Integer, float, string, their lists and tensors; anything else is refused, subgraphs with the way
// round. Of the lists of strings only `activations` is read: one string in which each of them ends
// with a line feed. `where` starts every error: "node 'n' (Conv)". Integers follow `narrowing`.
graph::Attribute ReadAttribute(onnx::AttributeProto& attribute, const std::string& where,
                               const std::filesystem::path& folder, Narrowing narrowing);

// Of a Constant: one of value, value_float(s), value_int(s); strings and sparse ones are refused.
graph::Tensor ConstantValue(const graph::Node& node, const std::string& where);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_ATTRIBUTE_H_
