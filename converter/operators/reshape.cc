// Operators that keep the elements in order: Reshape, Flatten, Squeeze, Unsqueeze, Identity,
// Dropout (inference).
#include <algorithm>

#include "converter/operators/registry.h"

namespace octet::operators {

std::vector<OutputType> InferReshape(const ShapeContext& context) {
  CheckInputCount(context, 2, 2);
  const Shape& in = InputShape(context, 0);
  Shape result = KnownIntegers(context, 1, "the new shape");
  const bool allow_zero = context.node->Int("allowzero", 0) != 0;
  int64_t known = 1;
  int64_t* open = nullptr;
  for (size_t i = 0; i < result.size(); ++i) {
    int64_t& dim = result[i];
    if (dim == 0 && !allow_zero) {
      if (i >= in.size())
        ShapeFail(context,
                  "dimension {} of the new shape is 0 (copy), but the input has no such dimension",
                  i);
      dim = in[i];
    }
    if (dim == -1) {
      if (open != nullptr) ShapeFail(context, "the new shape has more than one -1");
      open = &dim;
    } else if (dim < 0) {
      ShapeFail(context, "the new shape {} has a negative dimension", graph::ToString(result));
    } else if (dim != 0 && known > (int64_t{1} << 40) / dim) {
      ShapeFail(context, "the new shape {} is too large", graph::ToString(result));
    } else {
      known *= dim;
    }
  }
  const int64_t count = graph::ElementCount(in);
  if (open != nullptr) {
    if (known == 0 || count % known != 0) {
      ShapeFail(context, "{} elements do not fill {}", count, graph::ToString(result));
    }
    *open = count / known;
    known *= *open;
  }
  if (known != count) {
    ShapeFail(context, "{} elements do not fill {}", count, graph::ToString(result));
  }
  return {{InputType(context, 0), result}};
}

std::vector<OutputType> InferFlatten(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  const Shape& shape = InputShape(context, 0);
  const auto rank = static_cast<int64_t>(shape.size());
  int64_t axis = context.node->Int("axis", 1);
  if (axis < -rank || axis > rank) ShapeFail(context, "axis {} is out of range", axis);
  if (axis < 0) axis += rank;
  const auto split = static_cast<size_t>(axis);
  return {{InputType(context, 0), {Product(shape, 0, split), Product(shape, split, shape.size())}}};
}

std::vector<OutputType> InferSqueeze(const ShapeContext& context) {
  CheckInputCount(context, 1, 2);
  const Shape& shape = InputShape(context, 0);
  const bool all = !HasInput(context, 1);
  const auto axes =
      NormalizeAxes(*context.node, KnownIntegers(context, 1, "the list of axes"), shape.size());
  Shape result;
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool named = std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(d));
    if (named && shape[d] != 1) ShapeFail(context, "dimension {} is {}, not 1", d, shape[d]);
    if (!named && !(all && shape[d] == 1)) result.push_back(shape[d]);
  }
  return {{InputType(context, 0), result}};
}

std::vector<OutputType> InferUnsqueeze(const ShapeContext& context) {
  CheckInputCount(context, 2, 2);
  Shape result = InputShape(context, 0);
  const auto given = KnownIntegers(context, 1, "the list of axes");
  // Sorted, so that each insertion leaves the later positions as named.
  for (int64_t axis : NormalizeAxes(*context.node, given, result.size() + given.size())) {
    result.insert(result.begin() + axis, 1);
  }
  return {{InputType(context, 0), result}};
}

std::vector<OutputType> InferIdentity(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  return {{InputType(context, 0), InputShape(context, 0)}};
}

void ExecuteCopy(const Node&, Inputs inputs, Outputs outputs, Workspace&) {
  const int64_t count = inputs[0]->Count();
  ByStorage(*inputs[0], outputs[0],
            [count](const auto* from, auto* to) { std::copy_n(from, count, to); });
}

std::vector<OutputType> InferDropout(const ShapeContext& context) {
  CheckInputCount(context, 1, 3);
  if (HasInput(context, 2)) {
    const Tensor* training = KnownInput(context, 2, "training_mode");
    if (!training->integers.empty() && training->integers[0] != 0) {
      ShapeFail(context, "is in training mode");
    }
  }
  const Shape& shape = InputShape(context, 0);
  return {{InputType(context, 0), shape}, {DataType::kBool, shape}};
}

void ExecuteDropout(const Node& node, Inputs inputs, Outputs outputs, Workspace& workspace) {
  ExecuteCopy(node, inputs, outputs, workspace);
  if (outputs.size() > 1) std::fill(outputs[1].integers.begin(), outputs[1].integers.end(), 1);
}

}  // namespace octet::operators
