// CumSum: sums in double for floats.
#include "converter/operators/registry.h"

namespace octet::operators {
namespace {

double Plus(double a, double b) {
  return a + b;
}
int64_t Plus(int64_t a, int64_t b) {
  return WrappingAdd(a, b);
}

}  // namespace

std::vector<OutputType> InferCumSum(const ShapeContext& context) {
  CheckInputCount(context, 2, 2);
  const auto axis = KnownIntegers(context, 1, "the axis");
  if (axis.size() != 1) ShapeFail(context, "the axis (input 1) must be one integer");
  NormalizeAxis(*context.node, axis[0], InputShape(context, 0).size());
  return {{InputType(context, 0), InputShape(context, 0)}};
}

void ExecuteCumSum(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  const auto axis =
      static_cast<size_t>(NormalizeAxis(node, IntegersAt(inputs, 1)[0], in.shape.size()));
  const bool exclusive = node.Int("exclusive", 0) != 0, reverse = node.Int("reverse", 0) != 0;
  const int64_t count = in.shape[axis], inner = Product(in.shape, axis + 1, in.shape.size());
  const int64_t outer = Product(in.shape, 0, axis);
  ByStorage(in, outputs[0], [&](const auto* from, auto* to) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(from)>>;
    using Sum = std::conditional_t<std::is_same_v<T, float>, double, int64_t>;
    for (int64_t line = 0; line < outer * inner; ++line) {
      const int64_t start = line / inner * count * inner + line % inner;
      Sum sum = 0;
      for (int64_t i = 0; i < count; ++i) {
        const int64_t at = start + (reverse ? count - 1 - i : i) * inner;
        const Sum before = sum;
        sum = Plus(sum, static_cast<Sum>(from[at]));
        to[at] = static_cast<T>(exclusive ? before : sum);
      }
    }
  });
}

}  // namespace octet::operators
