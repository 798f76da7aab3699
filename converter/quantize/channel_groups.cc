#include "converter/quantize/channel_groups.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "converter/operators/weights.h"
#include "converter/quantize/activation.h"

namespace octet::quantize {
namespace {

// Channels of a [1, C, H, W]; 0 for anything else.
size_t ChannelsOf(const graph::Graph& graph, graph::ValueId id) {
  const auto& shape = graph.At(id).shape;
  return shape && shape->size() == 4 && (*shape)[0] == 1 ? static_cast<size_t>((*shape)[1]) : 0;
}

void AddAll(double amount, std::vector<double>* importance) {
  for (double& value : *importance) value += amount;
}

// What a convolution makes of an error in each channel of its input.
void AddConv(const graph::Graph& graph, const graph::Node& node,
             const std::vector<double>& of_output, std::vector<double>* importance) {
  const graph::Tensor* weights = graph.Constant(node.inputs[1]);
  const auto groups = static_cast<size_t>(node.Int("group", 1));
  const size_t channels = importance->size();
  if (weights == nullptr || weights->shape.size() != 4 || channels == 0 ||
      channels != groups * static_cast<size_t>(weights->shape[1])) {
    return AddAll(1, importance);
  }
  const auto out_c = static_cast<size_t>(weights->shape[0]),
             group_in = static_cast<size_t>(weights->shape[1]);
  const size_t taps = weights->floats.size() / std::max<size_t>(out_c * group_in, 1);
  // Behind a depthwise layer the channels go on apart: its readers weigh them once more.
  const bool depthwise = groups == channels && out_c == channels && of_output.size() == channels;
  for (size_t o = 0; o < out_c; ++o) {
    const size_t first = o / (out_c / groups) * group_in;
    for (size_t i = 0; i < group_in; ++i) {
      double squares = 0;
      for (size_t t = 0; t < taps; ++t) {
        const double w = weights->floats[(o * group_in + i) * taps + t];
        squares += w * w;
      }
      (*importance)[first + i] += squares * (depthwise ? of_output[o] : 1);
    }
  }
}

}  // namespace

std::vector<std::vector<double>> ChannelImportance(const graph::Graph& graph) {
  const graph::Links links(graph);
  std::vector<std::vector<double>> importance(graph.values.size());
  // Readers first.
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    for (graph::ValueId id : graph::Present(graph.nodes[n].outputs)) {
      const auto v = static_cast<size_t>(id);
      std::vector<double>& own = importance[v];
      own.assign(ChannelsOf(graph, id), 0);
      if (links.is_output[v] || links.consumers[v].empty()) AddAll(1, &own);
      for (int reader : links.consumers[v]) {
        const graph::Node& node = graph.nodes[static_cast<size_t>(reader)];
        const auto& behind = importance[static_cast<size_t>(node.outputs[0])];
        if (operators::IsConvolution(node) && node.inputs[0] == id) {
          AddConv(graph, node, behind, &own);
        } else if (IsActivation(node) && behind.size() == own.size()) {
          for (size_t c = 0; c < own.size(); ++c) own[c] += behind[c];
        } else {
          AddAll(1, &own);
        }
      }
    }
  }
  return importance;
}

std::vector<size_t> GroupChannels(const std::vector<calibrate::Range>& ranges,
                                  const std::vector<double>& importance, size_t most,
                                  double worthwhile) {
  const size_t count = ranges.size();
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](size_t c) { return ranges[c].max; });
  std::vector<double> before(count + 1, 0);  // importance of the first channels in order
  for (size_t i = 0; i < count; ++i) before[i + 1] = before[i] + importance[order[i]];
  // cost[k][e]: the first e channels in k groups; start[k][e]: where the last of these begins.
  constexpr double kNever = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> cost(most + 1, std::vector<double>(count + 1, kNever));
  std::vector<std::vector<size_t>> start(most + 1, std::vector<size_t>(count + 1, 0));
  cost[0][0] = 0;
  for (size_t e = 1; e <= count; ++e) {
    double low = 0;
    const double high = ranges[order[e - 1]].max;
    for (size_t b = e; b-- > 0;) {
      low = std::min(low, static_cast<double>(ranges[order[b]].min));
      const double group = (high - low) * (high - low) * (before[e] - before[b]);
      for (size_t k = 1; k <= most; ++k) {
        if (cost[k - 1][b] + group < cost[k][e]) {
          cost[k][e] = cost[k - 1][b] + group;
          start[k][e] = b;
        }
      }
    }
  }
  size_t groups = 1;
  for (size_t k = 2; k <= most; ++k) {
    if (cost[k][count] < cost[groups][count]) groups = k;
  }
  while (groups > 1 && cost[groups / 2][count] < worthwhile * cost[groups][count]) groups /= 2;
  std::vector<size_t> group_of(count, 0);
  for (size_t k = groups, end = count; k > 0; --k) {
    for (size_t i = start[k][end]; i < end; ++i) group_of[order[i]] = k - 1;
    end = start[k][end];
  }
  return group_of;
}

}  // namespace octet::quantize
