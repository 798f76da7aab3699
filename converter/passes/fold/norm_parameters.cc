// Scale and bias of normalizations as their layers have them: constants, one number for each
// element that is normalized (LayerNormalization, RMSNormalization) or each channel
// (InstanceNormalization, GroupNormalization). ONNX lets the former two broadcast them to the data,
// and all of them compute them.
// - A constant that broadcasts to the normalized dimensions is repeated.
// - What is computed, or differs along other dimensions, becomes a Mul and an Add of their own.

#include "converter/passes/editor.h"

namespace octet::passes {
namespace {

bool BroadcastsTo(const Shape& from, const Shape& to) {
  if (from.size() > to.size()) return false;
  for (size_t d = 0; d < from.size(); ++d) {
    if (from[d] != 1 && from[d] != to[to.size() - from.size() + d]) return false;
  }
  return true;
}

// Without the leading 1s that have no counterpart in `dims`.
Shape Trimmed(Shape shape, size_t dims) {
  while (shape.size() > dims && shape.front() == 1) shape.erase(shape.begin());
  return shape;
}

Tensor Repeated(const Tensor& tensor, const Shape& from, const Shape& to) {
  Tensor result = Tensor::Floats(to, {});
  const int64_t count = graph::ElementCount(to);
  const size_t lead = to.size() - from.size();
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, at = 0, step = 1;
    for (size_t d = to.size(); d-- > 0; rest /= to[d]) {
      if (d < lead) continue;
      if (from[d - lead] != 1) at += rest % to[d] * step;
      step *= from[d - lead];
    }
    result.floats.push_back(tensor.floats[static_cast<size_t>(at)]);
  }
  return result;
}

class Parameters {
 public:
  // shape: of the data; own: the dimensions that have parameters.
  Parameters(Editor& editor, int node, const Shape& shape, Shape own)
      : editor_(editor), node_(node), shape_(shape), own_(std::move(own)) {}

  bool IsGiven(size_t input) const {
    const Node& node = editor_.At(node_);
    return input < node.inputs.size() && node.inputs[input] != graph::kNoValue;
  }
  // A constant in full already.
  bool IsFull(size_t input) const {
    const Tensor* tensor = Constant(input);
    return tensor != nullptr && tensor->Count() == graph::ElementCount(own_);
  }
  bool Repeats(size_t input) const {
    const Tensor* tensor = Constant(input);
    return tensor != nullptr && BroadcastsTo(Trimmed(tensor->shape, own_.size()), own_);
  }
  void Repeat(size_t input) {
    const Tensor* tensor = Constant(input);
    const Shape from = Trimmed(tensor->shape, own_.size());
    editor_.SetConstantInput(node_, input, graph::Constant::Uncoded(Repeated(*tensor, from, own_)),
                             editor_.At(node_).name + (input == 1 ? "_scale" : "_bias"));
  }

  // The node without parameters, and what they do behind it. `along`: the shape in which parameters
  // in full broadcast to the data.
  bool Split(const Shape& along, bool takes_bias) {
    const std::string name = editor_.At(node_).name;
    const std::vector<ValueId> inputs = editor_.At(node_).inputs;
    std::vector<ValueId> operands;
    for (size_t i = 1; i < inputs.size(); ++i) {
      if (!IsGiven(i)) continue;
      const Shape& known = editor_.ShapeOf(inputs[i]);
      const bool full = graph::ElementCount(known) == graph::ElementCount(own_);
      if (!full && !BroadcastsTo(known, shape_)) return false;
    }
    const auto filled = [&](const char* what, float value) {
      const auto count = static_cast<size_t>(graph::ElementCount(own_));
      return editor_.NewConstant(name + what,
                                 Tensor::Floats(own_, std::vector<float>(count, value)));
    };
    std::vector<ValueId> plain{inputs[0], filled("_ones", 1)};
    if (takes_bias) plain.push_back(filled("_zeros", 0));
    ValueId value = editor_.NewValue(name + "_plain", graph::DataType::kFloat, shape_);
    const int added = editor_.AddNode(node_, editor_.At(node_).op, name + "_plain", plain, {value});
    editor_.At(added).attributes = editor_.At(node_).attributes;
    editor_.At(added).since_opset = editor_.At(node_).since_opset;
    const bool has_bias = IsGiven(2);
    const ValueId scale = Operand(inputs[1], name + "_scale", along);
    if (!has_bias) {
      editor_.Become(node_, "Mul", {value, scale});
      return true;
    }
    const ValueId bias = Operand(inputs[2], name + "_bias", along);
    const ValueId scaled = editor_.NewValue(name + "_scaled", graph::DataType::kFloat, shape_);
    editor_.AddNode(node_, "Mul", name + "_scaled", {value, scale}, {scaled});
    editor_.Become(node_, "Add", {scaled, bias});
    return true;
  }

 private:
  const Tensor* Constant(size_t input) const {
    return IsGiven(input) ? editor_.Constant(editor_.At(node_).inputs[input]) : nullptr;
  }
  ValueId Operand(ValueId id, const std::string& name, const Shape& along) {
    const Shape own = editor_.ShapeOf(id);
    if (graph::ElementCount(own) != graph::ElementCount(own_) || own == along) return id;
    const ValueId shape = editor_.NewConstant(
        name + "_shape", Tensor::Integers({static_cast<int64_t>(along.size())}, along));
    const ValueId reshaped = editor_.NewValue(name, graph::DataType::kFloat, along);
    editor_.AddNode(node_, "Reshape", name, {id, shape}, {reshaped});
    return reshaped;
  }

  Editor& editor_;
  int node_;
  Shape shape_, own_;
};

}  // namespace

int NormParameters(graph::Graph& graph) {
  Editor editor(graph);
  editor.ForEach({"LayerNormalization", "RMSNormalization"}, [&](int n) {
    const Node& node = editor.At(n);
    const Shape shape = editor.ShapeOf(node.inputs[0]);
    if (node.outputs.size() != 1 || !node.activation.empty()) return false;
    const auto rank = static_cast<int64_t>(shape.size());
    const int64_t axis = node.Int("axis", -1);
    const Shape own(shape.begin() + (axis < 0 ? axis + rank : axis), shape.end());
    Parameters parameters(editor, n, shape, own);
    bool repeats = true, full = true;
    for (const size_t i : {size_t{1}, size_t{2}}) {
      if (!parameters.IsGiven(i)) continue;
      full = full && parameters.IsFull(i);
      repeats = repeats && (parameters.IsFull(i) || parameters.Repeats(i));
    }
    if (full) return false;
    if (!repeats) return parameters.Split(own, false);
    for (const size_t i : {size_t{1}, size_t{2}}) {
      if (parameters.IsGiven(i) && !parameters.IsFull(i)) parameters.Repeat(i);
    }
    return true;
  });
  editor.ForEach({"InstanceNormalization", "GroupNormalization"}, [&](int n) {
    const Node& node = editor.At(n);
    const Shape shape = editor.ShapeOf(node.inputs[0]);
    if (shape.size() < 2 || !node.activation.empty()) return false;
    if (editor.IsConstant(node.inputs[1]) && editor.IsConstant(node.inputs[2])) return false;
    for (const size_t i : {size_t{1}, size_t{2}}) {
      const Shape& own = editor.ShapeOf(node.inputs[i]);
      if (own != Shape{shape[1]}) return false;
    }
    Shape along(shape.size() - 1, 1);
    along[0] = shape[1];
    return Parameters(editor, n, shape, {shape[1]}).Split(along, true);
  });
  return editor.Finish();
}

}  // namespace octet::passes
