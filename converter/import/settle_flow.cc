#include "converter/import/settle_flow.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "converter/import/inline_branches.h"
#include "converter/import/inline_graph.h"
#include "converter/import/local_function.h"
#include "converter/import/model_part.h"
#include "converter/import/plain_names.h"
#include "converter/import/unroll.h"
#include "converter/operators/flow_words.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

// Nodes read for conditions, each counted as often as it is read. Nodes behind that many stay.
constexpr size_t kMostReads = size_t{1} << 19;
constexpr size_t kBytesOfARead = 256;
// Reading a part costs that much whatever its size.
constexpr size_t kReadsOfAPart = 64;
// What bodies may add, with the numbers in them.
constexpr size_t kMostAddedBytes = size_t{1} << 26;
constexpr int64_t kFirstScanWithoutBatch = 9;

std::string NameOf(const onnx::NodeProto& node) {
  return node.name().empty() ? node.op_type() + "_" + node.output(0) : node.name();
}

class Settler {
 public:
  Settler(onnx::ModelProto* model, int64_t opset, const ReadPart& read)
      : model_(model),
        graph_(*model->mutable_graph()),
        opset_(opset),
        read_(read),
        remembers_(!MayHoldCodes(graph_)),
        namer_(graph_),
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

  std::map<std::string, std::string> Run() {
    while (!flow_.empty()) {
      const size_t next = flow_.front();
      flow_.pop_front();
      Settle(next);
    }
    // In the order of the file, a graph where its node was.
    for (std::vector<size_t> open(first_.rbegin(), first_.rend()); !open.empty();) {
      Slot& slot = slots_[open.back()];
      open.pop_back();
      if (slot.state == State::kReplaced) {
        open.insert(open.end(), slot.inside.rbegin(), slot.inside.rend());
      } else {
        *graph_.add_node() = std::move(slot.node);
      }
    }
    return std::move(reasons_);
  }

 private:
  enum class State { kNew, kWaits, kReplaced, kStays };
  struct Slot {
    onnx::NodeProto node;
    State state = State::kNew;
    std::string prefix = {};
    std::vector<size_t> inside = {};      // what takes its place
    std::unique_ptr<Unroll> unroll = {};  // of a Loop under way
  };
  // What computes a value, as far as it is not known.
  struct Cone {
    std::set<size_t> nodes, flow;
    std::set<std::string> names;
    bool is_readable = true;
  };

  size_t Add(onnx::NodeProto node) {
    const size_t index = slots_.size();
    for (const std::string& name : node.output()) makers_[name] = index;
    if (IsFlow(node)) flow_.push_back(index);
    slots_.push_back({std::move(node)});
    return index;
  }

  void Add(size_t place, Inlined inlined) {
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

  [[noreturn]] void FailTooMany(const onnx::NodeProto& node) const {
    Fail("it unrolls to more than {} nodes or {} MiB; export the model with fewer steps{}",
         kMostAddedNodes, kMostAddedBytes >> 20, CutBefore(node));
  }

  // Where the graph can end in front of a node: at a state that other nodes compute.
  std::string CutBefore(const onnx::NodeProto& node) const {
    for (int i = node.input_size(); i-- > 0;) {
      const std::string& name = node.input(i);
      if (!name.empty() && makers_.count(name) != 0) {
        return fmt::format(", or end the graph before it: --cut-at '{}'", PlainName(name));
      }
    }
    return {};
  }

  Cone ConeOf(const std::string& value) {
    Cone cone;
    cone.names = {value};
    for (std::vector<std::string> open = {value}; !open.empty();) {
      const std::string name = std::move(open.back());
      open.pop_back();
      if (known_.count(name) != 0) continue;
      if (unreadable_.count(name) != 0) cone.is_readable = false;
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
      reads_ += 1 + read.size() / 16;
      for (const std::string& input : read) {
        if (cone.names.insert(input).second) open.push_back(input);
      }
    }
    return cone;
  }

  // Values that have to be known before the next step.
  std::vector<std::string> Needs(const Slot& slot) const {
    const onnx::NodeProto& node = slot.node;
    std::vector<std::string> needs;
    if (IsIf(node)) {
      if (node.input_size() == 1) needs = {node.input(0)};
    } else if (slot.unroll != nullptr) {
      needs = {slot.unroll->condition()};
    } else if (IsLoop(node)) {
      for (int i = 0; i < std::min(node.input_size(), 2); ++i) needs.push_back(node.input(i));
    } else {
      // Those of all inputs: the number of scan inputs may be wrong.
      needs = {node.input().begin(), node.input().end()};
    }
    needs.erase(std::remove(needs.begin(), needs.end(), ""), needs.end());
    return needs;
  }

  void ClampTripCountOf(const onnx::NodeProto& loop) {
    const std::string count = loop.input_size() > 0 ? loop.input(0) : "";
    if (const auto constant = constants_.find(count); constant != constants_.end()) {
      ClampTripCount(constant->second);
    }
    const auto maker = makers_.find(count);
    if (maker == makers_.end() ||
        slots_[maker->second].node.op_type() != operators::kHoldsNumbers) {
      return;
    }
    for (onnx::AttributeProto& value : *slots_[maker->second].node.mutable_attribute()) {
      if (value.has_t()) ClampTripCount(value.mutable_t());
    }
  }

  // The node, and before it those that it needs.
  void Settle(size_t first) {
    for (std::vector<size_t> open = {first}; !open.empty();) {
      const size_t index = open.back();
      Slot& slot = slots_[index];
      if (slot.state == State::kReplaced || slot.state == State::kStays) {
        open.pop_back();
        continue;
      }
      if (slot.state == State::kNew && IsLoop(slot.node)) ClampTripCountOf(slot.node);
      slot.state = State::kWaits;
      const size_t before = open.size();
      std::map<std::string, Cone> cones;
      for (const std::string& need : Needs(slot)) {
        const Cone& cone = cones[need] = ConeOf(need);
        for (const size_t other : cone.flow) {
          const Slot& needed = slots_[other];
          if (needed.state == State::kWaits) {
            Fail("the graph is cyclic: node '{}' ({}) depends on its own output; {}",
                 NameOf(needed.node), needed.node.op_type(), "export the model again");
          }
          if (needed.state == State::kNew) open.push_back(other);
        }
      }
      if (open.size() == before) Advance(index, cones);
    }
  }

  void Advance(size_t index, const std::map<std::string, Cone>& cones) {
    Slot& slot = slots_[index];
    try {
      if (reads_ > kMostReads) {
        Fail(
            "the conditions of the model take too long to compute; export it with fixed control "
            "flow");
      }
      std::map<std::string, graph::Value> values;
      for (const auto& [name, cone] : cones) {
        if (std::optional<graph::Value> value = ValueOf(name, cone)) {
          values.emplace(name, std::move(*value));
        }
      }
      if (slot.prefix.empty()) slot.prefix = PrefixOf(slot.node);
      if (IsIf(slot.node)) {
        Choose(index, values);
      } else if (IsLoop(slot.node)) {
        RunLoop(index, values);
      } else {
        RunScan(index, values);
      }
    } catch (const UserError& error) {
      slot.state = State::kStays;
      for (const std::string& output : slot.node.output()) {
        if (!output.empty()) reasons_.emplace(PlainName(output), error.what());
      }
    }
  }

  std::optional<graph::Value> ValueOf(const std::string& name, const Cone& cone) {
    if (const auto known = known_.find(name); known != known_.end()) return known->second;
    if (!cone.is_readable || !cone.flow.empty()) {
      unreadable_.insert(name);
      return std::nullopt;
    }
    onnx::ModelProto part = PartOf(name, cone);
    reads_ += kReadsOfAPart + cone.nodes.size() + part.ByteSizeLong() / kBytesOfARead;
    const std::optional<KnownValues> values = read_(part);
    if (!values) {
      unreadable_.insert(name);
      return std::nullopt;
    }
    if (remembers_) {
      for (const std::string& other : cone.names) Remember(other, *values);
    }
    const auto found = values->find(PlainName(name));
    return found == values->end() ? std::nullopt : std::optional(found->second);
  }

  void Remember(const std::string& name, const KnownValues& values) {
    const auto found = values.find(name);
    if (found == values.end() || PlainName(name) != name) return;
    if (makers_.count(name) == 0 && constants_.count(name) == 0) return;
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

  // The one number of a value; nullopt: it depends on the numbers of the inputs.
  static std::optional<int64_t> NumberOf(const std::map<std::string, graph::Value>& values,
                                         const std::string& name) {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    const graph::Constant& constant = found->second.constant;
    if (!constant || constant->IsFloat() || constant->Count() != 1) return std::nullopt;
    return constant->integers[0];
  }

  void Choose(size_t index, const std::map<std::string, graph::Value>& values) {
    onnx::NodeProto& node = slots_[index].node;
    if (node.input_size() != 1 || node.input(0).empty()) {
      Fail("it has no condition; export the model again");
    }
    for (const bool chosen : {true, false}) {
      const onnx::GraphProto* branch = BranchOf(&node, chosen);
      if (branch == nullptr || branch->output_size() != node.output_size()) {
        Fail("its {} has {} results, the node {}; export the model again",
             chosen ? "then_branch" : "else_branch", branch == nullptr ? 0 : branch->output_size(),
             node.output_size());
      }
    }
    Inlined inlined;
    const std::string& prefix = slots_[index].prefix;
    if (const std::optional<int64_t> condition = NumberOf(values, node.input(0))) {
      InlineChosen(node, prefix, std::move(*BranchOf(&node, *condition != 0)), &namer_, &inlined);
    } else {
      InlineBoth(&node, prefix, &namer_, &inlined);
    }
    Replace(index, std::move(inlined));
  }

  // As many steps as can be made without reading a condition.
  void RunLoop(size_t index, const std::map<std::string, graph::Value>& values) {
    Slot& slot = slots_[index];
    const onnx::NodeProto& node = slot.node;
    if (slot.unroll == nullptr) {
      std::optional<int64_t> most;
      if (node.input_size() > 0 && !node.input(0).empty()) {
        most = NumberOf(values, node.input(0));
        if (!most) {
          const std::string& count = node.input(0);
          if (inputs_.count(count) != 0) {
            Fail("its trip count is the input '{0}'; give its number: --bind {0}=NUMBER", count);
          }
          Fail(
              "its trip count '{}' depends on the input's numbers; export the model with a fixed "
              "number of steps{}",
              count, CutBefore(node));
        }
      }
      slot.unroll = std::make_unique<Unroll>(Unroll::OfLoop(node, most, slot.prefix));
    }
    Unroll& unroll = *slot.unroll;
    bool repeats = false;  // the condition is the same in all steps
    while (unroll.HasNext()) {
      if (!repeats && !unroll.condition().empty()) {
        const std::optional<int64_t> goes_on = NumberOf(values, unroll.condition());
        if (!goes_on) {
          Fail(
              "its condition '{}' depends on the input's numbers; export the model with a fixed "
              "number of steps{}",
              unroll.condition(), CutBefore(node));
        }
        if (*goes_on == 0) break;
      }
      const std::string before = unroll.condition();
      Inlined inlined;
      StepOf(node, unroll, repeats, &inlined);
      Add(index, std::move(inlined));
      repeats = unroll.condition().empty() || unroll.condition() == before;
      if (!repeats && unroll.HasNext()) return;
    }
    Inlined inlined;
    unroll.Finish(&namer_, &inlined);
    Replace(index, std::move(inlined));
  }

  void StepOf(const onnx::NodeProto& node, Unroll& unroll, bool is_endless, Inlined* to) {
    const std::optional<int64_t> left = unroll.Left();
    const int64_t nodes = unroll.NodesOfAStep() + 1;
    if (nodes > nodes_left_ || (is_endless && (!left || *left > nodes_left_ / nodes))) {
      FailTooMany(node);
    }
    unroll.Step(&namer_, to);
  }

  void RunScan(size_t index, const std::map<std::string, graph::Value>& values) {
    Slot& slot = slots_[index];
    const onnx::NodeProto& node = slot.node;
    std::vector<graph::Shape> shapes;
    for (int i = FirstScanInput(node); i < node.input_size(); ++i) {
      const auto found = values.find(node.input(i));
      if (found == values.end() || !found->second.shape) {
        Fail("the shape of '{}' is not known at conversion; export the model with fixed shapes",
             node.input(i));
      }
      shapes.push_back(*found->second.shape);
    }
    if (OpsetOf(node, opset_) < kFirstScanWithoutBatch) {
      if (shapes[0].empty() || shapes[0][0] < 1) {
        Fail("'{}' has no batch; export the model with opset 9 or newer",
             node.input(FirstScanInput(node)));
      }
      if (shapes[0][0] > nodes_left_) FailTooMany(node);
      Inlined inlined;
      SplitBatchOfScan(node, shapes[0][0], slot.prefix, &namer_, &inlined);
      return Replace(index, std::move(inlined));
    }
    Unroll unroll = Unroll::OfScan(node, shapes, slot.prefix);
    while (unroll.HasNext()) {
      Inlined inlined;
      StepOf(node, unroll, true, &inlined);
      Add(index, std::move(inlined));
    }
    Inlined inlined;
    unroll.Finish(&namer_, &inlined);
    Replace(index, std::move(inlined));
  }

  void Replace(size_t index, Inlined inlined) {
    Slot& slot = slots_[index];
    for (const std::string& name : slot.node.output()) makers_.erase(name);
    Add(index, std::move(inlined));
    slot.state = State::kReplaced;
    slot.node.Clear();
    slot.unroll.reset();
  }

  // Names of nodes may repeat.
  std::string PrefixOf(const onnx::NodeProto& node) {
    const std::string base = NameOf(node);
    const int64_t repeat = prefixes_[base]++;
    return repeat == 0 ? base + "/" : fmt::format("{}_{}/", base, repeat + 1);
  }

  onnx::ModelProto* model_;
  onnx::GraphProto& graph_;
  int64_t opset_;
  const ReadPart& read_;
  bool remembers_;
  Namer namer_;
  int64_t nodes_left_;
  size_t bytes_left_;
  std::deque<Slot> slots_;
  std::vector<size_t> first_;  // nodes of the file
  std::deque<size_t> flow_;    // not yet asked for
  std::unordered_map<std::string, size_t> makers_;
  std::unordered_map<std::string, onnx::TensorProto*> constants_;
  std::unordered_map<std::string, const onnx::ValueInfoProto*> inputs_;
  std::unordered_map<std::string, graph::Value> known_;
  std::set<std::string> unreadable_;
  std::unordered_map<std::string, int64_t> prefixes_;
  std::map<std::string, std::string> reasons_;
  size_t reads_ = 0;
};

}  // namespace

std::map<std::string, std::string> SettleFlow(onnx::ModelProto* model, int64_t opset,
                                              const ReadPart& read) {
  const auto& nodes = model->graph().node();
  if (std::none_of(nodes.begin(), nodes.end(), IsFlow)) return {};
  return Settler(model, opset, read).Run();
}

}  // namespace octet::import
