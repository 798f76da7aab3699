#include "runtime/engine/work.h"

#include "runtime/core/checked.h"
#include "runtime/engine/operators.h"
#include "runtime/kernels/check.h"

namespace octet {

Work WorkOfLayer(const LayerView& view) {
  const LayerCost cost = LayerCostOf(view);
  const uint64_t out = ElementCount(OutputOf(view));
  Work work = {cost.macs, SaturatingAdd(cost.macs, SaturatingMul(out, cost.an_element))};
  for (uint32_t i = 0; i < view.layer->input_count; ++i) {
    const uint64_t count = ElementCount(InputOf(view, i));
    work.steps = SaturatingAdd(work.steps, i == 0 ? SaturatingMul(count, cost.an_input) : count);
  }
  work.steps = SaturatingAdd(work.steps, cost.more);
  return work;
}

Work WorkOfPlan(const BlobView& view, uint32_t index) {
  Work work = {0, 0};
  PlanView plan;
  ViewPlan(view, index, &plan);  // validated
  for (uint32_t k = 0; k < plan.header->layer_count; ++k) {
    const Work layer = WorkOfLayer(MakeLayerView(view, plan, k));
    work.macs = SaturatingAdd(work.macs, layer.macs);
    work.steps = SaturatingAdd(work.steps, layer.steps);
  }
  return work;
}

}  // namespace octet
