// From an operator code to the functions of its folder (format/operators.inc lists them).
#ifndef OCTET_ENGINE_OPERATORS_H_
#define OCTET_ENGINE_OPERATORS_H_

#include "runtime/format/validate.h"
#include "runtime/kernels/operator.h"

namespace octet {

typedef void (*RunLayerFn)(const LayerView& view, const RunContext& context);

LayerView MakeLayerView(const BlobView& view, const PlanView& plan, uint32_t layer);

// False for an operator that this program leaves out (selection.h).
bool LayerIsLinked(const blob::LayerRecord& layer);
// False for an unknown operator, and for a layer that breaks a rule of its operator.
bool LayerCheck(const BlobView& view, const PlanView& plan, uint32_t layer);
bool LayerViewCheck(const LayerView& view);
// For one thread, of a layer LayerCheck accepts: below 2^40.
uint64_t LayerScratchBytes(const BlobView& view, const PlanView& plan, uint32_t layer, Isa level);
// What the session keeps of the layer at the level (kernels/keeping.inc).
uint64_t LayerKeptBytes(const LayerView& view, Isa level);
void KeepLayer(const LayerView& view, Isa level, uint8_t* scratch, uint8_t* kept);
LayerCost LayerCostOf(const LayerView& view);
RunLayerFn LayerRun(blob::Op op);

// "conv", "depthwise_conv", ...: the words inspect and profile print; "unknown" for others.
const char* OpName(blob::Op op);
// The level of the kernel that does the layer's work; reference for operators that have one
// version.
Isa LayerKernelIsa(const LayerView& view, const KernelTable& kernels);

static inline LayerRules OperatorRules() {
  return LayerRules{LayerIsLinked, LayerCheck};
}

}  // namespace octet

#endif  // OCTET_ENGINE_OPERATORS_H_
