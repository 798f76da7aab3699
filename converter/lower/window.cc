#include "converter/lower/window.h"

#include "converter/operators/window.h"

namespace octet::lower {

Window WindowOf(const graph::Node& node, const graph::Shape& in_shape, int64_t kernel_h,
                int64_t kernel_w) {
  const operators::Window window = operators::MakeWindow(node, in_shape, {kernel_h, kernel_w});
  for (const operators::WindowAxis* axis : window.Axes()) {
    for (int64_t value :
         {axis->kernel, axis->stride, axis->dilation, axis->pad_begin, axis->PadReached()}) {
      if (value > 65535) {
        NodeFail(node, "a kernel size, stride, dilation or padding of {} is outside 0..65535",
                 value);
      }
    }
  }
  const operators::WindowAxis &y = window.y, &x = window.x;
  return Window{y.kernel,   x.kernel,    y.stride,    x.stride,       y.dilation,
                x.dilation, y.pad_begin, x.pad_begin, y.PadReached(), x.PadReached()};
}

}  // namespace octet::lower
