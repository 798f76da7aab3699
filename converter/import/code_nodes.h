// Writing the nodes that take the place of an operator on codes.
#ifndef OCTET_CONVERTER_IMPORT_CODE_NODES_H_
#define OCTET_CONVERTER_IMPORT_CODE_NODES_H_

#include <map>
#include <string>
#include <vector>

#include "converter/graph/graph.h"

namespace octet::import {

// real = scale * (code - zero_point), and the constants that say so.
struct CodeScheme {
  graph::ValueId scale = graph::kNoValue, zero_point = graph::kNoValue;
  float step = 1;
  int64_t zero = 0;
  float Real(int64_t code) const { return static_cast<float>(code - zero) * step; }
  bool operator==(const CodeScheme& other) const {
    return step == other.step && zero == other.zero;
  }
};

// Nodes of opset 13 at the end of a graph, which is sorted again behind them.
class CodeNodes {
 public:
  explicit CodeNodes(graph::Graph& graph) : graph_(graph) {}

  graph::ValueId NewValue(const std::string& name);
  graph::ValueId Scalar(const std::string& name, float value);
  // Index of the node.
  size_t Add(const std::string& name, const std::string& op, std::vector<graph::ValueId> inputs,
             graph::ValueId output);
  // Its result, a new value of the node's name.
  graph::ValueId Added(const std::string& name, const std::string& op,
                       std::vector<graph::ValueId> inputs);
  // The same where the steps of 8 bits would be too coarse.
  graph::ValueId AddedInFp16(const std::string& name, const std::string& op,
                             std::vector<graph::ValueId> inputs);
  void RunInFp16(size_t node);

  // Scale 1 and zero point 0: the codes themselves.
  CodeScheme Counting(graph::DataType type);
  // Inputs of a QuantizeLinear or DequantizeLinear.
  static std::vector<graph::ValueId> With(graph::ValueId data, const CodeScheme& scheme);

 private:
  graph::Graph& graph_;
  std::map<graph::DataType, CodeScheme> counting_;
};

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_CODE_NODES_H_
