#include "converter/operators/resize_map.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "converter/operators/context.h"
#include "converter/operators/index_map.h"

namespace octet::operators {
namespace {

using Taps = std::vector<ResizeTap>;

// Position in the source of result position `out`.
float Coordinate(const std::string& mode, const ResizeAxis& axis, int64_t out) {
  const auto x = static_cast<float>(out);
  const auto in_length = static_cast<float>(axis.in);
  const auto out_length = static_cast<float>(axis.out);
  if (mode == "asymmetric") return x / axis.scale;
  if (mode == "tf_half_pixel_for_nn") return (x + 0.5f) / axis.scale;
  if (mode == "align_corners") {
    return axis.out == 1 ? 0.0f : x * (in_length - 1) / (out_length - 1);
  }
  if (mode == "tf_crop_and_resize") {
    if (axis.out == 1) return 0.5f * (axis.roi_begin + axis.roi_end) * (in_length - 1);
    return axis.roi_begin * (in_length - 1) +
           x * (axis.roi_end - axis.roi_begin) * (in_length - 1) / (out_length - 1);
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
  const float low = std::floor(x);
  const float above = x - low;  // exact
  const int64_t index = ToInt64(static_cast<double>(low));
  if (mode == "floor") return index;
  if (mode == "ceil") return above > 0 ? index + 1 : index;
  if (mode == "round_prefer_ceil") return above >= 0.5f ? index + 1 : index;
  return above > 0.5f ? index + 1 : index;  // round_prefer_floor
}

double Triangle(double x) {
  return std::max(0.0, 1 - std::fabs(x));
}

// Keys' cubic convolution kernel; `a` is cubic_coeff_a.
double Cubic(double x, double a) {
  x = std::fabs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((x - 5) * x + 8) * x * a - 4 * a : 0.0;
}

struct Filter {
  bool cubic = false;
  double a = -0.75;
  bool antialias = false, exclude_outside = false;
};

// A filter of 1 (linear) or 2 (cubic) pixels either side; with antialias, and where it shrinks, so
// much wider. Taps outside repeat the border, or are left out; the weights sum to 1.
Taps FilterTaps(const Filter& filter, const ResizeAxis& axis, float position) {
  const double shrink = filter.antialias ? std::min(1.0, static_cast<double>(axis.scale)) : 1.0;
  const int64_t reach = ToInt64(std::ceil((filter.cubic ? 2 : 1) / shrink));
  const int64_t low = ToInt64(static_cast<double>(std::floor(position)));
  const double above = static_cast<double>(position) - static_cast<double>(low);
  const int64_t first = std::clamp<int64_t>(low + 1 - reach, 0, axis.in - 1);
  std::vector<double> weights(static_cast<size_t>(2 * reach), 0.0);  // of first and behind
  double sum = 0;
  for (int64_t i = 1 - reach; i <= reach; ++i) {
    if (filter.exclude_outside && (low + i < 0 || low + i >= axis.in)) continue;
    const double x = (static_cast<double>(i) - above) * shrink;
    const double weight = filter.cubic ? Cubic(x, filter.a) : Triangle(x);
    const int64_t index = std::clamp<int64_t>(low + i, 0, axis.in - 1);
    weights[static_cast<size_t>(index - first)] += weight;
    sum += weight;
  }
  Taps taps;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    taps.push_back({first + static_cast<int64_t>(i), static_cast<float>(weights[i] / sum)});
  }
  return taps;
}

Taps LinearTaps(const ResizeAxis& axis, float position) {
  const float x = std::clamp(position, 0.0f, static_cast<float>(axis.in - 1));
  const int64_t low = ToInt64(static_cast<double>(x));
  const float above = x - static_cast<float>(low);
  return {{low, 1 - above}, {std::min(low + 1, axis.in - 1), above}};
}

// keep_aspect_ratio_policy: one scale for all axes named, and sizes that follow from it.
void KeepAspectRatio(const std::string& policy, const std::vector<size_t>& named,
                     std::vector<ResizeAxis>* axes) {
  float scale = policy == "not_larger" ? std::numeric_limits<float>::max() : 0.0f;
  for (size_t i : named) {
    scale = policy == "not_larger" ? std::min(scale, (*axes)[i].scale)
                                   : std::max(scale, (*axes)[i].scale);
  }
  for (size_t i : named) {
    ResizeAxis& axis = (*axes)[i];
    axis.scale = scale;
    const double size = static_cast<double>(scale) * static_cast<double>(axis.in);
    axis.out = std::max<int64_t>(1, ToInt64(std::floor(size + 0.5)));
  }
}

void CheckOneOf(const Node& node, const char* key, const char* fallback,
                std::initializer_list<std::string_view> known) {
  const std::string value = node.String(key, fallback);
  if (std::find(known.begin(), known.end(), value) == known.end()) {
    NodeFail(node, "{} '{}' is unknown", key, value);
  }
}

}  // namespace

bool ResizeMap::ReachesOutside() const {
  return std::any_of(taps.begin(), taps.end(), [](const Taps& list) { return list.empty(); });
}

size_t ResizeMap::MostTaps() const {
  size_t most = 0;
  for (const Taps& list : taps) most = std::max(most, list.size());
  return most;
}

ResizeOperands ResizeOperandsOf(const Tensor* roi, const Tensor* scales, const Tensor* sizes) {
  ResizeOperands operands;
  if (roi != nullptr) operands.roi = roi->floats;
  if (scales != nullptr) operands.scales = scales->floats;
  if (sizes != nullptr) operands.sizes = sizes->integers;
  return operands;
}

std::vector<ResizeAxis> ResizeAxes(const Node& node, const Shape& shape,
                                   const ResizeOperands& operands) {
  const std::vector<float>& scales = operands.scales;
  const std::vector<int64_t>& sizes = operands.sizes;
  if (scales.empty() == sizes.empty()) NodeFail(node, "needs either scales or sizes");
  std::vector<ResizeAxis> axes(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) axes[i].in = axes[i].out = shape[i];
  std::vector<int64_t> list = node.Ints("axes");
  if (list.empty()) list = IdentityMap(static_cast<int64_t>(shape.size()));
  NormalizeAxes(node, list, shape.size());  // refuses repeated axes
  std::vector<size_t> named;
  for (int64_t axis : list) {
    named.push_back(static_cast<size_t>(NormalizeAxis(node, axis, shape.size())));
  }
  const size_t given = scales.empty() ? sizes.size() : scales.size();
  if (given != named.size()) {
    NodeFail(node, "{} {} for {} dimensions", given, scales.empty() ? "sizes" : "scales",
             named.size());
  }
  const bool crops =
      node.String("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize";
  if (crops && operands.roi.size() != 2 * given) {
    NodeFail(node, "tf_crop_and_resize needs a roi of {} values, not {}", 2 * given,
             operands.roi.size());
  }
  for (size_t i = 0; i < given; ++i) {
    ResizeAxis& axis = axes[named[i]];
    if (crops) {
      axis.roi_begin = operands.roi[i];
      axis.roi_end = operands.roi[i + given];
      if (!std::isfinite(axis.roi_begin) || !std::isfinite(axis.roi_end)) {
        NodeFail(node, "its roi is not finite");
      }
    }
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
  const std::string policy = node.String("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch" && scales.empty()) KeepAspectRatio(policy, named, &axes);
  return axes;
}

void CheckResizeAttributes(const Node& node) {
  CheckOneOf(node, "mode", "nearest", {"nearest", "linear", "cubic"});
  CheckOneOf(node, "nearest_mode", "round_prefer_floor",
             {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  CheckOneOf(node, "coordinate_transformation_mode", "half_pixel",
             {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
              "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"});
  CheckOneOf(node, "keep_aspect_ratio_policy", "stretch", {"stretch", "not_larger", "not_smaller"});
  const float a = node.Float("cubic_coeff_a", -0.75f);
  if (!(std::fabs(a) <= 16)) NodeFail(node, "cubic_coeff_a {} is out of range", a);
}

ResizeMap MakeResizeMap(const Node& node, const ResizeAxis& axis) {
  ResizeMap map;
  map.in = axis.in;
  const std::string mode = node.String("mode", "nearest");
  const std::string rounding = node.String("nearest_mode", "round_prefer_floor");
  const std::string transform = node.String("coordinate_transformation_mode", "half_pixel");
  const bool crops = transform == "tf_crop_and_resize";
  map.identity = axis.in == axis.out && axis.scale == 1.0f &&
                 (!crops || (axis.roi_begin == 0 && axis.roi_end == 1));
  const Filter filter{mode == "cubic", node.Float("cubic_coeff_a", -0.75f),
                      node.Int("antialias", 0) != 0, node.Int("exclude_outside", 0) != 0};
  map.taps.resize(static_cast<size_t>(axis.out));
  for (int64_t o = 0; o < axis.out; ++o) {
    Taps& taps = map.taps[static_cast<size_t>(o)];
    if (map.identity) {
      taps = {{o, 1.0f}};
      continue;
    }
    const float x = Coordinate(transform, axis, o);
    if (crops && (x < 0 || x > static_cast<float>(axis.in - 1))) continue;
    if (mode == "nearest") {
      taps = {{std::clamp<int64_t>(Nearest(rounding, x), 0, axis.in - 1), 1.0f}};
    } else if (mode == "linear" && !filter.antialias) {
      taps = LinearTaps(axis, x);
    } else {
      taps = FilterTaps(filter, axis, x);
    }
  }
  return map;
}

}  // namespace octet::operators
