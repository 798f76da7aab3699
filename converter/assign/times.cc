#include "converter/assign/times.h"

#include <map>
#include <string>

namespace octet::assign {
namespace {

std::map<std::string, int64_t> NsByName(const lower::Program& program, const Clock& clock) {
  std::map<std::string, int64_t> result;
  for (const lower::Layer& layer : program.layers) {
    result[layer.name] += clock.NsOf(program, layer);
  }
  return result;
}

}  // namespace

void SetTimes(const graph::Graph& graph, const lower::Program& int8, const lower::Program& fp16,
              const Clock& clock, Table* table) {
  const auto low = NsByName(int8, clock), high = NsByName(fp16, clock);
  const auto at = [](const std::map<std::string, int64_t>& by_name, const std::string& name) {
    const auto found = by_name.find(name);
    return found == by_name.end() ? 0 : found->second;
  };
  for (Unit& unit : table->units) {
    unit.int8_ns = unit.fp16_ns = 0;
    for (size_t n : unit.nodes) {
      unit.int8_ns += at(low, graph.nodes[n].name);
      unit.fp16_ns += at(high, graph.nodes[n].name);
    }
  }
  for (Border& border : table->borders) {
    const graph::Node& last = graph.nodes[table->units[border.from].nodes.back()];
    border.ns = clock.ConversionNs(
        static_cast<uint64_t>(graph::ElementCount(*graph.At(last.outputs[0]).shape)));
  }
}

}  // namespace octet::assign
