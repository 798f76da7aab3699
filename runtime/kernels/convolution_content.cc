#include "runtime/kernels/convolution_content.h"

#include "runtime/format/view.h"

namespace octet {
namespace {

// An int8 layer's weights, by output and place in the sum.
struct Weights {
  const int8_t* data;
  bool depthwise;
  uint64_t depth, out_c;

  uint64_t StoredDepth() const { return depthwise ? depth : (depth + 3) / 4 * 4; }
  int32_t At(uint64_t o, uint64_t k) const {
    if (depthwise) return data[(o / kChannelBlock * depth + k) * kChannelBlock + o % kChannelBlock];
    return data[((o / kChannelBlock * ((depth + 3) / 4) + k / 4) * kChannelBlock +
                 o % kChannelBlock) *
                    4 +
                k % 4];
  }
};

// G of Winograd's method (FORMAT.md, "Other layouts of weights").
constexpr int32_t kG2[4][3] = {{2, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, 2}};
constexpr int32_t kG4[6][3] = {{6, 0, 0}, {-4, -4, -4}, {-4, 4, -4},
                               {1, 2, 4}, {1, -2, 4},   {0, 0, 6}};

// U = G w G^T of one output and input channel, at the place of its position.
bool TransformedIsRight(const Weights& weights, uint32_t m, uint64_t in_c, uint64_t o, uint64_t c,
                        const int16_t* stored) {
  const int32_t(*g)[3] = m == 2 ? kG2 : kG4;
  const uint64_t blocks = (weights.out_c + kChannelBlock - 1) / kChannelBlock;
  for (uint32_t u = 0; u < m + 2; ++u) {
    for (uint32_t v = 0; v < m + 2; ++v) {
      int32_t sum = 0;  // at most 9 * 36 * 128
      for (uint32_t y = 0; y < 3 && o < weights.out_c; ++y) {
        for (uint32_t x = 0; x < 3; ++x) {
          sum += g[u][y] * g[v][x] * weights.At(o, (y * 3 + x) * in_c + c);
        }
      }
      const uint64_t position = u * (m + 2) + v;
      const uint64_t at =
          ((position * blocks + o / kChannelBlock) * in_c + c) * kChannelBlock + o % kChannelBlock;
      if (stored[at] != sum) return false;
    }
  }
  return true;
}

}  // namespace

bool ConvContentIsRight(const LayerView& view, const uint8_t* layouts) {
  const blob::LayerRecord& layer = *view.layer;
  const bool depthwise = layer.op == blob::Op::kDepthwiseConv;
  if (layer.precision != blob::Precision::kInt8 || !(depthwise || layer.op == blob::Op::kConv)) {
    return true;
  }
  const auto& p = ParamsOf<blob::ConvParams>(view);
  const uint64_t in_c = InputOf(view, 0).dims[3];
  const uint64_t taps = (uint64_t)p.kernel_h * p.kernel_w;
  const Weights weights = {reinterpret_cast<const int8_t*>(view.weights + layer.weights.offset),
                           depthwise, depthwise ? taps : taps * (in_c / p.groups),
                           OutputOf(view).dims[3]};
  const auto* channels =
      reinterpret_cast<const blob::ChannelBlockS8*>(view.channels + layer.channels.offset);
  const uint32_t m = WinogradOf(layer);
  const auto* transformed =
      m == 0 ? nullptr : reinterpret_cast<const int16_t*>(layouts + layer.extra.offset);
  const int32_t bound = m == 2 ? 1 << 29 : 1 << 25;
  for (uint64_t o = 0; o < (weights.out_c + kChannelBlock - 1) / kChannelBlock * kChannelBlock;
       ++o) {
    int32_t sum = 0, absolute = 0;  // depth < 2^16 by the check: 128 * absolute < 2^31
    for (uint64_t k = 0; k < weights.StoredDepth(); ++k) {
      const int32_t w = weights.At(o, k);
      if ((o >= weights.out_c || k >= weights.depth) && w != 0) return false;
      sum += w;
      absolute += w < 0 ? -w : w;
    }
    if (channels[o / kChannelBlock].weight_sum[o % kChannelBlock] != sum) return false;
    if (m == 0) continue;
    if (absolute >= bound / 128) return false;
    for (uint64_t c = 0; c < in_c; ++c) {
      if (!TransformedIsRight(weights, m, in_c, o, c, transformed)) return false;
    }
  }
  return true;
}

}  // namespace octet
