#include "runtime/temporal/blend.h"

namespace octet {
namespace temporal {
namespace {

constexpr size_t kBlock = 128;  // bytes whose sums are on the stack, a multiple of any vector

// One frame's share in the sums. Changes and weights have 16 bits, whose products every vector unit
// has; a mask in place of a branch, for changes of noise are predicted by nobody.
template <size_t kCount>
void AddShare(const uint8_t* __restrict before, const int16_t* __restrict now, int16_t weight,
              int16_t gate, int32_t* __restrict sums) {
  const int16_t least = (int16_t)-gate;
  for (size_t i = 0; i < kCount; ++i) {
    const int16_t change = (int16_t)(before[i] - now[i]);
    const int16_t inside = (int16_t) - (int16_t)(change <= gate && change >= least);
    sums[i] += (int32_t)weight * (int16_t)(change & inside);
  }
}

template <size_t kCount>
void BlendBlock(uint8_t* tensor, uint8_t mask, const Past& past, size_t at, int16_t gate,
                uint8_t* keep) {
  int16_t now[kCount];
  int32_t sums[kCount];
  for (size_t i = 0; i < kCount; ++i) {
    now[i] = (int16_t)(tensor[i] ^ mask);
    sums[i] = now[i] * (int32_t)blob::kTemporalOne + (int32_t)(blob::kTemporalOne / 2);
  }
  for (uint32_t k = 0; k < past.count; ++k) {
    AddShare<kCount>(past.frames[k] + at, now, past.weights[k], gate, sums);
  }
  for (size_t i = 0; i < kCount; ++i) {
    // Not negative, for the weights make a mean of bytes: the shift is a floor.
    tensor[i] = (uint8_t)(((uint32_t)sums[i] >> blob::kTemporalOneLog2) ^ mask);
    keep[i] = (uint8_t)now[i];
  }
}

}  // namespace

void Blend(uint8_t* tensor, size_t bytes, uint8_t mask, const Past& past, uint32_t gate,
           uint8_t* keep) {
  size_t at = 0;
  for (; at + kBlock <= bytes; at += kBlock) {
    BlendBlock<kBlock>(tensor + at, mask, past, at, (int16_t)gate, keep + at);
  }
  for (; at < bytes; ++at) {
    BlendBlock<1>(tensor + at, mask, past, at, (int16_t)gate, keep + at);
  }
}

uint32_t MeanChange(const uint8_t* now, const uint8_t* before, size_t bytes, uint8_t mask) {
  // Runs of neighbours instead of single bytes: a cache line each.
  constexpr size_t kRuns = 32, kRunBytes = 8;
  const bool all = bytes <= kRuns * kRunBytes;
  const size_t runs = all ? 1 : kRuns, run_bytes = all ? bytes : kRunBytes;
  const size_t distance = all ? 0 : (bytes - kRunBytes) / (kRuns - 1);
  uint32_t sum = 0;
  for (size_t run = 0; run < runs; ++run) {
    for (size_t i = run * distance; i < run * distance + run_bytes; ++i) {
      const int32_t change = (now[i] ^ mask) - before[i];
      sum += (uint32_t)(change < 0 ? -change : change);
    }
  }
  return sum * 256 / (uint32_t)(runs * run_bytes);
}

}  // namespace temporal
}  // namespace octet
