// The main graph of a model while nodes with graphs inside them are replaced: each node has a slot,
// whose place the nodes of its graph take.
#ifndef OCTET_CONVERTER_IMPORT_FLOW_GRAPH_H_
#define OCTET_CONVERTER_IMPORT_FLOW_GRAPH_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <onnx/onnx_pb.h>

#include "converter/graph/graph.h"
#include "converter/import/inline_graph.h"
#include "converter/import/unroll.h"

namespace octet::import {

class FlowGraph {
 public:
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

  // Takes the nodes of the model.
  explicit FlowGraph(onnx::ModelProto* model);

  Slot& At(size_t slot) { return slots_[slot]; }
  // A node with graphs inside that nobody has been given yet; false: there is none.
  bool NextFlow(size_t* slot);
  // More nodes in the place of a slot; Replace: all there are. Throws UserError where the graph
  // becomes too large.
  void Add(size_t place, Inlined inlined);
  void Replace(size_t slot, Inlined inlined);
  [[noreturn]] void FailTooMany(const onnx::NodeProto& node) const;
  // How many may still come.
  int64_t nodes_left() const { return nodes_left_; }
  // Puts the nodes back, in the order of the file, a graph where its node was.
  void Finish();

  // Where the graph can end in front of a node, in words: at a state that other nodes compute.
  std::string CutBefore(const onnx::NodeProto& node) const;
  bool IsInput(const std::string& value) const { return inputs_.count(value) != 0; }
  bool IsComputed(const std::string& value) const { return makers_.count(value) != 0; }
  bool IsConstant(const std::string& value) const { return constants_.count(value) != 0; }
  void ClampTripCountOf(const onnx::NodeProto& loop);

  // What is known of values, and which cannot be known.
  std::unordered_map<std::string, graph::Value> known;
  std::set<std::string> unreadable;
  // Adds what was read to *reads.
  Cone ConeOf(const std::string& value, size_t* reads) const;
  // A model that computes the value alone.
  onnx::ModelProto PartOf(const std::string& value, const Cone& cone) const;

 private:
  size_t Add(onnx::NodeProto node);

  onnx::ModelProto* model_;
  onnx::GraphProto& graph_;
  int64_t nodes_left_;
  size_t bytes_left_;
  std::deque<Slot> slots_;
  std::vector<size_t> first_;  // nodes of the file
  std::deque<size_t> flow_;    // not yet asked for
  std::unordered_map<std::string, size_t> makers_;
  std::unordered_map<std::string, onnx::TensorProto*> constants_;
  std::unordered_map<std::string, const onnx::ValueInfoProto*> inputs_;
};

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_FLOW_GRAPH_H_
