// If, Loop and Scan: the nodes of their graphs take their place.
#ifndef OCTET_CONVERTER_IMPORT_SETTLE_FLOW_H_
#define OCTET_CONVERTER_IMPORT_SETTLE_FLOW_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include <onnx/onnx_pb.h>

#include "converter/graph/graph.h"

namespace octet::import {

// Nodes that control flow may add to those of the file. A blob has at most 8192 layers; what is
// left over may be folded.
inline constexpr int kMostAddedNodes = 1 << 14;

// What is known of the values of a model, by name.
using KnownValues = std::map<std::string, graph::Value>;

// Reads a model whose one output is asked for; the model is the callee's to change. Nullopt: it
// cannot be read. Where the output is no constant, it depends on the numbers of the inputs: else
// exporters compute conditions of shapes (squeeze of PyTorch) or write them down (training).
using ReadPart = std::function<std::optional<KnownValues>(onnx::ModelProto& part)>;

// Replaces each of these nodes of the main graph, also those inside the graphs that it puts there.
//  - If: the branch that its condition chooses. Where that is not known, both branches, and a Where
//    for each result, which requires equal shapes.
//  - Loop: its body once for each step, if its trip count and its condition are known.
//  - Scan: its body once for each slice.
// Values and nodes of a graph get the node's name as prefix; its results the names of the node's
// outputs. A node that cannot be replaced stays: the result has the reason by the names of
// its outputs. Takes time in proportion to the model and to what it adds: what is known of a value
// is not asked for again. Throws UserError for a node that needs its own result. opset: the
// model's, of domain ai.onnx.
std::map<std::string, std::string> SettleFlow(onnx::ModelProto* model, int64_t opset,
                                              const ReadPart& read);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_SETTLE_FLOW_H_
