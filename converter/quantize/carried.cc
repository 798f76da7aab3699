#include "converter/quantize/carried.h"

#include <utility>

#include "converter/quantize/positions.h"

namespace octet::quantize {

std::vector<bool> CarriedByStates(const graph::Graph& graph) {
  std::vector<bool> wanted(graph.values.size());
  for (size_t o = graph.OwnOutputs(); o < graph.outputs.size(); ++o) {
    wanted[static_cast<size_t>(graph.outputs[o])] = true;
  }
  return MakersOf(graph, std::move(wanted));
}

}  // namespace octet::quantize
