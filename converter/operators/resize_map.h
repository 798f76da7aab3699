// Where the samples of a Resize come from: one map an axis, read by the executor and by lowering,
// so that both see the same pixels.
//
// Source: ONNX operator specification, Resize (opset 11 to 19). Where it leaves a choice, ONNX
// Runtime's: positions are computed in float from the scales as given (1/3 read as float would move
// pixels in double), and align_corners counts the pixels of the result, not scale times those of
// the source.
#ifndef OCTET_CONVERTER_OPERATORS_RESIZE_MAP_H_
#define OCTET_CONVERTER_OPERATORS_RESIZE_MAP_H_

#include <cstdint>
#include <vector>

#include "converter/operators/context.h"

namespace octet::operators {

struct ResizeAxis {
  int64_t in = 1, out = 1;
  float scale = 1;
  float roi_begin = 0, roi_end = 1;  // tf_crop_and_resize, of the whole length
};

struct ResizeTap {
  int64_t index;
  float weight;
};

struct ResizeMap {
  int64_t in = 1;
  bool identity = false;  // every sample is the source's at the same place
  // By position in the result: what it is a sum of. Nearest: one tap of weight 1; linear without
  // antialias: two, the lower first (they may be the same); none: outside the source, where the
  // result is the extrapolation value.
  std::vector<std::vector<ResizeTap>> taps;

  bool ReachesOutside() const;
  size_t MostTaps() const;
};

// The operands behind the data, empty where omitted.
struct ResizeOperands {
  std::vector<float> roi, scales;
  std::vector<int64_t> sizes;
};
ResizeOperands ResizeOperandsOf(const Tensor* roi, const Tensor* scales, const Tensor* sizes);

// By dimension of the input; fails on operands that contradict it or each other.
std::vector<ResizeAxis> ResizeAxes(const Node& node, const Shape& shape,
                                   const ResizeOperands& operands);
// Fails on attributes that are unknown.
void CheckResizeAttributes(const Node& node);
ResizeMap MakeResizeMap(const Node& node, const ResizeAxis& axis);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_RESIZE_MAP_H_
