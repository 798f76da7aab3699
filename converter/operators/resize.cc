// Resize-11 and newer (X, roi, scales, sizes), nearest and linear. Coordinates are computed in
// float, as the scales are given: in double, 1/3 read as float would move pixels that the model's
// author saw elsewhere.
#include <algorithm>
#include <cmath>
#include <string>

#include "converter/operators/index_map.h"
#include "converter/operators/registry.h"

namespace octet::operators {
namespace {

struct ResizeAxis {
  int64_t in = 1;
  int64_t out = 1;
  float scale = 1.0f;
  bool IsIdentity() const { return in == out && scale == 1.0f; }
};

// Sizes or scales per dimension; one of them is empty.
std::vector<ResizeAxis> MakeAxes(const Node& node, const Shape& shape,
                                 const std::vector<float>& scales,
                                 const std::vector<int64_t>& sizes) {
  if (scales.empty() == sizes.empty()) NodeFail(node, "needs either scales or sizes");
  std::vector<ResizeAxis> axes;
  for (int64_t dim : shape) axes.push_back({dim, dim, 1.0f});
  std::vector<int64_t> named = node.Ints("axes");
  if (named.empty()) named = IdentityMap(static_cast<int64_t>(shape.size()));
  NormalizeAxes(node, named, shape.size());  // refuses repeated axes
  const size_t given = scales.empty() ? sizes.size() : scales.size();
  if (given != named.size()) {
    NodeFail(node, "{} {} for {} dimensions", given, scales.empty() ? "sizes" : "scales",
             named.size());
  }
  for (size_t i = 0; i < given; ++i) {
    ResizeAxis& axis = axes[static_cast<size_t>(NormalizeAxis(node, named[i], shape.size()))];
    if (scales.empty()) {
      if (sizes[i] < 1) NodeFail(node, "size {} is not positive", sizes[i]);
      axis.out = sizes[i];
      axis.scale = static_cast<float>(axis.out) / static_cast<float>(axis.in);
    } else {
      const float result = std::floor(static_cast<float>(axis.in) * scales[i]);
      if (!(scales[i] > 0) || !(result >= 1) || result > 1e9f) {
        NodeFail(node, "scale {} does not fit a dimension of {}", scales[i], axis.in);
      }
      axis.scale = scales[i];
      axis.out = static_cast<int64_t>(result);
    }
  }
  return axes;
}

// Position in the source of result position `out`.
float Coordinate(const std::string& mode, const ResizeAxis& axis, int64_t out) {
  const auto x = static_cast<float>(out);
  const auto in_length = static_cast<float>(axis.in);
  const auto out_length = static_cast<float>(axis.out);
  if (mode == "asymmetric") return x / axis.scale;
  if (mode == "align_corners") {
    return axis.out == 1 ? 0.0f : x * (in_length - 1) / (out_length - 1);
  }
  if (mode == "pytorch_half_pixel" && axis.out == 1) return 0.0f;
  const float centre = (x + 0.5f) / axis.scale - 0.5f;
  if (mode == "half_pixel_symmetric") {
    const float adjustment = out_length / (axis.scale * in_length);
    return in_length / 2 * (1 - adjustment) + centre;
  }
  return centre;
}

int64_t Nearest(const std::string& mode, float x) {
  if (mode == "floor") return static_cast<int64_t>(std::floor(x));
  if (mode == "ceil") return static_cast<int64_t>(std::ceil(x));
  if (mode == "round_prefer_ceil") return static_cast<int64_t>(std::floor(x + 0.5f));
  return static_cast<int64_t>(std::ceil(x - 0.5f));  // round_prefer_floor
}

template <typename T>
void ResizeNearest(const Node& node, const std::vector<ResizeAxis>& axes, const Shape& in_shape,
                   const T* in, const Shape& out_shape, T* out) {
  const std::string rounding = node.String("nearest_mode", "round_prefer_floor");
  const std::string mode = node.String("coordinate_transformation_mode", "half_pixel");
  IndexMaps maps;
  for (const ResizeAxis& axis : axes) {
    std::vector<int64_t> map(static_cast<size_t>(axis.out));
    for (int64_t o = 0; o < axis.out; ++o) {
      const int64_t at = axis.IsIdentity() ? o : Nearest(rounding, Coordinate(mode, axis, o));
      map[static_cast<size_t>(o)] = std::clamp<int64_t>(at, 0, axis.in - 1);
    }
    maps.push_back(std::move(map));
  }
  CopyMapped(maps, in_shape, in, out_shape, out);
}

// Interpolates along one dimension; the result has axis.out in its place.
std::vector<float> InterpolateAxis(const std::string& mode, const ResizeAxis& axis, int64_t outer,
                                   int64_t inner, const std::vector<float>& in) {
  std::vector<float> out(static_cast<size_t>(outer * axis.out * inner));
  for (int64_t o = 0; o < axis.out; ++o) {
    const float x = std::clamp(Coordinate(mode, axis, o), 0.0f, static_cast<float>(axis.in - 1));
    const auto low = static_cast<int64_t>(x);
    const int64_t high = std::min(low + 1, axis.in - 1);
    const float weight = x - static_cast<float>(low);
    for (int64_t p = 0; p < outer; ++p) {
      const float* a = in.data() + (p * axis.in + low) * inner;
      const float* b = in.data() + (p * axis.in + high) * inner;
      float* target = out.data() + (p * axis.out + o) * inner;
      for (int64_t i = 0; i < inner; ++i) target[i] = a[i] * (1 - weight) + b[i] * weight;
    }
  }
  return out;
}

void ResizeLinear(const Node& node, const std::vector<ResizeAxis>& axes, const Tensor& in,
                  Tensor& out) {
  const std::string mode = node.String("coordinate_transformation_mode", "half_pixel");
  std::vector<float> data = in.floats;
  Shape shape = in.shape;
  for (size_t d = 0; d < axes.size(); ++d) {
    if (axes[d].IsIdentity()) continue;
    data = InterpolateAxis(mode, axes[d], Product(shape, 0, d), Product(shape, d + 1, shape.size()),
                           data);
    shape[d] = axes[d].out;
  }
  std::copy(data.begin(), data.end(), out.floats.begin());
}

void CheckAttributes(const ShapeContext& context) {
  const Node& node = *context.node;
  const std::string mode = node.String("mode", "nearest");
  if (mode != "nearest" && mode != "linear") {
    ShapeFail(context, "mode '{}' is not supported, only nearest and linear", mode);
  }
  const std::string nearest = node.String("nearest_mode", "round_prefer_floor");
  if (nearest != "round_prefer_floor" && nearest != "round_prefer_ceil" && nearest != "floor" &&
      nearest != "ceil") {
    ShapeFail(context, "nearest_mode '{}' is unknown", nearest);
  }
  const std::string coordinates = node.String("coordinate_transformation_mode", "half_pixel");
  if (coordinates != "half_pixel" && coordinates != "pytorch_half_pixel" &&
      coordinates != "align_corners" && coordinates != "asymmetric" &&
      coordinates != "half_pixel_symmetric") {
    ShapeFail(context, "coordinate_transformation_mode '{}' is not supported", coordinates);
  }
  if (node.Int("antialias", 0) != 0) ShapeFail(context, "antialias is not supported");
  if (node.String("keep_aspect_ratio_policy", "stretch") != "stretch") {
    ShapeFail(context, "keep_aspect_ratio_policy '{}' is not supported, only stretch",
              node.String("keep_aspect_ratio_policy", ""));
  }
  if (mode == "linear") RequireFloat(context, 0);
}

}  // namespace

std::vector<OutputType> InferResize(const ShapeContext& context) {
  CheckInputCount(context, 1, 4);
  CheckAttributes(context);
  const Shape& shape = InputShape(context, 0);
  if (graph::ElementCount(shape) == 0) ShapeFail(context, "input 0 is empty");
  const Tensor* scales = KnownInput(context, 2, "the list of scales");
  if (scales != nullptr && !scales->IsFloat()) ShapeFail(context, "scales must be floating point");
  const auto axes = MakeAxes(*context.node, shape, scales ? scales->floats : std::vector<float>(),
                             KnownIntegers(context, 3, "the list of sizes"));
  Shape result;
  for (const ResizeAxis& axis : axes) result.push_back(axis.out);
  return {{InputType(context, 0), result}};
}

void ExecuteResize(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  const Tensor* scales = At(inputs, 2);
  const auto axes = MakeAxes(node, in.shape, scales ? scales->floats : std::vector<float>(),
                             IntegersAt(inputs, 3));
  if (node.String("mode", "nearest") == "linear") return ResizeLinear(node, axes, in, outputs[0]);
  ByStorage(in, outputs[0], [&](const auto* from, auto* to) {
    ResizeNearest(node, axes, in.shape, from, outputs[0].shape, to);
  });
}

}  // namespace octet::operators
