// The nodes that take the place of one: what newer operators are written with.
#ifndef OCTET_CONVERTER_OPERATORS_NEWER_PARTS_H_
#define OCTET_CONVERTER_OPERATORS_NEWER_PARTS_H_

#include <map>
#include <string>
#include <vector>

#include "converter/graph/graph.h"

namespace octet::operators {

using graph::kNoValue;
using graph::Node;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;
using Attributes = std::map<std::string, graph::Attribute>;

class Parts {
 public:
  // `node` goes; what is added is appended to `nodes`, with its shapes inferred.
  Parts(graph::Graph& graph, Node node, std::vector<Node>* nodes)
      : graph_(graph), node_(std::move(node)), nodes_(nodes) {}

  const Node& node() const { return node_; }
  bool HasInput(size_t index) const {
    return index < node_.inputs.size() && node_.inputs[index] != kNoValue;
  }
  ValueId Input(size_t index) const { return HasInput(index) ? node_.inputs[index] : kNoValue; }
  // The operator is wrong without it.
  ValueId Required(size_t index) const;
  // Throws where it is not known.
  const Shape& ShapeOf(ValueId id) const;
  const Tensor* Constant(ValueId id) const { return graph_.Constant(id); }
  bool IsBool(ValueId id) const { return graph_.At(id).type == graph::DataType::kBool; }
  // Whole numbers that have to be known at conversion. what: "image_shape"
  std::vector<int64_t> KnownIntegers(ValueId id, const char* what) const;

  ValueId Add(const std::string& op, std::vector<ValueId> inputs, Attributes attributes = {});
  ValueId Floats(Tensor tensor);
  ValueId Float(float value) { return Floats(Tensor::Floats({}, {value})); }
  ValueId Integers(const std::vector<int64_t>& values);
  ValueId Reshape(ValueId id, const Shape& shape);
  ValueId Transpose(ValueId id, const std::vector<int64_t>& perm);
  ValueId Slice(ValueId id, int64_t axis, int64_t start, int64_t end, int64_t step = 1);
  // `value` is output `index` of the node that goes; nothing where the model leaves it out.
  void Give(size_t index, ValueId value);

  // Node and reason on one line.
  [[noreturn]] void Refuse(const std::string& why) const;

 private:
  graph::Graph& graph_;
  Node node_;
  std::vector<Node>* nodes_;
  int count_ = 0;
};

// One file each, or a small family.
void LiftAffineGrid(Parts& parts);
void LiftAttention(Parts& parts);
void LiftBlackmanWindow(Parts& parts);
void LiftCenterCropPad(Parts& parts);
void LiftCol2Im(Parts& parts);
void LiftDeformConv(Parts& parts);
void LiftDft(Parts& parts);
void LiftHammingWindow(Parts& parts);
void LiftHannWindow(Parts& parts);
void LiftMelWeightMatrix(Parts& parts);
void LiftRotaryEmbedding(Parts& parts);
void LiftStft(Parts& parts);
void LiftSwish(Parts& parts);
void LiftTensorScatter(Parts& parts);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_NEWER_PARTS_H_
