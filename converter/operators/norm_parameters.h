// Scale and bias of LayerNormalization and RMSNormalization: as many numbers as one normalized part
// of the data, or anything that numpy broadcasts to the data.
#ifndef OCTET_CONVERTER_OPERATORS_NORM_PARAMETERS_H_
#define OCTET_CONVERTER_OPERATORS_NORM_PARAMETERS_H_

#include "converter/operators/broadcast.h"
#include "converter/operators/context.h"

namespace octet::operators {

// As the normalized dimensions, those from `axis` on, see a parameter of this shape: with their own
// shape where it has as many elements as they.
inline Shape NormParameterShape(const Shape& parameter, const Shape& data, size_t axis) {
  const Shape normalized(data.begin() + static_cast<int64_t>(axis), data.end());
  return graph::ElementCount(parameter) == graph::ElementCount(normalized) ? normalized : parameter;
}

inline void RequireNormParameter(const ShapeContext& context, size_t input, size_t axis) {
  RequireFloat(context, input);
  const Shape& data = InputShape(context, 0);
  const Shape own = NormParameterShape(InputShape(context, input), data, axis);
  bool fits = own.size() <= data.size();
  for (size_t d = 0; fits && d < own.size(); ++d) {
    fits = own[d] == 1 || own[d] == data[data.size() - own.size() + d];
  }
  if (!fits) {
    ShapeFail(context,
              "input {} has shape {}, which does not broadcast to the dimensions from {} on", input,
              graph::ToString(own), axis);
  }
}

// data = f(data, parameter), element by element.
template <typename F>
void ApplyNormParameter(const Tensor& parameter, size_t axis, Tensor& data, F f) {
  BroadcastBinary(data.shape, data.floats.data(),
                  NormParameterShape(parameter.shape, data.shape, axis), parameter.floats.data(),
                  data.shape, data.floats.data(), f);
}

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_NORM_PARAMETERS_H_
