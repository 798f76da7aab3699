#include "runtime/temporal/blend.h"

namespace octet {
namespace temporal {
namespace {

constexpr size_t kBlock = 128;  // bytes whose sums are on the stack, a multiple of any vector

// As many steps as there are in a byte: compilers make vectors of it, which the bounds known at
// compile time help.
void BlendBlock(uint8_t* tensor, size_t count, uint8_t mask, const Past& past, size_t at,
                int32_t gate, uint8_t* keep) {
  int32_t now[kBlock], sums[kBlock];
  for (size_t i = 0; i < count; ++i) {
    now[i] = tensor[i] ^ mask;
    sums[i] = now[i] * (int32_t)blob::kTemporalOne + (int32_t)(blob::kTemporalOne / 2);
  }
  for (uint32_t k = 0; k < past.count; ++k) {
    const uint8_t* before = past.frames[k] + at;
    const int32_t weight = (int32_t)past.weights[k];
    for (size_t i = 0; i < count; ++i) {
      const int32_t change = before[i] - now[i];
      const int32_t size = change < 0 ? -change : change;
      sums[i] += weight * (size <= gate ? change : 0);
    }
  }
  for (size_t i = 0; i < count; ++i) {
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
    BlendBlock(tensor + at, kBlock, mask, past, at, (int32_t)gate, keep + at);
  }
  if (at < bytes) {
    BlendBlock(tensor + at, bytes - at, mask, past, at, (int32_t)gate, keep + at);
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
