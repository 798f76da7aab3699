// The steps of graphs from kAxisSeeds on: reductions and normalizations over any axes, products of
// two computed tensors, what picks and orders elements.
#include <algorithm>

#include "tests/converter/lower/random_graph.h"

namespace octet::test {

void RandomGraph::AxisStep() {
  switch (Pick(0, 7)) {
    case 0:
      return Reduction();
    case 1:
      return NormaliseAxes();
    case 2:
      return SoftmaxAxis();
    case 3:
      return Product();
    case 4:
      return Scan();
    case 5:
      return GatherAxis();
    case 6:
      return Order();
    default:
      return Sample();
  }
}

int64_t RandomGraph::AxisOf(const Entry& in) {
  return Pick(in.shape.size() > 1 ? 1 : 0, static_cast<int64_t>(in.shape.size()) - 1);
}

std::string RandomGraph::Whole(const Dims& shape, const Dims& values) {
  const std::string name = model_.Unique("whole");
  model_.Initializer(name, shape, values);
  return name;
}

void RandomGraph::Reduction() {
  static const char* const kOps[] = {"ReduceMean", "ReduceMax",       "ReduceMin",      "ReduceL1",
                                     "ReduceL2",   "ReduceSumSquare", "ReduceLogSumExp"};
  const Entry in = Bounded(Any(), -1, 1);
  Dims axes, shape{1};
  for (int64_t d = 1; d < static_cast<int64_t>(in.shape.size()); ++d) {
    const bool reduced = Chance(40);
    if (reduced) axes.push_back(d);
    shape.push_back(reduced ? 1 : in.shape[static_cast<size_t>(d)]);
  }
  // Of one element, the difference beside it is nothing but roundings.
  if (ElementsOf(shape) == ElementsOf(in.shape)) return;
  const char* op = kOps[Pick(0, 6)];
  const bool stretched = shape.size() == 4 && Chance(50);
  const OnnxValue result = in.value.Op(op, {{"axes", Ints(axes)}, {"keepdims", Int(1)}});
  if (!stretched) return Push(op, result, shape);
  Push("ReduceBeside", in.value.Sub(result), in.shape);
}

void RandomGraph::NormaliseAxes() {
  if (Chance(40)) {
    const Entry in = Any();
    if (in.shape.back() < 2) return;
    const std::string scale = model_.Unique("scale");
    model_.Random(scale, {in.shape.back()}, 1.0f);
    return Push("LayerNorm", in.value.Op("LayerNormalization", {{"epsilon", 0.1f}}, {scale}),
                in.shape);
  }
  const Entry in = Image();
  if (in.shape[2] * in.shape[3] < 2) return;
  if (Chance(30)) {
    return Push("LRN", in.value.Op("LRN", {{"size", Int(Pick(1, 5))}, {"alpha", 0.3f}}), in.shape);
  }
  const std::string scale = model_.Unique("scale"), bias = model_.Unique("bias");
  model_.Random(scale, {in.shape[1]}, 1.0f);
  model_.Random(bias, {in.shape[1]}, 0.3f);
  Push("InstanceNorm", in.value.Op("InstanceNormalization", {{"epsilon", 0.1f}}, {scale, bias}),
       in.shape);
}

void RandomGraph::SoftmaxAxis() {
  const Entry in = Any();
  if (Chance(25)) {
    discontinuous_ = true;
    return Push("Hardmax", in.value.Op("Hardmax", {{"axis", Int(AxisOf(in))}}), in.shape);
  }
  const char* op = Chance(70) ? "Softmax" : "LogSoftmax";
  Push(op, in.value.Op(op, {{"axis", Int(AxisOf(in))}}), in.shape);
}

// x x^T over the last two dimensions, or two of its halves.
void RandomGraph::Product() {
  const Entry in = Bounded(Any(), -1, 1);
  const size_t rank = in.shape.size();
  if (rank < 3 || in.shape[rank - 2] > 64) return;
  Dims order, shape = in.shape;
  for (size_t d = 0; d < rank; ++d) order.push_back(static_cast<int64_t>(d));
  std::swap(order[rank - 2], order[rank - 1]);
  shape[rank - 1] = shape[rank - 2];
  if (ElementsOf(shape) > kMostElements) return;
  const OnnxValue turned = in.value.Transpose(order);
  OnnxValue product = in.value.Op("MatMul", {}, {turned.name()});
  if (Chance(30)) {
    product = product.Op("Softmax").Op("MatMul", {}, {in.value.name()});
    return Push("Attention", product, in.shape);
  }
  Push("MatMul2", product, shape);
}

void RandomGraph::Scan() {
  const Entry in = Bounded(Any(), -0.5f, 0.5f);
  const int64_t axis = AxisOf(in);
  if (in.shape[static_cast<size_t>(axis)] > 16) return;
  Push("CumSum",
       in.value.Op("CumSum", {{"exclusive", Int(Pick(0, 1))}, {"reverse", Int(Pick(0, 1))}},
                   {Whole({}, {axis})}),
       in.shape);
}

void RandomGraph::GatherAxis() {
  const Entry in = Any();
  const int64_t axis = AxisOf(in), size = in.shape[static_cast<size_t>(axis)];
  Dims shape = in.shape;
  switch (Pick(0, 3)) {
    case 0: {
      Dims indices;
      for (int64_t i = Pick(1, 6); i > 0; --i) indices.push_back(Pick(-size, size - 1));
      shape[static_cast<size_t>(axis)] = static_cast<int64_t>(indices.size());
      const std::string name = Whole({static_cast<int64_t>(indices.size())}, indices);
      return Push("Gather", in.value.Op("Gather", {{"axis", Int(axis)}}, {name}), shape);
    }
    case 1: {
      Dims repeats(shape.size(), 1);
      repeats[static_cast<size_t>(axis)] = 2;
      shape[static_cast<size_t>(axis)] *= 2;
      if (ElementsOf(shape) > kMostElements) return;
      return Push("Tile",
                  in.value.Op("Tile", {}, {Whole({static_cast<int64_t>(shape.size())}, repeats)}),
                  shape);
    }
    case 2:
      // Backwards.
      return Push("Backwards",
                  in.value.Op("Slice", {},
                              {Whole({1}, {size - 1}), Whole({1}, {-size - 1}), Whole({1}, {axis}),
                               Whole({1}, {-1})}),
                  shape);
    default:
      if (shape.size() < 3) return;
      Push("Trilu", in.value.Op("Trilu", {{"upper", Int(Pick(0, 1))}}), shape);
  }
}

// The largest numbers in order: continuous, whichever of equal ones comes first.
void RandomGraph::Order() {
  const Entry in = Any();
  const int64_t axis = AxisOf(in), size = in.shape[static_cast<size_t>(axis)];
  const int64_t count = Pick(1, std::min<int64_t>(size, 8));
  Dims shape = in.shape;
  shape[static_cast<size_t>(axis)] = count;
  if (Chance(30)) {
    discontinuous_ = true;
    shape[static_cast<size_t>(axis)] = 1;
    const OnnxValue which = in.value.Op("ArgMax", {{"axis", Int(axis)}, {"keepdims", Int(1)}});
    return Push("ArgMax", which.Op("Cast", {{"to", Int(1)}}), shape);
  }
  const std::string values = model_.Unique("values"), indices = model_.Unique("indices");
  const OnnxValue top =
      model_.Node("TopK", {in.value.name(), Whole({1}, {count})},
                  {{"axis", Int(axis)}, {"largest", Int(Pick(0, 1))}}, {values, indices});
  Push("TopK", top, shape);
}

void RandomGraph::Sample() {
  const Entry in = Image();
  const int64_t h = Pick(1, 8), w = Pick(1, 8);
  std::vector<float> places;
  for (int64_t i = 0; i < 2 * h * w; ++i) {
    places.push_back(static_cast<float>(Pick(-90, 90)) / 80);
  }
  const std::string grid = model_.Unique("grid");
  model_.Initializer(grid, {1, h, w, 2}, places);
  static const char* const kPadding[] = {"zeros", "border", "reflection"};
  Push("GridSample",
       in.value.Op("GridSample",
                   {{"padding_mode", kPadding[Pick(0, 2)]}, {"align_corners", Int(Pick(0, 1))}},
                   {grid}),
       {1, in.shape[1], h, w});
}

}  // namespace octet::test
