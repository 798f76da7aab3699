#include "converter/quantize/channel_scales.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "converter/operators/clamp.h"
#include "converter/operators/output_view.h"
#include "converter/operators/scaling.h"
#include "converter/operators/weights.h"
#include "converter/quantize/activation.h"
#include "converter/quantize/channel_groups.h"
#include "converter/quantize/saturation.h"
#include "runtime/format/axes_params.h"

namespace octet::quantize {
namespace {

using calibrate::Range;
using graph::ValueId;

// A channel that calibration hardly saw move keeps this share of its tensor's range: what other
// pictures bring is not cut off at once.
constexpr float kNarrowest = 1.0f / 256;

// A deviation counts as the root of epsilon or more: rounding to this share of that is 35 dB below.
constexpr double kTold = 1.0 / 16;
// Steps from 0 of a channel that lies far from it: its zero point times its scale, which the
// convolution's bias takes up, stays exact in float.
constexpr double kFarthestZero = 1 << 16;

class ChannelChooser {
 public:
  ChannelChooser(const graph::Graph& graph,
                 const std::vector<std::optional<calibrate::Statistics>>& statistics,
                 Scheme* scheme)
      : graph_(graph),
        statistics_(statistics),
        links_(graph),
        view_(operators::ViewOutputs(graph)),
        importance_(ChannelImportance(graph)),
        scheme_(scheme) {}

  void Run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const graph::Node& node = graph_.nodes[n];
      if (!operators::IsConvolution(node) || !RunsInInt8(n)) continue;
      const ValueId result = node.outputs[0];
      if (!IsFree(result)) continue;
      if (OnlyNormalized(node)) {
        SetNormalized(result);
      } else if (OnlyDepthwiseReads(result)) {
        if (HasSharedClamp(node)) SetDirect(result);
      } else if (const graph::Node* activation = ActivationBehind(node)) {
        SetBefore(*activation);
      }
    }
  }

 private:
  bool RunsInInt8(size_t n) const {
    return view_.needed[n] && scheme_->precision[n] == blob::Precision::kInt8;
  }
  TensorScheme& SchemeOf(ValueId id) const { return *scheme_->tensors[static_cast<size_t>(id)]; }
  const std::vector<Range>& SeenOf(ValueId id) const {
    return statistics_[static_cast<size_t>(id)]->channels;
  }

  // Calibrated by channel, and nobody outside the graph reads it or gave it a scale.
  bool IsFree(ValueId id) const {
    const auto v = static_cast<size_t>(id);
    return scheme_->tensors[v] && scheme_->tensors[v]->origin.kind != Origin::Kind::kOverride &&
           graph_.At(id).given == nullptr && statistics_[v] &&
           statistics_[v]->channels.size() > 1 && !links_.is_output[v] && !view_.is_piece[v] &&
           importance_[v].size() == statistics_[v]->channels.size();
  }

  bool OnlyDepthwiseReads(ValueId id) const {
    const auto& readers = links_.consumers[static_cast<size_t>(id)];
    return !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](int reader) {
      const auto r = static_cast<size_t>(reader);
      const graph::Node& node = graph_.nodes[r];
      const graph::Tensor* weights =
          node.inputs.size() > 1 ? graph_.Constant(node.inputs[1]) : nullptr;
      const auto channels = static_cast<int64_t>(SeenOf(id).size());
      return operators::IsConvolution(node) && RunsInInt8(r) && node.inputs[0] == id &&
             weights != nullptr && node.Int("group", 1) == channels &&
             weights->shape[0] == channels;
    });
  }

  // By a layer that knows each channel by itself, in integers.
  bool OnlyNormalized(const graph::Node& node) const {
    const auto& readers = links_.consumers[static_cast<size_t>(node.outputs[0])];
    if (!node.activation.empty() || readers.size() != 1) return false;
    const auto r = static_cast<size_t>(readers[0]);
    const graph::Node& reader = graph_.nodes[r];
    const graph::Shape& shape = *graph_.At(node.outputs[0]).shape;
    return operators::NormalizesEachChannel(reader) && RunsInInt8(r) &&
           graph::ElementCount(shape) / shape[1] <= int64_t{blob::kMaxGroupS8};
  }

  // The bounds of the fused clamp, if any, are codes that all channels share: 0 and the largest.
  bool HasSharedClamp(const graph::Node& node) const {
    const auto clamp = operators::ClampOf(graph_, node);
    return node.activation.empty() || (clamp && clamp->low == 0);
  }

  const graph::Node* ActivationBehind(const graph::Node& node) const {
    const auto& readers = links_.consumers[static_cast<size_t>(node.outputs[0])];
    if (!node.activation.empty() || readers.size() != 1) return nullptr;
    const auto r = static_cast<size_t>(readers[0]);
    const graph::Node& reader = graph_.nodes[r];
    const bool fits = IsActivation(reader) && RunsInInt8(r) &&
                      scheme_->tensors[static_cast<size_t>(reader.outputs[0])].has_value();
    return fits ? &reader : nullptr;
  }

  // A range a channel for depthwise readers. Padding is one byte for all channels, so that the zero
  // point is shared: the one that leaves the smallest sum of importance * scale^2.
  void SetShared(ValueId id, const std::vector<Range>& ranges) {
    TensorScheme& scheme = SchemeOf(id);
    const std::vector<double>& importance = importance_[static_cast<size_t>(id)];
    const float narrowest = std::max(-scheme.min, scheme.max) * kNarrowest;
    const auto scale_of = [&](const Range& range, int zero_point) {
      const double high = std::max(range.max, narrowest) / (127 - zero_point);
      if (range.min >= 0) return high;
      if (zero_point == -128) return std::numeric_limits<double>::infinity();
      return std::max(high, range.min / static_cast<double>(-128 - zero_point));
    };
    const bool symmetric = scheme.zero_point == 0;
    int best = 0;
    double best_cost = std::numeric_limits<double>::infinity();
    for (int zero_point = symmetric ? 0 : -128; zero_point <= (symmetric ? 0 : 126); ++zero_point) {
      double cost = 0;
      for (size_t c = 0; c < ranges.size(); ++c) {
        const double scale = scale_of(ranges[c], zero_point);
        cost += (importance[c] + 1e-30) * scale * scale;
      }
      if (cost < best_cost) {
        best_cost = cost;
        best = zero_point;
      }
    }
    scheme.channels.resize(ranges.size());
    for (size_t c = 0; c < ranges.size(); ++c) {
      scheme.channels[c] = {static_cast<float>(scale_of(ranges[c], best)), best};
    }
  }

  // No table on the way: every channel has its own range.
  void SetDirect(ValueId id) {
    const TensorScheme& scheme = SchemeOf(id);
    std::vector<Range> ranges = SeenOf(id);
    // What the whole tensor's range cuts off, by a clamp or as outliers, stays cut off.
    for (Range& range : ranges) {
      range.min = std::clamp(range.min, scheme.min, scheme.max);
      range.max = std::clamp(range.max, scheme.min, scheme.max);
    }
    SetShared(id, ranges);
  }

  // Every channel has the range that it fills, wherever that lies: a mean comes off.
  void SetNormalized(ValueId id) {
    TensorScheme& scheme = SchemeOf(id);
    const graph::Node& reader =
        graph_.nodes[static_cast<size_t>(links_.consumers[static_cast<size_t>(id)][0])];
    const std::vector<Range>& seen = SeenOf(id);
    const bool symmetric = scheme.zero_point == 0;
    const double unseen = (scheme.max - scheme.min) * kNarrowest / 255;
    const double told = std::sqrt(static_cast<double>(operators::EpsilonOf(reader))) * kTold;
    scheme.channels.resize(seen.size());
    for (size_t c = 0; c < seen.size(); ++c) {
      // What the whole tensor's range cuts off as outliers stays cut off.
      const double min = std::clamp(seen[c].min, scheme.min, scheme.max),
                   max = std::clamp(seen[c].max, scheme.min, scheme.max),
                   largest = std::max(std::fabs(min), std::fabs(max)),
                   steps = symmetric ? largest / 127 : (max - min) / 255;
      const auto scale =
          static_cast<float>(std::max({steps, unseen, told, largest / kFarthestZero}));
      const double centre = -(min + max) / 2 / scale - 0.5;
      scheme.channels[c] = {scale, symmetric ? 0 : static_cast<int>(std::floor(centre + 0.5))};
    }
  }

  void SetBefore(const graph::Node& activation) {
    const ValueId before = activation.inputs[0], behind = activation.outputs[0];
    const std::vector<Range>& seen = SeenOf(before);
    TensorScheme& scheme = SchemeOf(before);
    const bool apart = IsFree(behind) && OnlyDepthwiseReads(behind);
    const bool symmetric = scheme.zero_point == 0;
    std::vector<Range> ranges(seen.size());
    const float narrowest = std::max(-scheme.min, scheme.max) * kNarrowest;
    for (size_t c = 0; c < seen.size(); ++c) {
      double scale = SchemeOf(behind).scale;
      if (apart) scale = Affine(SeenOf(behind)[c].min, SeenOf(behind)[c].max, symmetric).scale;
      ranges[c] = ChangingPart(graph_, activation, seen[c], {scale}).value_or(seen[c]);
      ranges[c].min = std::min(ranges[c].min, 0.0f);
      ranges[c].max = std::max(ranges[c].max, narrowest);
    }
    const std::vector<size_t> group_of =
        GroupChannels(ranges, importance_[static_cast<size_t>(before)], kMostTables, kWorthwhile);
    const size_t groups = *std::max_element(group_of.begin(), group_of.end()) + 1;
    if (groups < 2) return;
    scheme.channels = SchemesOf(group_of, groups, ranges, symmetric);
    if (!apart) return;
    std::vector<Range> outputs = SeenOf(behind);
    const std::vector<Range> united = Unite(group_of, groups, outputs);
    for (size_t c = 0; c < outputs.size(); ++c) outputs[c] = united[group_of[c]];
    SetShared(behind, outputs);
  }

  static std::vector<Range> Unite(const std::vector<size_t>& group_of, size_t groups,
                                  const std::vector<Range>& ranges) {
    std::vector<Range> united(groups);
    for (size_t c = 0; c < ranges.size(); ++c) {
      Range& group = united[group_of[c]];
      group = {std::min(group.min, ranges[c].min), std::max(group.max, ranges[c].max)};
    }
    return united;
  }

  static std::vector<ChannelScheme> SchemesOf(const std::vector<size_t>& group_of, size_t groups,
                                              const std::vector<Range>& ranges, bool symmetric) {
    std::vector<ChannelScheme> schemes(ranges.size());
    const std::vector<Range> united = Unite(group_of, groups, ranges);
    for (size_t c = 0; c < ranges.size(); ++c) {
      const Range& group = united[group_of[c]];
      const TensorScheme one = Affine(group.min, group.max, symmetric);
      schemes[c] = {one.scale, one.zero_point};
    }
    return schemes;
  }

  const graph::Graph& graph_;
  const std::vector<std::optional<calibrate::Statistics>>& statistics_;
  graph::Links links_;
  operators::OutputView view_;
  std::vector<std::vector<double>> importance_;
  Scheme* scheme_;
};

}  // namespace

void ChooseChannelScales(const graph::Graph& graph,
                         const std::vector<std::optional<calibrate::Statistics>>& statistics,
                         const Config& config, Scheme* scheme) {
  for (auto& tensor : scheme->tensors) {
    if (tensor) tensor->channels.clear();
  }
  if (config.channel_scales) ChannelChooser(graph, statistics, scheme).Run();
}

}  // namespace octet::quantize
