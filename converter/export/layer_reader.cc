#include "converter/export/layer_reader.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "converter/export/table_schemes.h"
#include "converter/export/weight_scales.h"
#include "converter/lower/weights.h"
#include "converter/operators/weights.h"
#include "converter/support/error.h"

namespace octet::exporting {

using graph::ValueId;

LayerReader::LayerReader(const graph::Graph& graph, const BlobView& blob, const std::string& path)
    : graph_(graph),
      path_(path),
      links_(graph),
      view_(operators::ViewOutputs(graph)),
      plan_(blob, path) {}

const graph::Node* LayerReader::ReaderOf(ValueId id) const {
  const auto& readers = links_.consumers[static_cast<size_t>(id)];
  return readers.size() == 1 ? &graph_.nodes[static_cast<size_t>(readers[0])] : nullptr;
}

LayerNumbers LayerReader::NumbersOf(const graph::Node& node, const blob::LayerRecord& layer) const {
  const graph::Tensor* constant = graph_.Constant(node.inputs[1]);
  if (constant == nullptr || !constant->IsFloat() || layer.weights.offset == blob::kNone) {
    FailOther(node, "has weights where the model has none, ");
  }
  const graph::Tensor& weights = *constant;
  const size_t rank = weights.shape.size();
  blob::ConvParams params;
  std::memcpy(&params, &layer.params, sizeof(params));
  const int64_t taps = rank == 4 ? weights.shape[2] * weights.shape[3] : 1;
  if ((rank != 4 && rank != 2) || int64_t{params.kernel_h} * params.kernel_w != taps) {
    FailOther(node, "has other weights than the model in layer");
  }
  LayerNumbers numbers = plan_.NumbersOf(layer, weights, node.Int("group", 1));
  if (const int64_t pixels = FlattenedPixels(node); pixels > 1) {
    const auto count = static_cast<size_t>(pixels), depth = static_cast<size_t>(numbers.depth),
               channels = depth / count;
    const std::vector<int8_t> stored = numbers.codes;
    for (size_t row = 0; row < stored.size(); row += depth) {
      for (size_t k = 0; k < depth; ++k) {
        numbers.codes[row + k] = stored[row + k % count * channels + k / count];
      }
    }
  }
  return numbers;
}

// Of a picture [1, C, H, W] that is flattened for this matrix alone (its columns are stored as
// [H, W, C] then), else 1. As lower::FlattensForGemm.
int64_t LayerReader::FlattenedPixels(const graph::Node& node) const {
  const auto v = static_cast<size_t>(node.inputs[0]);
  const int producer = links_.producer[v];
  if (producer < 0 || links_.consumers[v].size() != 1 || links_.is_output[v] || view_.is_piece[v]) {
    return 1;
  }
  const graph::Node& reshape = graph_.nodes[static_cast<size_t>(producer)];
  const graph::Shape& to = *graph_.At(node.inputs[0]).shape;
  if (reshape.op != "Reshape" || to.size() != 2 || to[0] != 1) return 1;
  const graph::Shape& from = *graph_.At(reshape.inputs[0]).shape;
  return from.size() == 4 && from[0] == 1 ? from[2] * from[3] : 1;
}

std::vector<double> LayerReader::StepsOf(const graph::Node& node, const blob::LayerRecord& layer,
                                         const LayerNumbers& numbers,
                                         const std::vector<double>& in_scales) const {
  const graph::Tensor& weights = *graph_.Constant(node.inputs[1]);
  const std::vector<float> given = operators::CodedScalesOf(graph_, node);
  std::vector<double> steps;
  for (size_t o = 0; o < numbers.factors.size(); ++o) {
    const std::optional<double> scale = WeightScaleOf(given, numbers, weights, o);
    if (!scale) FailOther(node, fmt::format("the weights of channel {} differ from those of", o));
    const double in_scale =
        in_scales.empty() ? static_cast<double>(plan_.InputOf(layer).scale) : in_scales[o];
    steps.push_back(in_scale * *scale / std::max(numbers.factors[o], kNoScale));
  }
  return steps;
}

double LayerReader::ScaleBeforeTable(const graph::Node& node, const blob::LayerRecord& layer,
                                     const std::vector<double>& steps) {
  const graph::Node* activation = ReaderOf(node.outputs[0]);
  lower::FunctionOf function;
  if (activation == nullptr || !lower::UnaryFunction(graph_, *activation, &function)) {
    FailOther(node, "has a table where the model has no activation, behind");
  }
  const blob::TensorRecord& out = plan_.OutputOf(layer);
  blob::ConvParams params;
  std::memcpy(&params, &layer.params, sizeof(params));
  std::vector<double> candidates = steps;
  std::erase(candidates, 0.0);
  if (candidates.empty()) return static_cast<double>(out.scale);
  std::sort(candidates.begin(), candidates.end());
  // The median first: a channel that has no effect says nothing.
  std::rotate(candidates.begin(),
              candidates.begin() + static_cast<std::ptrdiff_t>(candidates.size() / 2),
              candidates.end());
  const std::span<const int8_t> table = plan_.TableOf(layer, 0);
  TableScheme best{0, params.table_zero_point, out.scale, 257};
  for (const double scale : candidates) {
    const int differing =
        DifferingEntries(function, table, scale, best.zero_point, out.scale, out.zero_point);
    if (differing < best.differing_entries) {
      best.scale = scale;
      best.differing_entries = differing;
    }
    if (differing == 0) break;
  }
  // Where rounding was fitted, weights tell their scale a little off, the same in every channel.
  best = FindScale(function, table, best, out.zero_point);
  Count(node, best.differing_entries, best.differing_entries);
  return best.scale;
}

// A table that looks otherwise is another activation's.
void LayerReader::Count(const graph::Node& node, int worst, int differing) {
  constexpr int kMostDiffering = 8;
  // Constants that functions inside of the network had leave no other trace.
  if (worst > kMostDiffering) {
    Fail(
        "{}: has another activation than the model behind '{}': a constant was taken out of it, "
        "or it is of another model; convert again with constant_parts: false in --config",
        path_, node.name);
  }
  differing_entries_ += differing;
}

void LayerReader::FailOther(const graph::Node& node, const std::string& why) const {
  Fail(
      "{}: {} '{}': it was made from another model or by another release; convert the model "
      "again",
      path_, why, node.name);
}

}  // namespace octet::exporting
