#include "converter/convert/plan.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "converter/convert/in_model.h"
#include "converter/convert/make_plan.h"

namespace octet::convert {
namespace {

void AddFp16(const Calibrated& calibrated, quantize::Scheme scheme, Planned* result) {
  scheme.precision.assign(calibrated.graph.nodes.size(), blob::Precision::kFp16);
  scheme.bias_shift.clear();  // of what 8 bits do to scores
  std::string beyond;
  write::Plan plan = MakePlan(calibrated.graph, scheme, calibrated.statistics, PlanId::kFp16,
                              calibrated.from.whole_fp16, &beyond);
  if (beyond.empty()) {
    result->plans.push_back(std::move(plan));
    return;
  }
  result->warnings.push_back(
      fmt::format("no FP16 plan: {}, above FP16's largest number 65504, and an operator there "
                  "allows no scaling; the blob has the int8 plan only",
                  beyond));
}

// Behind the int8 plan.
void AddMixed(const Calibrated& calibrated, const assign::Result& mixed, Planned* result) {
  if (mixed.fp16.empty()) {
    result->warnings.emplace_back("no mixed plan: no layer gains enough in FP16");
    return;
  }
  std::string beyond;
  write::Plan plan = MakePlan(calibrated.graph, mixed.scheme, calibrated.statistics, PlanId::kMixed,
                              calibrated.from.wishes, &beyond);
  if (beyond.empty()) {
    result->plans.insert(result->plans.begin() + 1, std::move(plan));
    return;
  }
  result->warnings.push_back(
      fmt::format("no mixed plan: {}, above FP16's largest number 65504; the int8 plan runs "
                  "this layer in int8",
                  beyond));
}

}  // namespace

Planned MakePlans(const Assigned& from) {
  const Recovered& recovered = from.from;
  Planned result{from, {recovered.int8}, {}};
  InModel(from.options().model, [&] {
    AddFp16(recovered.from, recovered.scheme, &result);
    if (from.mixed) AddMixed(recovered.from, *from.mixed, &result);
  });
  return result;
}

}  // namespace octet::convert
