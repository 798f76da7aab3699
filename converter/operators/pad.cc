// Pad-11 and newer: pads, value and axes are inputs. Negative padding crops.
#include <algorithm>

#include "converter/operators/index_map.h"
#include "converter/operators/registry.h"

namespace octet::operators {
namespace {

constexpr int64_t kMaxPad = 1 << 20;

// What is added to a dimension; negative: taken away.
struct Margins {
  int64_t begin = 0, end = 0;
};

void CheckAxis(const Node& node, const std::string& mode, int64_t in, const Margins& pads) {
  const auto [begin, end] = pads;
  if (begin < -kMaxPad || begin > kMaxPad || end < -kMaxPad || end > kMaxPad ||
      in + begin + end < 0) {
    NodeFail(node, "padding {} and {} does not fit a dimension of {}", begin, end, in);
  }
  if (mode == "reflect" && (begin >= in || end >= in)) {
    NodeFail(node, "reflecting {} and {} needs a dimension larger than {}", begin, end, in);
  }
  if (mode != "constant" && in == 0) NodeFail(node, "mode '{}' of an empty dimension", mode);
}

std::vector<Margins> MarginsOf(const Node& node, const Shape& shape,
                               const std::vector<int64_t>& pads, std::vector<int64_t> axes) {
  const std::string mode = node.String("mode", "constant");
  if (mode != "constant" && mode != "edge" && mode != "reflect" && mode != "wrap") {
    NodeFail(node, "mode '{}' is unknown", mode);
  }
  if (axes.empty()) axes = IdentityMap(static_cast<int64_t>(shape.size()));
  NormalizeAxes(node, axes, shape.size());  // refuses repeated axes
  if (pads.size() != 2 * axes.size()) {
    NodeFail(node, "{} pads for {} dimensions", pads.size(), axes.size());
  }
  std::vector<Margins> margins(shape.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(NormalizeAxis(node, axes[i], shape.size()));
    margins[axis] = {pads[i], pads[i + axes.size()]};
    CheckAxis(node, mode, shape[axis], margins[axis]);
  }
  return margins;
}

std::vector<int64_t> MapAxis(const std::string& mode, int64_t in, const Margins& pads) {
  std::vector<int64_t> map;
  for (int64_t o = 0; o < in + pads.begin + pads.end; ++o) {
    const int64_t at = o - pads.begin;
    if (at >= 0 && at < in) {
      map.push_back(at);
    } else if (mode == "constant") {
      map.push_back(-1);
    } else if (mode == "edge") {
      map.push_back(std::clamp<int64_t>(at, 0, in - 1));
    } else if (mode == "reflect") {
      map.push_back(at < 0 ? -at : 2 * (in - 1) - at);
    } else {
      map.push_back(((at % in) + in) % in);
    }
  }
  return map;
}

}  // namespace

std::vector<OutputType> InferPad(const ShapeContext& context) {
  CheckInputCount(context, 2, 4);
  if (HasInput(context, 2)) {
    if (graph::ElementCount(InputShape(context, 2)) > 1) {
      ShapeFail(context, "the value (input 2) must be a scalar");
    }
    if (InputType(context, 2) != InputType(context, 0)) {
      ShapeFail(context, "the value (input 2) must have the type of the data");
    }
  }
  Shape result = InputShape(context, 0);
  const auto margins =
      MarginsOf(*context.node, result, KnownIntegers(context, 1, "the list of pads"),
                KnownIntegers(context, 3, "the list of axes"));
  for (size_t d = 0; d < result.size(); ++d) result[d] += margins[d].begin + margins[d].end;
  return {{InputType(context, 0), result}};
}

void ExecutePad(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  const Tensor* value = At(inputs, 2);
  const auto margins = MarginsOf(node, in.shape, IntegersAt(inputs, 1), IntegersAt(inputs, 3));
  IndexMaps maps;
  for (size_t d = 0; d < in.shape.size(); ++d) {
    maps.push_back(MapAxis(node.String("mode", "constant"), in.shape[d], margins[d]));
  }
  const Shape& shape = outputs[0].shape;
  if (in.IsFloat()) {
    const float fill = value == nullptr || value->floats.empty() ? 0.0f : value->floats[0];
    CopyMapped(maps, in.shape, in.floats.data(), shape, outputs[0].floats.data(), fill);
  } else {
    const int64_t fill = value == nullptr || value->integers.empty() ? 0 : value->integers[0];
    CopyMapped(maps, in.shape, in.integers.data(), shape, outputs[0].integers.data(), fill);
  }
}

}  // namespace octet::operators
