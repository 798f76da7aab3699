// Functions of one variable on FP16 with AVX2 and F16C, 8 elements at a time.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/x86_float.inl.h"

namespace octet {

void unary_f16_avx2(const UnaryF16Args& args, Share share) {
  const Range range = RangeOf(args.count, share);
  for (uint64_t i = range.begin; i < range.end; i += 8) {
    const uint64_t count = range.end - i;
    const __m256 x = LoadHalves(args.input + i, count);
    StoreHalves(args.output + i, Apply8(args.function, x, args.alpha, args.beta), count);
  }
}

}  // namespace octet
