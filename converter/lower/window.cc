#include "converter/lower/window.h"

#include <algorithm>
#include <string>

#include "converter/support/error.h"

namespace octet::lower {
namespace {

struct Axis {
  int64_t kernel, stride, dilation, before, after;
};

void ResolvePadding(const graph::Node& node, int64_t size, Axis* axis) {
  const std::string mode = node.String("auto_pad", "NOTSET");
  const int64_t extent = (axis->kernel - 1) * axis->dilation + 1;
  if (mode == "VALID") {
    axis->before = axis->after = 0;
  } else if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    const int64_t out = (size + axis->stride - 1) / axis->stride;
    const int64_t total = std::max<int64_t>(0, (out - 1) * axis->stride + extent - size);
    axis->before = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
    axis->after = total - axis->before;
  }
  if (node.Int("ceil_mode", 0) != 0) {
    const int64_t span = size + axis->before + axis->after - extent;
    int64_t out = (span + axis->stride - 1) / axis->stride + 1;
    // A window may not start in the padding behind the input.
    if ((out - 1) * axis->stride >= size + axis->before) --out;
    axis->after += std::max<int64_t>(0, (out - 1) * axis->stride - span);
  }
  for (int64_t value : {axis->kernel, axis->stride, axis->dilation, axis->before, axis->after}) {
    if (value < 0 || value > 65535) {
      Fail(
          "node '{}' ({}): a kernel size, stride, dilation or padding of {} is out of range "
          "0..65535",
          node.name, node.op, value);
    }
  }
}

}  // namespace

Window WindowOf(const graph::Node& node, const graph::Shape& in_shape, int64_t kernel_h,
                int64_t kernel_w) {
  const std::vector<int64_t> strides = node.Ints("strides", {1, 1});
  const std::vector<int64_t> dilations = node.Ints("dilations", {1, 1});
  const std::vector<int64_t> pads = node.Ints("pads", {0, 0, 0, 0});
  if (strides.size() != 2 || dilations.size() != 2 || pads.size() != 4) {
    Fail("node '{}' ({}): strides, dilations and pads must be those of 2 dimensions", node.name,
         node.op);
  }
  Axis h{kernel_h, strides[0], dilations[0], pads[0], pads[2]};
  Axis w{kernel_w, strides[1], dilations[1], pads[1], pads[3]};
  ResolvePadding(node, in_shape[2], &h);
  ResolvePadding(node, in_shape[3], &w);
  return Window{h.kernel,   w.kernel, h.stride, w.stride, h.dilation,
                w.dilation, h.before, w.before, h.after,  w.after};
}

}  // namespace octet::lower
