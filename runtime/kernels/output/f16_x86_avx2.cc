// FP16 outputs with AVX2 and F16C.
#define OCTET_OUTPUT_LANES 8
#include "runtime/kernels/x86_immintrin.inl.h"
// Intrinsics come first.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/output/sigmoid.inl.h"

namespace octet {

void output_f16_avx2(const OutputF16Args& args, Share) {
  const __m256 scale = _mm256_set1_ps(args.scale);
  for (size_t i = 0; i < args.count; i += 8) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(args.halves + i));
    _mm256_storeu_ps(args.values + i, _mm256_mul_ps(_mm256_cvtph_ps(halves), scale));
  }
  ApplyToOutputs(args.function, args.values, args.count);
}

}  // namespace octet
