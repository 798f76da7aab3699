// Which activation a layer with weights executes itself, and what an int8 one rounds its sums to.
#ifndef OCTET_CONVERTER_LOWER_FUSION_H_
#define OCTET_CONVERTER_LOWER_FUSION_H_

#include "converter/lower/builder.h"

namespace octet::lower {

// The activation executed inside the layer, and the value that holds the result then.
struct Fusion {
  FunctionOf function;
  graph::ValueId result;
  const graph::Node* absorbed = nullptr;
};
Fusion FuseActivation(const Builder& builder, const graph::Node& node);

// The schemes of a tensor that holds a value in int8.
Tensor Int8Tensor(const Builder& builder, graph::ValueId id);

// What the sums of an int8 layer are rounded to: its result `out` behind a clamp, else the range
// that was seen before the activation, which a table maps to `out` then.
struct Target {
  Tensor sums;
  bool table = false;
  int8_t clamp_lo = -128, clamp_hi = 127;
};
Target TargetOf(const Builder& builder, const graph::Node& node, const Fusion& fusion,
                const Tensor& out);

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_FUSION_H_
