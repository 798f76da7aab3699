// FP16 normalizations with AVX2 and F16C: lanes side by side, as the compiler vectorises them.
#include "runtime/kernels/conv/x86_float.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/normalize/f16.inl.h"

namespace octet {
namespace {

struct Level {
  static inline void Widen(const uint16_t* from, uint32_t count, float* to) {
    uint32_t i = 0;
    for (; i + 8 <= count; i += 8) _mm256_storeu_ps(to + i, LoadHalves(from + i, 8));
    for (; i < count; ++i) to[i] = _cvtsh_ss(from[i]);
  }
  static inline void Narrow(const float* from, uint32_t count, uint16_t* to) {
    for (uint32_t i = 0; i < count; i += 8) {
      StoreHalves(to + i, _mm256_loadu_ps(from + i), count - i);
    }
  }
};

}  // namespace

void normalize_f16_avx2(const NormalizeF16Args& args, Share share) {
  RunNormalizeF16<Level>(args, share);
}

}  // namespace octet
