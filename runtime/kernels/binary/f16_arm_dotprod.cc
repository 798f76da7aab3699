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
  const auto add = [&](uint64_t at) {
    const float16x8_t a = vreinterpretq_f16_u16(vld1q_u16(args.a + at));
    const float16x8_t b = vreinterpretq_f16_u16(vld1q_u16(args.b + at));
    return vreinterpretq_u16_f16(vaddq_f16(a, b));
  };
  uint64_t i = range.begin;
  for (; i + 16 <= range.end; i += 16) {
    const uint16x8_t low = add(i), high = add(i + 8);
    vst1q_u16(args.output + i, low);
    vst1q_u16(args.output + i + 8, high);
  }
  for (; i < range.end; ++i) {
    args.output[i] = FloatToHalf(HalfToFloat(args.a[i]) + HalfToFloat(args.b[i]));
  }
}

}  // namespace octet
