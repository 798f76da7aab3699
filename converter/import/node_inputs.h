// Inputs of a node by position: a list may end before the optional ones.
#ifndef OCTET_CONVERTER_IMPORT_NODE_INPUTS_H_
#define OCTET_CONVERTER_IMPORT_NODE_INPUTS_H_

#include "converter/graph/graph.h"

namespace octet::import {

inline graph::ValueId Input(const graph::Node& node, size_t index) {
  return index < node.inputs.size() ? node.inputs[index] : graph::kNoValue;
}

inline void SetInput(graph::Node& node, size_t index, graph::ValueId value) {
  if (node.inputs.size() <= index) node.inputs.resize(index + 1, graph::kNoValue);
  node.inputs[index] = value;
}

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_NODE_INPUTS_H_
