#include "converter/quantize/queries.h"

#include <algorithm>

#include "converter/operators/operator.h"
#include "converter/operators/output_view.h"
#include "converter/operators/weights.h"

namespace octet::quantize {
namespace {

using graph::ValueId;

// What the decoder may cost of a graph's products.
constexpr int64_t kShare = 6;

class Decoder {
 public:
  explicit Decoder(const graph::Graph& graph)
      : graph_(graph),
        links_(graph),
        needed_(operators::ViewOutputs(graph).needed),
        decoder_(graph.nodes.size()) {}

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

  // Of the whole result.
  int64_t ProductsOf(size_t n) const {
    const graph::Node& node = graph_.nodes[n];
    if (!operators::IsContraction(node)) return 0;
    int64_t elements = 0;
    for (const ValueId id : node.outputs) {
      if (id != graph::kNoValue && graph_.At(id).shape) {
        elements += graph::ElementCount(*graph_.At(id).shape);
      }
    }
    if (const auto weights = operators::WeightsOf(graph_, node))
      return weights->products * elements;
    const auto& shape = graph_.At(node.inputs[0]).shape;
    return shape && !shape->empty() ? shape->back() * elements : elements;
  }

  void MarkBehind() {
    // Integers that were found by comparing computed floats, and floats that such ones picked.
    std::vector<bool> index(graph_.values.size()), picked(graph_.values.size());
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
      for (const ValueId id : node.outputs) {
        if (id == graph::kNoValue) continue;
        const auto v = static_cast<size_t>(id);
        if (!IsFloat(id)) {
          index[v] = reads_floats || reads_index;
          chooses = chooses || reads_floats;
        }
        picked[v] = reads_picked || (IsFloat(id) && reads_index);
      }
      if (chooses) choosers_.push_back(n);
      decoder_[n] = reads_picked;
    }
  }

  // What a value is made of, from the last weights on.
  void MarkCompared(ValueId id) {
    const int producer = IsComputed(id) ? links_.producer[static_cast<size_t>(id)] : -1;
    if (producer < 0 || decoder_[static_cast<size_t>(producer)]) return;
    const auto n = static_cast<size_t>(producer);
    decoder_[n] = true;
    if (operators::WeightsOf(graph_, graph_.nodes[n])) return;
    for (const ValueId input : graph_.nodes[n].inputs) MarkCompared(input);
  }

  void KeepWithinShare() {
    int64_t left = 0;
    std::vector<size_t> layers;
    for (size_t n = 0; n < decoder_.size(); ++n) {
      if (!needed_[n]) continue;
      left += ProductsOf(n) / kShare;
      if (decoder_[n] && ProductsOf(n) > 0) layers.push_back(n);
    }
    std::stable_sort(layers.begin(), layers.end(),
                     [this](size_t a, size_t b) { return ProductsOf(a) < ProductsOf(b); });
    for (const size_t n : layers) {
      left -= ProductsOf(n);
      if (left < 0) decoder_[n] = false;
    }
  }

  const graph::Graph& graph_;
  graph::Links links_;
  std::vector<bool> needed_;
  std::vector<bool> decoder_;
  std::vector<size_t> choosers_;  // that find indices by comparing floats
};

}  // namespace

std::vector<bool> QueryDecoder(const graph::Graph& graph) {
  return Decoder(graph).Run();
}

}  // namespace octet::quantize
