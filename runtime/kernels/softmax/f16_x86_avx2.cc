// Softmax of FP16 with AVX2 and F16C.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/softmax/axis_f16.inl.h"
#include "runtime/kernels/softmax/rows.inl.h"
#include "runtime/kernels/x86_float.inl.h"

namespace octet {
namespace {

struct Level : HalfRows {
  static constexpr uint32_t kLanes = 8, kPiece = 256;
  static inline void Transpose(const float* from, size_t from_step, float* to, size_t to_step) {
    __m256 rows[8], pairs[8];
#pragma GCC unroll 8
    for (int r = 0; r < 8; ++r) rows[r] = _mm256_load_ps(from + (size_t)r * from_step);
#pragma GCC unroll 4
    for (int r = 0; r < 8; r += 2) {
      pairs[r] = _mm256_unpacklo_ps(rows[r], rows[r + 1]);
      pairs[r + 1] = _mm256_unpackhi_ps(rows[r], rows[r + 1]);
    }
#pragma GCC unroll 2
    for (int r = 0; r < 8; r += 4) {
      rows[r] = _mm256_shuffle_ps(pairs[r], pairs[r + 2], 0x44);
      rows[r + 1] = _mm256_shuffle_ps(pairs[r], pairs[r + 2], 0xEE);
      rows[r + 2] = _mm256_shuffle_ps(pairs[r + 1], pairs[r + 3], 0x44);
      rows[r + 3] = _mm256_shuffle_ps(pairs[r + 1], pairs[r + 3], 0xEE);
    }
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) {
      const __m256 low = _mm256_permute2f128_ps(rows[r], rows[r + 4], 0x20);
      const __m256 high = _mm256_permute2f128_ps(rows[r], rows[r + 4], 0x31);
      _mm256_store_ps(to + (size_t)r * to_step, low);
      _mm256_store_ps(to + (size_t)(r + 4) * to_step, high);
    }
  }
  static inline void Exponentials(float* values, uint32_t count) {
    apply_function_avx2(blob::Function::kExp, 0, 0, values, count);
  }
};

}  // namespace

void softmax_f16_avx2(const SoftmaxF16Args& args, Share share) {
  RunRowsF16<Level>(args, share);
}

void axis_softmax_f16_avx2(const AxisSoftmaxF16Args& args, Share share) {
  if (args.inner == 1 && args.kind == blob::SoftmaxKind::kSoftmax) {  // rows
    return softmax_f16_avx2(SoftmaxF16Args{args.input, args.output, args.outer, args.count}, share);
  }
  RunAxisSoftmaxF16<Level>(args, share);
}

}  // namespace octet
