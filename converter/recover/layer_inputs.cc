#include "converter/recover/layer_inputs.h"

#include <algorithm>
#include <map>

#include "converter/operators/weights.h"
#include "converter/simulate/rounding.h"

namespace octet::recover {
void AddPosition(const LayerShape& layer, const graph::Tensor& input, int64_t position, size_t g,
                 std::vector<float>* row) {
  const float* values = input.floats.data();
  const auto depth = static_cast<int64_t>(layer.depth);
  if (!layer.window) {
    row->insert(row->end(), values + position * depth, values + (position + 1) * depth);
    return;
  }
  const operators::WindowAxis &y = layer.window->y, &x = layer.window->x;
  const int64_t pixels = layer.window->OutputPixels(), image = position / pixels;
  const int64_t top = position % pixels / x.out * y.stride - y.pad_begin,
                left = position % x.out * x.stride - x.pad_begin;
  const int64_t channels = depth / layer.window->Taps();
  const int64_t first = image * input.shape[1] + static_cast<int64_t>(g) * channels;
  for (int64_t c = first; c < first + channels; ++c) {
    for (int64_t ky = 0; ky < y.kernel; ++ky) {
      const int64_t at_y = top + ky * y.dilation;
      for (int64_t kx = 0; kx < x.kernel; ++kx) {
        const int64_t at_x = left + kx * x.dilation;
        const bool inside = at_y >= 0 && at_y < y.in && at_x >= 0 && at_x < x.in;
        row->push_back(inside ? values[(c * y.in + at_y) * x.in + at_x] : 0);
      }
    }
  }
}

std::optional<LayerShape> ShapeOfLayer(const graph::Graph& graph, size_t n) {
  const graph::Node& node = graph.nodes[n];
  const auto weights = operators::WeightsOf(graph, node);
  if (!weights || weights->axis != 0) return std::nullopt;
  const graph::Shape &shape = weights->tensor->shape, &in = *graph.At(node.inputs[0]).shape;
  LayerShape layer;
  layer.node = n;
  layer.input = node.inputs[0];
  layer.outputs = static_cast<size_t>(weights->outputs);
  layer.depth = weights->tensor->floats.size() / layer.outputs;
  if (operators::IsConvolution(node)) {
    if (shape.size() != 4 || in.size() != 4) return std::nullopt;
    layer.window = operators::MakeWindow(node, in, {shape[2], shape[3]});
    layer.groups = static_cast<size_t>(node.Int("group", 1));
    layer.positions = in[0] * layer.window->OutputPixels();
    return layer;
  }
  if (shape.size() != 2 || in.empty() || in.back() != shape[1] || node.Float("alpha", 1) != 1 ||
      node.Int("transA", 0) != 0) {
    return std::nullopt;
  }
  layer.positions = graph::ElementCount(in) / shape[1];
  return layer;
}

std::vector<std::vector<LayerInputs>> CollectInputs(const simulate::Simulator& simulator,
                                                    const quantize::Scheme& scheme,
                                                    const std::vector<LayerShape>& layers,
                                                    const std::vector<size_t>& rows,
                                                    const std::vector<int64_t>& samples,
                                                    const std::function<void()>& progress) {
  std::vector<std::vector<LayerInputs>> inputs;
  std::map<graph::ValueId, std::vector<size_t>> readers;
  for (size_t l = 0; l < layers.size(); ++l) {
    LayerInputs empty;
    empty.depth = layers[l].depth;
    inputs.emplace_back(layers[l].groups, empty);
    readers[layers[l].input].push_back(l);
  }
  const graph::Graph& graph = simulator.topology().graph;
  const auto take = [&](graph::ValueId id, size_t picture, const std::vector<float>& values) {
    const auto found = readers.find(id);
    if (found == readers.end()) return;
    graph::Tensor tensor = graph::Tensor::Floats(*graph.At(id).shape, values);
    // Rounded already, unless it comes from outside of the int8 part.
    if (const auto& own = scheme.tensors[static_cast<size_t>(id)]) {
      simulate::Round(*own, true, &tensor);
    }
    for (const size_t l : found->second) {
      const LayerShape& layer = layers[l];
      // As many as bring the picture up to its share of all rows.
      const size_t share =
          rows[l] * (picture + 1) / samples.size() - rows[l] * picture / samples.size();
      const int64_t count = std::min(layer.positions, static_cast<int64_t>(share));
      for (int64_t i = 0; i < count; ++i) {
        const int64_t position = (2 * i + 1) * layer.positions / (2 * count);
        for (size_t g = 0; g < layer.groups; ++g) {
          AddPosition(layer, tensor, position, g, &inputs[l][g].values);
          ++inputs[l][g].rows;
        }
      }
    }
  };
  for (size_t picture = 0; picture < samples.size(); ++picture) {
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      if (!readers.contains(graph.inputs[i])) continue;
      take(graph.inputs[i], picture, simulator.inputs()[i]->Load(samples[picture]).floats);
    }
    simulator.Watch(scheme, {samples[picture]}, [&](const simulate::Simulator::Shown& shown) {
      take(shown.id, picture, shown.after);
    });
    progress();
  }
  return inputs;
}

}  // namespace octet::recover
