#include "converter/import/settle_branches.h"

#include <algorithm>
#include <deque>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "converter/import/model_part.h"
#include "converter/import/plain_names.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

// Nodes read for conditions, each counted as often as it is read, where codes forbid to remember
// what is known. Ifs behind that many stay.
constexpr size_t kMostReads = size_t{1} << 20;
constexpr size_t kBytesOfARead = 256;

std::string NameOf(const onnx::NodeProto& node) {
  return node.name().empty() ? "If_" + node.output(0) : node.name();
}

onnx::GraphProto* BranchOf(onnx::NodeProto* node, bool condition) {
  for (onnx::AttributeProto& attribute : *node->mutable_attribute()) {
    if (attribute.name() == (condition ? "then_branch" : "else_branch") && attribute.has_g()) {
      return attribute.mutable_g();
    }
  }
  return nullptr;
}

// The branch's nodes into `nodes`, its constants into the graph.
void Inline(const onnx::NodeProto& node, const std::string& prefix, onnx::GraphProto branch,
            onnx::GraphProto* graph, std::vector<onnx::NodeProto>* nodes) {
  std::map<std::string, std::string> names;
  for (const onnx::NodeProto& inner : branch.node()) {
    for (const std::string& name : inner.output()) {
      if (!name.empty()) names[name] = prefix + name;
    }
  }
  std::set<std::string> constants;
  for (const onnx::TensorProto& tensor : branch.initializer()) {
    names[tensor.name()] = prefix + tensor.name();
    constants.insert(tensor.name());
  }
  // A result that is no node's own (a constant, a value from outside, one of two alike) is copied.
  std::vector<std::pair<std::string, std::string>> copies;
  std::set<std::string> taken;
  for (int i = 0; i < branch.output_size() && i < node.output_size(); ++i) {
    const std::string& inner = branch.output(i).name();
    if (node.output(i).empty()) continue;
    if (names.count(inner) != 0 && constants.count(inner) == 0 && taken.insert(inner).second) {
      names[inner] = node.output(i);
    } else {
      copies.emplace_back(inner, node.output(i));
    }
  }
  const auto renamed = [&](const std::string& name) {
    const auto found = names.find(name);
    return found == names.end() ? name : found->second;
  };
  RenameValues(&branch, renamed);
  for (onnx::NodeProto& inner : *branch.mutable_node()) {
    if (!inner.name().empty()) inner.set_name(prefix + inner.name());
    nodes->push_back(std::move(inner));
  }
  for (const auto& [from, to] : copies) {
    nodes->push_back(CopyOf(renamed(from), to, prefix + "copy_of_" + from));
  }
  for (onnx::TensorProto& tensor : *branch.mutable_initializer()) {
    *graph->add_initializer() = std::move(tensor);
  }
  for (onnx::SparseTensorProto& tensor : *branch.mutable_sparse_initializer()) {
    *graph->add_sparse_initializer() = std::move(tensor);
  }
}

class Settler {
 public:
  Settler(onnx::ModelProto* model, const ReadPart& read)
      : model_(model),
        graph_(*model->mutable_graph()),
        read_(read),
        remembers_(!MayHoldCodes(graph_)) {
    for (const onnx::TensorProto& tensor : graph_.initializer()) {
      constants_.emplace(tensor.name(), &tensor);
    }
    for (const onnx::ValueInfoProto& input : graph_.input()) inputs_.emplace(input.name(), &input);
    google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
    nodes.Swap(graph_.mutable_node());
    for (onnx::NodeProto& node : nodes) first_.push_back(Add(std::move(node)));
  }

  void Run() {
    while (!ifs_.empty()) {
      const size_t next = ifs_.front();
      ifs_.pop_front();
      Settle(next);
    }
    // In the order of the file, a branch where its If was.
    for (std::vector<size_t> open(first_.rbegin(), first_.rend()); !open.empty();) {
      Slot& slot = slots_[open.back()];
      open.pop_back();
      if (slot.state == State::kReplaced) {
        open.insert(open.end(), slot.branch.rbegin(), slot.branch.rend());
      } else {
        *graph_.add_node() = std::move(slot.node);
      }
    }
  }

 private:
  enum class State { kNew, kWaits, kReplaced, kStays };
  struct Slot {
    onnx::NodeProto node;
    State state = State::kNew;
    std::vector<size_t> branch;  // what takes its place
  };
  // What computes a condition, as far as it is not known.
  struct Cone {
    std::set<size_t> nodes, ifs;
    std::set<std::string> names;
  };

  size_t Add(onnx::NodeProto node) {
    const size_t index = slots_.size();
    for (const std::string& name : node.output()) makers_[name] = index;
    if (IsIf(node) && node.input_size() == 1 && node.output_size() > 0) ifs_.push_back(index);
    slots_.push_back({std::move(node), State::kNew, {}});
    return index;
  }

  bool IsOpenIf(size_t index) const {
    return slots_[index].state != State::kReplaced && IsIf(slots_[index].node);
  }

  Cone ConeOf(const std::string& value) {
    Cone cone;
    cone.names = {value};
    for (std::vector<std::string> open = {value}; !open.empty();) {
      const std::string name = std::move(open.back());
      open.pop_back();
      if (known_.count(name) != 0) continue;
      const auto maker = makers_.find(name);
      if (maker == makers_.end()) continue;
      if (IsOpenIf(maker->second)) {
        cone.ifs.insert(maker->second);
        continue;
      }
      if (!cone.nodes.insert(maker->second).second) continue;
      std::set<std::string> read;
      ReadNames(slots_[maker->second].node, &read);
      reads_ += 1 + read.size() / 16;
      for (const std::string& input : read) {
        if (cone.names.insert(input).second) open.push_back(input);
      }
    }
    return cone;
  }

  // The If, and before it those that its condition needs.
  void Settle(size_t first) {
    for (std::vector<size_t> open = {first}; !open.empty();) {
      const size_t index = open.back();
      Slot& slot = slots_[index];
      if (slot.state == State::kReplaced || slot.state == State::kStays) {
        open.pop_back();
        continue;
      }
      slot.state = State::kWaits;
      const Cone cone = ConeOf(slot.node.input(0));
      bool stays = reads_ > kMostReads, waits = false;
      for (const size_t other : cone.ifs) {
        const Slot& needed = slots_[other];
        if (needed.state == State::kWaits) {
          Fail(
              "the graph is cyclic: node '{}' (If) depends on its own output; export the model "
              "again",
              NameOf(needed.node));
        }
        stays = stays || needed.state == State::kStays || needed.node.input_size() != 1;
        if (needed.state == State::kNew) {
          open.push_back(other);
          waits = true;
        }
      }
      if (stays) {
        slot.state = State::kStays;
      } else if (!waits && !Replace(index, ConditionOf(slot.node.input(0), cone))) {
        slot.state = State::kStays;
      }
    }
  }

  std::optional<bool> ConditionOf(const std::string& value, const Cone& cone) {
    onnx::ModelProto part = PartOf(value, cone);
    reads_ += cone.nodes.size() + part.ByteSizeLong() / kBytesOfARead;
    const std::optional<KnownValues> values = read_(part);
    if (!values) return std::nullopt;
    const auto found = values->find(PlainName(value));
    if (found == values->end()) return std::nullopt;
    if (remembers_) {
      for (const std::string& name : cone.names) Remember(name, *values);
    }
    const graph::Constant& condition = found->second.constant;
    if (!condition || condition->IsFloat() || condition->Count() != 1) return std::nullopt;
    return condition->integers[0] != 0;
  }

  void Remember(const std::string& name, const KnownValues& values) {
    const auto found = values.find(name);
    if (found == values.end() || makers_.count(name) == 0 || PlainName(name) != name) return;
    if (CanStandIn(found->second)) known_.insert(*found);
  }

  onnx::ModelProto PartOf(const std::string& value, const Cone& cone) const {
    onnx::ModelProto part;
    part.set_ir_version(model_->ir_version());
    *part.mutable_opset_import() = model_->opset_import();
    onnx::GraphProto& to = *part.mutable_graph();
    for (const size_t index : cone.nodes) *to.add_node() = slots_[index].node;
    for (const std::string& name : cone.names) {
      const auto known = known_.find(name);
      const auto constant = constants_.find(name);
      const auto input = inputs_.find(name);
      if (known != known_.end()) {
        AddStandIn(known->second, &to);
      } else if (constant != constants_.end()) {
        *to.add_initializer() = *constant->second;
      } else if (input != inputs_.end()) {
        *to.add_input() = *input->second;
      }
    }
    to.add_output()->set_name(value);
    return part;
  }

  // Whether there is such a branch.
  bool Replace(size_t index, std::optional<bool> condition) {
    onnx::NodeProto& node = slots_[index].node;
    onnx::GraphProto* branch = condition ? BranchOf(&node, *condition) : nullptr;
    if (branch == nullptr || branch->output_size() != node.output_size()) return false;
    std::vector<onnx::NodeProto> nodes;
    const int before = graph_.initializer_size();
    Inline(node, PrefixOf(node), std::move(*branch), &graph_, &nodes);
    for (int i = before; i < graph_.initializer_size(); ++i) {
      constants_.emplace(graph_.initializer(i).name(), &graph_.initializer(i));
    }
    for (const std::string& name : node.output()) makers_.erase(name);
    slots_[index].state = State::kReplaced;
    node.Clear();
    std::vector<size_t> added;
    for (onnx::NodeProto& inner : nodes) added.push_back(Add(std::move(inner)));
    slots_[index].branch = std::move(added);
    return true;
  }

  // Names of nodes may repeat, those of values must not.
  std::string PrefixOf(const onnx::NodeProto& node) {
    const std::string base = NameOf(node);
    const int64_t repeat = prefixes_[base]++;
    return repeat == 0 ? base + "/" : fmt::format("{}_{}/", base, repeat + 1);
  }

  onnx::ModelProto* model_;
  onnx::GraphProto& graph_;
  const ReadPart& read_;
  bool remembers_;
  std::deque<Slot> slots_;
  std::vector<size_t> first_;  // nodes of the file
  std::deque<size_t> ifs_;     // not yet asked for
  std::unordered_map<std::string, size_t> makers_;
  std::unordered_map<std::string, const onnx::TensorProto*> constants_;
  std::unordered_map<std::string, const onnx::ValueInfoProto*> inputs_;
  std::unordered_map<std::string, graph::Value> known_;
  std::unordered_map<std::string, int64_t> prefixes_;
  size_t reads_ = 0;
};

}  // namespace

void RenameValues(onnx::GraphProto* graph,
                  const std::function<std::string(const std::string&)>& renamed) {
  const auto rename = [&](std::string* name) {
    if (!name->empty()) *name = renamed(*name);
  };
  for (onnx::NodeProto& node : *graph->mutable_node()) {
    for (std::string& name : *node.mutable_input()) rename(&name);
    for (std::string& name : *node.mutable_output()) rename(&name);
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) RenameValues(attribute.mutable_g(), renamed);
    }
  }
  for (onnx::TensorProto& tensor : *graph->mutable_initializer()) rename(tensor.mutable_name());
  for (onnx::ValueInfoProto& input : *graph->mutable_input()) rename(input.mutable_name());
  for (onnx::ValueInfoProto& output : *graph->mutable_output()) rename(output.mutable_name());
}

void SettleBranches(onnx::ModelProto* model, const ReadPart& read) {
  const auto& nodes = model->graph().node();
  if (std::any_of(nodes.begin(), nodes.end(), IsIf)) Settler(model, read).Run();
}

}  // namespace octet::import
