#include "tests/fuzz/duties.h"

#include <cstdlib>
#include <cstring>

#include "converter/lower/winograd.h"

namespace octet::fuzz {
namespace {

template <typename T>
bool Demand(const T* place, T value, bool repair) {
  if (repair) *const_cast<T*>(place) = value;
  return *place == value;
}

// Index of weight k of output o.
size_t WeightAt(bool depthwise, uint64_t depth, uint64_t o, uint64_t k) {
  if (depthwise) return (o / 16 * depth + k) * 16 + o % 16;
  return ((o / 16 * ((depth + 3) / 4) + k / 4) * 16 + o % 16) * 4 + k % 4;
}

bool TransformedRight(const BlobView& view, const blob::LayerRecord& layer, int m, uint64_t in_c,
                      uint64_t out_c, bool repair) {
  const uint8_t* weights = view.weights_s8.data + layer.weights.offset;
  const auto u =
      lower::TransformWeights(lower::Bytes(weights, weights + layer.weights.bytes),
                              static_cast<int64_t>(out_c), static_cast<int64_t>(in_c), m);
  auto* stored = const_cast<uint8_t*>(view.layouts.data + layer.extra.offset);
  const size_t bytes = u.size() * sizeof(u[0]);
  if (bytes > layer.extra.bytes) return false;
  if (repair) std::memcpy(stored, u.data(), bytes);
  return std::memcmp(stored, u.data(), bytes) == 0;
}

bool LayerKeeps(const BlobView& view, const PlanView& plan, const blob::LayerRecord& layer,
                bool repair) {
  const bool depthwise = layer.op == blob::Op::kDepthwiseConv;
  if (layer.precision != blob::Precision::kInt8 || !(depthwise || layer.op == blob::Op::kConv)) {
    return true;
  }
  blob::ConvParams p;
  std::memcpy(&p, layer.params.bytes, sizeof(p));
  const uint64_t in_c = plan.tensors[plan.operands[layer.first_operand]].dims[3];
  const uint64_t out_c = plan.tensors[layer.output].dims[3];
  const uint64_t depth = uint64_t{p.kernel_h} * p.kernel_w * (depthwise ? 1 : in_c / p.groups);
  const uint64_t stored_depth = depthwise ? depth : (depth + 3) / 4 * 4;
  const auto* weights =
      reinterpret_cast<const int8_t*>(view.weights_s8.data) + layer.weights.offset;
  const auto* channels =
      reinterpret_cast<const blob::ChannelBlockS8*>(view.weights_s8.data + layer.channels.offset);
  bool right = true;
  int64_t largest = 0;
  for (uint64_t o = 0; o < (out_c + 15) / 16 * 16; ++o) {
    int32_t sum = 0;
    int64_t absolute = 0;
    for (uint64_t k = 0; k < stored_depth; ++k) {
      const int8_t* w = weights + WeightAt(depthwise, depth, o, k);
      if (o >= out_c || k >= depth) right &= Demand(w, int8_t{0}, repair);
      sum += *w;
      absolute += std::abs(*w);
    }
    right &= Demand(&channels[o / 16].weight_sum[o % 16], sum, repair);
    largest = std::max(largest, absolute);
  }
  const int m = WinogradOf(layer);
  if (m == 0) return right;
  const int64_t bound = int64_t{1} << (m == 2 ? 29 : 25);
  return right && 128 * largest < bound && TransformedRight(view, layer, m, in_c, out_c, repair);
}

}  // namespace

bool KeepsDuties(const BlobView& view, bool repair) {
  bool right = true;
  for (uint32_t i = 0; i < view.model->plan_count; ++i) {
    PlanView plan;
    if (!IsOk(ViewPlan(view, i, &plan))) return false;
    for (uint32_t l = 0; l < plan.header->layer_count; ++l) {
      right &= LayerKeeps(view, plan, plan.layers[l], repair);
    }
  }
  return right;
}

}  // namespace octet::fuzz
