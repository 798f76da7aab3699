#include "converter/quantize/half_groups.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "converter/operators/powers.h"
#include "converter/operators/scaling.h"
#include "converter/operators/weights.h"

namespace octet::quantize {

using graph::ValueId;
using operators::Scaling;

HalfGroups::HalfGroups(const graph::Graph& graph,
                       const std::vector<std::optional<calibrate::Statistics>>& statistics,
                       const Scheme& scheme)
    : graph_(graph),
      statistics_(statistics),
      scheme_(scheme),
      links_(graph),
      view_(operators::ViewOutputs(graph)),
      parent_(graph.values.size()),
      degree_(graph.values.size()),
      pinned_(graph.values.size()),
      uniform_(graph.values.size()),
      met_(graph.values.size()),
      group_of_(graph.values.size(), -1) {
  std::iota(parent_.begin(), parent_.end(), size_t{0});
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    if (IsHalf(n)) Visit(graph_.nodes[n]);
  }
  MarkBorders();
  Collect();
}

bool HalfGroups::IsHalf(size_t node) const {
  return view_.needed[node] && scheme_.precision[node] == blob::Precision::kFp16;
}

bool HalfGroups::Computed(ValueId id) const {
  return id != graph::kNoValue && graph_.Constant(id) == nullptr &&
         graph_.At(id).type == graph::DataType::kFloat;
}

const HalfGroup* HalfGroups::GroupOf(ValueId id) const {
  if (id == graph::kNoValue) return nullptr;
  const int group = group_of_[static_cast<size_t>(id)];
  return group < 0 ? nullptr : &groups_[static_cast<size_t>(group)];
}

HalfGroup* HalfGroups::GroupOf(ValueId id) {
  if (id == graph::kNoValue) return nullptr;
  const int group = group_of_[static_cast<size_t>(id)];
  return group < 0 ? nullptr : &groups_[static_cast<size_t>(group)];
}

int HalfGroups::ExponentOf(ValueId id, size_t channel) const {
  const HalfGroup* group = GroupOf(id);
  if (group == nullptr) return 0;
  const int own = group->exponent[group->exponent.size() == 1 ? 0 : channel];
  return own * (1 << DegreeOf(id));
}

int HalfGroups::DataInput(const graph::Node& node) const {
  if (node.inputs.size() < 2) return -1;
  const bool first = Computed(node.inputs[0]), second = Computed(node.inputs[1]);
  if (first == second) return -1;
  const graph::Tensor* other = graph_.Constant(node.inputs[first ? 1 : 0]);
  if (other == nullptr || !other->IsFloat()) return -1;
  return first ? 0 : 1;
}

double HalfGroups::Largest(ValueId id) const {
  const auto index = static_cast<size_t>(id);
  if (index >= statistics_.size() || !statistics_[index]) return 0;
  const calibrate::Statistics& seen = *statistics_[index];
  const double largest =
      std::max(std::fabs(static_cast<double>(seen.min)), std::fabs(static_cast<double>(seen.max)));
  return std::isfinite(largest) ? largest : 0;
}

double HalfGroups::Smallest(ValueId id) const {
  const auto index = static_cast<size_t>(id);
  if (index >= statistics_.size() || !statistics_[index]) return 0;
  const double least = static_cast<double>(statistics_[index]->min);
  return std::isfinite(least) ? std::max(least, 0.0) : 0;
}

double HalfGroups::Largest(ValueId id, size_t channel) const {
  const calibrate::Statistics& seen = *statistics_[static_cast<size_t>(id)];
  const calibrate::Range& range = seen.channels[channel];
  if (range.min > range.max) return 0;
  return std::max(std::fabs(static_cast<double>(range.min)),
                  std::fabs(static_cast<double>(range.max)));
}

// Afterwards the root is the value's parent, and degree_ is beyond the root's.
size_t HalfGroups::Root(ValueId id) {
  const auto v = static_cast<size_t>(id);
  size_t root = v;
  int degree = 0;
  for (; parent_[root] != root; root = parent_[root]) degree += degree_[root];
  for (size_t at = v; parent_[at] != root && at != root;) {
    const size_t next = parent_[at];
    const int own = degree_[at];
    parent_[at] = root;
    degree_[at] = degree;
    degree -= own;
    at = next;
  }
  return root;
}

// The smaller number leads, so that groups are the same whatever the order of the ties.
void HalfGroups::Tie(ValueId a, ValueId b, int more) {
  const size_t x = Root(a), y = Root(b);
  // Of y beyond x.
  const int degree = degree_[static_cast<size_t>(a)] + more - degree_[static_cast<size_t>(b)];
  if (x == y) {
    if (degree != 0) pinned_[x] = true;  // a value added to its square
    return;
  }
  const size_t leader = std::min(x, y), other = std::max(x, y);
  parent_[other] = leader;
  degree_[other] = leader == x ? degree : -degree;
  pinned_[leader] = pinned_[leader] || pinned_[other];
  uniform_[leader] = uniform_[leader] || uniform_[other];
}

void HalfGroups::Pin(ValueId id) {
  pinned_[Root(id)] = true;
}

void HalfGroups::MakeUniform(ValueId id) {
  uniform_[Root(id)] = true;
}

void HalfGroups::Visit(const graph::Node& node) {
  for (const auto* ids : {&node.inputs, &node.outputs}) {
    for (ValueId id : *ids) {
      if (Computed(id)) met_[static_cast<size_t>(id)] = true;
    }
  }
  if (VisitPower(node)) return;
  switch (operators::ScalingOf(node)) {
    case Scaling::kHomogeneous:
      VisitHomogeneous(node);
      break;
    case Scaling::kBilinear:
      VisitBilinear(node);
      break;
    case Scaling::kQuotient:
      VisitQuotient(node);
      break;
    case Scaling::kInvariant:
      for (ValueId id : graph::Present(node.outputs)) {
        if (Computed(id)) Pin(id);
      }
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        if (!Computed(node.inputs[i])) continue;
        i == 0 ? MakeUniform(node.inputs[i]) : Pin(node.inputs[i]);
      }
      break;
    case Scaling::kNone:
      for (const auto* ids : {&node.inputs, &node.outputs}) {
        for (ValueId id : *ids) {
          if (Computed(id)) Pin(id);
        }
      }
  }
  // What is fused behind the result: a bound moves with the factor, another function does not.
  const operators::FusedScaling fused = operators::FusedScalingOf(node);
  if (fused == operators::FusedScaling::kBounds) MakeUniform(node.outputs[0]);
  if (fused == operators::FusedScaling::kNone) Pin(node.outputs[0]);
}

void HalfGroups::VisitHomogeneous(const graph::Node& node) {
  bool apart = operators::KeepsChannelsApart(node);
  ValueId first = graph::kNoValue;
  const auto tie = [&](ValueId id) {
    if (first == graph::kNoValue) first = id;
    Tie(first, id);
  };
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId id = node.inputs[i];
    if (id == graph::kNoValue) continue;
    if (!operators::IsScaled(node, i)) {
      if (Computed(id)) Pin(id);
    } else if (Computed(id)) {
      tie(id);
    } else {
      apart = false;  // one factor for the whole constant
    }
  }
  for (ValueId id : graph::Present(node.outputs)) {
    if (Computed(id)) tie(id);
  }
  if (!apart && first != graph::kNoValue) MakeUniform(first);
}

void HalfGroups::VisitBilinear(const graph::Node& node) {
  const ValueId out = node.outputs[0];
  const int data = DataInput(node);
  if (node.inputs.size() > 2 && Computed(node.inputs[2])) {
    Tie(out, node.inputs[2]);
    MakeUniform(out);
  }
  if (data >= 0) {
    if (data == 0 && operators::IsConvolution(node)) return;
    MakeUniform(node.inputs[static_cast<size_t>(data)]);
    MakeUniform(out);
    return;
  }
  // Two computed factors: the larger one takes the exponent of the product, the other has none.
  ValueId a = node.inputs[0], b = node.inputs[1];
  if (!Computed(a) || !Computed(b) || a == b) {
    for (ValueId id : {a, b, out}) {
      if (Computed(id)) Pin(id);
    }
    return;
  }
  if (Largest(b) > Largest(a)) std::swap(a, b);
  Tie(a, out);
  MakeUniform(out);
  Pin(b);
}

void HalfGroups::VisitQuotient(const graph::Node& node) {
  const ValueId a = node.inputs[0], b = node.inputs[1], out = node.outputs[0];
  const int data = DataInput(node);
  if (data >= 0) {
    MakeUniform(node.inputs[static_cast<size_t>(data)]);
    MakeUniform(out);
    return;
  }
  if (Computed(a) && a != b) Tie(a, out);
  MakeUniform(out);
  if (a == b) Pin(out);
  if (Computed(b)) Pin(b);
}

bool HalfGroups::VisitPower(const graph::Node& node) {
  const operators::Power power = operators::PowerOf(graph_, node);
  if (power == operators::Power::kNone || !node.activation.empty()) return false;
  const ValueId in = node.inputs[0], out = node.outputs[0];
  if (!Computed(in) || !Computed(out)) return false;
  MakeUniform(in);
  if (power == operators::Power::kSquare || power == operators::Power::kRoot) {
    Tie(in, out, power == operators::Power::kSquare ? 1 : -1);
  } else {
    Pin(out);
  }
  return true;
}

// Inputs and outputs of the model have one scale, and so have values that exist in int8 as well.
// States have the scale 1.
void HalfGroups::MarkBorders() {
  for (ValueId id : graph_.inputs) {
    if (Computed(id)) MakeUniform(id);
  }
  // All plans keep a state as it stands.
  for (size_t s = 0; s < graph_.states.size(); ++s) {
    for (const ValueId id :
         {graph_.inputs[graph_.OwnInputs() + s], graph_.outputs[graph_.OwnOutputs() + s]}) {
      if (Computed(id)) Pin(id);
    }
  }
  for (size_t v = 0; v < graph_.values.size(); ++v) {
    if (view_.is_piece[v] && Computed(static_cast<ValueId>(v))) {
      MakeUniform(static_cast<ValueId>(v));
    }
  }
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    if (!view_.needed[n] || IsHalf(n)) continue;
    for (const auto* ids : {&graph_.nodes[n].inputs, &graph_.nodes[n].outputs}) {
      for (ValueId id : graph::Present(*ids)) {
        if (Computed(id)) MakeUniform(id);
      }
    }
  }
}

void HalfGroups::Collect() {
  for (size_t v = 0; v < graph_.values.size(); ++v) {
    const auto id = static_cast<ValueId>(v);
    if (!met_[v]) continue;
    const size_t root = Root(id);
    if (group_of_[root] < 0) {
      group_of_[root] = static_cast<int>(groups_.size());
      groups_.emplace_back();
      groups_.back().pinned = pinned_[root];
      groups_.back().uniform = uniform_[root];
    }
    group_of_[v] = group_of_[root];
    groups_[static_cast<size_t>(group_of_[v])].values.push_back(id);
  }
  for (HalfGroup& group : groups_) {
    int least = 0, most = 0;
    for (size_t i = 0; i < group.values.size(); ++i) {
      const int degree = degree_[static_cast<size_t>(group.values[i])];
      least = i == 0 ? degree : std::min(least, degree);
      most = i == 0 ? degree : std::max(most, degree);
    }
    if (most - least > kMostDegree) group.pinned = true;
    for (ValueId id : group.values) degree_[static_cast<size_t>(id)] -= least;
    size_t channels = 0;
    for (ValueId id : group.values) {
      const auto& seen = static_cast<size_t>(id) < statistics_.size()
                             ? statistics_[static_cast<size_t>(id)]
                             : std::nullopt;
      const size_t own = seen ? seen->channels.size() : 0;
      if (own == 0 || (channels != 0 && own != channels)) group.uniform = true;
      channels = own;
    }
    group.exponent.assign(group.uniform || group.pinned ? 1 : channels, 0);
  }
}

}  // namespace octet::quantize
