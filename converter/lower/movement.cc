// Operators that only move data: the int8 result keeps the scale of its input.
#include <algorithm>

#include "converter/lower/builder.h"
#include "converter/lower/conv.h"
#include "converter/support/error.h"

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
    Fail("node '{}' ({}): input {} has to be constant; export with fixed shapes", node.name,
         node.op, input);
  }
  return tensor->integers;
}

bool HasInput(const graph::Node& node, size_t input) {
  return input < node.inputs.size() && node.inputs[input] != graph::kNoValue;
}

}  // namespace

void LowerConcat(Builder& builder, const graph::Node& node) {
  const blob::Precision precision = builder.PrecisionOf(node);
  const blob::ElementType type = Builder::TypeOf(precision);
  const graph::Shape& shape = builder.ShapeOf(node.outputs[0]);
  if (shape.size() > 4) {
    Fail("node '{}' (Concat): {} dimensions are more than 4", node.name, shape.size());
  }
  const Layout layout = builder.Existing(node.inputs[0]);
  std::vector<int> inputs;
  for (graph::ValueId input : node.inputs) inputs.push_back(builder.Use(input, layout, type));
  const int output = builder.Define(node.outputs[0], layout, type);
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
  layer.Set(blob::ConcatParams{
      static_cast<uint32_t>(Builder::ArenaAxis(shape, node.Int("axis", 0), layout))});
  if (rescales) layer.table = std::move(tables);
}

void LowerSlice(Builder& builder, const graph::Node& node) {
  const graph::Shape& shape = builder.ShapeOf(node.inputs[0]);
  const std::vector<int64_t> starts = ConstantInts(builder, node, 1);
  const std::vector<int64_t> ends = ConstantInts(builder, node, 2);
  std::vector<int64_t> axes, steps(starts.size(), 1);
  if (HasInput(node, 3)) axes = ConstantInts(builder, node, 3);
  if (HasInput(node, 4)) steps = ConstantInts(builder, node, 4);
  for (size_t i = axes.size(); i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  if (shape.size() > 4)
    Fail("node '{}' (Slice): {} dimensions are more than 4", node.name, shape.size());
  const blob::Precision precision = builder.PrecisionOf(node);
  const Layout layout = builder.Existing(node.inputs[0]);
  const int input = builder.Use(node.inputs[0], layout, Builder::TypeOf(precision));
  blob::SliceParams params{{0, 0, 0, 0}, {1, 1, 1, 1}};
  for (size_t i = 0; i < starts.size(); ++i) {
    const auto rank = static_cast<int64_t>(shape.size());
    const int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    const int64_t size = shape[static_cast<size_t>(axis)];
    if (steps[i] < 1) {
      Fail("node '{}' (Slice): step {} is not supported; export without reversing", node.name,
           steps[i]);
    }
    const int64_t begin =
        std::clamp<int64_t>(starts[i] < 0 ? starts[i] + size : starts[i], 0, size);
    const int arena_axis = Builder::ArenaAxis(shape, axis, layout);
    params.begin[arena_axis] = static_cast<uint32_t>(begin);
    params.step[arena_axis] = static_cast<uint32_t>(steps[i]);
  }
  const int output = builder.Define(node.outputs[0], layout, Builder::TypeOf(precision));
  KeepScale(builder, input, output);
  builder.Emit(node, blob::Op::kSlice, precision, {input}, output).Set(params);
}

void LowerTranspose(Builder& builder, const graph::Node& node) {
  const graph::ValueId in = node.inputs[0], out = node.outputs[0];
  const graph::Shape& shape = builder.ShapeOf(in);
  const size_t rank = shape.size();
  std::vector<int64_t> perm = node.Ints("perm");
  for (size_t i = perm.size(); i < rank; ++i) perm.push_back(static_cast<int64_t>(rank - 1 - i));
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
  Layout to = builder.Natural(out);
  if (rank == 4 && !moves(steps_for(Layout::kRowMajor))) to = Layout::kRowMajor;
  if (rank == 4 && !moves(steps_for(Layout::kImage))) to = Layout::kImage;
  const std::vector<int64_t> steps = steps_for(to);
  if (!moves(steps)) {
    uint32_t dims[4];
    Builder::DimsOf(builder.ShapeOf(out), to, dims);
    builder.Alias(out, to, builder.Reshape(input, dims, node.name));
    return;
  }
  if (rank > 6) Fail("node '{}' (Transpose): {} dimensions are more than 6", node.name, rank);
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
  Builder::DimsOf(builder.ShapeOf(node.outputs[0]), Layout::kRowMajor, dims);
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
  const std::vector<int64_t> pads = ConstantInts(builder, node, 1);
  if (shape.size() > 4 || pads.size() != 2 * shape.size() || HasInput(node, 3)) {
    Fail("node '{}' (Pad): only up to 4 dimensions with one pad pair each can run", node.name);
  }
  const std::string mode = node.String("mode", "constant");
  blob::PadParams params{};
  params.mode = mode == "reflect" ? blob::PadMode::kReflect
                : mode == "edge"  ? blob::PadMode::kEdge
                                  : blob::PadMode::kConstant;
  if (params.mode == blob::PadMode::kConstant && mode != "constant") {
    Fail("node '{}' (Pad): mode {} is not supported; use constant, reflect or edge", node.name,
         mode);
  }
  const blob::Precision precision = builder.PrecisionOf(node);
  const Layout layout = builder.Existing(node.inputs[0]);
  const int input = builder.Use(node.inputs[0], layout, Builder::TypeOf(precision));
  const int output = builder.Define(node.outputs[0], layout, Builder::TypeOf(precision));
  KeepScale(builder, input, output);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (pads[i] < 0 || pads[i + shape.size()] < 0) {
      Fail("node '{}' (Pad): negative padding is not supported; use Slice", node.name);
    }
    const int axis = Builder::ArenaAxis(shape, static_cast<int64_t>(i), layout);
    params.before[axis] = static_cast<uint32_t>(pads[i]);
    params.after[axis] = static_cast<uint32_t>(pads[i + shape.size()]);
  }
  if (HasInput(node, 2)) {
    const graph::Tensor* value = builder.Constant(node.inputs[2]);
    if (value == nullptr || !value->IsFloat() || value->Count() != 1) {
      Fail("node '{}' (Pad): its value has to be one constant", node.name);
    }
    params.value = value->floats[0];
  }
  const Tensor& out = builder.At(output);
  int8_t unused = 0;
  const FunctionOf constant{blob::Function::kClamp, params.value, params.value};
  int8_t value_q = 0;
  ClampOf(constant, out, &value_q, &unused);
  params.value_q = precision == blob::Precision::kInt8 ? value_q : 0;
  builder.Emit(node, blob::Op::kPad, precision, {input}, output).Set(params);
}

}  // namespace octet::lower
