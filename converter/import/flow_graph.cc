#include "converter/import/flow_graph.h"

#include <algorithm>
#include <utility>

#include "converter/import/model_part.h"
#include "converter/import/plain_names.h"
#include "converter/import/settle_flow.h"
#include "converter/operators/flow_words.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

// What bodies may add, with the numbers in them.
constexpr size_t kMostAddedBytes = size_t{1} << 26;

}  // namespace

FlowGraph::FlowGraph(onnx::ModelProto* model)
    : model_(model),
      graph_(*model->mutable_graph()),
      nodes_left_(NodesIn(graph_) + kMostAddedNodes),
      bytes_left_(kMostAddedBytes) {
  for (onnx::TensorProto& tensor : *graph_.mutable_initializer()) {
    constants_.emplace(tensor.name(), &tensor);
  }
  for (const onnx::ValueInfoProto& input : graph_.input()) inputs_.emplace(input.name(), &input);
  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
  nodes.Swap(graph_.mutable_node());
  for (onnx::NodeProto& node : nodes) {
    bytes_left_ += node.ByteSizeLong();
    first_.push_back(Add(std::move(node)));
  }
}

size_t FlowGraph::Add(onnx::NodeProto node) {
  const size_t index = slots_.size();
  for (const std::string& name : node.output()) makers_[name] = index;
  if (IsFlow(node)) flow_.push_back(index);
  slots_.push_back({std::move(node)});
  return index;
}

void FlowGraph::Add(size_t place, Inlined inlined) {
  nodes_left_ -= static_cast<int64_t>(inlined.nodes.size()) + 1;
  for (const onnx::NodeProto& node : inlined.nodes) {
    bytes_left_ -= std::min(bytes_left_, node.ByteSizeLong());
  }
  if (nodes_left_ < 0 || bytes_left_ == 0) FailTooMany(slots_[place].node);
  for (onnx::NodeProto& node : inlined.nodes) {
    const size_t index = Add(std::move(node));
    slots_[place].inside.push_back(index);
  }
  for (onnx::TensorProto& tensor : inlined.constants) {
    onnx::TensorProto& added = *graph_.add_initializer();
    added = std::move(tensor);
    constants_.emplace(added.name(), &added);
  }
  for (onnx::SparseTensorProto& tensor : inlined.sparse) {
    *graph_.add_sparse_initializer() = std::move(tensor);
  }
}

void FlowGraph::Replace(size_t index, Inlined inlined) {
  Slot& slot = slots_[index];
  for (const std::string& name : slot.node.output()) makers_.erase(name);
  Add(index, std::move(inlined));
  slot.state = State::kReplaced;
  slot.node.Clear();
  slot.unroll.reset();
}

void FlowGraph::FailTooMany(const onnx::NodeProto& node) const {
  Fail("it unrolls to more than {} nodes or {} MiB; export the model with fewer steps{}",
       kMostAddedNodes, kMostAddedBytes >> 20, CutBefore(node));
}

bool FlowGraph::NextFlow(size_t* slot) {
  if (flow_.empty()) return false;
  *slot = flow_.front();
  flow_.pop_front();
  return true;
}

void FlowGraph::Finish() {
  for (std::vector<size_t> open(first_.rbegin(), first_.rend()); !open.empty();) {
    Slot& slot = slots_[open.back()];
    open.pop_back();
    if (slot.state == State::kReplaced) {
      open.insert(open.end(), slot.inside.rbegin(), slot.inside.rend());
    } else {
      *graph_.add_node() = std::move(slot.node);
    }
  }
}

std::string FlowGraph::CutBefore(const onnx::NodeProto& node) const {
  for (int i = node.input_size(); i-- > 0;) {
    const std::string& name = node.input(i);
    if (!name.empty() && makers_.count(name) != 0) {
      return fmt::format(", or end the graph before it: --cut-at '{}'", PlainName(name));
    }
  }
  return {};
}

void FlowGraph::ClampTripCountOf(const onnx::NodeProto& loop) {
  const std::string count = loop.input_size() > 0 ? loop.input(0) : "";
  if (const auto constant = constants_.find(count); constant != constants_.end()) {
    ClampTripCount(constant->second);
  }
  const auto maker = makers_.find(count);
  if (maker == makers_.end() || slots_[maker->second].node.op_type() != operators::kHoldsNumbers) {
    return;
  }
  for (onnx::AttributeProto& value : *slots_[maker->second].node.mutable_attribute()) {
    if (value.has_t()) ClampTripCount(value.mutable_t());
  }
}

FlowGraph::Cone FlowGraph::ConeOf(const std::string& value, size_t* reads) const {
  Cone cone;
  cone.names = {value};
  for (std::vector<std::string> open = {value}; !open.empty();) {
    const std::string name = std::move(open.back());
    open.pop_back();
    if (known.count(name) != 0) continue;
    if (unreadable.count(name) != 0) cone.is_readable = false;
    const auto maker = makers_.find(name);
    if (maker == makers_.end()) continue;
    const Slot& slot = slots_[maker->second];
    if (slot.state != State::kReplaced && IsFlow(slot.node)) {
      cone.flow.insert(maker->second);
      continue;
    }
    if (!cone.nodes.insert(maker->second).second) continue;
    std::set<std::string> read;
    ReadNames(slot.node, &read);
    *reads += 1 + read.size() / 16;
    for (const std::string& input : read) {
      if (cone.names.insert(input).second) open.push_back(input);
    }
  }
  return cone;
}

onnx::ModelProto FlowGraph::PartOf(const std::string& value, const Cone& cone) const {
  onnx::ModelProto part;
  part.set_ir_version(model_->ir_version());
  *part.mutable_opset_import() = model_->opset_import();
  onnx::GraphProto& to = *part.mutable_graph();
  for (const size_t index : cone.nodes) *to.add_node() = slots_[index].node;
  for (const std::string& name : cone.names) {
    const auto stand_in = known.find(name);
    const auto constant = constants_.find(name);
    const auto input = inputs_.find(name);
    if (stand_in != known.end()) {
      AddStandIn(stand_in->second, &to);
    } else if (constant != constants_.end()) {
      *to.add_initializer() = *constant->second;
    } else if (input != inputs_.end()) {
      *to.add_input() = *input->second;
    }
  }
  to.add_output()->set_name(value);
  return part;
}

}  // namespace octet::import
