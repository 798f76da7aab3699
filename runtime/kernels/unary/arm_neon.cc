// The 256-entry table of int8 functions: all of it in 16 registers (AArch64). ARMv7 has half as
// many and keeps the reference, one load an element.
#include "runtime/kernels/arm_requantize.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"

#if defined(__aarch64__)

namespace octet {

void table_s8_neon(const TableS8Args& args, Share share) {
  constexpr uint64_t kVectors = 8;
  const Range range = RangeOf(args.count, share);
  for (uint64_t i = range.begin; i < range.end; i += 16 * kVectors) {
    int8x16_t q[kVectors];
    const uint64_t left = range.end - i;
    if (left >= 16 * kVectors) {
      for (uint64_t v = 0; v < kVectors; ++v) q[v] = LoadBytes(args.input + i + 16 * v);
      ApplyTable(q, kVectors, args.table);
      for (uint64_t v = 0; v < kVectors; ++v) {
        vst1q_u8(args.output + i + 16 * v, vreinterpretq_u8_s8(q[v]));
      }
      continue;
    }
    for (uint64_t at = 0; at < left; at += 16) {
      const uint32_t count = left - at < 16 ? (uint32_t)(left - at) : 16;
      q[0] = LoadPartial16(args.input + i + at, count);
      ApplyTable(q, 1, args.table);
      StorePartial16(args.output + i + at, q[0], count);
    }
  }
}

}  // namespace octet

#endif  // __aarch64__
