// Add and Mul of FP16 tensors in float, 8 elements at a time.
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/binary/arm_runs.inl.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

// compute(a, b) on four elements.
template <typename Compute>
static inline void RunBinary(const BinaryF16Args& args, Share share, Compute compute) {
  const FloatFunction function = {args.function, args.alpha, args.beta};
  ForEachRun(args, share, [&](const Run<uint16_t>& run) {
    const uint16_t* a = args.a + (size_t)run.begin;
    const uint16_t* b = run.b;
    uint16_t* output = args.output + (size_t)run.begin;
    Float8 y = Widen(vdupq_n_u16(*b));
    for (uint64_t i = 0; i < run.count; i += 8) {
      const uint32_t count = run.count - i < 8 ? (uint32_t)(run.count - i) : 8;
      if (!run.one) y = LoadPartialHalf8(b + i, count);
      const Float8 x = LoadPartialHalf8(a + i, count);
      const Float8 result = {compute(x.low, y.low), compute(x.high, y.high)};
      StorePartialHalf8(output + i, Apply8(function, result), count);
    }
  });
}

}  // namespace

void add_f16_neon(const BinaryF16Args& args, Share share) {
  if (args.negate_b != 0) {
    RunBinary(args, share, [](float32x4_t a, float32x4_t b) { return vsubq_f32(a, b); });
  } else {
    RunBinary(args, share, [](float32x4_t a, float32x4_t b) { return vaddq_f32(a, b); });
  }
}

void mul_f16_neon(const BinaryF16Args& args, Share share) {
  RunBinary(args, share, [](float32x4_t a, float32x4_t b) { return vmulq_f32(a, b); });
}

}  // namespace octet
