// The fixed shape of each model input, from what the model says and what --input-shape adds.
#ifndef OCTET_CONVERTER_IMPORT_INPUT_SHAPES_H_
#define OCTET_CONVERTER_IMPORT_INPUT_SHAPES_H_

#include <optional>

#include <onnx/onnx_pb.h>

#include "converter/graph/graph.h"
#include "converter/metadata/record.h"

namespace octet::import {

// The model's shape with the override, if any, laid over it. The leading dimension, where unknown,
// is the batch and becomes 1; a known one of an input of rank 2 or more may be overridden. Any
// other unknown dimension needs the override, and the error spells out the flag; a known one cannot
// be overridden.
// The flag has the size that the model's metadata says.
graph::Shape FixInputShape(const onnx::ValueInfoProto& input, const graph::Shape* override_shape,
                           const metadata::Record& said);

// The shape in the file, graph::kUnknownDim where a dimension is not a number above 0; nothing when
// the file gives none.
std::optional<graph::Shape> DeclaredShape(const onnx::ValueInfoProto& value);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_INPUT_SHAPES_H_
