#include "converter/operators/window.h"

#include <algorithm>
#include <string>

namespace octet::operators {
namespace {

// Attribute values beyond this are nonsense, and their products must not overflow.
constexpr int64_t kMaxParameter = 1 << 20;

std::vector<int64_t> Parameters(const Node& node, const char* key, size_t count, int64_t fallback,
                                int64_t least) {
  std::vector<int64_t> values = node.Ints(key);
  if (values.empty()) values.assign(count, fallback);
  if (values.size() != count) {
    NodeFail(node, "attribute {} has {} values, expected {}", key, values.size(), count);
  }
  for (int64_t value : values) {
    if (value < least || value > kMaxParameter) {
      NodeFail(node, "attribute {} = [{}] is out of range", key, fmt::join(values, ","));
    }
  }
  return values;
}

Window ReadWindow(const Node& node, const Shape& input, const Shape& kernel) {
  if (input.size() < 3 || input.size() > 5) {
    NodeFail(node, "input {} must have one to three spatial dimensions", graph::ToString(input));
  }
  Window window;
  window.rank = input.size() - 2;
  if (kernel.size() != window.rank) {
    NodeFail(node, "a kernel of {} dimensions does not fit input {}", kernel.size(),
             graph::ToString(input));
  }
  const auto strides = Parameters(node, "strides", window.rank, 1, 1);
  const auto dilations = Parameters(node, "dilations", window.rank, 1, 1);
  const auto pads = Parameters(node, "pads", 2 * window.rank, 0, 0);
  const auto axes = window.Axes();
  for (size_t i = 0; i < window.rank; ++i) {
    if (kernel[i] < 1 || kernel[i] > kMaxParameter) {
      NodeFail(node, "kernel {} is empty or too large", graph::ToString(kernel));
    }
    *axes[i] = {input[i + 2],         1, kernel[i], strides[i], dilations[i], pads[i],
                pads[i + window.rank]};
  }
  return window;
}

// SAME: as many outputs as ceil(in / stride); the odd pixel of padding goes to the end (SAME_UPPER)
// or the beginning.
void SplitPadding(WindowAxis& axis, int64_t total, bool upper) {
  total = std::max<int64_t>(total, 0);
  axis.pad_begin = upper ? total / 2 : total - total / 2;
  axis.pad_end = total - axis.pad_begin;
}

std::string AutoPad(const Node& node) {
  std::string mode = node.String("auto_pad", "NOTSET");
  if (mode != "NOTSET" && mode != "VALID" && mode != "SAME_UPPER" && mode != "SAME_LOWER") {
    NodeFail(node, "auto_pad '{}' is unknown", mode);
  }
  return mode;
}

void SetOutput(const Node& node, const std::string& auto_pad, bool ceil_mode, WindowAxis& axis) {
  if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
    axis.out = (axis.in + axis.stride - 1) / axis.stride;
    SplitPadding(axis, (axis.out - 1) * axis.stride + axis.Extent() - axis.in,
                 auto_pad == "SAME_UPPER");
    return;
  }
  if (auto_pad == "VALID") axis.pad_begin = axis.pad_end = 0;
  const int64_t room = axis.in + axis.pad_begin + axis.pad_end - axis.Extent();
  if (room < 0) {
    NodeFail(node, "a window of {} does not fit an input of {} with padding {} and {}",
             axis.Extent(), axis.in, axis.pad_begin, axis.pad_end);
  }
  axis.out = (room + (ceil_mode ? axis.stride - 1 : 0)) / axis.stride + 1;
  // A window that would start behind the input and its leading padding does not count.
  if (ceil_mode && (axis.out - 1) * axis.stride >= axis.in + axis.pad_begin) --axis.out;
}

}  // namespace

std::vector<WindowAxis*> Window::Axes() {
  std::vector<WindowAxis*> axes = {&z, &y, &x};
  axes.erase(axes.begin(), axes.end() - static_cast<std::ptrdiff_t>(rank));
  return axes;
}

std::vector<const WindowAxis*> Window::Axes() const {
  std::vector<const WindowAxis*> axes = {&z, &y, &x};
  axes.erase(axes.begin(), axes.end() - static_cast<std::ptrdiff_t>(rank));
  return axes;
}

Window MakeWindow(const Node& node, const Shape& input, const Shape& kernel) {
  Window window = ReadWindow(node, input, kernel);
  const std::string auto_pad = AutoPad(node);
  const bool ceil_mode = node.Int("ceil_mode", 0) != 0;
  const auto axes = window.Axes();
  for (size_t i = 0; i < window.rank; ++i) SetOutput(node, auto_pad, ceil_mode, *axes[i]);
  return window;
}

Window MakeTransposedWindow(const Node& node, const Shape& input, const Shape& kernel) {
  Window window = ReadWindow(node, input, kernel);
  const std::string auto_pad = AutoPad(node);
  const auto output_padding = Parameters(node, "output_padding", window.rank, 0, 0);
  std::vector<int64_t> output_shape = node.Ints("output_shape");
  const bool fixed = !output_shape.empty();
  // Some exporters write batch and channels too.
  if (output_shape.size() == window.rank + 2) {
    output_shape.erase(output_shape.begin(), output_shape.begin() + 2);
  }
  if (fixed && output_shape.size() != window.rank) {
    NodeFail(node, "attribute output_shape has {} values, expected {}", output_shape.size(),
             window.rank);
  }
  for (int64_t size : output_shape) {
    if (size < 1 || size > kMaxParameter) {
      NodeFail(node, "attribute output_shape = [{}] is out of range", fmt::join(output_shape, ","));
    }
  }
  const auto axes = window.Axes();
  for (size_t i = 0; i < window.rank; ++i) {
    WindowAxis& axis = *axes[i];
    const int64_t full = axis.stride * (axis.in - 1) + output_padding[i] + axis.Extent();
    const bool same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
    if (fixed || same) {
      axis.out = fixed ? output_shape[i] : axis.in * axis.stride;
      // ONNX: SAME_UPPER puts the odd pixel at the end, every other mode at the beginning.
      SplitPadding(axis, full - axis.out, auto_pad == "SAME_UPPER");
    } else {
      if (auto_pad == "VALID") axis.pad_begin = axis.pad_end = 0;
      axis.out = full - axis.pad_begin - axis.pad_end;
    }
    if (axis.out < 1) {
      NodeFail(node, "padding {} and {} removes all of {} pixels", axis.pad_begin, axis.pad_end,
               full);
    }
  }
  return window;
}

Shape WindowResult(const Window& window, int64_t batch, int64_t channels) {
  Shape shape = {batch, channels};
  for (const WindowAxis* axis : window.Axes()) shape.push_back(axis->out);
  return shape;
}

}  // namespace octet::operators
