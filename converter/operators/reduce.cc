// Reductions (axes as an input, as in opset 18), ArgMax and ArgMin.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "converter/operators/broadcast.h"
#include "converter/operators/registry.h"
#include "converter/support/functions.h"

namespace octet::operators {
namespace {

// The shape with reduced dimensions kept as 1; equal to `shape` when there is nothing to reduce.
Shape KeptShape(const Node& node, const Shape& shape, const std::vector<int64_t>& axes) {
  Shape kept = shape;
  if (axes.empty()) {
    if (node.Int("noop_with_empty_axes", 0) == 0) std::fill(kept.begin(), kept.end(), 1);
    return kept;
  }
  for (int64_t axis : NormalizeAxes(node, axes, shape.size())) kept[static_cast<size_t>(axis)] = 1;
  return kept;
}

Shape DropAxes(const Node& node, const Shape& shape, const std::vector<int64_t>& axes) {
  if (axes.empty()) return node.Int("noop_with_empty_axes", 0) == 0 ? Shape() : shape;
  const auto dropped = NormalizeAxes(node, axes, shape.size());
  Shape result;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (!std::binary_search(dropped.begin(), dropped.end(), static_cast<int64_t>(d))) {
      result.push_back(shape[d]);
    }
  }
  return result;
}

double Plus(double a, double b) {
  return a + b;
}
int64_t Plus(int64_t a, int64_t b) {
  return WrappingAdd(a, b);
}
double Times(double a, double b) {
  return a * b;
}
int64_t Times(int64_t a, int64_t b) {
  return WrappingMul(a, b);
}

enum class Kind { kSum, kMean, kMax, kMin, kProd, kL1, kL2, kSumSquare, kLogSum, kLogSumExp };

Kind KindOf(const Node& node) {
  constexpr std::pair<std::string_view, Kind> kKinds[] = {
      {"ReduceSum", Kind::kSum},       {"ReduceMean", Kind::kMean},
      {"ReduceMax", Kind::kMax},       {"ReduceMin", Kind::kMin},
      {"ReduceProd", Kind::kProd},     {"ReduceL1", Kind::kL1},
      {"ReduceL2", Kind::kL2},         {"ReduceSumSquare", Kind::kSumSquare},
      {"ReduceLogSum", Kind::kLogSum}, {"ReduceLogSumExp", Kind::kLogSumExp},
  };
  for (const auto& [op, kind] : kKinds) {
    if (op == node.op) return kind;
  }
  NodeFail(node, "not a reduction");
}

template <typename Sum>
Sum Start(Kind kind) {
  if (kind == Kind::kMax) return std::numeric_limits<Sum>::lowest();
  if (kind == Kind::kMin) return std::numeric_limits<Sum>::max();
  return Sum(kind == Kind::kProd ? 1 : 0);
}

template <typename Sum>
Sum Joined(Kind kind, Sum sum, Sum value) {
  switch (kind) {
    case Kind::kMax:
      return std::max(sum, value);
    case Kind::kMin:
      return std::min(sum, value);
    case Kind::kProd:
      return Times(sum, value);
    case Kind::kL1:
      return Plus(sum, value < 0 ? Times(value, Sum(-1)) : value);
    case Kind::kL2:
    case Kind::kSumSquare:
      return Plus(sum, Times(value, value));
    default:
      return Plus(sum, value);
  }
}

double Finished(Kind kind, double sum, double count) {
  if (kind == Kind::kMean) return sum / count;
  if (kind == Kind::kL2) return std::sqrt(sum);
  return kind == Kind::kLogSum ? math::Log(sum) : sum;
}
int64_t Finished(Kind kind, int64_t sum, int64_t count) {
  if (kind == Kind::kMean) return sum / count;
  const bool is_real = kind == Kind::kL2 || kind == Kind::kLogSum;
  return is_real ? ToInt64(Finished(kind, static_cast<double>(sum), 1.0)) : sum;
}

// Sums run in `Sum` (double for floats), row after row of the input. `before` is taken off every
// element, and its exponential is summed, where it is given: one value for each result.
template <typename T, typename Sum>
std::vector<Sum> Collected(Kind kind, const Shape& shape, const Shape& kept, const T* in,
                           const std::vector<Sum>* before = nullptr) {
  std::vector<Sum> sums(static_cast<size_t>(graph::ElementCount(kept)), Start<Sum>(kind));
  const auto plan = PlanBroadcast<2>({&shape, &kept}, shape);
  ForEachRow<2>(plan, [&](const std::array<int64_t, 2>& offsets, int64_t, int64_t count,
                          const std::array<int64_t, 2>& strides) {
    const T* row = in + offsets[0];
    for (int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<size_t>(offsets[1] + i * strides[1]);
      auto value = static_cast<Sum>(row[i]);
      if (before != nullptr) {
        value = static_cast<Sum>(
            math::Exp(static_cast<double>(value) - static_cast<double>((*before)[at])));
      }
      sums[at] = Joined(kind, sums[at], value);
    }
  });
  return sums;
}

template <typename T, typename Sum>
void Reduce(const Node& node, const Shape& shape, const Shape& kept, const T* in, T* out) {
  const Kind kind = KindOf(node);
  const auto count = static_cast<Sum>(graph::ElementCount(shape) / graph::ElementCount(kept));
  if (kind == Kind::kLogSumExp) {
    const std::vector<Sum> max = Collected<T, Sum>(Kind::kMax, shape, kept, in);
    const std::vector<Sum> sums = Collected<T, Sum>(Kind::kSum, shape, kept, in, &max);
    for (size_t i = 0; i < sums.size(); ++i) {
      const double result = math::Log(static_cast<double>(sums[i])) + static_cast<double>(max[i]);
      if constexpr (std::is_integral_v<T>) {
        out[i] = static_cast<T>(ToInt64(result));
      } else {
        out[i] = static_cast<T>(result);
      }
    }
    return;
  }
  const std::vector<Sum> sums = Collected<T, Sum>(kind, shape, kept, in);
  for (size_t i = 0; i < sums.size(); ++i) {
    out[i] = static_cast<T>(Finished(kind, sums[i], count));
  }
}

}  // namespace

std::vector<OutputType> InferReduce(const ShapeContext& context) {
  CheckInputCount(context, 1, 2);
  const Node& node = *context.node;
  const Shape& shape = InputShape(context, 0);
  if (graph::ElementCount(shape) == 0) ShapeFail(context, "input 0 is empty");
  const auto axes = KnownIntegers(context, 1, "the list of axes");
  const bool keep = node.Int("keepdims", 1) != 0;
  return {
      {InputType(context, 0), keep ? KeptShape(node, shape, axes) : DropAxes(node, shape, axes)}};
}

void ExecuteReduce(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  const Shape kept = KeptShape(node, in.shape, IntegersAt(inputs, 1));
  if (in.IsFloat()) {
    Reduce<float, double>(node, in.shape, kept, in.floats.data(), outputs[0].floats.data());
  } else {
    Reduce<int64_t, int64_t>(node, in.shape, kept, in.integers.data(), outputs[0].integers.data());
  }
}

std::vector<OutputType> InferArgMax(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  const Node& node = *context.node;
  Shape shape = InputShape(context, 0);
  const int64_t axis = NormalizeAxis(node, node.Int("axis", 0), shape.size());
  if (shape[static_cast<size_t>(axis)] == 0) ShapeFail(context, "input 0 is empty");
  shape[static_cast<size_t>(axis)] = 1;
  if (node.Int("keepdims", 1) == 0) shape.erase(shape.begin() + axis);
  return {{DataType::kInt64, shape}};
}

void ExecuteArgMax(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  const auto axis = static_cast<size_t>(NormalizeAxis(node, node.Int("axis", 0), in.shape.size()));
  const bool last_wins = node.Int("select_last_index", 0) != 0;
  const bool smallest = node.op == "ArgMin";
  const int64_t outer = Product(in.shape, 0, axis);
  const int64_t count = in.shape[axis];
  const int64_t inner = Product(in.shape, axis + 1, in.shape.size());
  const auto search = [&](const auto* data) {
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i) {
        const auto* column = data + o * count * inner + i;
        int64_t best = 0;
        for (int64_t k = 1; k < count; ++k) {
          const auto challenger = column[k * inner];
          const auto champion = column[best * inner];
          const bool wins = smallest ? challenger < champion : challenger > champion;
          if (wins || (last_wins && challenger == champion)) best = k;
        }
        outputs[0].integers[static_cast<size_t>(o * inner + i)] = best;
      }
    }
  };
  if (in.IsFloat()) {
    search(in.floats.data());
  } else {
    search(in.integers.data());
  }
}

}  // namespace octet::operators
