#include "converter/quantize/queries.h"

#include <algorithm>

#include "converter/operators/operator.h"
#include "converter/operators/output_view.h"
#include "converter/operators/scaling.h"
#include "converter/operators/weights.h"

namespace octet::quantize {
namespace {

using graph::ValueId;

// What the decoder may cost of a graph's products.
constexpr int64_t kQueryShare = 6;

// What the marked nodes leave of the share.
int64_t LeftOfShare(const graph::Graph& graph, const std::vector<bool>& marked) {
  const std::vector<bool> needed = operators::ViewOutputs(graph).needed;
  int64_t left = 0;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!needed[n]) continue;
    const int64_t products = operators::ProductsOf(graph, graph.nodes[n]);
    left += products / kQueryShare - (marked[n] ? products : 0);
  }
  return left;
}

class Decoder {
 public:
  explicit Decoder(const graph::Graph& graph)
      : graph_(graph),
        links_(graph),
        needed_(operators::ViewOutputs(graph).needed),
        decoder_(graph.nodes.size()),
        answers_(graph.values.size()) {}

  std::vector<bool> Run() {
    MarkBehind();
    const auto computes = [this](size_t n) { return decoder_[n] && ProductsOf(n) > 0; };
    bool layers = false;
    for (size_t n = 0; n < decoder_.size(); ++n) layers = layers || computes(n);
    if (!layers) return std::vector<bool>(decoder_.size());
    for (const size_t n : choosers_) {
      for (const ValueId id : graph_.nodes[n].inputs) MarkCompared(id);
    }
    KeepWithinShare();
    return decoder_;
  }

 private:
  bool IsComputed(ValueId id) const {
    return id != graph::kNoValue && graph_.Constant(id) == nullptr;
  }
  bool IsFloat(ValueId id) const { return graph_.At(id).type == graph::DataType::kFloat; }
  int64_t ProductsOf(size_t n) const { return operators::ProductsOf(graph_, graph_.nodes[n]); }

  void MarkBehind() {
    MarkLearned();
    // Integers that were found by comparing computed floats, and floats that such ones picked.
    std::vector<bool> index(graph_.values.size());
    std::vector<bool> picked = answers_;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (!needed_[n]) continue;
      const graph::Node& node = graph_.nodes[n];
      bool reads_floats = false, reads_index = false, reads_picked = false;
      for (const ValueId id : node.inputs) {
        if (!IsComputed(id)) continue;
        reads_floats = reads_floats || IsFloat(id);
        reads_index = reads_index || index[static_cast<size_t>(id)];
        reads_picked = reads_picked || picked[static_cast<size_t>(id)];
      }
      bool chooses = false;
      for (const ValueId id : graph::Present(node.outputs)) {
        const auto v = static_cast<size_t>(id);
        if (!IsFloat(id)) {
          index[v] = reads_floats || reads_index;
          chooses = chooses || reads_floats;
        }
        picked[v] = picked[v] || reads_picked || (IsFloat(id) && reads_index);
      }
      if (chooses) choosers_.push_back(n);
      decoder_[n] = decoder_[n] || reads_picked;
    }
  }

  // What learned queries find: sums of computed values, weighed by how well each suits a constant.
  void MarkLearned() {
    // Made of the products of constants, as rows, with computed values, and of no others; shares of
    // such.
    std::vector<bool> scores(graph_.values.size()), shares(graph_.values.size());
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (!needed_[n]) continue;
      const graph::Node& node = graph_.nodes[n];
      const auto reads = [&](const std::vector<bool>& marked) {
        return std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) {
          return IsComputed(id) && marked[static_cast<size_t>(id)];
        });
      };
      const bool multiplies = operators::IsContraction(node);
      const bool both = multiplies && IsComputed(node.inputs[0]) && IsComputed(node.inputs[1]);
      if (both && reads(shares)) {
        for (const ValueId id : node.outputs) answers_[static_cast<size_t>(id)] = true;
        decoder_[n] = true;
        choosers_.push_back(n);
      }
      const bool asks = multiplies && !IsComputed(node.inputs[0]);
      const bool weighs = !multiplies && operators::SilencesLargeNegatives(node) && reads(scores);
      for (const ValueId id : graph::Present(node.outputs)) {
        const auto v = static_cast<size_t>(id);
        scores[v] = asks || (!multiplies && !weighs && reads(scores));
        shares[v] = weighs || (!multiplies && reads(shares));
      }
    }
  }

  // What a value is made of, from the last weights on.
  void MarkCompared(ValueId value) {
    for (std::vector<ValueId> open = {value}; !open.empty();) {
      const ValueId id = open.back();
      open.pop_back();
      const int producer = IsComputed(id) ? links_.producer[static_cast<size_t>(id)] : -1;
      if (producer < 0 || decoder_[static_cast<size_t>(producer)]) continue;
      const graph::Node& node = graph_.nodes[static_cast<size_t>(producer)];
      decoder_[static_cast<size_t>(producer)] = true;
      if (operators::WeightsOf(graph_, node)) continue;
      open.insert(open.end(), node.inputs.begin(), node.inputs.end());
    }
  }

  void KeepWithinShare() {
    int64_t left = LeftOfShare(graph_, std::vector<bool>(decoder_.size()));
    std::vector<size_t> layers;
    for (size_t n = 0; n < decoder_.size(); ++n) {
      if (!needed_[n]) continue;
      if (decoder_[n] && ProductsOf(n) > 0) layers.push_back(n);
    }
    std::ranges::stable_sort(layers, {}, [this](size_t n) { return ProductsOf(n); });
    for (const size_t n : layers) {
      left -= ProductsOf(n);
      if (left < 0) decoder_[n] = false;
    }
  }

  const graph::Graph& graph_;
  graph::Links links_;
  std::vector<bool> needed_;
  std::vector<bool> decoder_;
  std::vector<size_t> choosers_;  // that find indices by comparing floats, or weigh by shares
  std::vector<bool> answers_;     // by value: what a learned query finds
};

}  // namespace

std::vector<bool> QueryDecoder(const graph::Graph& graph) {
  return Decoder(graph).Run();
}

std::vector<std::vector<bool>> QuerySources(const graph::Graph& graph,
                                            const std::vector<bool>& decoder) {
  constexpr int64_t kParts = 4;
  const graph::Links links(graph);
  const int64_t left = LeftOfShare(graph, decoder);
  std::vector<std::vector<bool>> sets;
  for (int64_t part = 1; part <= kParts; ++part) {
    std::vector<bool> grown = decoder;
    int64_t spent = 0;
    // Nodes stand behind those that they read, so that one walk sees every reader first.
    for (size_t n = graph.nodes.size(); n-- > 0;) {
      const auto feeds = [&](ValueId id) {
        if (id == graph::kNoValue) return false;
        const auto& readers = links.consumers[static_cast<size_t>(id)];
        return std::any_of(readers.begin(), readers.end(),
                           [&](const auto& reader) { return grown[static_cast<size_t>(reader)]; });
      };
      const graph::Node& node = graph.nodes[n];
      if (grown[n] || !std::any_of(node.outputs.begin(), node.outputs.end(), feeds)) continue;
      spent += operators::ProductsOf(graph, node);
      if (spent > left * part / kParts) break;
      grown[n] = true;
    }
    if (grown != (sets.empty() ? decoder : sets.back())) sets.push_back(grown);
  }
  return sets;
}

}  // namespace octet::quantize
