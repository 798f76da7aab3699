#include "converter/calibrate/stand_ins.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include "converter/operators/operator.h"
#include "converter/operators/softmax_rows.h"

namespace octet::calibrate {
namespace {

using graph::Node;
using graph::ValueId;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
// exp(-87.34) is the smallest normal float.
constexpr float kVanishing = 87.34f;
// Masks of less are ordinary numbers.
constexpr float kLeastStandIn = 87;

enum class Reading : uint8_t { kAll, kRows, kExponential, kMaximum, kLogSum, kMinimum, kCarries };

struct Entry {
  std::string_view op;
  Reading reading;
  uint32_t inputs;  // that it is about, one bit each
};
constexpr uint32_t kFirst = 1, kEvery = ~0u;
constexpr Entry kEntries[] = {
    {"Softmax", Reading::kRows, kFirst},
    {"LogSoftmax", Reading::kRows, kFirst},
    {"Exp", Reading::kExponential, kFirst},
    {"Sigmoid", Reading::kExponential, kFirst},
    {"ReduceLogSumExp", Reading::kLogSum, kFirst},
    {"Max", Reading::kMaximum, kEvery},
    {"MaxPool", Reading::kMaximum, kFirst},
    {"GlobalMaxPool", Reading::kMaximum, kFirst},
    {"ReduceMax", Reading::kMaximum, kFirst},
    {"TopK", Reading::kMaximum, kFirst},
    {"Min", Reading::kMinimum, kEvery},
    {"ReduceMin", Reading::kMinimum, kFirst},
    {"Add", Reading::kCarries, kEvery},
    {"Sub", Reading::kCarries, kEvery},
    {"Mul", Reading::kCarries, kEvery},
    {"Div", Reading::kCarries, kFirst},
    {"Neg", Reading::kCarries, kFirst},
    {"Where", Reading::kCarries, 2 | 4},
    {"Concat", Reading::kCarries, kEvery},
    {"Cast", Reading::kCarries, kFirst},
    {"ScatterElements", Reading::kCarries, 1 | 4},
    {"ScatterND", Reading::kCarries, 1 | 4},
};

Reading ReadingOf(const Node& node, size_t input) {
  for (const Entry& entry : kEntries) {
    if (entry.op != node.op) continue;
    if ((entry.inputs >> std::min<size_t>(input, 31) & 1) == 0) return Reading::kAll;
    if (node.op == "TopK" && node.Int("largest", 1) == 0) return Reading::kAll;
    const bool carries = entry.reading == Reading::kCarries;
    return carries && !node.activation.empty() ? Reading::kAll : entry.reading;
  }
  const bool moves = operators::Int8Of(node) == operators::Int8::kKeepsScale;
  return moves && input == 0 && node.activation.empty() ? Reading::kCarries : Reading::kAll;
}

bool IsFloat(const graph::Graph& graph, ValueId id) {
  return id != graph::kNoValue && graph.At(id).type == graph::DataType::kFloat;
}

}  // namespace

int64_t StandInCount(const Statistics& statistics) {
  // Without any, a value with an infinity has no extremes.
  if (!std::isfinite(statistics.min) || statistics.histogram.empty()) return 0;
  const auto counted =
      std::accumulate(statistics.histogram.begin(), statistics.histogram.end(), uint64_t{0});
  return statistics.count - static_cast<int64_t>(counted);
}

StandIns::StandIns(const graph::Graph& graph)
    : graph_(graph),
      links_(graph),
      may_hold_(graph.values.size()),
      candidate_(graph.values.size()),
      seen_(graph.values.size()),
      kept_(graph.values.size()) {
  FindSources();
  FindSilenced();
  any_ = std::find(candidate_.begin(), candidate_.end(), true) != candidate_.end();
}

// Inputs, and what numbers of some size are put into.
void StandIns::FindSources() {
  for (size_t v = 0; v < graph_.values.size(); ++v) {
    const graph::Tensor* constant = graph_.values[v].constant.get();
    if (constant == nullptr || !constant->IsFloat()) continue;
    Seen& seen = seen_[v] = {kInfinity, -kInfinity, true};
    for (const float x : constant->floats) {
      may_hold_[v] = may_hold_[v] || !(std::fabs(x) < kLeastStandIn);
      seen.finite = seen.finite && std::isfinite(x);
      if (!std::isfinite(x)) continue;
      seen.low = std::min(seen.low, x);
      seen.high = std::max(seen.high, x);
    }
  }
  for (ValueId id : graph_.inputs) may_hold_[static_cast<size_t>(id)] = true;
  for (const Node& node : graph_.nodes) {
    bool holds = node.op == "Log";
    for (size_t i = 0; i < node.inputs.size() && !holds; ++i) {
      const ValueId id = node.inputs[i];
      if (id == graph::kNoValue) continue;
      const Reading reading = ReadingOf(node, i);
      const bool passes = reading == Reading::kCarries || reading == Reading::kMaximum ||
                          reading == Reading::kMinimum;
      const bool fills = (node.op == "Pad" || node.op == "Conv" || node.op == "Gemm") && i == 2;
      const bool counts = node.op == "Cast" && !IsFloat(graph_, id);
      holds = counts || ((passes || fills) && MayHold(id));
    }
    for (ValueId id : node.outputs) {
      if (IsFloat(graph_, id) && graph_.Constant(id) == nullptr) {
        may_hold_[static_cast<size_t>(id)] = holds;
      }
    }
  }
}

// Values whose readers all leave something out.
void StandIns::FindSilenced() {
  for (size_t v = graph_.values.size(); v-- > 0;) {
    const graph::Value& value = graph_.values[v];
    candidate_[v] = value.type == graph::DataType::kFloat && value.constant == nullptr &&
                    value.given == nullptr && may_hold_[v] && !links_.is_output[v] &&
                    !links_.consumers[v].empty();
  }
  for (size_t n = graph_.nodes.size(); n-- > 0;) {
    const Node& node = graph_.nodes[n];
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (id == graph::kNoValue) continue;
      const Reading reading = ReadingOf(node, i);
      const ValueId out = node.outputs.empty() ? graph::kNoValue : node.outputs[0];
      const bool silent = out != graph::kNoValue && reading != Reading::kAll &&
                          (reading != Reading::kCarries || candidate_[static_cast<size_t>(out)]);
      if (!silent) candidate_[static_cast<size_t>(id)] = false;
    }
  }
}

void StandIns::Add(ValueId id, const graph::Tensor& tensor) {
  if (!any_ || !tensor.IsFloat()) return;
  Seen& seen = seen_[static_cast<size_t>(id)] = {kInfinity, -kInfinity, true};
  for (const float x : tensor.floats) {
    const bool finite = std::isfinite(x);
    seen.finite = seen.finite && finite;
    if (!finite) continue;
    seen.low = std::min(seen.low, x);
    seen.high = std::max(seen.high, x);
  }
  if (IsCandidate(id)) stash_.emplace_back(id, tensor);
}

std::optional<StandIns::Kept> StandIns::KeptByCarrier(const Node& node, size_t input) const {
  const auto& kept = kept_[static_cast<size_t>(node.outputs[0])];
  if (!kept) return std::nullopt;
  const Bounds out = kept->bounds;
  const auto with = [&](float low, float high) {
    return std::isnan(low) || std::isnan(high)
               ? std::nullopt
               : std::optional<Kept>(
                     {{std::min(low, high), std::max(low, high)}, std::max(kept->factor, kFar)});
  };
  if (node.op == "Neg") return with(-out.high, -out.low);
  const bool sums = node.op == "Add" || node.op == "Sub",
             scales = node.op == "Mul" || node.op == "Div";
  if (!sums && !scales) return with(out.low, out.high);
  const Seen& other = SeenOf(node.inputs[1 - input]);
  if (other.low > other.high) return with(out.low, out.high);
  if (node.op == "Add") return with(out.low - other.high, out.high - other.low);
  if (node.op == "Sub" && input == 0) return with(out.low + other.low, out.high + other.high);
  if (node.op == "Sub") return with(other.low - out.high, other.high - out.low);
  // One factor, whatever the element.
  if (other.low != other.high || other.low == 0) return std::nullopt;
  const float factor = node.op == "Div" ? 1 / other.low : other.low;
  return with(out.low / factor, out.high / factor);
}

std::optional<StandIns::Kept> StandIns::KeptBy(const Node& node, size_t input,
                                               const graph::Tensor& tensor) {
  const Seen& out = SeenOf(node.outputs[0]);
  // What the result of a Max or Min has as stand-ins, its operands have.
  const std::optional<Kept>& of_result = kept_[static_cast<size_t>(node.outputs[0])];
  const float far_off = of_result ? std::max(of_result->factor, kFar) : kFarOff;
  switch (ReadingOf(node, input)) {
    case Reading::kRows: {
      const float least = operators::LeastThatCounts(node, tensor, kVanishing);
      if (!std::isfinite(least)) return std::nullopt;
      return Kept{{least, kInfinity}, 1};
    }
    case Reading::kExponential:
      return Kept{{-kVanishing, kInfinity}, kFar};
    case Reading::kLogSum:
      if (out.low > out.high) return std::nullopt;
      return Kept{{out.low - kVanishing, kInfinity}, kFar};
    case Reading::kMaximum:
      if (out.low > out.high) return std::nullopt;
      return Kept{{out.low, kInfinity}, far_off};
    case Reading::kMinimum:
      if (out.low > out.high) return std::nullopt;
      return Kept{{-kInfinity, out.high}, far_off};
    case Reading::kCarries:
      return KeptByCarrier(node, input);
    case Reading::kAll:
      break;
  }
  return std::nullopt;
}

// What any of the readers looks at.
std::optional<StandIns::Kept> StandIns::KeptOf(ValueId id, const graph::Tensor& tensor) {
  std::optional<Kept> all;
  for (int reader : links_.consumers[static_cast<size_t>(id)]) {
    const Node& node = graph_.nodes[static_cast<size_t>(reader)];
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] != id) continue;
      const auto kept = KeptBy(node, i, tensor);
      if (!kept) return std::nullopt;
      if (!all) {
        all = kept;
        continue;
      }
      all->bounds.low = std::min(all->bounds.low, kept->bounds.low);
      all->bounds.high = std::max(all->bounds.high, kept->bounds.high);
      all->factor = std::min(all->factor, kept->factor);
    }
  }
  return all;
}

void StandIns::Finish(const Receiver& receive) {
  // Readers before what they read.
  for (size_t s = stash_.size(); s-- > 0;) {
    auto& [id, tensor] = stash_[s];
    std::optional<Kept>& kept = kept_[static_cast<size_t>(id)];
    kept = KeptOf(id, tensor);
    Seen& seen = seen_[static_cast<size_t>(id)];
    bool masked = false;
    if (kept) {
      float low = kInfinity, high = -kInfinity;
      for (const float x : tensor.floats) {
        if (!(x >= kept->bounds.low && x <= kept->bounds.high) || !std::isfinite(x)) continue;
        low = std::min(low, x);
        high = std::max(high, x);
      }
      // All scales have a 0.
      const auto width = [](float from, float to) {
        return double{std::max(to, 0.0f)} - double{std::min(from, 0.0f)};
      };
      const bool outside = seen.low < low || seen.high > high;
      const bool stands_out =
          low <= high && outside && width(seen.low, seen.high) >= kept->factor * width(low, high);
      const bool nan = std::any_of(tensor.floats.begin(), tensor.floats.end(),
                                   [](float x) { return std::isnan(x); });
      if (low <= high && !nan && (stands_out || !seen.finite)) {
        for (float& x : tensor.floats) {
          if (x < low || x > high) x = x < low ? -kInfinity : kInfinity;
        }
        seen = {low, high, true};
        masked = true;
      }
    }
    receive(id, tensor, masked);
  }
  stash_.clear();
  std::fill(kept_.begin(), kept_.end(), std::nullopt);
}

}  // namespace octet::calibrate
