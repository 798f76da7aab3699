#include <algorithm>
#include <limits>

#include "converter/operators/registry.h"

namespace octet::operators {
namespace {

// Bounds of Clip-11 and newer: scalars, each optional.
template <typename T>
T Bound(const Tensor* tensor, const std::vector<T>& values, T fallback) {
  return tensor == nullptr || values.empty() ? fallback : values[0];
}

}  // namespace

std::vector<OutputType> InferClip(const ShapeContext& context) {
  CheckInputCount(context, 1, 3);
  for (size_t i = 1; i < 3; ++i) {
    if (!HasInput(context, i)) continue;
    if (graph::ElementCount(InputShape(context, i)) != 1) {
      ShapeFail(context, "bound (input {}) must be a scalar", i);
    }
    if (InputType(context, i) != InputType(context, 0)) {
      ShapeFail(context, "bound (input {}) must have the type of the data", i);
    }
  }
  return {{InputType(context, 0), InputShape(context, 0)}};
}

void ExecuteClip(const Node&, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor* low = At(inputs, 1);
  const Tensor* high = At(inputs, 2);
  if (inputs[0]->IsFloat()) {
    using Limits = std::numeric_limits<float>;
    static const std::vector<float> none;
    const float min = Bound(low, low ? low->floats : none, Limits::lowest());
    const float max = Bound(high, high ? high->floats : none, Limits::max());
    std::copy(inputs[0]->floats.begin(), inputs[0]->floats.end(), outputs[0].floats.begin());
    ApplyActivation("Clip", outputs[0].floats, min, max);
    return;
  }
  using Limits = std::numeric_limits<int64_t>;
  static const std::vector<int64_t> none;
  const int64_t min = Bound(low, low ? low->integers : none, Limits::min());
  const int64_t max = Bound(high, high ? high->integers : none, Limits::max());
  for (size_t i = 0; i < outputs[0].integers.size(); ++i) {
    outputs[0].integers[i] = std::min(std::max(inputs[0]->integers[i], min), max);
  }
}

}  // namespace octet::operators
