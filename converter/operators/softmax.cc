// Softmax and LogSoftmax. From opset 13 along one axis; before (attribute octet_coerced) over all
// dimensions from the axis on, with default axis 1.
#include <algorithm>
#include <cmath>

#include "converter/operators/registry.h"

namespace octet::operators {
namespace {

struct SoftmaxView {
  int64_t outer, count, inner;
};

SoftmaxView ViewOf(const Node& node, const Shape& shape) {
  const bool coerced = node.Int("octet_coerced", 0) != 0;
  const auto axis =
      static_cast<size_t>(NormalizeAxis(node, node.Int("axis", coerced ? 1 : -1), shape.size()));
  if (coerced) return {Product(shape, 0, axis), Product(shape, axis, shape.size()), 1};
  return {Product(shape, 0, axis), shape[axis], Product(shape, axis + 1, shape.size())};
}

}  // namespace

std::vector<OutputType> InferSoftmax(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  RequireFloat(context, 0);
  RequireElements(context, 0);
  ViewOf(*context.node, InputShape(context, 0));
  return {{DataType::kFloat, InputShape(context, 0)}};
}

void ExecuteSoftmax(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const SoftmaxView view = ViewOf(node, inputs[0]->shape);
  const bool logarithm = node.op == "LogSoftmax", one_hot = node.op == "Hardmax";
  for (int64_t o = 0; o < view.outer; ++o) {
    for (int64_t i = 0; i < view.inner; ++i) {
      const int64_t start = o * view.count * view.inner + i;
      const float* in = inputs[0]->floats.data() + start;
      float* out = outputs[0].floats.data() + start;
      float max = in[0];
      for (int64_t k = 1; k < view.count; ++k) max = std::max(max, in[k * view.inner]);
      if (one_hot) {
        int64_t first = 0;
        while (first + 1 < view.count && in[first * view.inner] != max) ++first;
        for (int64_t k = 0; k < view.count; ++k) out[k * view.inner] = k == first ? 1.0f : 0.0f;
        continue;
      }
      double sum = 0;
      for (int64_t k = 0; k < view.count; ++k) {
        const float power = std::exp(in[k * view.inner] - max);
        if (!logarithm) out[k * view.inner] = power;
        sum += power;
      }
      const auto factor = static_cast<float>(1.0 / sum);
      const auto offset = static_cast<float>(std::log(sum));
      for (int64_t k = 0; k < view.count; ++k) {
        float& result = out[k * view.inner];
        result = logarithm ? in[k * view.inner] - max - offset : result * factor;
      }
    }
  }
}

}  // namespace octet::operators
