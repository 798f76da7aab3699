// Names as every later stage may write them into lines, JSON and blobs.
#ifndef OCTET_CONVERTER_IMPORT_PLAIN_NAMES_H_
#define OCTET_CONVERTER_IMPORT_PLAIN_NAMES_H_

#include <string>

#include <onnx/onnx_pb.h>

namespace octet::import {

// Bytes that are no UTF-8 and control characters become %XX; all else stays.
std::string PlainName(const std::string& name);

// ONNX says that names are UTF-8, and nobody checks. Names of the graph, its nodes, operators and
// values are made plain in place.
void MakeNamesPlain(onnx::GraphProto* graph);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_PLAIN_NAMES_H_
