#include "converter/convert/make_plan.h"

#include "converter/lower/half_sums.h"
#include "converter/lower/lower.h"
#include "converter/lower/winograd.h"
#include "converter/lower/winograd_f16.h"
#include "converter/plan/plan.h"
#include "converter/quantize/half_range.h"

namespace octet::convert {

write::Plan MakePlan(const graph::Graph& graph, const quantize::Scheme& scheme,
                     const std::vector<std::optional<calibrate::Statistics>>& statistics, PlanId id,
                     const Wishes& wishes, std::string* beyond) {
  write::Plan plan;
  const quantize::HalfPlan halves = quantize::FitHalves(graph, statistics, scheme);
  plan.program = lower::Lower(halves.graph, halves.scheme, id);
  *beyond = lower::BeyondHalves(halves, plan.program, statistics);
  if (wishes.native_fp16) lower::AllowHalfSums(halves, statistics, &plan.program);
  plan::DropDead(&plan.program);
  if (wishes.winograd) lower::AddTransformedWeights(&plan.program);
  if (wishes.winograd_fp16) lower::TransformHalves(&plan.program);
  plan.memory = plan::PlanMemory(plan.program);
  return plan;
}

}  // namespace octet::convert
