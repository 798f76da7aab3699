#include "converter/assign/head.h"

#include <algorithm>

#include "converter/operators/output_view.h"

namespace octet::assign {
namespace {

// By node and piece: the piece depends on the node.
std::vector<std::vector<bool>> Reach(const graph::Graph& graph, const operators::OutputView& view) {
  std::vector<graph::ValueId> pieces;
  for (const auto& output : view.outputs) {
    for (const operators::OutputPiece& piece : output) {
      if (std::find(pieces.begin(), pieces.end(), piece.value) == pieces.end()) {
        pieces.push_back(piece.value);
      }
    }
  }
  const graph::Links links(graph);
  std::vector<std::vector<bool>> reach(graph.nodes.size(), std::vector<bool>(pieces.size()));
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    for (graph::ValueId id : graph::Present(graph.nodes[n].outputs)) {
      for (size_t p = 0; p < pieces.size(); ++p) {
        if (pieces[p] == id) reach[n][p] = true;
        for (int reader : links.consumers[static_cast<size_t>(id)]) {
          if (reach[static_cast<size_t>(reader)][p]) reach[n][p] = true;
        }
      }
    }
  }
  return reach;
}

// Units with no other unit with weights behind them.
std::vector<bool> LastLayers(const Table& table) {
  std::vector<bool> weights_behind(table.units.size());
  for (size_t u = table.units.size(); u-- > 0;) {
    for (const Border& border : table.borders) {
      if (border.from != u) continue;
      if (weights_behind[border.to] || table.units[border.to].macs > 0) weights_behind[u] = true;
    }
  }
  weights_behind.flip();
  return weights_behind;
}

}  // namespace

Assignment HeadInFp16(const graph::Graph& graph, const Table& table) {
  const auto reach = Reach(graph, operators::ViewOutputs(graph));
  Assignment head;
  for (const Unit& unit : table.units) {
    const std::vector<bool>& pieces = reach[unit.nodes.back()];
    head.push_back(std::find(pieces.begin(), pieces.end(), false) != pieces.end());
  }
  if (std::find(head.begin(), head.end(), true) == head.end()) head = LastLayers(table);
  for (size_t u = 0; u < head.size(); ++u) {
    if (const auto& fixed = table.units[u].fixed) head[u] = *fixed == blob::Precision::kFp16;
  }
  return head;
}

}  // namespace octet::assign
