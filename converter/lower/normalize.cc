// Normalizations: which axes they reduce, along which their scale and bias run, and the integers of
// their int8 form.
#include <algorithm>
#include <array>
#include <cmath>

#include "converter/lower/axes.h"
#include "converter/lower/node_fail.h"

namespace octet::lower {
namespace {

using blob::NormalizeKind;

// What a node asks for, with its axes as they are stored.
struct Normalization {
  NormalizeKind kind = NormalizeKind::kVariance;
  double epsilon = 0;
  Layout layout = Layout::kRowMajor;
  std::vector<Axis> axes;
  const graph::Tensor *scale = nullptr, *bias = nullptr;  // indexed by Axis::affine_step
};

const graph::Tensor* Parameter(Builder& builder, const graph::Node& node, size_t input) {
  if (input >= node.inputs.size() || node.inputs[input] == graph::kNoValue) return nullptr;
  const graph::Tensor* tensor = builder.Constant(node.inputs[input]);
  if (tensor == nullptr || !tensor->IsFloat()) {
    NodeFail(node, "its scale and bias must be constant");
  }
  return tensor;
}

// Axes from `first` on are reduced and have parameters of their own.
void FromAxis(const graph::Shape& shape, size_t first, Normalization* n) {
  const std::vector<size_t> stored = StoredAxes(shape, n->layout);
  for (size_t axis : stored) {
    int64_t step = 1;
    for (size_t d = axis + 1; d < shape.size(); ++d) step *= shape[d];
    const bool taken = axis >= first;
    n->axes.push_back({shape[axis], taken, taken, taken ? step : 0});
  }
}

// Channels in `groups`, each reduced together with the axes behind them.
void ByGroup(const graph::Shape& shape, int64_t groups, bool affine_by_group, Normalization* n) {
  const int64_t per_group = shape[1] / groups;
  for (size_t axis : StoredAxes(shape, n->layout)) {
    if (axis == 1) {
      n->axes.push_back({groups, false, true, affine_by_group ? 1 : per_group});
      n->axes.push_back({per_group, true, !affine_by_group, affine_by_group ? 0 : 1});
    } else {
      n->axes.push_back({shape[axis], axis > 1, false, 0});
    }
  }
}

void Along(const graph::Shape& shape, const std::vector<bool>& reduced, Normalization* n) {
  n->axes = StoredAxesOf(shape, n->layout, reduced);
}

Normalization Read(Builder& builder, const graph::Node& node) {
  const graph::Shape& shape = builder.ShapeOf(node.inputs[0]);
  const auto rank = static_cast<int64_t>(shape.size());
  const auto axis_of = [&](int64_t axis) {
    return static_cast<size_t>(axis < 0 ? axis + rank : axis);
  };
  Normalization n;
  n.layout = builder.Existing(node.inputs[0]);
  n.epsilon = node.Float("epsilon", 1e-5f);
  if (node.op == "MeanVarianceNormalization") {
    n.kind = NormalizeKind::kVarianceThenAdd;
    n.epsilon = 1e-9;  // of the function in the operator's specification
    Along(shape, FlagsOf(node.Ints("axes", {0, 2, 3}), shape.size(), false), &n);
    return n;
  }
  if (node.op == "LpNormalization") {
    n.kind = node.Int("p", 2) == 1 ? NormalizeKind::kL1 : NormalizeKind::kL2;
    n.epsilon = 0;
    Along(shape, FlagsOf({node.Int("axis", -1)}, shape.size(), false), &n);
    return n;
  }
  n.scale = Parameter(builder, node, 1);
  n.bias = Parameter(builder, node, 2);
  if (node.op == "LayerNormalization" || node.op == "RMSNormalization") {
    if (node.op == "RMSNormalization") n.kind = NormalizeKind::kMeanSquare;
    FromAxis(shape, axis_of(node.Int("axis", -1)), &n);
  } else if (node.op == "GroupNormalization") {
    const int64_t groups = node.Int("num_groups", 1);
    ByGroup(shape, groups, n.scale->Count() != shape[1], &n);
  } else {
    ByGroup(shape, shape[1], false, &n);  // every channel a group
  }
  return n;
}

// Parameters in the order of the stored axes that have them.
std::vector<double> Arranged(const std::vector<Axis>& axes, const graph::Tensor* tensor,
                             double absent) {
  std::vector<int64_t> offsets{0};
  for (const Axis& axis : axes) {
    if (!axis.affine) continue;
    std::vector<int64_t> next;
    for (int64_t offset : offsets) {
      for (int64_t i = 0; i < axis.size; ++i) next.push_back(offset + i * axis.affine_step);
    }
    offsets = std::move(next);
  }
  std::vector<double> values;
  for (int64_t offset : offsets) {
    values.push_back(tensor == nullptr ? absent : tensor->floats[static_cast<size_t>(offset)]);
  }
  return values;
}

Bytes HalfTable(const std::vector<double>& scale, const std::vector<double>& bias) {
  std::vector<float> table;
  for (double value : scale) table.push_back(static_cast<float>(value));
  for (double value : bias) table.push_back(static_cast<float>(value));
  return ToBytes(table);
}

// See NormalizeChannelS8: factor with 30 bits where offset leaves room for them.
Bytes Int8Table(const std::vector<double>& scale, const std::vector<double>& bias,
                double out_scale) {
  constexpr double kLargestFactor = 0x1p30, kLargestOffset = 0x1p59;
  std::vector<blob::NormalizeChannelS8> channels;
  for (size_t i = 0; i < scale.size(); ++i) {
    const double factor = std::ldexp(scale[i] / out_scale, -16);             // of a ratio in 2^-16
    const double offset = std::clamp(bias[i] / out_scale, -0x1p20, 0x1p20);  // more saturates
    int shift = 62;
    while (shift > 1 && (std::fabs(std::ldexp(factor, shift)) > kLargestFactor ||
                         std::fabs(std::ldexp(offset, shift)) > kLargestOffset)) {
      --shift;
    }
    const auto fixed = [shift](double x, double limit) {
      return static_cast<int64_t>(
          std::clamp(std::floor(std::ldexp(x, shift) + 0.5), -limit, limit));
    };
    const auto bits = static_cast<uint64_t>(fixed(offset, kLargestOffset));
    channels.push_back({{static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)},
                        static_cast<int32_t>(fixed(factor, kLargestFactor)),
                        shift});
  }
  return ToBytes(channels);
}

double GroupSize(const Normalization& n) {
  double count = 1;
  for (const Axis& axis : n.axes) count *= axis.reduced ? static_cast<double>(axis.size) : 1;
  return count;
}

// Low and high half of epsilon in squares of the input's steps, times GroupSize()^2.
std::array<uint32_t, 2> EpsilonFor(const Normalization& n, float in_scale) {
  const double ratio = GroupSize(n) / in_scale;
  const double steps = std::floor(n.epsilon * ratio * ratio + 0.5);
  const auto value =
      static_cast<uint64_t>(std::clamp(steps, 1.0, static_cast<double>(blob::kMaxEpsilonS8)));
  return {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)};
}

// One for every channel of an input whose channels have scales of their own.
Bytes EpsilonsFor(const Normalization& n, const Tensor& input) {
  std::vector<std::array<uint32_t, 2>> epsilons;
  for (const quantize::ChannelScheme& channel : input.channels) {
    epsilons.push_back(EpsilonFor(n, channel.scale));
  }
  return ToBytes(epsilons);
}

blob::Precision PrecisionFor(const Builder& builder, const graph::Node& node,
                             const Normalization& n) {
  const bool integer = n.kind == NormalizeKind::kVariance || n.kind == NormalizeKind::kMeanSquare;
  return integer && GroupSize(n) <= blob::kMaxGroupS8 ? builder.PrecisionOf(node)
                                                      : blob::Precision::kFp16;
}

}  // namespace

void LowerNormalize(Builder& builder, const graph::Node& node) {
  const Normalization n = Read(builder, node);
  const blob::Precision precision = PrecisionFor(builder, node, n);
  const blob::ElementType type = Builder::TypeOf(precision);
  const int input = builder.Use(node.inputs[0], n.layout, type);
  const int output = builder.Define(node.outputs[0], n.layout, type);
  blob::NormalizeParams params{};
  params.kind = n.kind;
  params.epsilon = static_cast<float>(n.epsilon);
  params.view = ViewOf(node, n.axes, &params.affine);
  const std::vector<double> scale = Arranged(n.axes, n.scale, 1),
                            bias = Arranged(n.axes, n.bias, 0);
  Layer& layer = builder.Emit(node, blob::Op::kNormalize, precision, {input}, output);
  if (precision == blob::Precision::kInt8) {
    const Tensor& in = builder.At(input);
    const std::array<uint32_t, 2> epsilon = EpsilonFor(n, in.scale);
    std::copy(epsilon.begin(), epsilon.end(), params.epsilon_q);
    if (!in.channels.empty()) layer.extra = EpsilonsFor(n, in);
    layer.table = Int8Table(scale, bias, builder.At(output).scale);
  } else if (n.scale != nullptr) {
    layer.table = HalfTable(scale, bias);
  }
  layer.Set(params);
}

void LowerLrn(Builder& builder, const graph::Node& node) {
  constexpr blob::ElementType kHalf = blob::ElementType::kFp16;
  const Layout layout = builder.Existing(node.inputs[0]);
  const int input = builder.Use(node.inputs[0], layout, kHalf);
  const int output = builder.Define(node.outputs[0], layout, kHalf);
  const graph::Shape& shape = builder.ShapeOf(node.inputs[0]);
  const Around around = AroundAxis(shape, layout, 1);
  const int64_t size = node.Int("size", 1);
  const auto reach = [&](int64_t count) {
    return static_cast<uint32_t>(std::min<int64_t>(count, shape[1]));
  };
  builder.Emit(node, blob::Op::kLrn, blob::Precision::kFp16, {input}, output)
      .Set(blob::LrnParams{around.outer, around.count, around.inner, reach((size - 1) / 2),
                           reach(size / 2), node.Float("alpha", 1e-4f) / static_cast<float>(size),
                           node.Float("beta", 0.75f), node.Float("bias", 1.0f)});
}

}  // namespace octet::lower
