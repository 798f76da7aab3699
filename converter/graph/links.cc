// Who produces and who consumes each value, and the order that follows from it.
#include <functional>
#include <queue>
#include <utility>

#include "converter/graph/graph.h"
#include "converter/support/error.h"

namespace octet::graph {
namespace {

// Every node of `waiting` waits for another one of them, so that following producers must come back
// to a node already seen, which then lies on a cycle.
size_t NodeOnCycle(const Graph& graph, const Links& links, const std::vector<int>& waits_for) {
  size_t node = 0;
  while (waits_for[node] == 0) ++node;
  std::vector<bool> seen(graph.nodes.size(), false);
  while (!seen[node]) {
    seen[node] = true;
    for (ValueId id : Present(graph.nodes[node].inputs)) {
      const int producer = links.producer[static_cast<size_t>(id)];
      if (producer >= 0 && waits_for[static_cast<size_t>(producer)] > 0) {
        node = static_cast<size_t>(producer);
        break;
      }
    }
  }
  return node;
}

}  // namespace

Links::Links(const Graph& graph)
    : producer(graph.values.size(), -1),
      consumers(graph.values.size()),
      is_output(graph.values.size(), false) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (ValueId id : Present(graph.nodes[i].outputs)) {
      producer[static_cast<size_t>(id)] = static_cast<int>(i);
    }
    for (ValueId id : Present(graph.nodes[i].inputs)) {
      consumers[static_cast<size_t>(id)].push_back(static_cast<int>(i));
    }
  }
  for (ValueId id : graph.outputs) is_output[static_cast<size_t>(id)] = true;
}

// Kahn's algorithm with the smallest index first, so that an order that is already right stays as
// it is.
void Graph::SortTopologically() {
  const Links links(*this);
  std::vector<int> waits_for(nodes.size(), 0);
  for (const Node& node : nodes) {
    for (ValueId id : Present(node.outputs)) {
      for (int consumer : links.consumers[static_cast<size_t>(id)]) {
        ++waits_for[static_cast<size_t>(consumer)];
      }
    }
  }

  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (waits_for[i] == 0) ready.push(i);
  }
  std::vector<size_t> order;
  order.reserve(nodes.size());
  while (!ready.empty()) {
    const size_t index = ready.top();
    ready.pop();
    order.push_back(index);
    for (ValueId id : Present(nodes[index].outputs)) {
      for (int consumer : links.consumers[static_cast<size_t>(id)]) {
        if (--waits_for[static_cast<size_t>(consumer)] == 0) {
          ready.push(static_cast<size_t>(consumer));
        }
      }
    }
  }
  if (order.size() != nodes.size()) {
    const Node& node = nodes[NodeOnCycle(*this, links, waits_for)];
    Fail("the graph is cyclic: node '{}' ({}) depends on its own output; export the model again",
         node.name, node.op);
  }

  std::vector<Node> sorted;
  sorted.reserve(nodes.size());
  for (size_t index : order) sorted.push_back(std::move(nodes[index]));
  nodes = std::move(sorted);
}

}  // namespace octet::graph
