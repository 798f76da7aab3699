// Operators that only move data: the int8 result keeps the scale of its input.
#include <algorithm>

#include "converter/lower/builder.h"
#include "converter/lower/conv.h"
#include "converter/lower/move.h"
#include "converter/lower/node_fail.h"

namespace octet::lower {
namespace {

void KeepScale(Builder& builder, int input, int output) {
  builder.At(output).scale = builder.At(input).scale;
  builder.At(output).zero_point = builder.At(input).zero_point;
}

const std::vector<int64_t>& ConstantInts(Builder& builder, const graph::Node& node, size_t input) {
  const graph::Tensor* tensor = input < node.inputs.size() && node.inputs[input] != graph::kNoValue
                                    ? builder.Constant(node.inputs[input])
                                    : nullptr;
  if (tensor == nullptr || tensor->IsFloat()) {
    NodeFail(node, "input {} must be constant; export with fixed shapes", input);
  }
  return tensor->integers;
}

}  // namespace

namespace {

// [outer, 1, count of the axis, inner]: above 4 dimensions a Concat sees no others.
void AroundAxis(const graph::Shape& shape, int64_t axis, uint32_t (&dims)[4]) {
  int64_t outer = 1, inner = 1;
  for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i) {
    if (i < axis) outer *= shape[static_cast<size_t>(i)];
    if (i > axis) inner *= shape[static_cast<size_t>(i)];
  }
  dims[0] = static_cast<uint32_t>(outer);
  dims[1] = 1;
  dims[2] = static_cast<uint32_t>(shape[static_cast<size_t>(axis)]);
  dims[3] = static_cast<uint32_t>(inner);
}

}  // namespace

void LowerConcat(Builder& builder, const graph::Node& node) {
  const blob::Precision precision = builder.PrecisionOf(node);
  const blob::ElementType type = Builder::TypeOf(precision);
  const graph::Shape& shape = builder.ShapeOf(node.outputs[0]);
  const bool flat = shape.size() > 4;
  const Layout layout = builder.Existing(node.inputs[0]);
  int64_t axis = node.Int("axis", 0);
  if (axis < 0) axis += static_cast<int64_t>(shape.size());
  uint32_t dims[4];
  std::vector<int> inputs;
  for (graph::ValueId input : node.inputs) {
    inputs.push_back(builder.Use(input, layout, type));
    if (!flat) continue;
    AroundAxis(builder.ShapeOf(input), axis, dims);
    inputs.back() = builder.Reshape(inputs.back(), dims, node.name);
  }
  int output = -1;
  if (flat) {
    AroundAxis(shape, axis, dims);
    output = builder.Temporary(node.name, builder.At(inputs[0]).type, dims, nullptr);
    if (precision == blob::Precision::kInt8) {
      builder.At(output).scale = builder.SchemeOf(node.outputs[0]).scale;
      builder.At(output).zero_point = builder.SchemeOf(node.outputs[0]).zero_point;
    }
  } else {
    output = builder.Define(node.outputs[0], layout, type);
  }
  Bytes tables;
  bool rescales = false;
  if (precision == blob::Precision::kInt8) {
    for (int input : inputs) {
      const Tensor &from = builder.At(input), &to = builder.At(output);
      rescales |= from.scale != to.scale || from.zero_point != to.zero_point;
      const Bytes table = UnaryTable(FunctionOf{}, from, to);
      tables.insert(tables.end(), table.begin(), table.end());
    }
  }
  Layer& layer = builder.Emit(node, blob::Op::kConcat, precision, inputs, output);
  layer.Set(blob::ConcatParams{flat ? 2 : static_cast<uint32_t>(ArenaAxis(shape, axis, layout))});
  if (rescales) layer.table = std::move(tables);
  if (!flat) return;
  DimsOf(shape, Layout::kRowMajor, dims);
  builder.Alias(node.outputs[0], Layout::kRowMajor, builder.Reshape(output, dims, node.name));
}

void LowerSlice(Builder& builder, const graph::Node& node) {
  const graph::Shape& shape = builder.ShapeOf(node.inputs[0]);
  const std::vector<int64_t> starts = ConstantInts(builder, node, 1);
  std::vector<int64_t> axes, steps(starts.size(), 1);
  if (HasInput(node, 3)) axes = ConstantInts(builder, node, 3);
  if (HasInput(node, 4)) steps = ConstantInts(builder, node, 4);
  for (size_t i = axes.size(); i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  std::vector<int64_t> begins(shape.size(), 0), strides(shape.size(), 1);
  bool backwards = false;
  for (size_t i = 0; i < starts.size(); ++i) {
    const auto rank = static_cast<int64_t>(shape.size());
    const auto axis = static_cast<size_t>(axes[i] < 0 ? axes[i] + rank : axes[i]);
    const int64_t size = shape[axis];
    // A step over the end takes one element, as the longest one that does.
    strides[axis] = std::clamp<int64_t>(steps[i], -size, size);
    begins[axis] = std::clamp<int64_t>(starts[i] < 0 ? starts[i] + size : starts[i], 0, size - 1);
    backwards |= steps[i] < 0;
  }
  if (backwards || shape.size() > 4) return LowerSteppedSlice(builder, node, begins, strides);
  const blob::Precision precision = builder.PrecisionOf(node);
  const Layout layout = builder.Existing(node.inputs[0]);
  const int input = builder.Use(node.inputs[0], layout, Builder::TypeOf(precision));
  blob::SliceParams params{{0, 0, 0, 0}, {1, 1, 1, 1}};
  for (size_t d = 0; d < shape.size(); ++d) {
    const int axis = ArenaAxis(shape, static_cast<int64_t>(d), layout);
    params.begin[axis] = static_cast<uint32_t>(begins[d]);
    params.step[axis] = static_cast<uint32_t>(strides[d]);
  }
  const int output = builder.Define(node.outputs[0], layout, Builder::TypeOf(precision));
  KeepScale(builder, input, output);
  builder.Emit(node, blob::Op::kSlice, precision, {input}, output).Set(params);
}

std::vector<int64_t> PermutationOf(const graph::Node& transpose, size_t rank) {
  std::vector<int64_t> perm = transpose.Ints("perm");
  for (size_t i = perm.size(); i < rank; ++i) perm.push_back(static_cast<int64_t>(rank - 1 - i));
  return perm;
}

void LowerTranspose(Builder& builder, const graph::Node& node) {
  if (IsReadTurned(builder, node)) return;
  const graph::ValueId in = node.inputs[0], out = node.outputs[0];
  const graph::Shape& shape = builder.ShapeOf(in);
  const size_t rank = shape.size();
  const std::vector<int64_t> perm = PermutationOf(node, rank);
  const blob::Precision precision = builder.PrecisionOf(node);
  const Layout from = builder.Existing(in);
  const int input = builder.Use(in, from, Builder::TypeOf(precision));
  // Logical axes in the order in which they are stored.
  const auto stored = [rank](Layout layout) {
    std::vector<int64_t> axes{0, 2, 3, 1};
    if (rank != 4 || layout != Layout::kImage) {
      axes.clear();
      for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
    }
    return axes;
  };
  const std::vector<int64_t> source = stored(from);
  const auto steps_for = [&](Layout layout) {
    std::vector<int64_t> steps;  // position in `source` of every stored output axis
    for (int64_t axis : stored(layout)) {
      const int64_t logical = perm[static_cast<size_t>(axis)];
      steps.push_back(std::find(source.begin(), source.end(), logical) - source.begin());
    }
    return steps;
  };
  const auto moves = [&](const std::vector<int64_t>& steps) {
    int64_t last = -1;
    for (int64_t step : steps) {
      if (shape[static_cast<size_t>(source[static_cast<size_t>(step)])] == 1) continue;
      if (step < last) return true;
      last = step;
    }
    return false;
  };
  // A Reshape reads it as ONNX has it.
  const graph::Node* reader = builder.OnlyReader(out);
  const bool reshaped = reader != nullptr && LoweringOf(reader->op) == LowerReshape &&
                        !FlattensForGemm(builder, *reader);
  Layout to = reshaped ? Layout::kRowMajor : builder.Natural(out);
  if (rank == 4 && !moves(steps_for(Layout::kRowMajor))) to = Layout::kRowMajor;
  if (rank == 4 && !moves(steps_for(Layout::kImage))) to = Layout::kImage;
  const std::vector<int64_t> steps = steps_for(to);
  if (!moves(steps)) {
    uint32_t dims[4];
    DimsOf(builder.ShapeOf(out), to, dims);
    builder.Alias(out, to, builder.Reshape(input, dims, node.name));
    return;
  }
  if (rank > 6) return LowerLongTranspose(builder, node, perm);
  blob::TransposeParams params{};
  params.rank = static_cast<uint32_t>(rank);
  for (size_t i = 0; i < rank; ++i) {
    params.dims[i] = static_cast<uint32_t>(shape[static_cast<size_t>(source[i])]);
    params.perm[i] = static_cast<uint8_t>(steps[i]);
  }
  const int output = builder.Define(out, to, Builder::TypeOf(precision));
  KeepScale(builder, input, output);
  builder.Emit(node, blob::Op::kTranspose, precision, {input}, output).Set(params);
}

// Left by the passes only where a model output is a model input, or another output, under a second
// name.
void LowerIdentity(Builder& builder, const graph::Node& node) {
  const Layout layout = builder.Existing(node.inputs[0]);
  const blob::ElementType type = Builder::TypeOf(builder.PrecisionOf(node));
  builder.Alias(node.outputs[0], layout, builder.Use(node.inputs[0], layout, type));
}

void LowerReshape(Builder& builder, const graph::Node& node) {
  if (FlattensForGemm(builder, node)) return;
  const blob::Precision precision = builder.PrecisionOf(node);
  const int input = builder.Use(node.inputs[0], Layout::kRowMajor, Builder::TypeOf(precision));
  uint32_t dims[4];
  DimsOf(builder.ShapeOf(node.outputs[0]), Layout::kRowMajor, dims);
  builder.Alias(node.outputs[0], Layout::kRowMajor, builder.Reshape(input, dims, node.name));
}

int PadPicture(Builder& builder, const graph::Node& node, int input, const int64_t (&pads)[4]) {
  const Tensor source = builder.At(input);
  const bool int8 = source.type == blob::ElementType::kInt8;
  blob::PadParams params{};
  params.mode = blob::PadMode::kConstant;
  params.value_q = int8 ? static_cast<int8_t>(source.zero_point) : 0;
  uint32_t dims[4] = {source.dims[0], source.dims[1], source.dims[2], source.dims[3]};
  for (int axis : {1, 2}) {
    params.before[axis] = static_cast<uint32_t>(pads[axis - 1]);
    params.after[axis] = static_cast<uint32_t>(pads[axis + 1]);
    dims[axis] += params.before[axis] + params.after[axis];
  }
  const int padded = builder.Temporary(source.name + "/padded", source.type, dims, &source);
  builder
      .Emit(node, blob::Op::kPad, int8 ? blob::Precision::kInt8 : blob::Precision::kFp16, {input},
            padded)
      .Set(params);
  return padded;
}

void LowerPad(Builder& builder, const graph::Node& node) {
  const graph::Shape& shape = builder.ShapeOf(node.inputs[0]);
  const size_t rank = shape.size();
  const std::vector<int64_t> pads = ConstantInts(builder, node, 1);
  std::vector<int64_t> axes;
  if (HasInput(node, 3)) axes = ConstantInts(builder, node, 3);
  for (size_t i = axes.size(); i < pads.size() / 2; ++i) axes.push_back(static_cast<int64_t>(i));
  std::vector<int64_t> begins(rank, 0), ends(rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis =
        static_cast<size_t>(axes[i] < 0 ? axes[i] + static_cast<int64_t>(rank) : axes[i]);
    begins[axis] = pads[i];
    ends[axis] = pads[i + axes.size()];
  }
  double value = 0;
  if (HasInput(node, 2)) {
    const graph::Tensor* constant = builder.Constant(node.inputs[2]);
    if (constant == nullptr || constant->Count() > 1) {
      NodeFail(node, "its value must be one constant");
    }
    if (constant->Count() == 1) {
      value = constant->IsFloat() ? static_cast<double>(constant->floats[0])
                                  : static_cast<double>(constant->integers[0]);
    }
  }
  const std::string mode = node.String("mode", "constant");
  bool crops = false;
  for (const auto* margins : {&begins, &ends}) {
    for (int64_t margin : *margins) crops |= margin < 0;
  }
  if (crops || rank > 4 || mode == "wrap" || builder.IsInteger(node.inputs[0])) {
    return LowerMappedPad(builder, node, mode, begins, value);
  }
  blob::PadParams params{};
  params.mode = mode == "reflect" ? blob::PadMode::kReflect
                : mode == "edge"  ? blob::PadMode::kEdge
                                  : blob::PadMode::kConstant;
  const blob::Precision precision = builder.PrecisionOf(node);
  const Layout layout = builder.Existing(node.inputs[0]);
  const int input = builder.Use(node.inputs[0], layout, Builder::TypeOf(precision));
  const int output = builder.Define(node.outputs[0], layout, Builder::TypeOf(precision));
  KeepScale(builder, input, output);
  for (size_t i = 0; i < rank; ++i) {
    const int axis = ArenaAxis(shape, static_cast<int64_t>(i), layout);
    params.before[axis] = static_cast<uint32_t>(begins[i]);
    params.after[axis] = static_cast<uint32_t>(ends[i]);
  }
  params.value = static_cast<float>(value);
  const Tensor& out = builder.At(output);
  int8_t unused = 0;
  const FunctionOf constant{blob::Function::kClamp, params.value, params.value};
  int8_t value_q = 0;
  ClampOf(constant, out, &value_q, &unused);
  params.value_q = precision == blob::Precision::kInt8 ? value_q : 0;
  builder.Emit(node, blob::Op::kPad, precision, {input}, output).Set(params);
}

}  // namespace octet::lower
