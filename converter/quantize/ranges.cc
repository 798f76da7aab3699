#include "converter/quantize/ranges.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "converter/operators/clamp.h"
#include "converter/operators/operator.h"
#include "converter/quantize/names.h"
#include "converter/quantize/saturation.h"
#include "converter/support/error.h"

namespace octet::quantize {
namespace {

class RangeChooser {
 public:
  RangeChooser(const graph::Graph& graph,
               const std::vector<std::optional<calibrate::Statistics>>& statistics,
               const Config& config, const std::vector<blob::Precision>& precision)
      : graph_(graph),
        statistics_(statistics),
        config_(config),
        precision_(precision),
        links_(graph),
        ranges_(graph.values.size()) {}

  // Readers first: how finely a function's input has to be known depends on its output's scale.
  std::vector<std::optional<ValueRange>> Run() {
    for (size_t n = graph_.nodes.size(); n-- > 0;) {
      for (graph::ValueId id : graph_.nodes[n].outputs) Choose(id);
    }
    for (graph::ValueId id : graph_.inputs) Choose(id);
    return std::move(ranges_);
  }

 private:
  void Choose(graph::ValueId id) {
    if (id == graph::kNoValue) return;
    if (const graph::Given* given = graph_.At(id).given.get()) {
      const bool symmetric = given->zero_point == 0;
      ranges_[static_cast<size_t>(id)] =
          ValueRange{given->Low(), given->High(), symmetric, true, {Origin::Kind::kGiven}, given};
      return;
    }
    if (!statistics_[static_cast<size_t>(id)]) return;
    const calibrate::Statistics& seen = *statistics_[static_cast<size_t>(id)];
    const TensorOverride asked = OverrideOf(graph_.At(id).name);
    const bool bounded = asked.min && asked.max;
    if (!bounded && (!std::isfinite(seen.min) || !std::isfinite(seen.max))) return;
    ValueRange& range = ranges_[static_cast<size_t>(id)].emplace();
    const int producer = links_.producer[static_cast<size_t>(id)];
    std::optional<operators::ClampBounds> clamp;
    if (producer >= 0)
      clamp = operators::ClampOf(graph_, graph_.nodes[static_cast<size_t>(producer)]);
    // A clamped value spends its whole range on one side of 0 or within known ends.
    range.symmetric =
        config_.symmetric_only || asked.symmetric.value_or(clamp ? false : config_.symmetric);
    if (!bounded) {
      const bool input = producer < 0;
      // Pixels fill their range and nothing lies outside: there is nothing to clip at an input.
      const calibrate::Method fallback = input && config_.method == calibrate::Method::kAuto
                                             ? calibrate::Method::kMinMax
                                             : config_.method;
      const auto v = static_cast<size_t>(id);
      const calibrate::Method own =
          v < config_.methods.size() ? config_.methods[v].value_or(fallback) : fallback;
      const calibrate::Range part = ChangingPartOf(id, seen);
      const bool narrowed = part.min > seen.min || part.max < seen.max;
      const calibrate::Statistics used =
          narrowed ? calibrate::Clamp(seen, part.min, part.max) : seen;
      const calibrate::Choice choice = calibrate::ChooseRange(used, asked.method.value_or(own),
                                                              config_.percentile, range.symmetric);
      range.min = choice.range.min;
      range.max = choice.range.max;
      range.origin = {Origin::Kind::kMethod, choice.method};
      if (clamp && !asked.method) TakeClamp(*clamp, seen, &range);
    }
    if (asked.min) range.min = *asked.min;
    if (asked.max) range.max = *asked.max;
    if (range.symmetric) {
      range.max = std::max(range.max, -range.min);
      range.min = -range.max;
    }
    range.overridden = asked.min || asked.max || asked.symmetric || asked.method;
    if (asked.min || asked.max) range.origin = {Origin::Kind::kOverride};
  }

  // The bounds of a clamp that acts are the range: its codes at both ends are then exact. One that
  // the data come nowhere near would only cost resolution.
  static void TakeClamp(const operators::ClampBounds& clamp, const calibrate::Statistics& seen,
                        ValueRange* range) {
    if (std::isfinite(clamp.high) && clamp.high > 0 && seen.max >= clamp.high / 2) {
      range->max = clamp.high;
      range->origin = {Origin::Kind::kClamp};
    }
    if (std::isfinite(clamp.low) && clamp.low < 0 && seen.min <= clamp.low / 2) {
      range->min = clamp.low;
      range->origin = {Origin::Kind::kClamp};
    }
    if (clamp.low == 0) range->min = 0;
    if (range->symmetric) {
      range->max = std::max(range->max, -range->min);
      range->min = -range->max;
    }
  }

  // What the readers of a value can tell apart.
  calibrate::Range ChangingPartOf(graph::ValueId id, const calibrate::Statistics& seen) const {
    const calibrate::Range all{seen.min, seen.max};
    const auto& readers = links_.consumers[static_cast<size_t>(id)];
    if (readers.empty() || links_.is_output[static_cast<size_t>(id)]) return all;
    calibrate::Range wanted{seen.max, seen.min};
    for (int reader : readers) {
      const graph::Node& node = graph_.nodes[static_cast<size_t>(reader)];
      if (precision_[static_cast<size_t>(reader)] != blob::Precision::kInt8) return all;
      const auto& output = ranges_[static_cast<size_t>(node.outputs[0])];
      if (!output) return all;
      ResultCodes result;
      if (output->given != nullptr) {
        result = {output->given->scale, calibrate::Range{output->min, output->max}};
      } else {
        result.scale = Affine(output->min, output->max, output->symmetric).scale;
      }
      const auto part = ChangingPart(graph_, node, all, result);
      if (!part) return all;
      wanted.min = std::min(wanted.min, part->min);
      wanted.max = std::max(wanted.max, part->max);
    }
    return wanted.min <= wanted.max ? wanted : all;
  }

  // All entries that match, later ones on top.
  TensorOverride OverrideOf(std::string_view name) const {
    TensorOverride result;
    for (const TensorOverride& entry : config_.tensors) {
      if (!Matches(entry.name, name)) continue;
      if (entry.min) result.min = entry.min;
      if (entry.max) result.max = entry.max;
      if (entry.symmetric) result.symmetric = entry.symmetric;
      if (entry.method) result.method = entry.method;
    }
    if (result.min && result.max && *result.min >= *result.max) {
      Fail(
          "--config gives tensor '{}' the range {:g} to {:g}, combined from several entries; min "
          "must be below max",
          name, *result.min, *result.max);
    }
    return result;
  }

  const graph::Graph& graph_;
  const std::vector<std::optional<calibrate::Statistics>>& statistics_;
  const Config& config_;
  const std::vector<blob::Precision>& precision_;
  graph::Links links_;
  std::vector<std::optional<ValueRange>> ranges_;
};

}  // namespace

ValueRange ProbabilityRange(const std::optional<calibrate::Statistics>& seen) {
  constexpr float kCodes = 256, kHeadroom = 2;
  float step = 1 / kCodes;
  const float most = seen ? kHeadroom * seen->max : 1;
  while (most > 0 && step > operators::kFinestProbability && kCodes * step / 2 >= most) step /= 2;
  return {0, (kCodes - 1) * step, false, true, {Origin::Kind::kFixed}};
}

std::vector<std::optional<ValueRange>> ChooseRanges(
    const graph::Graph& graph, const std::vector<std::optional<calibrate::Statistics>>& statistics,
    const Config& config, const std::vector<blob::Precision>& precision) {
  std::vector<std::string_view> names;
  for (const graph::Value& value : graph.values) {
    if (value.constant == nullptr) names.push_back(value.name);
  }
  for (const TensorOverride& entry : config.tensors) RequireMatch(entry.name, names, "tensor");
  return RangeChooser(graph, statistics, config, precision).Run();
}

}  // namespace octet::quantize
