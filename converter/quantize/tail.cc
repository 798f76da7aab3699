#include "converter/quantize/tail.h"

#include <algorithm>
#include <numeric>

#include "converter/operators/operator.h"
#include "converter/operators/output_view.h"
#include "converter/operators/weights.h"

namespace octet::quantize {
namespace {

// What the whole tail may cost of a graph's products. FP16 takes two to eight times as long as int8
// for each.
constexpr int64_t kTailShare = 16;
// An element that is computed without weights takes about as long as so many products.
constexpr int64_t kProductsOfAnElement = 16;
// Weights that are no layer of their own: below a thousandth of all products.
constexpr int64_t kShareOfNothing = 1024;

class Tail {
 public:
  explicit Tail(const graph::Graph& graph)
      : graph_(graph),
        links_(graph),
        needed_(operators::ViewOutputs(graph).needed),
        products_(graph.nodes.size()),
        tail_(graph.nodes.size()),
        group_(graph.nodes.size()) {
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      products_[n] = operators::ProductsOf(graph, graph.nodes[n]);
      all_products_ += products_[n];
    }
    std::iota(group_.begin(), group_.end(), 0);
  }

  std::vector<bool> Run() {
    if (all_products_ == 0) return tail_;  // a model without weights has no tail
    FindGroups();
    DropOthers();
    AddLayers();
    return tail_;
  }

 private:
  int64_t ElementsOf(const graph::Node& node) const {
    int64_t sum = 0;
    for (graph::ValueId id : graph::Present(node.outputs)) {
      sum += graph::ElementCount(*graph_.At(id).shape);
    }
    return sum;
  }

  // Two operands make one result.
  static bool IsArithmetic(const graph::Node& node) {
    return operators::Int8Of(node) == operators::Int8::kComputes &&
           !operators::IsContraction(node) && node.inputs.size() == 2;
  }

  std::vector<size_t> ReadersOf(size_t n) const {
    std::vector<size_t> readers;
    for (graph::ValueId id : graph::Present(graph_.nodes[n].outputs)) {
      for (int reader : links_.consumers[static_cast<size_t>(id)]) {
        readers.push_back(static_cast<size_t>(reader));
      }
    }
    return readers;
  }

  size_t Root(size_t n) {
    while (group_[n] != n) n = group_[n] = group_[group_[n]];
    return n;
  }

  void FindGroups() {
    std::vector<bool> arithmetic_behind(tail_.size());
    for (size_t n = tail_.size(); n-- > 0;) {
      const std::vector<size_t> readers = ReadersOf(n);
      bool behind = false;
      tail_[n] = true;
      for (size_t r : readers) {
        behind = behind || arithmetic_behind[r];
        if (!tail_[r]) tail_[n] = false;
      }
      arithmetic_behind[n] = behind || IsArithmetic(graph_.nodes[n]);
      if (products_[n] > 0 && (!behind || products_[n] > all_products_ / kShareOfNothing)) {
        tail_[n] = false;
      }
      if (!tail_[n]) continue;
      for (size_t r : readers) group_[Root(n)] = Root(r);
    }
  }

  // Keeps groups that put numbers together, if they cost no more than they may.
  void DropOthers() {
    std::vector<bool> computes(tail_.size());
    for (size_t n = 0; n < tail_.size(); ++n) {
      if (tail_[n] && IsArithmetic(graph_.nodes[n])) computes[Root(n)] = true;
    }
    left_ = all_products_ / kTailShare;
    for (size_t n = 0; n < tail_.size(); ++n) {
      tail_[n] = tail_[n] && computes[Root(n)];
      // What only moves, or only arranges an output, is next to no work.
      if (!tail_[n] || !needed_[n] ||
          operators::Int8Of(graph_.nodes[n]) == operators::Int8::kKeepsScale) {
        continue;
      }
      left_ -= products_[n] + kProductsOfAnElement * ElementsOf(graph_.nodes[n]);
    }
    if (left_ < 0) tail_.assign(tail_.size(), false);
  }

  void AddLayers() {
    std::vector<size_t> layers;
    for (size_t n = 0; n < tail_.size(); ++n) {
      const std::vector<size_t> readers = ReadersOf(n);
      if (products_[n] > 0 && !tail_[n] && !readers.empty() &&
          std::all_of(readers.begin(), readers.end(), [&](size_t r) { return tail_[r]; })) {
        layers.push_back(n);
      }
    }
    std::ranges::stable_sort(layers, {}, [this](size_t n) { return products_[n]; });
    for (size_t n : layers) {
      left_ -= products_[n];
      if (left_ < 0) return;
      tail_[n] = true;
    }
  }

  const graph::Graph& graph_;
  graph::Links links_;
  std::vector<bool> needed_;
  std::vector<int64_t> products_;
  int64_t all_products_ = 0, left_ = 0;
  std::vector<bool> tail_;
  std::vector<size_t> group_;
};

}  // namespace

std::vector<bool> ArithmeticTail(const graph::Graph& graph) {
  return Tail(graph).Run();
}

}  // namespace octet::quantize
