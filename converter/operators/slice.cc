// Slice-10 and newer: starts, ends, axes and steps are inputs.
#include <algorithm>

#include "converter/operators/index_map.h"
#include "converter/operators/registry.h"

namespace octet::operators {
namespace {

// Positions begin, begin + step, ... of one dimension.
struct Steps {
  int64_t begin, step, count;
};

std::vector<Steps> StepsOf(const Node& node, const Shape& shape, const std::vector<int64_t>& starts,
                           const std::vector<int64_t>& ends, std::vector<int64_t> axes,
                           std::vector<int64_t> steps) {
  if (axes.empty()) {
    for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  }
  if (steps.empty()) steps.assign(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size()) {
    NodeFail(node, "starts, ends, axes and steps have {}, {}, {} and {} entries", starts.size(),
             ends.size(), axes.size(), steps.size());
  }
  NormalizeAxes(node, axes, shape.size());  // refuses repeated axes
  std::vector<Steps> result;
  for (int64_t dim : shape) result.push_back({0, 1, dim});
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(NormalizeAxis(node, axes[i], shape.size()));
    const int64_t dim = shape[axis];
    // Beyond the tensor every step is alike; bounded so that nothing overflows.
    const int64_t step = std::clamp<int64_t>(steps[i], -dim - 1, dim + 1);
    if (step == 0) NodeFail(node, "a step is 0");
    if (dim == 0) continue;
    const auto place = [dim](int64_t bound, int64_t low, int64_t high) {
      return std::clamp(bound < 0 ? bound + dim : bound, low, high);
    };
    const bool forward = step > 0;
    const int64_t begin = place(starts[i], 0, forward ? dim : dim - 1);
    const int64_t end = forward ? place(ends[i], 0, dim) : place(ends[i], -1, dim - 1);
    const int64_t length = forward ? end - begin : begin - end;
    const int64_t stride = forward ? step : -step;
    result[axis] = {begin, step, length <= 0 ? 0 : (length + stride - 1) / stride};
  }
  return result;
}

}  // namespace

std::vector<OutputType> InferSlice(const ShapeContext& context) {
  CheckInputCount(context, 3, 5);
  const Shape& shape = InputShape(context, 0);
  const auto steps = StepsOf(*context.node, shape, KnownIntegers(context, 1, "the list of starts"),
                             KnownIntegers(context, 2, "the list of ends"),
                             KnownIntegers(context, 3, "the list of axes"),
                             KnownIntegers(context, 4, "the list of steps"));
  Shape result;
  for (const Steps& axis : steps) result.push_back(axis.count);
  return {{InputType(context, 0), result}};
}

void ExecuteSlice(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  IndexMaps maps;
  for (const Steps& axis : StepsOf(node, in.shape, IntegersAt(inputs, 1), IntegersAt(inputs, 2),
                                   IntegersAt(inputs, 3), IntegersAt(inputs, 4))) {
    std::vector<int64_t>& map = maps.emplace_back();
    for (int64_t i = 0; i < axis.count; ++i) map.push_back(axis.begin + i * axis.step);
  }
  ByStorage(in, outputs[0], [&](const auto* from, auto* to) {
    CopyMapped(maps, in.shape, from, outputs[0].shape, to);
  });
}

}  // namespace octet::operators
