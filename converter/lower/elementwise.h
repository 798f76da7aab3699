// Layers of the elementwise family: one function of one to three operands, broadcast any way.
#ifndef OCTET_CONVERTER_LOWER_ELEMENTWISE_H_
#define OCTET_CONVERTER_LOWER_ELEMENTWISE_H_

#include <string_view>
#include <vector>

#include "converter/lower/builder.h"

namespace octet::lower {

// By its name in runtime/format/elementwise.inc.
blob::Elementwise ElementwiseNamed(std::string_view name);

// A tensor and its logical shape, which is broadcast to the result's.
struct Operand {
  int tensor;
  graph::Shape shape;
};

// A constant of one element.
Operand ScalarOperand(Builder& builder, const graph::Node& node, int32_t value);

// output = function(operands), all in `layout`, the output with `shape`. The operands have one
// type (but for the condition of Where), of which the function has to exist; in int8 the rule is
// that of QUANTIZATION.md, 13.
void EmitElementwise(Builder& builder, const graph::Node& node, blob::Elementwise function,
                     const std::vector<Operand>& operands, const graph::Shape& shape, Layout layout,
                     int output, const FunctionOf& activation = {});

// The node as one layer `function` of its inputs (those in `inputs`, where given), with what wraps
// its result into an integer type narrower than 32 bits.
void LowerAs(Builder& builder, const graph::Node& node, blob::Elementwise function,
             std::vector<graph::ValueId> inputs = {});

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_ELEMENTWISE_H_
