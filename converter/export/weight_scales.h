// What the codes of a layer's weights are worth. The blob has factors of scales alone: the weights
// themselves tell.
#ifndef OCTET_CONVERTER_EXPORT_WEIGHT_SCALES_H_
#define OCTET_CONVERTER_EXPORT_WEIGHT_SCALES_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "converter/export/int8_plan.h"
#include "converter/graph/graph.h"

namespace octet::exporting {

// weight = scale * code, for an output channel of `weights` [outputs, ...]. 0 where all codes are
// 0: the channel is without effect. `given`: the model's own scales (operators::CodedScalesOf).
// Nothing where the codes are not those of the weights.
std::optional<double> WeightScaleOf(const std::vector<float>& given, const LayerNumbers& numbers,
                                    const graph::Tensor& weights, size_t channel);

}  // namespace octet::exporting

#endif  // OCTET_CONVERTER_EXPORT_WEIGHT_SCALES_H_
