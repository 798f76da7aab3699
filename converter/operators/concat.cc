// Concat and Split.
#include <algorithm>
#include <numeric>

#include "converter/operators/registry.h"

namespace octet::operators {
namespace {

size_t AxisOf(const Node& node, const Shape& shape, int64_t fallback) {
  return static_cast<size_t>(NormalizeAxis(node, node.Int("axis", fallback), shape.size()));
}

// Lengths of the parts along the axis: the split input, or equal parts with a shorter last one.
std::vector<int64_t> PartLengths(const Node& node, const std::vector<int64_t>& given,
                                 int64_t length) {
  const auto parts = static_cast<int64_t>(node.outputs.size());
  if (!given.empty()) {
    if (static_cast<int64_t>(given.size()) != parts) {
      NodeFail(node, "{} lengths for {} outputs", given.size(), parts);
    }
    if (std::any_of(given.begin(), given.end(), [](int64_t value) { return value < 0; }) ||
        std::accumulate(given.begin(), given.end(), int64_t{0}) != length) {
      NodeFail(node, "the parts [{}] do not add up to {}", fmt::join(given, ","), length);
    }
    return given;
  }
  if (parts == 0) NodeFail(node, "has no outputs");
  if (node.Has("num_outputs") && node.Int("num_outputs", 0) != parts) {
    NodeFail(node, "num_outputs is {}, but there are {} outputs", node.Int("num_outputs", 0),
             parts);
  }
  if (length % parts != 0 && !node.Has("num_outputs")) {
    NodeFail(node, "{} cannot be split into {} equal parts", length, parts);
  }
  const int64_t part = (length + parts - 1) / parts;
  std::vector<int64_t> lengths(static_cast<size_t>(parts), part);
  lengths.back() = length - part * (parts - 1);
  if (lengths.back() < 0) NodeFail(node, "{} cannot be split into {} parts", length, parts);
  return lengths;
}

}  // namespace

std::vector<OutputType> InferConcat(const ShapeContext& context) {
  CheckInputCount(context, 1, 4096);
  Shape result = InputShape(context, 0);
  if (!context.node->Has("axis")) ShapeFail(context, "attribute axis is missing");
  const size_t axis = AxisOf(*context.node, result, 0);
  for (size_t i = 1; i < context.inputs.size(); ++i) {
    const Shape& shape = InputShape(context, i);
    Shape expected = result;
    if (shape.size() == result.size()) expected[axis] = shape[axis];
    if (shape != expected) ShapeFail(context, "input {} differs outside axis {}", i, axis);
    if (InputType(context, i) != InputType(context, 0)) {
      ShapeFail(context, "inputs have different types");
    }
    result[axis] += shape[axis];
  }
  return {{InputType(context, 0), result}};
}

void ExecuteConcat(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  Tensor& out = outputs[0];
  const size_t axis = AxisOf(node, out.shape, 0);
  const int64_t outer = Product(out.shape, 0, axis);
  const int64_t out_row = Product(out.shape, axis, out.shape.size());
  int64_t at = 0;
  for (const Tensor* input : inputs) {
    const int64_t row = Product(input->shape, axis, input->shape.size());
    ByStorage(*input, out, [&](const auto* from, auto* to) {
      for (int64_t o = 0; o < outer; ++o) std::copy_n(from + o * row, row, to + o * out_row + at);
    });
    at += row;
  }
}

std::vector<OutputType> InferSplit(const ShapeContext& context) {
  CheckInputCount(context, 1, 2);
  const Shape& shape = InputShape(context, 0);
  const size_t axis = AxisOf(*context.node, shape, 0);
  const auto& outputs = context.node->outputs;
  if (std::find(outputs.begin(), outputs.end(), graph::kNoValue) != outputs.end()) {
    ShapeFail(context, "an output is omitted");
  }
  const auto given = KnownIntegers(context, 1, "the list of lengths");
  std::vector<OutputType> types;
  for (int64_t length : PartLengths(*context.node, given, shape[axis])) {
    Shape part = shape;
    part[axis] = length;
    types.push_back({InputType(context, 0), part});
  }
  return types;
}

void ExecuteSplit(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  const size_t axis = AxisOf(node, in.shape, 0);
  const int64_t outer = Product(in.shape, 0, axis);
  const int64_t in_row = Product(in.shape, axis, in.shape.size());
  int64_t at = 0;
  for (Tensor& out : outputs) {
    const int64_t row = Product(out.shape, axis, out.shape.size());
    ByStorage(in, out, [&](const auto* from, auto* to) {
      for (int64_t o = 0; o < outer; ++o) std::copy_n(from + o * in_row + at, row, to + o * row);
    });
    at += row;
  }
}

}  // namespace octet::operators
