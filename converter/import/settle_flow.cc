#include "converter/import/settle_flow.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "converter/import/flow_graph.h"
#include "converter/import/inline_branches.h"
#include "converter/import/local_function.h"
#include "converter/import/model_part.h"
#include "converter/import/plain_names.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

// Nodes read for conditions, each counted as often as it is read. Nodes behind that many stay.
constexpr size_t kMostReads = size_t{1} << 19;
constexpr size_t kBytesOfARead = 256;
// Reading a part costs that much whatever its size.
constexpr size_t kReadsOfAPart = 64;
constexpr int64_t kFirstScanWithoutBatch = 9;

std::string NameOf(const onnx::NodeProto& node) {
  return node.name().empty() ? node.op_type() + "_" + node.output(0) : node.name();
}

class Settler {
 public:
  Settler(onnx::ModelProto* model, int64_t opset, const ReadPart& read)
      : opset_(opset),
        read_(read),
        remembers_(!MayHoldCodes(model->graph())),
        namer_(model->graph()),
        graph_(model) {}

  std::map<std::string, std::string> Run() {
    for (size_t next = 0; graph_.NextFlow(&next);) Settle(next);
    graph_.Finish();
    return std::move(reasons_);
  }

 private:
  using State = FlowGraph::State;
  using Slot = FlowGraph::Slot;
  using Cone = FlowGraph::Cone;

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

  // The node, and before it those that it needs.
  void Settle(size_t first) {
    for (std::vector<size_t> open = {first}; !open.empty();) {
      const size_t index = open.back();
      Slot& slot = graph_.At(index);
      if (slot.state == State::kReplaced || slot.state == State::kStays) {
        open.pop_back();
        continue;
      }
      if (slot.state == State::kNew && IsLoop(slot.node)) graph_.ClampTripCountOf(slot.node);
      slot.state = State::kWaits;
      const size_t before = open.size();
      std::map<std::string, Cone> cones;
      for (const std::string& need : Needs(slot)) {
        const Cone& cone = cones[need] = graph_.ConeOf(need, &reads_);
        for (const size_t other : cone.flow) {
          const Slot& needed = graph_.At(other);
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
    Slot& slot = graph_.At(index);
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
    if (const auto known = graph_.known.find(name); known != graph_.known.end())
      return known->second;
    if (!cone.is_readable || !cone.flow.empty()) {
      graph_.unreadable.insert(name);
      return std::nullopt;
    }
    onnx::ModelProto part = graph_.PartOf(name, cone);
    reads_ += kReadsOfAPart + cone.nodes.size() + part.ByteSizeLong() / kBytesOfARead;
    const std::optional<KnownValues> values = read_(part);
    if (!values) {
      graph_.unreadable.insert(name);
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
    if (!graph_.IsComputed(name) && !graph_.IsConstant(name)) return;
    if (CanStandIn(found->second)) graph_.known.insert(*found);
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
    onnx::NodeProto& node = graph_.At(index).node;
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
    const std::string& prefix = graph_.At(index).prefix;
    if (const std::optional<int64_t> condition = NumberOf(values, node.input(0))) {
      InlineChosen(node, prefix, std::move(*BranchOf(&node, *condition != 0)), &namer_, &inlined);
    } else {
      InlineBoth(&node, prefix, &namer_, &inlined);
    }
    graph_.Replace(index, std::move(inlined));
  }

  // As many steps as can be made without reading a condition.
  void RunLoop(size_t index, const std::map<std::string, graph::Value>& values) {
    Slot& slot = graph_.At(index);
    const onnx::NodeProto& node = slot.node;
    if (slot.unroll == nullptr) {
      std::optional<int64_t> most;
      if (node.input_size() > 0 && !node.input(0).empty()) {
        most = NumberOf(values, node.input(0));
        if (!most) {
          const std::string& count = node.input(0);
          if (graph_.IsInput(count)) {
            Fail("its trip count is the input '{0}'; give its number: --bind {0}=NUMBER", count);
          }
          Fail(
              "its trip count '{}' depends on the input's numbers; export the model with a fixed "
              "number of steps{}",
              count, graph_.CutBefore(node));
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
              unroll.condition(), graph_.CutBefore(node));
        }
        if (*goes_on == 0) break;
      }
      const std::string before = unroll.condition();
      Inlined inlined;
      StepOf(node, unroll, repeats, &inlined);
      graph_.Add(index, std::move(inlined));
      repeats = unroll.condition().empty() || unroll.condition() == before;
      if (!repeats && unroll.HasNext()) return;
    }
    Inlined inlined;
    unroll.Finish(&namer_, &inlined);
    graph_.Replace(index, std::move(inlined));
  }

  void StepOf(const onnx::NodeProto& node, Unroll& unroll, bool is_endless, Inlined* to) {
    const std::optional<int64_t> left = unroll.Left();
    const int64_t nodes = unroll.NodesOfAStep() + 1;
    if (nodes > graph_.nodes_left() ||
        (is_endless && (!left || *left > graph_.nodes_left() / nodes))) {
      graph_.FailTooMany(node);
    }
    unroll.Step(&namer_, to);
  }

  void RunScan(size_t index, const std::map<std::string, graph::Value>& values) {
    Slot& slot = graph_.At(index);
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
      if (shapes[0][0] > graph_.nodes_left()) graph_.FailTooMany(node);
      Inlined inlined;
      SplitBatchOfScan(node, shapes[0][0], slot.prefix, &namer_, &inlined);
      return graph_.Replace(index, std::move(inlined));
    }
    Unroll unroll = Unroll::OfScan(node, shapes, slot.prefix);
    while (unroll.HasNext()) {
      Inlined inlined;
      StepOf(node, unroll, true, &inlined);
      graph_.Add(index, std::move(inlined));
    }
    Inlined inlined;
    unroll.Finish(&namer_, &inlined);
    graph_.Replace(index, std::move(inlined));
  }

  // Names of nodes may repeat.
  std::string PrefixOf(const onnx::NodeProto& node) {
    const std::string base = NameOf(node);
    const int64_t repeat = prefixes_[base]++;
    return repeat == 0 ? base + "/" : fmt::format("{}_{}/", base, repeat + 1);
  }

  int64_t opset_;
  const ReadPart& read_;
  bool remembers_;
  Namer namer_;
  FlowGraph graph_;
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
