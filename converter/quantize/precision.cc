#include "converter/quantize/precision.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/ranges.h>

#include "converter/calibrate/stand_ins.h"
#include "converter/operators/fill.h"
#include "converter/operators/operator.h"
#include "converter/operators/weights.h"
#include "converter/quantize/activation.h"
#include "converter/quantize/coarse_inputs.h"
#include "converter/quantize/names.h"
#include "converter/quantize/tail.h"
#include "converter/quantize/wide_inputs.h"
#include "converter/support/error.h"

namespace octet::quantize {
namespace {

// |acc| <= depth * (255 * 127 + 2^14 / 8) has to stay below 2^30 for the exact requantization: a
// product is at most 128 * 127, the zero point folded into the bias adds as much again, and the
// bias keeps an eighth of the room.
constexpr int64_t kDeepestAccumulation = 28000;

// Why a node cannot run in int8; empty when it can.
std::string WhyNotInt8(const graph::Graph& graph,
                       const std::vector<std::optional<calibrate::Statistics>>& statistics,
                       const Config& config, const graph::Node& node) {
  const int64_t products = AccumulatedProducts(graph, node);
  if (products > kDeepestAccumulation) {
    return fmt::format("each output sums {} products; a 32-bit accumulator holds {}", products,
                       kDeepestAccumulation);
  }
  if (config.symmetric_only && operators::Int8Of(node) == operators::Int8::kFixedScale) {
    return "its int8 kernel writes asymmetric values, but the board does not allow them";
  }
  for (const auto* ids : {&node.inputs, &node.outputs}) {
    for (graph::ValueId id : *ids) {
      if (id == graph::kNoValue || !statistics[static_cast<size_t>(id)]) continue;
      const calibrate::Statistics& seen = *statistics[static_cast<size_t>(id)];
      if (!std::isfinite(seen.min) || !std::isfinite(seen.max)) {
        return fmt::format("tensor '{}' held NaN or infinity during calibration",
                           graph.At(id).name);
      }
    }
  }
  return {};
}

[[noreturn]] void FailInt8(const graph::Node& node, std::string_view reason) {
  Fail("node '{}' ({}) must run in int8 but cannot: {}; ask for fp16 there", node.name, node.op,
       reason);
}

// The activation of a layer that was asked to run in FP16: between them nothing may be rounded to
// 8 bits, and `octet inspect` shows the two as one layer.
bool FollowsRequest(const graph::Graph& graph, const graph::Links& links, const graph::Node& node,
                    const std::vector<bool>& requested) {
  if (!IsActivation(node)) return false;
  const auto input = static_cast<size_t>(node.inputs[0]);
  const int producer = links.producer[input];
  return producer >= 0 && requested[static_cast<size_t>(producer)] &&
         links.consumers[input].size() == 1 &&
         AccumulatedProducts(graph, graph.nodes[static_cast<size_t>(producer)]) > 0;
}

const char* WordOf(blob::Precision precision) {
  return precision == blob::Precision::kInt8 ? "int8" : "fp16";
}

// The last entry that names a node: an exception stands behind the rule. Where all requests bind,
// two patterns, or the same one twice, are no rule and exception, and cannot both be obeyed.
void RequireRuleAndException(const Config& config, const graph::Node& node) {
  const LayerOverride* last = nullptr;
  for (const LayerOverride& layer : config.layers) {
    if (!layer.precision || layer.constraint || !Matches(layer.name, node.name)) continue;
    if (last != nullptr && last->precision != layer.precision && IsPattern(layer.name)) {
      Fail(
          "--config asks for int8 and fp16 at node '{}', by '{}' and by '{}', with "
          "precision_constraints: obey; name the node exactly in the later entry, or remove one",
          node.name, last->name, layer.name);
    }
    last = &layer;
  }
  if (last != nullptr && config.int8_everywhere && last->precision == blob::Precision::kFp16) {
    Fail(
        "--config asks for fp16 at node '{}' by '{}' with precision_constraints: obey, and for "
        "int8 everywhere; remove one of them",
        node.name, last->name);
  }
}

// Entries that must be obeyed, and cannot all be.
void RequireAgreement(const graph::Graph& graph, const Config& config) {
  const auto binds = [](const LayerOverride& layer) {
    return layer.precision && layer.constraint == Constraint::kObey;
  };
  for (const graph::Node& node : graph.nodes) {
    if (config.constraint == Constraint::kObey) RequireRuleAndException(config, node);
    const LayerOverride* first = nullptr;
    for (const LayerOverride& layer : config.layers) {
      if (!binds(layer) || !Matches(layer.name, node.name)) continue;
      if (config.int8_everywhere && *layer.precision == blob::Precision::kFp16) {
        Fail(
            "node '{}' must be fp16 ('{}', constraint: obey), but int8 is asked for everywhere; "
            "remove one of them",
            node.name, layer.name);
      }
      if (first == nullptr) first = &layer;
      if (*first->precision == *layer.precision) continue;
      Fail(
          "node '{}' must be {} by '{}' and {} by '{}', both with obey; set one of them to "
          "`constraint: prefer`",
          node.name, WordOf(*first->precision), first->name, WordOf(*layer.precision), layer.name);
    }
  }
}

// The model itself rounds the result to 8 bits.
bool IsGiven(const graph::Graph& graph, const graph::Node& node) {
  return std::any_of(node.outputs.begin(), node.outputs.end(), [&](graph::ValueId id) {
    return id != graph::kNoValue && graph.At(id).given != nullptr;
  });
}

using AllStatistics = std::vector<std::optional<calibrate::Statistics>>;

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

// Makes infinities or NaN of finite numbers, as Log does of 0: what is rounded to 0 in front of it
// would become one too.
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

bool AsksForInt8(const Config& config, const graph::Node& node) {
  const std::optional<Request> request = RequestOf(config, node);
  return request && request->precision == blob::Precision::kInt8;
}

// What a value is made of in FP16, from the last weights on.
void MakeExact(const graph::Graph& graph, const graph::Links& links, const Config& config,
               graph::ValueId id, Scheme* scheme) {
  const int producer = id == graph::kNoValue ? -1 : links.producer[static_cast<size_t>(id)];
  if (producer < 0) return;
  const auto n = static_cast<size_t>(producer);
  const graph::Node& node = graph.nodes[n];
  if (scheme->precision[n] == blob::Precision::kFp16 || IsGiven(graph, node)) return;
  if (AsksForInt8(config, node)) return;
  scheme->precision[n] = blob::Precision::kFp16;
  if (AccumulatedProducts(graph, node) > 0) return;
  for (graph::ValueId input : node.inputs) MakeExact(graph, links, config, input, scheme);
}

}  // namespace

int64_t AccumulatedProducts(const graph::Graph& graph, const graph::Node& node) {
  const auto weights = operators::WeightsOf(graph, node);
  return weights ? weights->products : 0;
}

std::optional<Request> RequestOf(const Config& config, const graph::Node& node) {
  std::optional<Request> request;
  for (const LayerOverride& layer : config.layers) {
    const Constraint constraint = layer.constraint.value_or(config.constraint);
    if (!layer.precision || constraint == Constraint::kNone) continue;
    // What has to be obeyed is not changed by a wish.
    if (request && layer.constraint == Constraint::kPrefer &&
        request->constraint == Constraint::kObey) {
      continue;
    }
    if (Matches(layer.name, node.name)) request = {*layer.precision, constraint};
  }
  return request;
}

bool RunsOnIntegers(const graph::Graph& graph, const graph::Node& node) {
  const auto is_integer = [&graph](graph::ValueId id) {
    return graph.At(id).type != graph::DataType::kFloat;
  };
  for (graph::ValueId id : node.outputs) {
    if (id != graph::kNoValue && is_integer(id)) return true;
  }
  bool computed = false;
  for (graph::ValueId id : node.inputs) {
    if (id == graph::kNoValue || graph.Constant(id) != nullptr) continue;
    if (!is_integer(id)) return false;
    computed = true;
  }
  return computed;
}

void AssignPrecision(const graph::Graph& graph,
                     const std::vector<std::optional<calibrate::Statistics>>& statistics,
                     const Config& config, Scheme* scheme) {
  std::vector<std::string_view> names;
  for (const graph::Node& node : graph.nodes) names.push_back(node.name);
  for (const LayerOverride& layer : config.layers) RequireMatch(layer.name, names, "layer");

  RequireAgreement(graph, config);

  scheme->precision.assign(graph.nodes.size(), blob::Precision::kInt8);
  const bool int8_tail = config.fp16_tail == false || config.int8_everywhere;
  const std::vector<bool> tail =
      int8_tail ? std::vector<bool>(graph.nodes.size()) : ArithmeticTail(graph);
  const WideReaders wide = FindWideReaders(graph, statistics, config);
  std::vector<std::string> wide_nodes;
  const graph::Links links(graph);
  std::vector<bool> requested(graph.nodes.size());
  std::string first_of_tail, first_masked;
  int64_t tail_count = 0, masked_count = 0;
  std::vector<size_t> infinite;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const graph::Node& node = graph.nodes[i];
    const std::optional<Request> request = RequestOf(config, node);
    const bool obey = request && request->constraint == Constraint::kObey;
    std::optional<blob::Precision> asked;
    if (request) asked = request->precision;
    if (!asked && FollowsRequest(graph, links, node, requested)) asked = blob::Precision::kFp16;
    if (asked == blob::Precision::kFp16) {
      requested[i] = true;
      scheme->precision[i] = blob::Precision::kFp16;
      continue;
    }
    const bool integers = RunsOnIntegers(graph, node);
    if (integers || operators::Int8Of(node) == operators::Int8::kFp16) {
      if ((config.int8_everywhere || obey) && !integers) FailInt8(node, "it has no int8 kernel");
      scheme->precision[i] = blob::Precision::kFp16;
      continue;
    }
    const bool forced = config.int8_everywhere || obey;
    if (!IsGiven(graph, node) && HoldsStandIns(graph, links, statistics, node)) {
      if (forced)
        FailInt8(node, "it reads or writes a mask's minus infinity, which has no int8 code");
      scheme->precision[i] = blob::Precision::kFp16;
      if (masked_count++ == 0) first_masked = node.name;
      continue;
    }
    const std::string reason = WhyNotInt8(graph, statistics, config, node);
    if (reason.empty()) {
      if (wide.nodes[i] && !asked && !config.int8_everywhere && !IsGiven(graph, node)) {
        requested[i] = true;
        scheme->precision[i] = blob::Precision::kFp16;
        wide_nodes.push_back("'" + node.name + "'");
        continue;
      }
      if (!tail[i] || asked || IsGiven(graph, node)) continue;
      scheme->precision[i] = blob::Precision::kFp16;
      if (tail_count++ == 0) first_of_tail = node.name;
      continue;
    }
    if (forced) FailInt8(node, reason);
    scheme->precision[i] = blob::Precision::kFp16;
    if (MakesInfinity(graph, statistics, node)) infinite.push_back(i);
    scheme->warnings.push_back(
        fmt::format("node '{}' ({}) runs in FP16: {}", node.name, node.op, reason));
  }
  for (const size_t n : infinite) {
    for (graph::ValueId id : graph.nodes[n].inputs) MakeExact(graph, links, config, id, scheme);
  }
  if (masked_count > 0) {
    scheme->warnings.push_back(
        fmt::format("{} nodes, from '{}' on, run in FP16: they read or write a mask's minus "
                    "infinity (or its substitute), which 8 bits do not separate from other numbers",
                    masked_count, first_masked));
  }
  if (!wide_nodes.empty()) {
    scheme->warnings.push_back(
        fmt::format("{}: {} run{} in FP16; try: for int8, clamp these values before the model, or "
                    "set the input's range in --config",
                    fmt::join(wide.reasons, ", "), fmt::join(wide_nodes, ", "),
                    wide_nodes.size() == 1 ? "s" : ""));
    if (!wide.beyond.empty()) {
      scheme->warnings.push_back(
          fmt::format("{} read{} values as wide as the input, which share 8 bits; try: fp16 there "
                      "with --config, or the fp16 plan",
                      fmt::join(wide.beyond, ", "), wide.beyond.size() == 1 ? "s" : ""));
    }
  }
  if (tail_count > 0) {
    scheme->warnings.push_back(
        fmt::format("{} nodes of the head, from '{}' on, run in FP16: 8 bits are too coarse for "
                    "coordinates; try: --int8-everywhere keeps int8",
                    tail_count, first_of_tail));
  }
}

bool AvoidCoarseInputs(const graph::Graph& graph,
                       const std::vector<std::optional<calibrate::Statistics>>& statistics,
                       const Config& config, Scheme* scheme) {
  if (config.int8_everywhere) return false;
  const graph::Links links(graph);
  std::vector<std::string> names;
  for (const CoarseNode& coarse :
       FindCoarseNodes(graph, statistics, *scheme, config.coarse_steps)) {
    const graph::Node& node = graph.nodes[coarse.node];
    if (AsksForInt8(config, node)) continue;
    scheme->precision[coarse.node] = blob::Precision::kFp16;
    for (const graph::ValueId id : coarse.inputs) MakeExact(graph, links, config, id, scheme);
    names.push_back("'" + node.name + "'");
  }
  if (names.empty()) return false;
  constexpr size_t kMostNamed = 3;
  const size_t count = names.size();
  if (count > kMostNamed) names.resize(kMostNamed);
  scheme->warnings.push_back(
      fmt::format("{} node{} run{} in FP16: {}{}. The model rounds {} to steps finer than 8 bits "
                  "of the inputs, and does not round the inputs; try: --int8-everywhere keeps int8",
                  count, count == 1 ? "" : "s", count == 1 ? "s" : "", fmt::join(names, ", "),
                  count > kMostNamed ? ", ..." : "", count == 1 ? "its result" : "their results"));
  return true;
}

}  // namespace octet::quantize
