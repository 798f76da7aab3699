#include "converter/quantize/impossible.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "converter/calibrate/stand_ins.h"
#include "converter/operators/fill.h"
#include "converter/operators/operator.h"
#include "converter/operators/weights.h"
#include "converter/quantize/reasons.h"

namespace octet::quantize {
namespace {

// |acc| <= depth * (255 * 127 + 2^14 / 8) has to stay below 2^30 for the exact requantization: a
// product is at most 128 * 127, the zero point folded into the bias adds as much again, and the
// bias keeps an eighth of the room.
constexpr int64_t kDeepestAccumulation = 28000;

const calibrate::Statistics* SeenOf(const AllStatistics& statistics, graph::ValueId id) {
  if (id == graph::kNoValue || !statistics[static_cast<size_t>(id)]) return nullptr;
  return &*statistics[static_cast<size_t>(id)];
}

// A picture's border in front of a maximum: its lowest code is as good as minus infinity.
bool IsBorder(const graph::Graph& graph, const graph::Links& links, graph::ValueId id) {
  const int producer = links.producer[static_cast<size_t>(id)];
  if (producer < 0 || !operators::FillOf(graph, graph.nodes[static_cast<size_t>(producer)])) {
    return false;
  }
  const auto& readers = links.consumers[static_cast<size_t>(id)];
  return std::all_of(readers.begin(), readers.end(), [&](int reader) {
    return operators::Int8Of(graph.nodes[static_cast<size_t>(reader)]) ==
           operators::Int8::kKeepsScale;
  });
}

// Reads or writes a value with stand-ins for minus infinity: of 255 steps none can be spared that
// is as far off.
bool HoldsStandIns(const graph::Graph& graph, const graph::Links& links,
                   const AllStatistics& statistics, const graph::Node& node) {
  for (const auto* ids : {&node.inputs, &node.outputs}) {
    for (graph::ValueId id : *ids) {
      const calibrate::Statistics* seen = SeenOf(statistics, id);
      if (seen != nullptr && calibrate::StandInCount(*seen) > 0 && !IsBorder(graph, links, id))
        return true;
    }
  }
  return false;
}

// The first value of a node that is not finite, or null.
const graph::Value* NotFinite(const graph::Graph& graph, const AllStatistics& statistics,
                              const graph::Node& node) {
  for (const auto* ids : {&node.inputs, &node.outputs}) {
    for (graph::ValueId id : *ids) {
      const calibrate::Statistics* seen = SeenOf(statistics, id);
      if (seen != nullptr && !(std::isfinite(seen->min) && std::isfinite(seen->max))) {
        return &graph.At(id);
      }
    }
  }
  return nullptr;
}

}  // namespace

int64_t AccumulatedProducts(const graph::Graph& graph, const graph::Node& node) {
  const auto weights = operators::WeightsOf(graph, node);
  return weights ? weights->products : 0;
}

bool RunsOnIntegers(const graph::Graph& graph, const graph::Node& node) {
  const auto is_integer = [&graph](graph::ValueId id) {
    return graph.At(id).type != graph::DataType::kFloat;
  };
  for (graph::ValueId id : graph::Present(node.outputs)) {
    if (is_integer(id)) return true;
  }
  bool computed = false;
  for (graph::ValueId id : graph::Present(node.inputs)) {
    if (graph.Constant(id) != nullptr) continue;
    if (!is_integer(id)) return false;
    computed = true;
  }
  return computed;
}

bool IsGiven(const graph::Graph& graph, const graph::Node& node) {
  return std::any_of(node.outputs.begin(), node.outputs.end(), [&](graph::ValueId id) {
    return id != graph::kNoValue && graph.At(id).given != nullptr;
  });
}

std::optional<Entry> WhyNotInt8(const graph::Graph& graph, const graph::Links& links,
                                const AllStatistics& statistics, const Config& config, size_t n) {
  const graph::Node& node = graph.nodes[n];
  if (RunsOnIntegers(graph, node)) return Entry{.node = n, .reason = Reason::kIntegers};
  if (operators::Int8Of(node) == operators::Int8::kFp16) {
    return Entry{.node = n, .reason = Reason::kNoInt8Kernel};
  }
  // A model that rounds the result has a code for what stands in.
  if (!IsGiven(graph, node) && HoldsStandIns(graph, links, statistics, node)) {
    return Entry{.node = n, .reason = Reason::kMasked};
  }
  const int64_t products = AccumulatedProducts(graph, node);
  if (products > kDeepestAccumulation) {
    return Entry{
        .node = n,
        .reason = Reason::kTooManyProducts,
        .detail = fmt::format("each output sums {} products; a 32-bit accumulator holds {}",
                              products, kDeepestAccumulation)};
  }
  if (config.symmetric_only && operators::Int8Of(node) == operators::Int8::kFixedScale) {
    return Entry{.node = n, .reason = Reason::kAsymmetricOnly};
  }
  if (const graph::Value* value = NotFinite(graph, statistics, node)) {
    return Entry{
        .node = n,
        .reason = Reason::kNotFinite,
        .detail = fmt::format("tensor '{}' had NaN or infinity during calibration", value->name)};
  }
  return std::nullopt;
}

bool MakesInfinity(const graph::Graph& graph, const AllStatistics& statistics,
                   const graph::Node& node) {
  const auto is_finite = [&](graph::ValueId id) {
    if (const graph::Tensor* constant = id == graph::kNoValue ? nullptr : graph.Constant(id)) {
      return std::all_of(constant->floats.begin(), constant->floats.end(),
                         [](float x) { return std::isfinite(x); });
    }
    const calibrate::Statistics* seen = SeenOf(statistics, id);
    return seen == nullptr || (std::isfinite(seen->min) && std::isfinite(seen->max));
  };
  return std::all_of(node.inputs.begin(), node.inputs.end(), is_finite) &&
         !std::all_of(node.outputs.begin(), node.outputs.end(), is_finite);
}

}  // namespace octet::quantize
