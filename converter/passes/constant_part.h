// Constant parts of outputs, taken out of what computes them: y = 1970 + 30 x is computed as 30 x,
// and 1970 becomes an Add in front of the output, which needs no layer (operators/output_view.h).
// It is in float, so that neither int8 nor FP16 spend their bits on the constant.
//
// The late pass take_constants (late_passes.inc): what is constant shows in data
// (calibrate/constant_part.h). It takes what Guidance::part says out of each source, in their
// order.
#ifndef OCTET_CONVERTER_PASSES_CONSTANT_PART_H_
#define OCTET_CONVERTER_PASSES_CONSTANT_PART_H_

#include <vector>

#include "converter/graph/graph.h"

namespace octet::passes {

// A value with a constant in it that can be any other: the result of a Conv, a Gemm or a
// normalization, which have a bias, of an Add or Sub of a constant, or of a mean. From it to an
// output lead only operators that let a constant pass exactly: f(x + k) = f(x) + k' with a k' that
// does not depend on x.
//
// A mean has no constant of its own. What it is taken of varies more than it does, so that
// a constant that costs bits of the mean costs few of its elements: it is taken out of these, by
// the layer that makes them or by an Add.
struct ConstantSource {
  graph::ValueId value = graph::kNoValue;
  // Of the value's rank. Elements that differ along an axis of 1 have one constant together.
  graph::Shape groups;
  // Of an Add or Sub: the constant it has, in the shape of `groups`; without it there is no layer.
  std::vector<float> own;
};

// In the order of the nodes. A constant that differs from position to position, as anchors do, is
// none. Values that the model rounds to codes, and what lies in front of them,
// are none: the codes are of the value as it is.
std::vector<ConstantSource> FindConstantSources(graph::Graph& graph);

// Takes `part`, in the shape of the source's groups, out of the value. It goes on through the
// operators behind and ends in the bias of the next layer where that is exact, in front of an
// output, or, where a reader takes it no further, in an Add that is computed. Behind a convolution
// with zeros around the picture it is a number for each element. The graph means what
// it meant, to rounding. Sources behind this one are other values now: find them anew.
void TakeConstant(graph::Graph& graph, const ConstantSource& source,
                  const std::vector<float>& part);

}  // namespace octet::passes

#endif  // OCTET_CONVERTER_PASSES_CONSTANT_PART_H_
