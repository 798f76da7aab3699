#include "converter/assign/gradient.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "converter/simulate/figures.h"
#include "converter/support/random.h"

namespace octet::assign {
namespace {

using graph::Tensor;
using graph::ValueId;

// Small enough that outputs follow in proportion, large beside the rounding of float sums
// (2^-24 of a term).
constexpr double kStep = 0x1p-8;

}  // namespace

void Gradient::Load(std::vector<Tensor> inputs) {
  exact_.assign(topology_.graph.values.size(), {});
  for (size_t i = 0; i < inputs.size(); ++i) {
    exact_[static_cast<size_t>(topology_.graph.inputs[i])] = std::move(inputs[i]);
  }
  const simulate::Source source = [this](ValueId id) -> const Tensor& {
    return exact_[static_cast<size_t>(id)];
  };
  for (size_t n = 0; n < topology_.graph.nodes.size(); ++n) {
    if (!topology_.view.needed[n]) continue;
    std::vector<Tensor> results = simulate::RunExact(topology_, n, source, workspace_);
    for (size_t i = 0; i < results.size(); ++i) {
      const ValueId id = topology_.graph.nodes[n].outputs[i];
      if (id != graph::kNoValue) exact_[static_cast<size_t>(id)] = std::move(results[i]);
    }
  }
}

double Gradient::Of(const Unit& unit, uint64_t seed) {
  const ValueId moved = topology_.graph.nodes[unit.nodes.back()].outputs[0];
  std::map<ValueId, Tensor> changed{{moved, exact_[static_cast<size_t>(moved)]}};
  std::vector<float>& values = changed[moved].floats;
  double energy = 0;
  for (float value : values) energy += static_cast<double>(value) * value;
  if (!(energy > 0)) return 0;
  const auto step =
      static_cast<float>(kStep * std::sqrt(energy / static_cast<double>(values.size())));
  Random random(seed);
  constexpr size_t kSigns = 64;
  for (size_t i = 0; i < values.size(); i += kSigns) {
    uint64_t signs = random.Bits();
    for (size_t k = i; k < std::min(i + kSigns, values.size()); ++k, signs >>= 1) {
      values[k] += (signs & 1) != 0 ? step : -step;
    }
  }
  const simulate::Source exact = [this](ValueId id) -> const Tensor& {
    return exact_[static_cast<size_t>(id)];
  };
  const simulate::Source source = [&](ValueId id) -> const Tensor& {
    const auto found = changed.find(id);
    return found != changed.end() ? found->second : exact(id);
  };
  for (size_t n = unit.nodes.back() + 1; n < topology_.graph.nodes.size(); ++n) {
    const graph::Node& node = topology_.graph.nodes[n];
    const bool touched =
        topology_.view.needed[n] && std::any_of(node.inputs.begin(), node.inputs.end(),
                                                [&](ValueId id) { return changed.count(id) != 0; });
    if (touched) {
      std::vector<Tensor> results = simulate::RunExact(topology_, n, source, workspace_);
      for (size_t i = 0; i < results.size(); ++i) {
        const ValueId id = node.outputs[i];
        // What others are picked by stays: a step is no reason to pick something else.
        if (id == graph::kNoValue || topology_.is_index[static_cast<size_t>(id)]) continue;
        changed[id] = std::move(results[i]);
      }
    }
    std::erase_if(changed, [&](const auto& item) {
      const auto id = static_cast<size_t>(item.first);
      return topology_.last_use[id] <= static_cast<int64_t>(n) && !topology_.view.is_piece[id];
    });
  }
  return std::sqrt(simulate::MeanLoss(simulate::Measure(topology_, exact, source))) / kStep;
}

}  // namespace octet::assign
