#include "converter/recover/float_outputs.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "converter/operators/output_view.h"
#include "converter/quantize/precision.h"
#include "converter/support/functions.h"

namespace octet::recover {
namespace {

using graph::ValueId;

struct FloatPart {
  double ratio;
  int64_t products;
  std::vector<size_t> nodes;
};

class Chooser {
 public:
  Chooser(const graph::Graph& graph, const quantize::Scheme& scheme, const Diagnosis& diagnosis)
      : graph_(graph),
        scheme_(scheme),
        diagnosis_(diagnosis),
        links_(graph),
        view_(operators::ViewOutputs(graph)) {}

  std::vector<FloatOutput> Run() const {
    int64_t all = 0;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (view_.needed[n]) all += ProductsOf(n);
    }
    std::vector<FloatPart> candidates;
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      if (view_.is_piece[v]) Consider(static_cast<ValueId>(v), &candidates);
    }
    std::ranges::stable_sort(candidates, std::greater{}, &FloatPart::ratio);
    std::vector<FloatOutput> chosen;
    int64_t spent = 0;
    for (const FloatPart& candidate : candidates) {
      if ((spent + candidate.products) * kMostProductsShare > all) continue;
      spent += candidate.products;
      for (const size_t n : candidate.nodes) {
        chosen.push_back({n, 10 * math::Log10(candidate.ratio), candidate.nodes.size()});
      }
    }
    std::ranges::sort(chosen, {}, &FloatOutput::node);
    return chosen;
  }

 private:
  int64_t ProductsOf(size_t n) const {
    const graph::Node& node = graph_.nodes[n];
    const int64_t each = quantize::AccumulatedProducts(graph_, node);
    return each == 0 ? 0 : each * graph::ElementCount(*graph_.At(node.outputs[0]).shape);
  }

  bool IsInt8(int node) const {
    return node >= 0 && view_.needed[static_cast<size_t>(node)] &&
           scheme_.precision[static_cast<size_t>(node)] == blob::Precision::kInt8;
  }

  bool ReadByNobody(ValueId id) const {
    for (int reader : links_.consumers[static_cast<size_t>(id)]) {
      if (view_.needed[static_cast<size_t>(reader)]) return false;
    }
    return true;
  }

  // The largest gain over orders of magnitude that 8 bits do not tell; 0 where they tell all.
  double GainOf(ValueId id) const {
    const auto found = diagnosis_.pieces.find(id);
    if (found == diagnosis_.pieces.end()) return 0;
    int64_t all = 0;
    for (const MagnitudeFigure& figure : found->second) all += figure.count;
    double most = 0;
    // The lowest bin holds zeros, which no error is small beside.
    for (size_t i = 1; i < found->second.size(); ++i) {
      const MagnitudeFigure& figure = found->second[i];
      if (figure.count == 0 || figure.count * kRarest < all) continue;
      if (figure.error < figure.signal * kUntoldShare) continue;
      most = std::max(most, figure.error / std::max(figure.sums, figure.error * 1e-9));
    }
    return most;
  }

  void Consider(ValueId id, std::vector<FloatPart>* candidates) const {
    if (graph_.At(id).given != nullptr) return;  // the model says in which codes it leaves
    const double ratio = GainOf(id);
    if (ratio < kWorthRatio || !ReadByNobody(id)) return;
    FloatPart candidate{ratio, 0, {}};
    int node = links_.producer[static_cast<size_t>(id)];
    for (int step = 0; step < 2; ++step) {
      if (!IsInt8(node)) return;
      const auto n = static_cast<size_t>(node);
      candidate.nodes.push_back(n);
      const ValueId input = OnlyComputedInput(graph_.nodes[n]);
      // A tensor with a scale a channel has int8 readers alone.
      if (input == graph::kNoValue) return;
      const auto& form = scheme_.tensors[static_cast<size_t>(input)];
      candidate.products = ProductsOf(n);
      if (candidate.products > 0) {
        if (form && form->channels.empty()) candidates->push_back(std::move(candidate));
        return;
      }
      // A function of the sums: together with them, where nobody else reads those.
      if (links_.consumers[static_cast<size_t>(input)].size() != 1 ||
          view_.is_piece[static_cast<size_t>(input)])
        return;
      node = links_.producer[static_cast<size_t>(input)];
    }
  }

  ValueId OnlyComputedInput(const graph::Node& node) const {
    ValueId only = graph::kNoValue;
    for (ValueId id : graph::Present(node.inputs)) {
      if (graph_.Constant(id) != nullptr) continue;
      if (only != graph::kNoValue) return graph::kNoValue;
      only = id;
    }
    return only;
  }

  const graph::Graph& graph_;
  const quantize::Scheme& scheme_;
  const Diagnosis& diagnosis_;
  graph::Links links_;
  operators::OutputView view_;
};

}  // namespace

std::vector<FloatOutput> WorthFloat(const graph::Graph& graph, const quantize::Scheme& scheme,
                                    const Diagnosis& diagnosis) {
  return Chooser(graph, scheme, diagnosis).Run();
}

}  // namespace octet::recover
