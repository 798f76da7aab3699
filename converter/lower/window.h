// Kernel, stride, dilation and padding of a Conv or Pool node as the blob stores them.
#ifndef OCTET_CONVERTER_LOWER_WINDOW_H_
#define OCTET_CONVERTER_LOWER_WINDOW_H_

#include "converter/graph/graph.h"

namespace octet::lower {

struct Window {
  int64_t kernel_h = 1, kernel_w = 1;
  int64_t stride_h = 1, stride_w = 1;
  int64_t dilation_h = 1, dilation_w = 1;
  int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;

  template <typename Params>
  void Store(Params* params) const {
    params->kernel_h = static_cast<uint16_t>(kernel_h);
    params->kernel_w = static_cast<uint16_t>(kernel_w);
    params->stride_h = static_cast<uint16_t>(stride_h);
    params->stride_w = static_cast<uint16_t>(stride_w);
    params->dilation_h = static_cast<uint16_t>(dilation_h);
    params->dilation_w = static_cast<uint16_t>(dilation_w);
    params->pad_top = static_cast<uint16_t>(pad_top);
    params->pad_left = static_cast<uint16_t>(pad_left);
    params->pad_bottom = static_cast<uint16_t>(pad_bottom);
    params->pad_right = static_cast<uint16_t>(pad_right);
  }
};

// in_shape is [1, C, H, W]; resolves auto_pad (ONNX operator specification, Conv). With ceil_mode
// the bottom and right padding grows by what the last window needs. Throws UserError when a number
// is out of range.
Window WindowOf(const graph::Node& node, const graph::Shape& in_shape, int64_t kernel_h,
                int64_t kernel_w);

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_WINDOW_H_
