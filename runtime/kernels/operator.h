// What an operator folder gives the engine: one check, one scratch size, one run.
// format/operators.inc lists them.
#ifndef OCTET_KERNELS_OPERATOR_H_
#define OCTET_KERNELS_OPERATOR_H_

#include "runtime/core/isa.h"
#include "runtime/core/status.h"
#include "runtime/format/blob.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {

// A layer with everything it refers to; indices and DataRefs already lie within their arrays and
// sections (format/validate.cc checks that before any operator sees the layer).
struct LayerView {
  const blob::LayerRecord* layer;
  const blob::TensorRecord* tensors;
  const uint32_t* inputs;  // layer->input_count tensor numbers
  const uint8_t* weights;  // section base: kWeightsS8 or kWeightsF16 by layer->precision
  const uint8_t* tables;   // section base
  // What layer->channels counts from: `weights`, or memory where a feature replaces the layer.
  const uint8_t* channels;
};

static inline const blob::TensorRecord& InputOf(const LayerView& v, uint32_t i) {
  return v.tensors[v.inputs[i]];
}
static inline const blob::TensorRecord& OutputOf(const LayerView& v) {
  return v.tensors[v.layer->output];
}
template <typename Params>
static inline const Params& ParamsOf(const LayerView& v) {
  static_assert(sizeof(Params) <= sizeof(v.layer->params), "params fit the record");
  return *reinterpret_cast<const Params*>(v.layer->params.bytes);
}

struct RunContext {
  const uint8_t* layouts;  // section base
  uint8_t* arena;          // plan's tensors
  uint8_t* scratch;        // this thread's
  const uint8_t* kept;     // of the layer (keeping.inc), or null
  const KernelTable* kernels;
  Share share;
  uint8_t sign;
  bool half_sums;  // layers that allow it may add in FP16
};

// A line of format/operators.inc declares:
//   bool CheckConvLayer(const LayerView&)             every rule of FORMAT.md for this operator:
//   number and types of inputs,
//                                                shapes re-derived, data sizes, parameter ranges,
//                                                accumulator bounds; what it accepts can never read
//                                                or write out of bounds, divide by zero or overflow
//                                                in run
//   uint64_t ScratchConvLayer(const LayerView&, Isa)   bytes for one thread at a level, from the
//                                                folder's scratch.h; NoScratch where none are
//                                                needed
//   LayerCost CostConvLayer(const LayerView&)          of a layer that the check accepted, whose
//   steps
//                                                a blob cannot lower; OneStepEach where they are
//                                                few
//   void RunConvLayer(const LayerView&, const RunContext&)   one thread's share; cannot fail
//   Isa ConvLayerLevel(const LayerView&, const KernelTable&)   for OCTET_BY_LAYER: the level of the
//                                                kernel that does the layer's work; ReferenceLevel
//                                                where there is one version
static inline uint64_t NoScratch(const LayerView&, Isa) {
  return 0;
}
// Multiply-accumulates; steps (see engine/work.h) of an element of the output, of one of the first
// input, and others. Those of further inputs are one each.
struct LayerCost {
  uint64_t macs = 0;
  uint64_t an_element = 1;
  uint64_t an_input = 1;
  uint64_t more = 0;
};
static inline LayerCost OneStepEach(const LayerView&) {
  return LayerCost{};
}
// All elements are looked at more than once.
static inline LayerCost ThreeStepsAnInput(const LayerView&) {
  return LayerCost{0, 1, 3, 0};
}
static inline Isa ReferenceLevel(const LayerView&, const KernelTable&) {
  return Isa::kReference;
}
#define OCTET_NO_KERNEL
#define OCTET_BY_PRECISION(int8, fp16)
#define OCTET_BY_LAYER(Level, int8, fp16) Isa Level(const LayerView& view, const KernelTable&);
#define OCTET_OPERATOR(code, Name, word, int8, place, Scratch, Cost, kernels) \
  bool Check##Name##Layer(const LayerView& view);                             \
  uint64_t Scratch(const LayerView& view, Isa level);                         \
  LayerCost Cost(const LayerView& view);                                      \
  void Run##Name##Layer(const LayerView& view, const RunContext& context);    \
  kernels
#include "runtime/format/operators.inc"
#undef OCTET_OPERATOR
#undef OCTET_BY_LAYER
#undef OCTET_BY_PRECISION
#undef OCTET_NO_KERNEL
#define OCTET_KEEPING(Name)                                     \
  uint64_t Kept##Name##Layer(const LayerView& view, Isa level); \
  void Keep##Name##Layer(const LayerView& view, Isa level, uint8_t* scratch, uint8_t* kept);
#include "runtime/kernels/keeping.inc"
#undef OCTET_KEEPING

}  // namespace octet

#endif  // OCTET_KERNELS_OPERATOR_H_
