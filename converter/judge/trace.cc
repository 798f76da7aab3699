#include "converter/judge/trace.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

namespace octet::judge {
namespace {

// Of a layer's results over samples.
struct Seen {
  float low = std::numeric_limits<float>::infinity(), high = -low;
  bool no_number = false;

  void Add(const std::vector<float>& values) {
    for (const float value : values) {
      no_number |= !std::isfinite(value);
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  bool Has(Fault fault) const { return fault == Fault::kNoNumber ? no_number : low == high; }
};

}  // namespace

std::string FirstLayerWith(Fault fault, Runner& runner, uint32_t plan, uint32_t output,
                           const std::vector<std::vector<graph::Tensor>>& samples,
                           const std::set<std::string>& infinite) {
  const BlobView& view = runner.view();
  PlanView layers{};
  if (!IsOk(ViewPlan(view, plan, &layers))) throw std::logic_error("verified plan has no view");
  std::vector<Seen> seen(layers.record->layer_count);
  for (const std::vector<graph::Tensor>& sample : samples) {
    runner.Begin(plan, sample);
    for (uint32_t k = 0; k < seen.size(); ++k) seen[k].Add(runner.Layer(k));
  }
  const auto has = [&](uint32_t layer) {
    return seen[layer].Has(fault) && infinite.count(runner.LayerName(layer)) == 0;
  };
  // From the output back to a layer that reads none with the fault.
  std::vector<bool> reached(seen.size());
  std::vector<uint32_t> pending;
  const auto reach = [&](uint32_t tensor) {
    const uint32_t layer = layers.tensors[tensor].first_layer;
    if (layer >= seen.size() || reached[layer] || !has(layer)) return false;
    reached[layer] = true;
    pending.push_back(layer);
    return true;
  };
  const PartRange parts = PlanOutputParts(view, *layers.record, output);
  for (uint32_t p = 0; p < parts.count; ++p) reach(view.parts[parts.first + p].tensor);
  uint32_t first = blob::kNone;
  while (!pending.empty()) {
    const uint32_t layer = pending.back();
    pending.pop_back();
    const blob::LayerRecord& record = layers.layers[layer];
    size_t with_fault = 0;
    for (uint32_t i = 0; i < record.input_count; ++i) {
      const uint32_t tensor = layers.operands[record.first_operand + i];
      const uint32_t from = layers.tensors[tensor].first_layer;
      // A tensor that the model's caller fills has no layer.
      with_fault += from < seen.size() && has(from) ? 1 : 0;
      reach(tensor);
    }
    // A sum is lost by one operand that is no number, but constant by all of them.
    const bool passed_on =
        with_fault > 0 && (fault == Fault::kNoNumber || with_fault == record.input_count);
    if (!passed_on && (first == blob::kNone || layer < first)) first = layer;
  }
  if (first == blob::kNone) return "";
  const std::string name = runner.LayerName(first);
  return name.empty() ? fmt::format("layer {}", first) : name;
}

}  // namespace octet::judge
