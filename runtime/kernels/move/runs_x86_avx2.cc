// Runs of bytes with AVX2.
#include "runtime/kernels/x86_immintrin.inl.h"
// Intrinsics come first.
#include "runtime/kernels/move/runs.inl.h"

namespace octet {
namespace {

struct Sixteen {
  typedef __m128i Vector;
  static inline Vector Load(const uint8_t* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
  static inline void Store(uint8_t* to, Vector x) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), x);
  }
};

struct ThirtyTwo {
  typedef __m256i Vector;
  static inline Vector Load(const uint8_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static inline void Store(uint8_t* to, Vector x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), x);
  }
};

}  // namespace

void copy_runs_avx2(const CopyRunsArgs& args, Share) {
  const bool done = !AreOneRun(args) &&
                    (args.bytes < 32 ? CopyRunsOf<Sixteen>(args) : CopyRunsOf<ThirtyTwo>(args));
  if (!done) CopyOtherRuns(args);
}

}  // namespace octet
