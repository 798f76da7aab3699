#include "converter/write/scratch.h"

#include <algorithm>

#include "runtime/format/axes_params.h"
#include "runtime/format/move.h"
#include "runtime/format/scratch.h"

namespace octet::write {
namespace {

uint64_t LayerScratch(const lower::Program& program, const lower::Layer& layer) {
  if (layer.inputs.empty()) return 0;
  const uint64_t channels = program.tensors[static_cast<size_t>(layer.inputs[0])].dims[3];
  const bool fp16 = layer.precision == blob::Precision::kFp16;
  switch (layer.op) {
    case blob::Op::kConv: {
      const auto params = layer.Get<blob::ConvParams>();
      const uint64_t taps = uint64_t{params.kernel_h} * params.kernel_w;
      const uint64_t direct = ScratchConv(taps, channels, taps * (channels / params.groups), fp16);
      if (fp16 || params.winograd == 0) return direct;
      const lower::Tensor& out = program.tensors[static_cast<size_t>(layer.output)];
      return std::max(direct, ScratchWinograd(params.winograd, channels, out.dims[1], out.dims[2]));
    }
    case blob::Op::kDepthwiseConv: {
      const auto params = layer.Get<blob::ConvParams>();
      return ScratchDepthwise(uint64_t{params.kernel_h} * params.kernel_w, channels, fp16);
    }
    case blob::Op::kMaxPool:
    case blob::Op::kAveragePool: {
      const auto params = layer.Get<blob::PoolParams>();
      return ScratchPool(uint64_t{params.kernel_h} * params.kernel_w, channels);
    }
    case blob::Op::kNonMaxSuppression:
      return ScratchNonMaxSuppression(layer.Get<blob::NonMaxSuppressionParams>().boxes);
    case blob::Op::kMatMul:
      return ScratchMatMul(layer.Get<blob::MatMulParams>().depth, fp16);
    default:
      return 0;
  }
}

}  // namespace

uint64_t ScratchBytes(const lower::Program& program) {
  uint64_t largest = 0;
  for (const lower::Layer& layer : program.layers)
    largest = std::max(largest, LayerScratch(program, layer));
  return largest;
}

}  // namespace octet::write
