// Sums of FP16 tensors with FP16 arithmetic (asimdhp, which every core with SDOT has:
// ports/linux/cpu.cc). A float has more than twice the bits of a half and two more, so that a sum
// rounded to a float and then to a half is the sum rounded once: FADD of halves gives the bits of
// NEON.
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {

void add_f16_dotprod(const BinaryF16Args& args, Share share) {
  if (args.broadcast != blob::Broadcast::kNone || args.function != blob::Function::kIdentity ||
      args.negate_b != 0) {
    return add_f16_neon(args, share);
  }
  const Range range = RangeOf((uint64_t)args.pixels * args.channels, share);
  const float16_t* a = reinterpret_cast<const float16_t*>(args.a);
  const float16_t* b = reinterpret_cast<const float16_t*>(args.b);
  float16_t* output = reinterpret_cast<float16_t*>(args.output);
  uint64_t i = range.begin;
  for (; i + 16 <= range.end; i += 16) {
    const float16x8_t low = vaddq_f16(vld1q_f16(a + i), vld1q_f16(b + i));
    const float16x8_t high = vaddq_f16(vld1q_f16(a + i + 8), vld1q_f16(b + i + 8));
    vst1q_f16(output + i, low);
    vst1q_f16(output + i + 8, high);
  }
  for (; i < range.end; ++i) {
    vst1_lane_f16(output + i, vadd_f16(vld1_dup_f16(a + i), vld1_dup_f16(b + i)), 0);
  }
}

}  // namespace octet
