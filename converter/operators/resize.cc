// Resize-11 and newer (X, roi, scales, sizes); resize_map.h has the positions and weights.
#include <algorithm>
#include <string>

#include "converter/operators/index_map.h"
#include "converter/operators/registry.h"
#include "converter/operators/resize_map.h"

namespace octet::operators {
namespace {

using Maps = std::vector<ResizeMap>;

Maps MapsOf(const Node& node, const Shape& shape, Inputs inputs) {
  Maps maps;
  const ResizeOperands operands = ResizeOperandsOf(At(inputs, 1), At(inputs, 2), At(inputs, 3));
  for (const ResizeAxis& axis : ResizeAxes(node, shape, operands)) {
    maps.push_back(MakeResizeMap(node, axis));
  }
  return maps;
}

// One tap an element: a copy.
template <typename T>
void CopyNearest(const Maps& maps, T fill, const Shape& in_shape, const T* in,
                 const Shape& out_shape, T* out) {
  IndexMaps indices;
  for (const ResizeMap& map : maps) {
    std::vector<int64_t> index;
    for (const auto& taps : map.taps) index.push_back(taps.empty() ? -1 : taps[0].index);
    indices.push_back(std::move(index));
  }
  CopyMapped(indices, in_shape, in, out_shape, out, fill);
}

// Along one dimension; the result has as many elements there as the map has positions. 0 outside.
std::vector<float> ResampleAxis(const ResizeMap& map, int64_t outer, int64_t inner,
                                const std::vector<float>& in) {
  const auto out_length = static_cast<int64_t>(map.taps.size());
  std::vector<float> out(static_cast<size_t>(outer * out_length * inner), 0.0f);
  for (int64_t o = 0; o < out_length; ++o) {
    for (const ResizeTap& tap : map.taps[static_cast<size_t>(o)]) {
      for (int64_t p = 0; p < outer; ++p) {
        const float* source = in.data() + (p * map.in + tap.index) * inner;
        float* target = out.data() + (p * out_length + o) * inner;
        for (int64_t i = 0; i < inner; ++i) target[i] += source[i] * tap.weight;
      }
    }
  }
  return out;
}

// The extrapolation value where any coordinate lies outside the source.
void FillOutside(const Maps& maps, float value, Tensor& out) {
  for (size_t axis = 0; axis < maps.size(); ++axis) {
    if (!maps[axis].ReachesOutside()) continue;
    const int64_t inner = Product(out.shape, axis + 1, out.shape.size());
    const int64_t outer = Product(out.shape, 0, axis);
    const int64_t length = out.shape[axis];
    for (int64_t o = 0; o < length; ++o) {
      if (!maps[axis].taps[static_cast<size_t>(o)].empty()) continue;
      for (int64_t p = 0; p < outer; ++p) {
        float* target = out.floats.data() + (p * length + o) * inner;
        std::fill(target, target + inner, value);
      }
    }
  }
}

void Resample(const Node& node, const Maps& maps, const Tensor& in, Tensor& out) {
  std::vector<float> data = in.floats;
  Shape shape = in.shape;
  for (size_t d = 0; d < maps.size(); ++d) {
    if (maps[d].identity) continue;
    data = ResampleAxis(maps[d], Product(shape, 0, d), Product(shape, d + 1, shape.size()), data);
    shape[d] = static_cast<int64_t>(maps[d].taps.size());
  }
  std::copy(data.begin(), data.end(), out.floats.begin());
  FillOutside(maps, node.Float("extrapolation_value", 0.0f), out);
}

}  // namespace

std::vector<OutputType> InferResize(const ShapeContext& context) {
  CheckInputCount(context, 1, 4);
  CheckResizeAttributes(*context.node);
  const Shape& shape = InputShape(context, 0);
  if (graph::ElementCount(shape) == 0) ShapeFail(context, "input 0 is empty");
  if (context.node->String("mode", "nearest") != "nearest") RequireFloat(context, 0);
  const Tensor* roi =
      context.node->String("coordinate_transformation_mode", "") == "tf_crop_and_resize"
          ? KnownInput(context, 1, "the region")
          : nullptr;
  const Tensor* scales = KnownInput(context, 2, "the list of scales");
  if (scales != nullptr && !scales->IsFloat()) ShapeFail(context, "scales must be floating point");
  const Tensor* sizes = KnownInput(context, 3, "the list of sizes");
  if (sizes != nullptr && sizes->IsFloat()) ShapeFail(context, "sizes must be integers");
  Shape result;
  for (const ResizeAxis& axis :
       ResizeAxes(*context.node, shape, ResizeOperandsOf(roi, scales, sizes))) {
    result.push_back(axis.out);
  }
  return {{InputType(context, 0), result}};
}

void ExecuteResize(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  const Maps maps = MapsOf(node, in.shape, inputs);
  if (node.String("mode", "nearest") != "nearest") return Resample(node, maps, in, outputs[0]);
  const float outside = node.Float("extrapolation_value", 0.0f);
  ByStorage(in, outputs[0], [&]<typename T>(const T* from, T* to) {
    CopyNearest(maps, static_cast<T>(outside), in.shape, from, outputs[0].shape, to);
  });
}

}  // namespace octet::operators
