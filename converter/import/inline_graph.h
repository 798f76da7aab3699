// The graph inside a node becomes nodes of the graph around it.
#ifndef OCTET_CONVERTER_IMPORT_INLINE_GRAPH_H_
#define OCTET_CONVERTER_IMPORT_INLINE_GRAPH_H_

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <onnx/onnx_pb.h>

namespace octet::import {

// Names of values inside, and what they are called outside. Others are values of the graph around.
using Names = std::unordered_map<std::string, std::string>;

// Names that no value has yet, also none inside a graph that is still to be inlined.
class Namer {
 public:
  explicit Namer(const onnx::GraphProto& graph) { Take(graph); }
  std::string Free(const std::string& base);

 private:
  void Take(const onnx::GraphProto& graph);

  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int64_t> repeats_;
};

struct Inlined {
  std::vector<onnx::NodeProto> nodes;
  std::vector<onnx::TensorProto> constants;
  std::vector<onnx::SparseTensorProto> sparse;
};

// Appends the nodes and constants of `graph`. What they define has a name of its own under
// `prefix`, unless `names` has one already; `names` holds all of them afterwards.
void InlineGraph(onnx::GraphProto graph, const std::string& prefix, Namer* namer, Names* names,
                 Inlined* to);

// What a value inside is called outside.
const std::string& NameOutside(const Names& names, const std::string& name);

// Renames all values of a graph and of the graphs inside its nodes.
void RenameValues(onnx::GraphProto* graph,
                  const std::function<std::string(const std::string&)>& renamed);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_INLINE_GRAPH_H_
