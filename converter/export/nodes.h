// Nodes of the converter's graph as those of ONNX.
#ifndef OCTET_CONVERTER_EXPORT_NODES_H_
#define OCTET_CONVERTER_EXPORT_NODES_H_

#include <string>
#include <vector>

#include "converter/export/onnx_writer.h"
#include "converter/graph/graph.h"

namespace octet::exporting {

// Writes the node; operators that passes made become those of ONNX that they stand for. The fused
// activation is written by WriteActivation. `results` are fresh names, "" where nobody reads one.
void WriteNode(const graph::Graph& graph, const graph::Node& node,
               const std::vector<std::string>& inputs, const std::vector<std::string>& results,
               OnnxWriter* writer);

// The fused activation of `node` behind `input`; `input` where there is none.
std::string WriteActivation(const graph::Node& node, const std::string& input,
                            const std::string& result, OnnxWriter* writer);

// q = clamp(round(real / scale) + zero_point) and back: the name of what comes back.
std::string WriteRounding(const std::string& input, float scale, int zero_point,
                          const std::string& result, OnnxWriter* writer);

}  // namespace octet::exporting

#endif  // OCTET_CONVERTER_EXPORT_NODES_H_
