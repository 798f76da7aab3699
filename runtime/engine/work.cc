#include "runtime/engine/work.h"

#include "runtime/core/checked.h"
#include "runtime/engine/operators.h"
#include "runtime/format/axes_params.h"
#include "runtime/format/move.h"
#include "runtime/format/resample.h"
#include "runtime/kernels/check.h"

namespace octet {
namespace {

using blob::Op;

// Comparisons an element of a heap of so many takes at most, there and back.
uint64_t HeapSteps(uint64_t count) {
  uint64_t steps = 4;
  for (; count > 1; count /= 2) steps += 4;
  return steps;
}

uint64_t MacsOf(const LayerView& view) {
  const uint64_t out = ElementCount(OutputOf(view));
  switch (view.layer->op) {
    case Op::kConv:
    case Op::kDepthwiseConv: {
      const blob::ConvParams& p = ParamsOf<blob::ConvParams>(view);
      const bool by_channel = view.layer->op == Op::kDepthwiseConv;
      const uint64_t depth = by_channel ? 1 : InputOf(view, 0).dims[3] / p.groups;
      return SaturatingMul(out, SaturatingMul((uint64_t)p.kernel_h * p.kernel_w, depth));
    }
    case Op::kMatMul:
      return SaturatingMul(out, ParamsOf<blob::MatMulParams>(view).depth);
    default:
      return 0;
  }
}

// Steps of one element of the output, where they are more than a few.
uint64_t StepsAnElement(const LayerView& view) {
  switch (view.layer->op) {
    case Op::kMaxPool:
    case Op::kAveragePool: {
      const blob::PoolParams& p = ParamsOf<blob::PoolParams>(view);
      return (uint64_t)p.kernel_h * p.kernel_w;
    }
    case Op::kElementwise: {
      const blob::Elementwise function = ParamsOf<blob::ElementwiseParams>(view).function;
      // A long division of two halves.
      return function == blob::Elementwise::kMod || function == blob::Elementwise::kFmod ? 64 : 1;
    }
    case Op::kResample: {
      uint64_t taps = 1;
      for (const uint16_t count : ParamsOf<blob::ResampleParams>(view).taps) {
        taps = SaturatingMul(taps, count);
      }
      return taps;
    }
    case Op::kGridSample:
      return 16;
    case Op::kRoiAlign: {
      constexpr uint64_t kMostSamples = 256;  // a side of a cell
      const uint64_t ratio = ParamsOf<blob::RoiAlignParams>(view).sampling_ratio;
      const uint64_t samples = ratio == 0 ? kMostSamples : ratio;
      return 4 * samples * samples;
    }
    case Op::kLrn: {
      const blob::LrnParams& p = ParamsOf<blob::LrnParams>(view);
      const uint64_t window = (uint64_t)p.before + p.after + 1;
      return window < p.channels ? window : p.channels;
    }
    default:
      return 1;
  }
}

// Steps of one element of the first input, where all are looked at more than once.
uint64_t StepsAnInput(const LayerView& view) {
  switch (view.layer->op) {
    case Op::kTopK:
      return HeapSteps(ParamsOf<blob::TopKParams>(view).axis);
    case Op::kReduce:
    case Op::kNormalize:
    case Op::kSoftmax:
    case Op::kAxisSoftmax:
      return 3;
    default:
      return 1;
  }
}

// Of two operands: every candidate against every box kept.
uint64_t SuppressionSteps(const LayerView& view) {
  const blob::NonMaxSuppressionParams& p = ParamsOf<blob::NonMaxSuppressionParams>(view);
  const uint64_t kept = p.most < p.boxes ? p.most : p.boxes;
  const uint64_t each = SaturatingAdd(HeapSteps(p.boxes), kept);
  return SaturatingMul(SaturatingMul(p.batch, p.classes), SaturatingMul(p.boxes, each));
}

}  // namespace

Work WorkOfLayer(const LayerView& view) {
  Work work = {MacsOf(view), 0};
  work.steps =
      SaturatingAdd(work.macs, SaturatingMul(ElementCount(OutputOf(view)), StepsAnElement(view)));
  for (uint32_t i = 0; i < view.layer->input_count; ++i) {
    const uint64_t count = ElementCount(InputOf(view, i));
    work.steps =
        SaturatingAdd(work.steps, i == 0 ? SaturatingMul(count, StepsAnInput(view)) : count);
  }
  if (view.layer->op == Op::kNonMaxSuppression) {
    work.steps = SaturatingAdd(work.steps, SuppressionSteps(view));
  }
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
