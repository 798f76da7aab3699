#include "runtime/engine/content.h"

#include "runtime/engine/operators.h"
#include "runtime/kernels/convolution_content.h"

namespace octet {

Status ValidateContent(const BlobView& blob, uint32_t plan_mask) {
  for (uint32_t p = 0; p < blob.model->plan_count; ++p) {
    if (plan_mask != 0 && (plan_mask >> p & 1) == 0) continue;
    PlanView plan;
    ViewPlan(blob, p, &plan);  // validated
    for (uint32_t k = 0; k < plan.header->layer_count; ++k) {
      if (ConvContentIsRight(MakeLayerView(blob, plan, k), blob.layouts.data)) continue;
      return Status{Code::kCorrupt, plan.offset + plan.header->layers_offset +
                                        k * (uint32_t)sizeof(blob::LayerRecord)};
    }
  }
  return Ok();
}

}  // namespace octet
