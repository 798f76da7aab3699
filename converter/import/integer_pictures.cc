#include "converter/import/integer_pictures.h"

#include <algorithm>
#include <deque>
#include <vector>

#include "converter/import/codes.h"
#include "converter/operators/context.h"

namespace octet::import {
namespace {

using graph::DataType;
using graph::Graph;
using graph::Links;
using graph::ValueId;

bool IsPicture(const graph::Value& input) {
  if (!input.shape || input.shape->size() != 4 || (*input.shape)[0] != 1) return false;
  const auto is_channels = [](int64_t dim) { return dim == 1 || dim == 3; };
  return is_channels((*input.shape)[1]) || is_channels((*input.shape)[3]);
}

bool IsCastToFloat(const graph::Node& node) {
  return RuleOf(node) == OnCodes::kCasts && node.Has("to") &&
         operators::TypeOfCode(node.Int("to", 1)) == DataType::kFloat;
}

bool IsOnlyCast(const Graph& graph, const Links& links, ValueId input) {
  std::deque<ValueId> next{input};
  bool cast = false;
  while (!next.empty()) {
    const auto id = static_cast<size_t>(next.front());
    if (links.is_output[id]) return false;
    for (const int reader : links.consumers[id]) {
      const graph::Node& node = graph.nodes[static_cast<size_t>(reader)];
      if (IsCastToFloat(node)) {
        cast = true;
      } else if (node.inputs[0] == next.front() && operators::MovesCodes(RuleOf(node))) {
        next.insert(next.end(), node.outputs.begin(), node.outputs.end());
      } else {
        return false;
      }
    }
    next.pop_front();
  }
  return cast;
}

}  // namespace

void ReadPicturesAsFloats(Graph& graph) {
  const Links links(graph);
  for (const ValueId id : graph.inputs) {
    graph::Value& input = graph.At(id);
    const bool wide = input.type != DataType::kFloat && input.type != DataType::kInt8 &&
                      input.type != DataType::kUInt8 && input.type != DataType::kBool;
    if (wide && IsPicture(input) && IsOnlyCast(graph, links, id)) input.type = DataType::kFloat;
  }
}

}  // namespace octet::import
