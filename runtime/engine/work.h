// What a layer costs, counted from its record. Figures that the writer stored are not read.
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
