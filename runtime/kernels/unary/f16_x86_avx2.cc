// Functions of one variable on FP16 with AVX2 and F16C.
#include "runtime/kernels/x86_float.inl.h"
// Intrinsics come first.
#include "runtime/kernels/unary/f16.inl.h"

namespace octet {
namespace {

struct Level : HalfRows {
  static inline void Apply(const UnaryF16Args& args, float* values, uint32_t count) {
    if (!IsInLine(args.function)) {
      apply_function_avx2(args.function, args.alpha, args.beta, values, count);
      return;
    }
    for (uint32_t i = 0; i < count; i += 8) {
      const __m256 x = _mm256_load_ps(values + i);
      _mm256_store_ps(values + i, Apply8(args.function, x, args.alpha, args.beta));
    }
  }
};

}  // namespace

void unary_f16_avx2(const UnaryF16Args& args, Share share) {
  RunUnaryF16<Level>(args, share);
}

}  // namespace octet
