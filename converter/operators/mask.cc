// Trilu, EyeLike, Compress, NonZero, OneHot, ReverseSequence: results made of positions.
#include <algorithm>
#include <cmath>

#include "converter/operators/index_map.h"
#include "converter/operators/registry.h"

namespace octet::operators {
namespace {

int64_t DiagonalOf(const Tensor* k) {
  return k == nullptr || k->integers.empty() ? 0 : k->integers[0];
}

std::vector<int64_t> ChosenBy(const Tensor& condition) {
  std::vector<int64_t> chosen;
  for (size_t i = 0; i < condition.integers.size(); ++i) {
    if (condition.integers[i] != 0) chosen.push_back(static_cast<int64_t>(i));
  }
  return chosen;
}

}  // namespace

std::vector<OutputType> InferTrilu(const ShapeContext& context) {
  CheckInputCount(context, 1, 2);
  if (InputShape(context, 0).size() < 2) ShapeFail(context, "needs at least 2 dimensions");
  KnownIntegers(context, 1, "the diagonal");
  return {{InputType(context, 0), InputShape(context, 0)}};
}

void ExecuteTrilu(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Shape& shape = inputs[0]->shape;
  const int64_t rows = shape[shape.size() - 2], columns = shape.back();
  const int64_t k = DiagonalOf(At(inputs, 1));
  const bool upper = node.Int("upper", 1) != 0;
  ByStorage(*inputs[0], outputs[0], [&](const auto* from, auto* to) {
    for (int64_t i = 0; i < inputs[0]->Count(); ++i) {
      const int64_t row = i / columns % rows, column = i % columns;
      // Compared without a sum: k may be anything.
      const bool kept = upper ? column - row >= k : column - row <= k;
      to[i] = kept ? from[i] : 0;
    }
  });
}

std::vector<OutputType> InferEyeLike(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  RequireRank(context, 0, 2, 2);
  const int64_t code = context.node->Int("dtype", 0);
  const auto type =
      context.node->Has("dtype") ? TypeOfCode(code) : std::optional(InputType(context, 0));
  if (!type) ShapeFail(context, "dtype {} is not supported", code);
  return {{*type, InputShape(context, 0)}};
}

void ExecuteEyeLike(const Node& node, Inputs, Outputs outputs, Workspace&) {
  Tensor& out = outputs[0];
  const int64_t k = node.Int("k", 0), columns = out.shape[1];
  std::fill(out.floats.begin(), out.floats.end(), 0.0f);
  std::fill(out.integers.begin(), out.integers.end(), 0);
  for (int64_t row = 0; row < out.shape[0]; ++row) {
    const int64_t column = WrappingAdd(row, k);
    if (column < 0 || column >= columns) continue;
    const auto at = static_cast<size_t>(row * columns + column);
    out.IsFloat() ? void(out.floats[at] = 1.0f) : void(out.integers[at] = 1);
  }
}

std::vector<OutputType> InferCompress(const ShapeContext& context) {
  CheckInputCount(context, 2, 2);
  const Tensor* condition = KnownInput(context, 1, "the condition");
  if (condition->IsFloat() || condition->shape.size() != 1) {
    ShapeFail(context, "the condition must be bool, of one dimension");
  }
  Shape shape = InputShape(context, 0);
  const auto chosen = ChosenBy(*condition);
  const auto count = static_cast<int64_t>(chosen.size());
  int64_t size = graph::ElementCount(shape);
  if (context.node->Has("axis")) {
    int64_t& dim = shape[static_cast<size_t>(
        NormalizeAxis(*context.node, context.node->Int("axis", 0), shape.size()))];
    size = dim;
    dim = count;
  } else {
    shape = {count};
  }
  if (condition->Count() > size) ShapeFail(context, "the condition is longer than the data");
  return {{InputType(context, 0), shape}};
}

void ExecuteCompress(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  const auto chosen = ChosenBy(*inputs[1]);
  ByStorage(in, outputs[0], [&](const auto* from, auto* to) {
    if (!node.Has("axis")) {
      for (int64_t at : chosen) *to++ = from[at];
      return;
    }
    IndexMaps maps;
    for (int64_t dim : in.shape) maps.push_back(IdentityMap(dim));
    maps[static_cast<size_t>(NormalizeAxis(node, node.Int("axis", 0), in.shape.size()))] = chosen;
    CopyMapped(maps, in.shape, from, outputs[0].shape, to);
  });
}

// How many there are decides the shape: only of constants.
std::vector<OutputType> InferNonZero(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  const Tensor* data = KnownInput(context, 0, "the data");
  int64_t count = 0;
  for (float x : data->floats) count += x != 0.0f ? 1 : 0;
  for (int64_t x : data->integers) count += x != 0 ? 1 : 0;
  return {{DataType::kInt64, {static_cast<int64_t>(data->shape.size()), count}}};
}

void ExecuteNonZero(const Node&, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& data = *inputs[0];
  const auto strides = Strides(data.shape);
  const auto count = static_cast<size_t>(outputs[0].shape[1]);
  size_t found = 0;
  for (int64_t i = 0; i < data.Count(); ++i) {
    const auto at = static_cast<size_t>(i);
    if (data.IsFloat() ? data.floats[at] == 0.0f : data.integers[at] == 0) continue;
    for (size_t d = 0; d < strides.size(); ++d) {
      outputs[0].integers[d * count + found] = i / strides[d] % data.shape[d];
    }
    ++found;
  }
}

std::vector<OutputType> InferOneHot(const ShapeContext& context) {
  CheckInputCount(context, 3, 3);
  const Tensor* depth = KnownInput(context, 1, "the depth");
  if (depth->Count() != 1) ShapeFail(context, "the depth must be a scalar");
  const double size = depth->IsFloat() ? depth->floats[0] : static_cast<double>(depth->integers[0]);
  if (!(size >= 1 && size <= 1 << 24)) ShapeFail(context, "depth {} is out of range", size);
  if (InputShape(context, 2) != Shape{2})
    ShapeFail(context, "the values must be two numbers: off and on");
  Shape shape = InputShape(context, 0);
  const int64_t axis =
      NormalizeAxis(*context.node, context.node->Int("axis", -1), shape.size() + 1);
  shape.insert(shape.begin() + axis, static_cast<int64_t>(size));
  return {{InputType(context, 2), shape}};
}

void ExecuteOneHot(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& indices = *inputs[0];
  Tensor& out = outputs[0];
  const auto axis =
      static_cast<size_t>(NormalizeAxis(node, node.Int("axis", -1), out.shape.size()));
  const int64_t depth = out.shape[axis];
  const int64_t inner = Product(out.shape, axis + 1, out.shape.size());
  ByStorage(*inputs[2], out, [&](const auto* values, auto* to) {
    for (int64_t i = 0; i < out.Count(); ++i) {
      const auto at = static_cast<size_t>(i / inner / depth * inner + i % inner);
      // Fractions are cut off; what lies outside [-depth, depth) is nowhere on.
      const double index = indices.IsFloat() ? std::trunc(static_cast<double>(indices.floats[at]))
                                             : static_cast<double>(indices.integers[at]);
      const auto place = static_cast<double>(i / inner % depth);
      to[i] = index == place || index + static_cast<double>(depth) == place ? values[1] : values[0];
    }
  });
}

std::vector<OutputType> InferReverseSequence(const ShapeContext& context) {
  CheckInputCount(context, 2, 2);
  const Shape& shape = InputShape(context, 0);
  const int64_t batch = context.node->Int("batch_axis", 1);
  const int64_t time = context.node->Int("time_axis", 0);
  if (shape.size() < 2 || batch + time != 1 || batch * time != 0) {
    ShapeFail(context, "batch_axis and time_axis must be 0 and 1");
  }
  const auto lengths = KnownIntegers(context, 1, "the list of lengths");
  if (static_cast<int64_t>(lengths.size()) != shape[static_cast<size_t>(batch)]) {
    ShapeFail(context, "{} lengths for {} sequences", lengths.size(),
              shape[static_cast<size_t>(batch)]);
  }
  for (int64_t length : lengths) {
    if (length < 0 || length > shape[static_cast<size_t>(time)]) {
      ShapeFail(context, "length {} is out of range", length);
    }
  }
  return {{InputType(context, 0), shape}};
}

void ExecuteReverseSequence(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  const bool time_first = node.Int("time_axis", 0) == 0;
  const int64_t columns = in.shape[1], inner = Product(in.shape, 2, in.shape.size());
  ByStorage(in, outputs[0], [&](const auto* from, auto* to) {
    for (int64_t i = 0; i < in.shape[0] * columns; ++i) {
      int64_t row = i / columns, column = i % columns;
      const int64_t length = inputs[1]->integers[static_cast<size_t>(time_first ? column : row)];
      int64_t& time = time_first ? row : column;
      if (time < length) time = length - 1 - time;
      std::copy_n(from + (row * columns + column) * inner, inner, to + i * inner);
    }
  });
}

}  // namespace octet::operators
