// The general form of Resize: any mode, any dimensions.
#ifndef OCTET_CONVERTER_LOWER_RESAMPLE_H_
#define OCTET_CONVERTER_LOWER_RESAMPLE_H_

#include <vector>

#include "converter/lower/builder.h"
#include "converter/operators/resize_map.h"

namespace octet::lower {

// `maps` has one entry a dimension of the node's input; `keeps_scale`: the int8 result has its
// input's scale.
void EmitResample(Builder& builder, const graph::Node& node,
                  const std::vector<operators::ResizeMap>& maps, bool keeps_scale);

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_RESAMPLE_H_
