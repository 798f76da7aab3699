// Softmax and LogSoftmax. From opset 13 along one axis; before (attribute octet_coerced) over all
// dimensions from the axis on, with default axis 1.
#include <algorithm>
#include <cmath>
#include <limits>

#include "converter/operators/registry.h"
#include "converter/operators/softmax_rows.h"
#include "converter/support/functions.h"

namespace octet::operators {

SoftmaxRows SoftmaxRowsOf(const Node& node, const Shape& shape) {
  const bool coerced = node.Int("octet_coerced", 0) != 0;
  const auto axis =
      static_cast<size_t>(NormalizeAxis(node, node.Int("axis", coerced ? 1 : -1), shape.size()));
  if (coerced) return {Product(shape, 0, axis), Product(shape, axis, shape.size()), 1};
  return {Product(shape, 0, axis), shape[axis], Product(shape, axis + 1, shape.size())};
}

float LeastThatCounts(const Node& node, const Tensor& input, float reach) {
  const SoftmaxRows rows = SoftmaxRowsOf(node, input.shape);
  const auto each = [&](auto f) {
    for (int64_t o = 0; o < rows.outer; ++o) {
      for (int64_t i = 0; i < rows.inner; ++i) {
        const float* row = input.floats.data() + o * rows.count * rows.inner + i;
        float largest = row[0];
        for (int64_t k = 1; k < rows.count; ++k) largest = std::max(largest, row[k * rows.inner]);
        f(row, largest);
      }
    }
  };
  float most = -std::numeric_limits<float>::infinity();
  each([&](const float*, float largest) { most = std::max(most, largest); });
  float least = std::numeric_limits<float>::infinity();
  each([&](const float* row, float largest) {
    if (!std::isfinite(largest) || largest <= most - reach) return;
    for (int64_t k = 0; k < rows.count; ++k) {
      const float x = row[k * rows.inner];
      if (x > largest - reach) least = std::min(least, x);
    }
  });
  return least;
}

std::vector<OutputType> InferSoftmax(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  RequireFloat(context, 0);
  RequireElements(context, 0);
  SoftmaxRowsOf(*context.node, InputShape(context, 0));
  return {{DataType::kFloat, InputShape(context, 0)}};
}

void ExecuteSoftmax(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const SoftmaxRows view = SoftmaxRowsOf(node, inputs[0]->shape);
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
        const float power = math::Exp(in[k * view.inner] - max);
        if (!logarithm) out[k * view.inner] = power;
        sum += power;
      }
      const auto factor = static_cast<float>(1.0 / sum);
      const auto offset = static_cast<float>(math::Log(sum));
      for (int64_t k = 0; k < view.count; ++k) {
        float& result = out[k * view.inner];
        result = logarithm ? in[k * view.inner] - max - offset : result * factor;
      }
    }
  }
}

}  // namespace octet::operators
