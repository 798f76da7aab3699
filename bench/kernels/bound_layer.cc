#include "bench/kernels/bound_layer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <random>

#include "runtime/core/half.h"
#include "runtime/kernels/conv/scratch.h"
#include "runtime/kernels/depthwise_conv/scratch.h"

namespace octet::bench {
namespace {

constexpr std::align_val_t kAlignment{64};

bool HasWeights(const Layer& layer) {
  return MacsOf(layer) != 0;
}

uint64_t DepthOf(const Layer& layer) {
  return uint64_t{layer.g.kernel_h} * layer.g.kernel_w * (layer.g.in_c / layer.g.groups);
}

}  // namespace

void AlignedDelete::operator()(uint8_t* p) const {
  ::operator delete[](p, kAlignment);
}

AlignedBytes MakeAligned(uint64_t bytes) {
  AlignedBytes memory(static_cast<uint8_t*>(::operator new[](bytes + 64, kAlignment)));
  std::minstd_rand random(static_cast<unsigned>(bytes) + 1);
  for (uint64_t i = 0; i < bytes; ++i) memory[i] = static_cast<uint8_t>(random() >> 8);
  return memory;
}

BoundLayer::BoundLayer(const Layer& layer, bool fp16) : layer_(layer), fp16_(fp16) {
  const ConvGeometry& g = layer.g;
  const uint64_t taps = uint64_t{g.kernel_h} * g.kernel_w;
  const uint64_t blocks = (g.out_c + 15) / 16;
  const uint64_t depth = DepthOf(layer);
  const bool depthwise = layer.kind == LayerKind::kDepthwiseConv;
  // Enough for every level.
  uint64_t scratch = 0;
  for (uint32_t code = 0; code < kIsaCount; ++code) {
    const Isa level = static_cast<Isa>(code);
    if (depthwise) scratch = std::max(scratch, DepthwiseScratch(level, g, !fp16));
    if (layer.kind != LayerKind::kConv) continue;
    scratch =
        std::max(scratch, fp16 ? ConvScratchF16(level, g, false) : ConvScratchS8(level, g, 0));
  }
  scratch_ = MakeAligned(scratch);
  // A factor that keeps typical sums within int8.
  const int shift = std::max(1, static_cast<int>(std::log2(74.0 * 74.0 * std::sqrt(depth) / 50)));
  multiplier_ = {1 << 30, shift};
  if (layer.kind == LayerKind::kAveragePool) multiplier_ = {1 << 30, 6};
  if (!HasWeights(layer)) return;
  if (fp16) {
    const uint64_t count = blocks * 16 * depth;
    weights_ = MakeAligned(2 * count);
    auto* weights = reinterpret_cast<uint16_t*>(weights_.get());
    for (uint64_t i = 0; i < count; ++i) {
      weights[i] = FloatToHalf((static_cast<float>(weights[i] % 256) - 128.0f) / 1024.0f);
    }
    channels_ = MakeAligned(blocks * 64);
    std::fill_n(reinterpret_cast<float*>(channels_.get()), blocks * 16, 0.25f);
    return;
  }
  const uint64_t weight_bytes = depthwise ? blocks * 16 * taps : blocks * ((depth + 3) / 4) * 64;
  weights_ = MakeAligned(weight_bytes);
  // [-127, 127] as the converter writes them: a single -128 takes the slower of two paths on ARM.
  std::replace(weights_.get(), weights_.get() + weight_bytes, uint8_t{0x80}, uint8_t{0x81});
  const uint64_t kept = depthwise ? 0 : ConvKeptS8(Isa::kAvx2, g, 0);
  if (kept != 0) {
    kept_ = MakeAligned(kept);
    ConvKeepOf(Isa::kAvx2)(ConvKeepArgs{g, reinterpret_cast<const int8_t*>(weights_.get()),
                                        scratch_.get(), kept_.get()});
  }
  channels_ = MakeAligned(blocks * sizeof(blob::ChannelBlockS8));
  auto* channels = reinterpret_cast<blob::ChannelBlockS8*>(channels_.get());
  for (uint64_t b = 0; b < blocks; ++b) {
    std::fill_n(channels[b].bias, 16, 100);
    std::fill_n(channels[b].weight_sum, 16, 5);
    std::fill_n(channels[b].multiplier, 16, multiplier_.multiplier);
    std::fill_n(channels[b].shift, 16, shift);
  }
}

uint64_t BoundLayer::LargestTensorBytes() const {
  const ConvGeometry& g = layer_.g;
  return std::max(uint64_t{g.in_h} * g.in_w * g.in_c, uint64_t{g.out_h} * g.out_w * g.out_c) *
         (fp16_ ? 2 : 1);
}

void BoundLayer::Run(const KernelTable& table, uint8_t sign, const uint8_t* input,
                     const uint8_t* other, uint8_t* output) const {
  if (fp16_) {
    RunF16(table, input, other, output);
  } else {
    RunS8(table, sign, input, other, output);
  }
}

void BoundLayer::RunS8(const KernelTable& table, uint8_t sign, const uint8_t* input,
                       const uint8_t* other, uint8_t* output) const {
  const ConvGeometry& g = layer_.g;
  const Share share = {0, 1};
  if (layer_.kind == LayerKind::kAdd) {
    const BinaryS8Args args = {input,  other,
                               output, g.in_h * g.in_w,
                               g.in_c, blob::Broadcast::kNone,
                               3,      -5,
                               2,      12000,
                               9000,   14,
                               -128,   127,
                               0,      0,
                               sign};
    table.add_s8(args, share);
  } else if (!HasWeights(layer_)) {
    const PoolS8Args args = {g, input, output, &multiplier_, 1, 0, 3, 3, -128, 127, 0, sign};
    (layer_.kind == LayerKind::kMaxPool ? table.max_pool_s8 : table.average_pool_s8)(args, share);
  } else {
    const ConvS8Args args = {g,
                             input,
                             output,
                             reinterpret_cast<const int8_t*>(weights_.get()),
                             reinterpret_cast<const blob::ChannelBlockS8*>(channels_.get()),
                             nullptr,
                             scratch_.get(),
                             -3,
                             4,
                             layer_.relu ? 4 : -128,
                             127,
                             0,
                             sign,
                             0,
                             nullptr,
                             table.conv_s8_isa == Isa::kAvx2 ? kept_.get() : nullptr};
    (layer_.kind == LayerKind::kConv ? table.conv_s8 : table.depthwise_conv_s8)(args, share);
  }
}

void BoundLayer::RunF16(const KernelTable& table, const uint8_t* input, const uint8_t* other,
                        uint8_t* output) const {
  const ConvGeometry& g = layer_.g;
  const Share share = {0, 1};
  const auto* x = reinterpret_cast<const uint16_t*>(input);
  auto* y = reinterpret_cast<uint16_t*>(output);
  const blob::Function function = layer_.relu ? blob::Function::kClamp : blob::Function::kIdentity;
  const float infinity = std::numeric_limits<float>::infinity();
  if (layer_.kind == LayerKind::kAdd) {
    const BinaryF16Args args = {x,        reinterpret_cast<const uint16_t*>(other),
                                y,        g.in_h * g.in_w,
                                g.in_c,   blob::Broadcast::kNone,
                                function, 0.0f,
                                infinity, 0,
                                0};
    table.add_f16(args, share);
  } else if (!HasWeights(layer_)) {
    const PoolF16Args args = {g, x, y, 0};
    (layer_.kind == LayerKind::kMaxPool ? table.max_pool_f16 : table.average_pool_f16)(args, share);
  } else {
    const ConvF16Args args = {g,
                              x,
                              y,
                              reinterpret_cast<const uint16_t*>(weights_.get()),
                              reinterpret_cast<const float*>(channels_.get()),
                              function,
                              0.0f,
                              infinity,
                              scratch_.get(),
                              false,
                              false};
    (layer_.kind == LayerKind::kConv ? table.conv_f16 : table.depthwise_conv_f16)(args, share);
  }
}

Isa BoundLayer::KernelOf(const KernelTable& table) const {
  switch (layer_.kind) {
    case LayerKind::kConv:
      return fp16_ ? table.conv_f16_isa : table.conv_s8_isa;
    case LayerKind::kDepthwiseConv:
      return fp16_ ? table.depthwise_conv_f16_isa : table.depthwise_conv_s8_isa;
    case LayerKind::kAdd:
      return fp16_ ? table.add_f16_isa : table.add_s8_isa;
    case LayerKind::kMaxPool:
      return fp16_ ? table.max_pool_f16_isa : table.max_pool_s8_isa;
    case LayerKind::kAveragePool:
      return fp16_ ? table.average_pool_f16_isa : table.average_pool_s8_isa;
  }
  return Isa::kReference;
}

}  // namespace octet::bench
