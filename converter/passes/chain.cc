#include "converter/passes/chain.h"

#include <utility>

namespace octet::passes {

Chain::Chain(Editor& editor, int node, ValueId start)
    : editor_(&editor),
      node_(node),
      name_(editor.At(node).name),
      value_(start),
      shape_(editor.ShapeOf(start)) {}

ValueId Chain::Constant(const char* what, std::vector<int64_t> values) {
  const auto count = static_cast<int64_t>(values.size());
  return editor_->NewConstant(name_ + what, Tensor::Integers({count}, std::move(values)));
}

int Chain::Op(const std::string& op, const Shape& result, const std::vector<ValueId>& others) {
  std::vector<ValueId> inputs = {value_};
  inputs.insert(inputs.end(), others.begin(), others.end());
  const std::string base = name_ + "_" + op;
  value_ = editor_->NewValue(base, graph::DataType::kFloat, result);
  shape_ = result;
  last_ = editor_->AddNode(node_, op, base, std::move(inputs), {value_});
  return last_;
}

void Chain::Reshape(const Shape& shape) {
  if (shape == shape_) return;
  Op("Reshape", shape, {Constant("_shape", shape)});
}

void Chain::Transpose(const std::vector<int64_t>& perm) {
  Shape moved;
  bool identity = true;
  for (size_t i = 0; i < perm.size(); ++i) {
    moved.push_back(shape_[static_cast<size_t>(perm[i])]);
    identity = identity && perm[i] == static_cast<int64_t>(i);
  }
  if (identity) return;
  const int node = Op("Transpose", moved);
  editor_->At(node).attributes["perm"] = perm;
}

void Chain::Slice(size_t axis, int64_t begin, int64_t end, int64_t step) {
  Shape cut = shape_;
  if (begin == 0 && end == cut[axis] && step == 1) return;
  cut[axis] = (end - begin + step - 1) / step;
  Op("Slice", cut,
     {Constant("_start", {begin}), Constant("_end", {end}),
      Constant("_axis", {static_cast<int64_t>(axis)}), Constant("_step", {step})});
}

void Chain::PadWithZeros(size_t axis, int64_t before, int64_t after) {
  if (before == 0 && after == 0) return;
  std::vector<int64_t> pads(2 * shape_.size(), 0);
  pads[axis] = before;
  pads[axis + shape_.size()] = after;
  Shape padded = shape_;
  padded[axis] += before + after;
  Op("Pad", padded, {Constant("_pads", pads)});
}

void Chain::Concat(const std::vector<Chain>& parts, size_t axis) {
  std::vector<ValueId> others;
  Shape joined = parts[0].shape_;
  for (size_t i = 1; i < parts.size(); ++i) {
    others.push_back(parts[i].value_);
    joined[axis] += parts[i].shape_[axis];
  }
  *this = parts[0];
  if (others.empty()) return;
  const int node = Op("Concat", joined, others);
  editor_->At(node).attributes["axis"] = static_cast<int64_t>(axis);
}

void Chain::Through(int node, const Shape& result, bool keeps_scheme) {
  const ValueId written = editor_->At(node).outputs[0];
  editor_->SetInput(node, 0, value_);
  value_ = editor_->NewValue(name_ + "_inner", graph::DataType::kFloat, result);
  const graph::GivenCodes given = editor_->Value(written).given;
  if (keeps_scheme && given) editor_->Give(value_, *given);
  editor_->SetOutput(node, 0, value_);
  shape_ = result;
  last_ = node;
}

void Chain::EndIn(ValueId result) {
  if (last_ < 0) Op("Identity", shape_);
  editor_->SetOutput(last_, 0, result);
}

}  // namespace octet::passes
