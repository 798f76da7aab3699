#include <algorithm>
#include <cmath>

#include "converter/lower/builder.h"
#include "converter/support/error.h"

namespace octet::lower {
namespace {

struct AxisMap {
  int64_t in = 1, out = 1;
  double scale = 1;
};

// ONNX operator specification, Resize, coordinate_transformation_mode.
double SourcePosition(const graph::Node& node, const std::string& mode, const AxisMap& axis,
                      int64_t i) {
  const auto x = static_cast<double>(i);
  if (mode == "half_pixel") return (x + 0.5) / axis.scale - 0.5;
  if (mode == "pytorch_half_pixel") return axis.out > 1 ? (x + 0.5) / axis.scale - 0.5 : 0.0;
  if (mode == "asymmetric") return x / axis.scale;
  if (mode == "align_corners") {
    return axis.out > 1 ? x * static_cast<double>(axis.in - 1) / static_cast<double>(axis.out - 1)
                        : 0.0;
  }
  if (mode == "half_pixel_symmetric") {
    const double adjustment =
        static_cast<double>(axis.out) / (axis.scale * static_cast<double>(axis.in));
    const double centre = static_cast<double>(axis.in) / 2;
    return centre * (1 - adjustment) + (x + 0.5) / axis.scale - 0.5;
  }
  Fail(
      "node '{}' (Resize): coordinate_transformation_mode {} is not supported; use half_pixel, "
      "align_corners or asymmetric",
      node.name, mode);
}

int64_t Nearest(const std::string& mode, double x) {
  if (mode == "floor") return static_cast<int64_t>(std::floor(x));
  if (mode == "ceil") return static_cast<int64_t>(std::ceil(x));
  if (mode == "round_prefer_ceil") return static_cast<int64_t>(std::floor(x + 0.5));
  return static_cast<int64_t>(std::ceil(x - 0.5));  // round_prefer_floor
}

AxisMap MapOf(Builder& builder, const graph::Node& node, size_t axis) {
  AxisMap map;
  map.in = builder.ShapeOf(node.inputs[0])[axis];
  map.out = builder.ShapeOf(node.outputs[0])[axis];
  map.scale = static_cast<double>(map.out) / static_cast<double>(map.in);
  const graph::Tensor* scales = node.inputs.size() > 2 && node.inputs[2] != graph::kNoValue
                                    ? builder.Constant(node.inputs[2])
                                    : nullptr;
  if (scales != nullptr && scales->floats.size() == 4) map.scale = scales->floats[axis];
  return map;
}

}  // namespace

void LowerResize(Builder& builder, const graph::Node& node) {
  const graph::Shape& in_shape = builder.ShapeOf(node.inputs[0]);
  const graph::Shape& out_shape = builder.ShapeOf(node.outputs[0]);
  if (in_shape.size() != 4 || in_shape[1] != out_shape[1]) {
    Fail("node '{}' (Resize): only height and width of a picture can be resized, not {} to {}",
         node.name, graph::ToString(in_shape), graph::ToString(out_shape));
  }
  const std::string mode = node.String("mode", "nearest");
  const std::string transform = node.String("coordinate_transformation_mode", "half_pixel");
  const std::string nearest = node.String("nearest_mode", "round_prefer_floor");
  if (mode != "nearest" && mode != "linear") {
    Fail("node '{}' (Resize): mode {} is not supported; use nearest or linear", node.name, mode);
  }
  const blob::Precision precision = builder.PrecisionOf(node);
  const blob::ElementType type = Builder::TypeOf(precision);
  const int input = builder.Use(node.inputs[0], Layout::kImage, type);
  const int output = builder.Define(node.outputs[0], Layout::kImage, type);
  builder.At(output).scale = builder.At(input).scale;
  builder.At(output).zero_point = builder.At(input).zero_point;
  Layer& layer =
      builder.Emit(node, mode == "nearest" ? blob::Op::kResizeNearest : blob::Op::kResizeLinear,
                   precision, {input}, output);
  std::vector<uint32_t> rows;
  std::vector<blob::ResizeTap> taps;
  for (size_t axis : {size_t{2}, size_t{3}}) {
    const AxisMap map = MapOf(builder, node, axis);
    for (int64_t i = 0; i < map.out; ++i) {
      const double x = SourcePosition(node, transform, map, i);
      if (mode == "nearest") {
        rows.push_back(
            static_cast<uint32_t>(std::clamp<int64_t>(Nearest(nearest, x), 0, map.in - 1)));
        continue;
      }
      const double clamped = std::clamp(x, 0.0, static_cast<double>(map.in - 1));
      const auto low = static_cast<int64_t>(std::floor(clamped));
      const auto high_weight =
          static_cast<uint32_t>(std::floor((clamped - static_cast<double>(low)) * 2048 + 0.5));
      taps.push_back(blob::ResizeTap{static_cast<uint32_t>(low),
                                     static_cast<uint32_t>(std::min(low + 1, map.in - 1)),
                                     2048 - high_weight, high_weight});
    }
  }
  layer.extra = mode == "nearest" ? ToBytes(rows) : ToBytes(taps);
  layer.Set(blob::ResizeParams{0});
}

}  // namespace octet::lower
