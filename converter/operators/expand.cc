// Expand and Tile.
#include "converter/operators/index_map.h"
#include "converter/operators/registry.h"

namespace octet::operators {
namespace {

// The source repeated along every dimension until it fills the result; ranks may differ at the
// front.
void Repeat(const Tensor& in, Tensor& out) {
  if (out.Count() == 0) return;
  Shape shape(out.shape.size() - in.shape.size(), 1);
  shape.insert(shape.end(), in.shape.begin(), in.shape.end());
  IndexMaps maps;
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<int64_t> map = IdentityMap(out.shape[d]);
    for (int64_t& at : map) at %= shape[d];
    maps.push_back(std::move(map));
  }
  ByStorage(in, out,
            [&](const auto* from, auto* to) { CopyMapped(maps, shape, from, out.shape, to); });
}

}  // namespace

std::vector<OutputType> InferExpand(const ShapeContext& context) {
  CheckInputCount(context, 2, 2);
  const Shape target = KnownIntegers(context, 1, "the shape");
  return {{InputType(context, 0), Broadcast(*context.node, InputShape(context, 0), target)}};
}

void ExecuteExpand(const Node&, Inputs inputs, Outputs outputs, Workspace&) {
  Repeat(*inputs[0], outputs[0]);
}

std::vector<OutputType> InferTile(const ShapeContext& context) {
  CheckInputCount(context, 2, 2);
  Shape shape = InputShape(context, 0);
  const auto repeats = KnownIntegers(context, 1, "the list of repeats");
  if (repeats.size() != shape.size()) {
    ShapeFail(context, "{} repeats for {} dimensions", repeats.size(), shape.size());
  }
  for (size_t d = 0; d < shape.size(); ++d) {
    if (repeats[d] < 0 || (shape[d] != 0 && repeats[d] > (int64_t{1} << 31) / shape[d])) {
      ShapeFail(context, "{} repeats of a dimension of {} are out of range", repeats[d], shape[d]);
    }
    shape[d] *= repeats[d];
  }
  return {{InputType(context, 0), shape}};
}

void ExecuteTile(const Node&, Inputs inputs, Outputs outputs, Workspace&) {
  Repeat(*inputs[0], outputs[0]);
}

}  // namespace octet::operators
