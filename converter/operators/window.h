// Geometry of sliding windows (convolution, pooling) over one or two spatial dimensions.
#ifndef OCTET_CONVERTER_OPERATORS_WINDOW_H_
#define OCTET_CONVERTER_OPERATORS_WINDOW_H_

#include <array>
#include <cstdint>

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
};

// A tensor [N,C,W] is treated as [N,C,1,W].
struct Window {
  size_t rank = 2;  // spatial dimensions of the model: 1 or 2
  WindowAxis y, x;

  int64_t InputPixels() const { return y.in * x.in; }
  int64_t OutputPixels() const { return y.out * x.out; }
  int64_t Taps() const { return y.kernel * x.kernel; }
};

// Reads strides, dilations, pads, auto_pad and ceil_mode of a node; `kernel` has one entry a
// spatial dimension. `input` is [N,C,W] or [N,C,H,W]. Fails on contradictions and on results that
// would be empty.
Window MakeWindow(const Node& node, const Shape& input, const Shape& kernel);

// The same for a transposed convolution: output size from output_shape or output_padding.
Window MakeTransposedWindow(const Node& node, const Shape& input, const Shape& kernel);

// [N, channels, out...]
Shape WindowResult(const Window& window, int64_t batch, int64_t channels);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_WINDOW_H_
