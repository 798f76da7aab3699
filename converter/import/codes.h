// Which values of a graph are codes of quantized ones, and what operators do to codes.
#ifndef OCTET_CONVERTER_IMPORT_CODES_H_
#define OCTET_CONVERTER_IMPORT_CODES_H_

#include <optional>
#include <string_view>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/operators/operator.h"

namespace octet::import {

using operators::OnCodes;

// Of the operator with these attributes.
OnCodes RuleOf(const graph::Node& node);
// Results are codes as well.
bool GivesCodes(OnCodes rule);

// Codes of int8, uint8, int16 and uint16.
bool IsCodeType(graph::DataType type);

// Types of all values that may be codes, from the operators alone; nullopt for any other value.
class CodeTypes {
 public:
  explicit CodeTypes(const graph::Graph& graph);

  // The type of a value of codes.
  std::optional<graph::DataType> Of(graph::ValueId id) const {
    return types_[static_cast<size_t>(id)];
  }
  // Codes of a quantized value, which operators connect with a QuantizeLinear, a DequantizeLinear
  // or an input of the graph.
  bool IsQuantized(graph::ValueId id) const;

 private:
  size_t Root(size_t value);
  void ReadNode(const graph::Graph& graph, const graph::Node& node);

  std::vector<std::optional<graph::DataType>> types_;
  std::vector<size_t> parents_;
  std::vector<bool> quantized_;  // by root, then by value
};

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_CODES_H_
