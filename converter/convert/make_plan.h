// A plan of a graph under a scheme: lowered, with what its board wants, and with its memory
// planned.
#ifndef OCTET_CONVERTER_CONVERT_MAKE_PLAN_H_
#define OCTET_CONVERTER_CONVERT_MAKE_PLAN_H_

#include <optional>
#include <string>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/graph/graph.h"
#include "converter/quantize/scheme.h"
#include "converter/write/write.h"

namespace octet::convert {

// What plans bring for the board beyond what every machine runs.
struct Wishes {
  bool winograd, native_fp16, winograd_fp16;
};

// `beyond`: what FP16 cannot hold of its FP16 layers.
write::Plan MakePlan(const graph::Graph& graph, const quantize::Scheme& scheme,
                     const std::vector<std::optional<calibrate::Statistics>>& statistics, PlanId id,
                     const Wishes& wishes, std::string* beyond);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_MAKE_PLAN_H_
