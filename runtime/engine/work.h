// What a layer costs, from its record alone: nothing that the writer only tells.
#ifndef OCTET_ENGINE_WORK_H_
#define OCTET_ENGINE_WORK_H_

#include "runtime/kernels/operator.h"

namespace octet {

struct Work {
  uint64_t macs;   // multiply-accumulates of convolutions and matrix products
  uint64_t steps;  // macs, elements read, written and compared: an upper bound, saturating
};

// view: of a layer that its check has accepted.
Work WorkOfLayer(const LayerView& view);
// Of a validated plan.
Work WorkOfPlan(const BlobView& view, uint32_t plan);

}  // namespace octet

#endif  // OCTET_ENGINE_WORK_H_
