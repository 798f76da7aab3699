// Geometry of sliding windows (convolution, pooling) over one to three spatial dimensions: read by
// the executor, the passes and lowering alike.
#ifndef OCTET_CONVERTER_OPERATORS_WINDOW_H_
#define OCTET_CONVERTER_OPERATORS_WINDOW_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "converter/operators/context.h"

namespace octet::operators {

// One spatial dimension.
struct WindowAxis {
  int64_t in = 1;
  int64_t out = 1;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_begin = 0;
  int64_t pad_end = 0;

  int64_t Extent() const { return (kernel - 1) * dilation + 1; }
  // Padding behind the input that the last window meets: ceil_mode needs more than pad_end.
  int64_t PadReached() const {
    return pad_end + std::max<int64_t>(0, (out - 1) * stride + Extent() - in - pad_begin - pad_end);
  }
};

// A tensor [N,C,W] is treated as [N,C,1,1,W], and [N,C,H,W] as [N,C,1,H,W].
struct Window {
  size_t rank = 2;  // spatial dimensions of the model: 1 to 3
  WindowAxis z, y, x;

  int64_t InputPixels() const { return z.in * y.in * x.in; }
  int64_t OutputPixels() const { return z.out * y.out * x.out; }
  int64_t Taps() const { return z.kernel * y.kernel * x.kernel; }
  // The spatial dimensions of the model, outermost first.
  std::vector<WindowAxis*> Axes();
  std::vector<const WindowAxis*> Axes() const;
};

// Reads strides, dilations, pads, auto_pad and ceil_mode of a node; `kernel` has one entry a
// spatial dimension. `input` is [N,C,...] with one to three of them. Fails on contradictions and on
// results that would be empty.
Window MakeWindow(const Node& node, const Shape& input, const Shape& kernel);

// The same for a transposed convolution: output size from output_shape or output_padding.
Window MakeTransposedWindow(const Node& node, const Shape& input, const Shape& kernel);

// [N, channels, out...]
Shape WindowResult(const Window& window, int64_t batch, int64_t channels);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_WINDOW_H_
