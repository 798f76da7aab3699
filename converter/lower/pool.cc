#include <algorithm>

#include "converter/lower/builder.h"
#include "converter/lower/weights.h"
#include "converter/lower/window.h"

namespace octet::lower {
namespace {

// Multipliers for windows of 1 .. count elements, or the one for `count`.
void SetAverageFactors(const Tensor& in, const Tensor& out, int64_t count, bool every_count,
                       blob::PoolParams* params, Layer* layer) {
  const double ratio = static_cast<double>(in.scale) / out.scale;
  params->pre_shift =
      static_cast<uint8_t>(PreShiftFor(every_count ? ratio : ratio / static_cast<double>(count)));
  std::vector<Multiplier> multipliers;
  for (int64_t n = every_count ? 1 : count; n <= count; ++n) {
    multipliers.push_back(MakeMultiplier(ratio / static_cast<double>(n), params->pre_shift));
  }
  params->multiplier_count = static_cast<uint32_t>(multipliers.size());
  layer->table = ToBytes(multipliers);
}

// What a window counts as padding with count_include_pad is the declared padding, not what
// ceil_mode adds behind it (ONNX operator specification, AveragePool). The kernel knows one kind:
// the declared one becomes a layer of its own.
int PadDeclared(Builder& builder, const graph::Node& node, int input, Window* window) {
  const std::vector<int64_t> pads = node.Ints("pads", {0, 0, 0, 0});
  if (std::all_of(pads.begin(), pads.end(), [](int64_t pad) { return pad == 0; })) return input;
  const int padded = PadPicture(builder, node, input, {pads[0], pads[1], pads[2], pads[3]});
  window->pad_top -= pads[0];
  window->pad_left -= pads[1];
  window->pad_bottom -= pads[2];
  window->pad_right -= pads[3];
  return padded;
}

}  // namespace

void LowerPool(Builder& builder, const graph::Node& node) {
  const graph::Shape& shape = builder.ShapeOf(node.inputs[0]);
  if (shape.size() != 4) {
    NodeFail(node, "only 2-D pooling is supported, but its input has shape {}",
             graph::ToString(shape));
  }
  if (node.outputs.size() > 1) {
    NodeFail(node, "the output with positions of the maxima is not supported");
  }
  const bool global = node.op == "GlobalAveragePool" || node.op == "GlobalMaxPool";
  const bool average = node.op == "AveragePool" || node.op == "GlobalAveragePool";
  Window window;
  if (global) {
    window.kernel_h = shape[2];
    window.kernel_w = shape[3];
    if (shape[2] > 65535 || shape[3] > 65535) NodeFail(node, "its window is too large");
  } else {
    const std::vector<int64_t> kernel = node.Ints("kernel_shape");
    if (kernel.size() != 2) NodeFail(node, "kernel_shape must have 2 values");
    window = WindowOf(node, shape, kernel[0], kernel[1]);
    if (average && (window.dilation_h != 1 || window.dilation_w != 1))
      NodeFail(node, "dilations are not supported; export with dilations of 1");
  }
  const blob::Precision precision = builder.PrecisionOf(node);
  const blob::ElementType type = Builder::TypeOf(precision);
  int input = builder.Use(node.inputs[0], Layout::kImage, type);
  bool include_pad = average && !global && node.Int("count_include_pad", 0) != 0;
  if (include_pad && node.Int("ceil_mode", 0) != 0) {
    input = PadDeclared(builder, node, input, &window);
    include_pad = false;
  }
  const int output = builder.Define(node.outputs[0], Layout::kImage, type);
  Layer& layer = builder.Emit(node, average ? blob::Op::kAveragePool : blob::Op::kMaxPool,
                              precision, {input}, output);
  blob::PoolParams params{};
  window.Store(&params);
  params.clamp_lo = -128;
  params.clamp_hi = 127;
  params.count_include_pad = include_pad;
  if (precision == blob::Precision::kInt8 && average) {
    const bool padded = window.pad_top + window.pad_left + window.pad_bottom + window.pad_right > 0;
    SetAverageFactors(builder.At(input), builder.At(output), window.kernel_h * window.kernel_w,
                      padded && params.count_include_pad == 0, &params, &layer);
  } else if (precision == blob::Precision::kInt8) {
    builder.At(output).scale = builder.At(input).scale;
    builder.At(output).zero_point = builder.At(input).zero_point;
  }
  layer.Set(params);
}

}  // namespace octet::lower
