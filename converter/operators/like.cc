// CastLike, Size: what only looks at the type or the shape of an input.
#include "converter/operators/registry.h"

namespace octet::operators {

std::vector<OutputType> InferCastLike(const ShapeContext& context) {
  CheckInputCount(context, 2, 2);
  return {{InputType(context, 1), InputShape(context, 0)}};
}

std::vector<OutputType> InferSize(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  return {{DataType::kInt64, {}}};
}

void ExecuteSize(const Node&, Inputs inputs, Outputs outputs, Workspace&) {
  outputs[0].integers[0] = inputs[0]->Count();
}

}  // namespace octet::operators
