// FP16 functions of one variable, 8 elements at a time.
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"

namespace octet {

void unary_f16_neon(const UnaryF16Args& args, Share share) {
  const Range range = RangeOf(args.count, share);
  const FloatFunction function = {args.function, args.alpha, args.beta};
  for (uint64_t i = range.begin; i < range.end; i += 8) {
    const uint32_t count = range.end - i < 8 ? (uint32_t)(range.end - i) : 8;
    const Float8 x = LoadPartialHalf8(args.input + i, count);
    StorePartialHalf8(args.output + i, Apply8(function, x), count);
  }
}

}  // namespace octet
