#include "converter/passes/editor.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "converter/operators/operator.h"

namespace octet::passes {

using graph::kNoValue;

namespace {

// The nearest values that the codes can say.
graph::Constant RoundedTo(const graph::Given& given, const Tensor& real) {
  graph::Codes codes;
  codes.data = real;
  codes.spread.assign(real.shape.size(), 1);
  codes.scales = {given.scale};
  codes.zero_points = {given.zero_point};
  given.Round(codes.data.floats);
  return graph::Constant::Coded(std::move(codes));
}

}  // namespace

Editor::Editor(graph::Graph& graph) : graph_(&graph) {
  Grow();
  for (const ValueId id : graph.outputs) is_output_[Index(id)] = true;
  original_count_ = static_cast<int>(graph.nodes.size());
  for (Node& node : graph.nodes) slots_.push_back({std::move(node), true, -1});
  graph.nodes.clear();
  for (int i = 0; i < original_count_; ++i) Link(i);
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const auto id = static_cast<ValueId>(v);
    if (IsRounded(id) && (IsOutput(id) || !Consumers(id).empty())) rounded_in_use_.push_back(id);
  }
}

void Editor::CheckGiven() const {
  for (const ValueId id : rounded_in_use_) {
    const graph::Value& value = graph_->At(id);
    if (IsOutput(id) || !Consumers(id).empty() || !value.given || forgone_.count(id) != 0) continue;
    throw std::logic_error("a pass lost the codes given for '" + value.name + "'");
  }
}

int Editor::Finish() {
  CheckGiven();
  std::vector<std::vector<int>> added(static_cast<size_t>(original_count_));
  for (int i = original_count_; i < static_cast<int>(slots_.size()); ++i) {
    added[static_cast<size_t>(slots_[static_cast<size_t>(i)].before)].push_back(i);
  }
  const auto emit = [this](int i) {
    Slot& slot = slots_[static_cast<size_t>(i)];
    if (slot.alive) graph_->nodes.push_back(std::move(slot.node));
  };
  for (int i = 0; i < original_count_; ++i) {
    for (const int node : added[static_cast<size_t>(i)]) emit(node);
    emit(i);
  }
  slots_.clear();
  if (rewrites_ != 0) graph_->SortTopologically();
  return rewrites_;
}

void Editor::Grow() {
  const size_t count = graph_->values.size();
  producer_.resize(count, -1);
  consumers_.resize(count);
  is_output_.resize(count, false);
}

void Editor::Link(int node) {
  for (const ValueId id : graph::Present(At(node).inputs)) {
    consumers_[Index(id)].push_back(node);
  }
  for (const ValueId id : graph::Present(At(node).outputs)) {
    producer_[Index(id)] = node;
  }
}

void Editor::Unlink(int node) {
  for (const ValueId id : graph::Present(At(node).inputs)) {
    std::vector<int>& uses = consumers_[Index(id)];
    uses.erase(std::find(uses.begin(), uses.end(), node));
  }
  for (const ValueId id : graph::Present(At(node).outputs)) {
    if (producer_[Index(id)] == node) producer_[Index(id)] = -1;
  }
}

bool IsOneOf(const Node& node, std::initializer_list<std::string_view> operators) {
  if (!(node.domain.empty() || node.domain == "ai.onnx")) return false;
  return operators.size() == 0 ||
         std::find(operators.begin(), operators.end(), node.op) != operators.end();
}

bool Editor::IsOneOf(int node, std::initializer_list<std::string_view> operators) const {
  const Slot& slot = slots_[static_cast<size_t>(node)];
  return slot.alive && passes::IsOneOf(slot.node, operators);
}

int Editor::Producer(ValueId id) const {
  return id == kNoValue ? -1 : producer_[Index(id)];
}

int Editor::PlainProducer(ValueId id) const {
  if (id == kNoValue || IsRounded(id)) return -1;
  const int node = Producer(id);
  return node >= 0 && IsOneOf(node, {}) && At(node).activation.empty() ? node : -1;
}

int Editor::ProducerIf(ValueId id, std::string_view op) const {
  const int node = PlainProducer(id);
  return node >= 0 && At(node).op == op ? node : -1;
}

int Editor::RoundedProducerIf(ValueId id, std::string_view op) const {
  const int node = Producer(id);
  if (node < 0 || !IsOneOf(node, {op})) return -1;
  return slots_[static_cast<size_t>(node)].node.activation.empty() ? node : -1;
}

bool Editor::IsRounded(ValueId id) const {
  const graph::Given* given = graph_->At(id).given.get();
  if (given == nullptr || IsConstant(id)) return false;
  const int producer = Producer(id);
  if (producer < 0 || !operators::MovesCodes(operators::OnCodesOf(At(producer).op))) return true;
  const ValueId source = At(producer).inputs[0];
  const graph::Given* own = source == kNoValue ? nullptr : graph_->At(source).given.get();
  return own == nullptr || !(*own == *given);
}

int Editor::OnlyConsumer(ValueId id, std::initializer_list<std::string_view> operators) const {
  if (id == kNoValue || !IsPrivate(id)) return -1;
  const int node = Consumers(id)[0];
  return IsOneOf(node, operators) ? node : -1;
}

const Shape& Editor::ShapeOf(ValueId id) const {
  const graph::Value& value = graph_->At(id);
  if (value.constant) return value.constant->shape;
  if (!value.shape) throw std::logic_error("value '" + value.name + "' has no shape");
  return *value.shape;
}

int64_t Editor::Rank(ValueId id) const {
  return static_cast<int64_t>(ShapeOf(id).size());
}

std::string Editor::FreeName(const std::string& base) {
  if (names_.empty()) {
    for (const graph::Value& value : graph_->values) names_.insert(value.name);
    for (const Slot& slot : slots_) names_.insert(slot.node.name);
  }
  std::string name = base;
  for (int i = 1; !names_.insert(name).second; ++i) name = base + "_" + std::to_string(i);
  return name;
}

ValueId Editor::NewValue(const std::string& base, graph::DataType type, const Shape& shape) {
  graph::Value value;
  value.name = FreeName(base);
  value.type = type;
  value.shape = shape;
  const ValueId id = graph_->AddValue(std::move(value));
  Grow();
  return id;
}

ValueId Editor::NewConstant(const std::string& base, Tensor tensor) {
  return NewConstant(base, graph::Constant::Real(std::move(tensor)));
}

void Editor::SetConstant(ValueId id, graph::Constant constant) {
  graph::Value& value = graph_->At(id);
  if (value.given && !constant.codes()) constant = RoundedTo(*value.given, *constant);
  constant.RequireCodesOf(value.constant, value.name);
  value.given = graph::GivenCodes();
  value.type = constant->type;
  value.shape = constant->shape;
  value.constant = std::move(constant);
}

void Editor::Give(ValueId id, const graph::Given& given) {
  graph_->At(id).given = graph::GivenCodes(given);
}

ValueId Editor::NewConstant(const std::string& base, graph::Constant constant) {
  const ValueId id = graph_->AddConstant(FreeName(base), std::move(constant));
  Grow();
  return id;
}

int Editor::AddNode(int before, const std::string& op, const std::string& base,
                    std::vector<ValueId> inputs, std::vector<ValueId> outputs) {
  Slot slot;
  slot.node.name = FreeName(base);
  slot.node.op = op;
  slot.node.inputs = std::move(inputs);
  slot.node.outputs = std::move(outputs);
  const int anchor = slots_[static_cast<size_t>(before)].before;
  slot.before = anchor >= 0 ? anchor : before;
  slots_.push_back(std::move(slot));
  const int node = static_cast<int>(slots_.size()) - 1;
  Link(node);
  return node;
}

void Editor::Remove(int node) {
  Unlink(node);
  slots_[static_cast<size_t>(node)].alive = false;
}

void Editor::CheckCodes(const std::vector<ValueId>& before, const std::vector<ValueId>& after) {
  const auto is_new_constant = [&](size_t index, const std::vector<ValueId>& list,
                                   const std::vector<ValueId>& other) {
    return index < list.size() && list[index] != kNoValue && IsConstant(list[index]) &&
           std::find(other.begin(), other.end(), list[index]) == other.end();
  };
  for (size_t i = 0; i < before.size(); ++i) {
    if (!is_new_constant(i, before, after)) continue;
    const graph::Value& old = graph_->At(before[i]);
    for (size_t k = 0; k < after.size(); ++k) {
      // Where the operator changes, what takes the place of a constant may be at another index.
      const bool takes_its_place =
          k == i || (!is_new_constant(i, after, before) && !is_new_constant(k, before, after));
      if (takes_its_place && is_new_constant(k, after, before)) {
        graph_->At(after[k]).constant.RequireCodesOf(old.constant, old.name);
      }
    }
  }
}

void Editor::SetInputs(int node, std::vector<ValueId> inputs) {
  CheckCodes(At(node).inputs, inputs);
  Unlink(node);
  At(node).inputs = std::move(inputs);
  Link(node);
}

void Editor::SetInput(int node, size_t index, ValueId value) {
  std::vector<ValueId> inputs = At(node).inputs;
  if (inputs.size() <= index) inputs.resize(index + 1, kNoValue);
  inputs[index] = value;
  SetInputs(node, std::move(inputs));
}

void Editor::SetConstantInput(int node, size_t index, graph::Constant constant,
                              const std::string& base) {
  const std::vector<ValueId>& inputs = At(node).inputs;
  const ValueId old = index < inputs.size() ? inputs[index] : kNoValue;
  if (old != kNoValue) constant.RequireCodesOf(graph_->At(old).constant, graph_->At(old).name);
  // Shape inference marks results of nodes as constant too: those stay what their node computes.
  if (old != kNoValue && IsConstant(old) && HasOneUse(old) && Producer(old) < 0) {
    return SetConstant(old, std::move(constant));
  }
  SetInput(node, index, NewConstant(base, std::move(constant)));
}

void Editor::SetOutput(int node, size_t index, ValueId value) {
  Unlink(node);
  At(node).outputs[index] = value;
  Link(node);
}

void Editor::ReplaceUses(ValueId from, ValueId to) {
  for (const int node : std::exchange(consumers_[Index(from)], {})) {
    for (ValueId& id : At(node).inputs) {
      if (id == from) {
        id = to;
        consumers_[Index(to)].push_back(node);
      }
    }
  }
}

bool Editor::Bypass(int node) {
  const Node& dropped = At(node);
  if (!dropped.activation.empty()) return false;
  for (size_t i = 1; i < dropped.outputs.size(); ++i) {
    const ValueId extra = dropped.outputs[i];
    if (extra != kNoValue && (IsOutput(extra) || !Consumers(extra).empty())) return false;
  }
  const ValueId in = dropped.inputs[0];
  const ValueId out = dropped.outputs[0];
  // Two roundings are two values.
  const graph::GivenCodes &before = graph_->At(in).given, &behind = graph_->At(out).given;
  if (behind && !(before && *before == *behind)) return false;
  Forgo(out);
  if (!IsOutput(out)) {
    Remove(node);
    ReplaceUses(out, in);
    return true;
  }
  const int producer = Producer(in);
  if (producer < 0 || IsOutput(in)) return false;
  const std::vector<ValueId>& outputs = At(producer).outputs;
  const auto index = std::find(outputs.begin(), outputs.end(), in) - outputs.begin();
  Remove(node);
  if (!graph_->At(out).given) graph_->At(out).given = graph_->At(in).given;
  Forgo(in);
  SetOutput(producer, static_cast<size_t>(index), out);
  ReplaceUses(in, out);
  return true;
}

void Editor::Absorb(int producer, int consumer) {
  const ValueId out = At(consumer).outputs[0];
  Remove(consumer);
  SetOutput(producer, 0, out);
}

void Editor::Become(int node, const std::string& op, std::vector<ValueId> inputs) {
  Node& changed = At(node);
  changed.op = op;
  changed.domain.clear();
  changed.since_opset = 13;
  changed.attributes.clear();
  SetInputs(node, std::move(inputs));
}

}  // namespace octet::passes
