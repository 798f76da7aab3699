#include "converter/convert/taken_constants.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include "converter/operators/operator.h"
#include "converter/operators/output_view.h"
#include "converter/passes/constant_part.h"
#include "converter/support/error.h"

namespace octet::convert {
namespace {

using passes::ConstantSource;
// By output and element: what is added in float.
using Offsets = std::vector<std::vector<double>>;

// As passes/constant_part.cc names what is left of a value.
constexpr char kRest[] = "/rest";
// FP32's rounding of a few sums.
constexpr double kSumRounding = 1e-5;

Offsets AddedBy(const BlobView& blob, const blob::PlanRecord& plan, const PlanView& view) {
  Offsets offsets(blob.model->output_count);
  for (uint32_t o = 0; o < blob.model->output_count; ++o) {
    offsets[o].resize(blob.outputs[o].element_count);
    const PartRange range = PlanOutputParts(blob, plan, o);
    for (uint32_t p = range.first; p < range.first + range.count; ++p) {
      const blob::OutputPart& part = blob.parts[p];
      const PartOffsets numbers = octet::OffsetsOf(blob, part);
      if (numbers.count == 0) continue;
      const blob::TensorRecord& tensor = view.tensors[part.tensor];
      operators::ForEachPlace({tensor.dims[0], tensor.dims[1], tensor.dims[2], tensor.dims[3]},
                              part.base,
                              {part.strides[0], part.strides[1], part.strides[2], part.strides[3]},
                              [&](size_t element, size_t place) {
                                offsets[o][place] = numbers.values[element % numbers.count];
                              });
    }
  }
  return offsets;
}

Offsets AddedBy(const graph::Graph& graph) {
  const operators::OutputView view = operators::ViewOutputs(graph);
  Offsets offsets(graph.outputs.size());
  for (size_t o = 0; o < offsets.size(); ++o) {
    offsets[o].assign(view.offsets[o].begin(), view.offsets[o].end());
    offsets[o].resize(static_cast<size_t>(graph::ElementCount(*graph.At(graph.outputs[o]).shape)));
  }
  return offsets;
}

bool IsNear(double a, double b) {
  return std::abs(a - b) <= kSumRounding * std::max(std::abs(a), std::abs(b));
}

bool AreNear(const Offsets& a, const Offsets& b) {
  for (size_t o = 0; o < a.size(); ++o) {
    if (!std::equal(a[o].begin(), a[o].end(), b[o].begin(), IsNear)) return false;
  }
  return true;
}

graph::Graph Without(graph::Graph graph, const ConstantSource& source,
                     const std::vector<float>& part) {
  passes::TakeConstant(graph, source, part);
  operators::InferShapes(graph);
  graph::Check(graph, "taking constants out");
  return graph;
}

// What to take out of a source, so that the outputs add what the blob's do; none where it reaches
// none of them, or they add something else. The sums are linear in it: three trials tell which of
// its numbers an element of an output adds, and how often.
class Trials {
 public:
  Trials(const graph::Graph& graph, const Offsets& wanted)
      : graph_(graph), wanted_(wanted), before_(AddedBy(graph)) {
    for (const auto& output : wanted) {
      for (const double number : output) scale_ = std::max(scale_, std::abs(number));
    }
  }

  std::optional<std::vector<float>> PartOf(const ConstantSource& source) const {
    if (!source.own.empty() && Suffices(source, source.own)) return source.own;
    const auto count = static_cast<size_t>(graph::ElementCount(source.groups));
    const auto step = static_cast<float>(scale_);
    std::vector<float> numbers(count);
    for (size_t g = 0; g < count; ++g) numbers[g] = step * static_cast<float>(g + 1);
    const Offsets once = Behind(source, std::vector<float>(count, step)),
                  twice = Behind(source, std::vector<float>(count, 2 * step)),
                  each = Behind(source, numbers);
    std::vector<float> part(count);
    // A second round takes what the first was off by rounding.
    for (int round = 0; round < 2; ++round) {
      const Offsets now = Behind(source, part);
      std::vector<bool> is_known(count);
      for (size_t o = 0; o < wanted_.size(); ++o) {
        for (size_t e = 0; e < wanted_[o].size(); ++e) {
          const double slope = (twice[o][e] - once[o][e]) / scale_;
          if (std::abs(slope) < kSumRounding) continue;
          const double group = (each[o][e] - once[o][e]) / (slope * scale_);
          const auto g = static_cast<size_t>(std::lround(std::clamp(group, 0.0, 1e9)));
          if (g >= count) return std::nullopt;
          if (is_known[g]) continue;
          is_known[g] = true;
          part[g] += static_cast<float>((wanted_[o][e] - now[o][e]) / slope);
        }
      }
    }
    if (!Suffices(source, part)) return std::nullopt;
    return part;
  }

 private:
  Offsets Behind(const ConstantSource& source, const std::vector<float>& part) const {
    return AddedBy(Without(graph_, source, part));
  }

  // Whether every element that it changes becomes the blob's, and there is one.
  bool Suffices(const ConstantSource& source, const std::vector<float>& part) const {
    const Offsets after = Behind(source, part);
    bool changes = false;
    for (size_t o = 0; o < after.size(); ++o) {
      for (size_t e = 0; e < after[o].size(); ++e) {
        if (after[o][e] == before_[o][e]) continue;
        changes = true;
        if (!IsNear(after[o][e], wanted_[o][e])) return false;
      }
    }
    return changes;
  }

  const graph::Graph& graph_;
  const Offsets& wanted_;
  Offsets before_;
  double scale_ = 0;
};

std::set<std::string> NamesOf(const BlobView& blob, const PlanView& view) {
  std::set<std::string> names;
  for (uint32_t i = 0; i < view.header->tensor_count; ++i) {
    names.insert(StringAt(blob, view.tensors[i].name));
  }
  return names;
}

// Whether all that is left of values in the plan is left in the graph.
bool HasRests(const graph::Graph& graph, const std::set<std::string>& names) {
  std::set<std::string> values;
  for (const graph::Value& value : graph.values) values.insert(value.name);
  return std::all_of(names.begin(), names.end(), [&values](const std::string& name) {
    return !name.ends_with(kRest) || values.count(name) != 0;
  });
}

}  // namespace

void TakeConstantsOf(const BlobView& blob, const std::string& blob_path, graph::Graph* graph) {
  uint32_t plan = 0;
  while (plan < blob.model->plan_count && blob.plans[plan].precision != blob::Precision::kInt8) {
    ++plan;
  }
  if (plan == blob.model->plan_count) return;
  PlanView view{};
  ViewPlan(blob, plan, &view);
  const Offsets wanted = AddedBy(blob, blob.plans[plan], view);
  const bool adds = std::any_of(wanted.begin(), wanted.end(), [](const auto& output) {
    return std::any_of(output.begin(), output.end(), [](double number) { return number != 0; });
  });
  const std::set<std::string> names = NamesOf(blob, view);
  // Functions inside of the network may have constants that no output adds.
  if (!adds && HasRests(*graph, names)) return;
  graph::Graph changed = *graph;
  // Each takes one constant.
  for (size_t round = 0; round < graph->nodes.size() && !AreNear(AddedBy(changed), wanted);
       ++round) {
    const Trials trials(changed, wanted);
    bool taken = false;
    for (const ConstantSource& source : passes::FindConstantSources(changed)) {
      // Of an Add that went away nothing is left.
      const std::string& name = changed.At(source.value).name;
      if (names.count(name + kRest) == 0 && (source.own.empty() || names.count(name) != 0)) {
        continue;
      }
      const auto part = trials.PartOf(source);
      if (!part) continue;
      changed = Without(changed, source, *part);
      taken = true;
      break;
    }
    if (!taken) break;
  }
  if (!AreNear(AddedBy(changed), wanted) || !HasRests(changed, names)) {
    Fail(
        "{}: constants were taken out of its layers, and the blob does not say of which; convert "
        "again with constant_parts: false in --config, which is less accurate",
        blob_path);
  }
  *graph = std::move(changed);
}

}  // namespace octet::convert
