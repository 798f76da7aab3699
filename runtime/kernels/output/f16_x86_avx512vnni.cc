// FP16 outputs with AVX-512.
#define OCTET_OUTPUT_LANES 16
#include "runtime/kernels/x86_immintrin.inl.h"
// Intrinsics come first.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/output/sigmoid.inl.h"

namespace octet {

void output_f16_avx512vnni(const OutputF16Args& args, Share) {
  const __m512 scale = _mm512_set1_ps(args.scale);
  for (size_t i = 0; i < args.count; i += 16) {
    const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(args.halves + i));
    _mm512_storeu_ps(args.values + i, _mm512_mul_ps(_mm512_cvtph_ps(halves), scale));
  }
  ApplyToOutputs(args.function, args.values, args.count);
}

}  // namespace octet
