// The branches of an If among the nodes around it.
#ifndef OCTET_CONVERTER_IMPORT_INLINE_BRANCHES_H_
#define OCTET_CONVERTER_IMPORT_INLINE_BRANCHES_H_

#include <string>

#include <onnx/onnx_pb.h>

#include "converter/import/inline_graph.h"

namespace octet::import {

// Null: it has none.
onnx::GraphProto* BranchOf(onnx::NodeProto* node, bool condition);

// The nodes of a branch; its results are those of the node.
void InlineChosen(const onnx::NodeProto& node, const std::string& prefix, onnx::GraphProto branch,
                  Namer* namer, Inlined* to);

// The nodes of both branches, which the node loses, and a Where for each result. Both have as many
// results as the node.
void InlineBoth(onnx::NodeProto* node, const std::string& prefix, Namer* namer, Inlined* to);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_INLINE_BRANCHES_H_
