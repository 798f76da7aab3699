// FP16 Add and Mul with AVX2 and F16C, 8 elements at a time.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/x86_float.inl.h"

namespace octet {
namespace {

struct AddOp {
  __m256 factor;
  explicit AddOp(const BinaryF16Args& args)
      : factor(_mm256_set1_ps(args.negate_b != 0 ? -1.0f : 1.0f)) {}
  inline __m256 operator()(__m256 a, __m256 b) const {
    return _mm256_add_ps(a, _mm256_mul_ps(factor, b));
  }
};

struct MulOp {
  explicit MulOp(const BinaryF16Args&) {}
  inline __m256 operator()(__m256 a, __m256 b) const { return _mm256_mul_ps(a, b); }
};

// `count` elements; b is a vector beside a, or one value for all.
template <class Op>
static inline void RunElements(const BinaryF16Args& args, const Op& op, const uint16_t* a,
                               const uint16_t* b, bool one_b, uint16_t* output, uint64_t count) {
  const __m256 same = _mm256_set1_ps(_cvtsh_ss(*b));
  for (uint64_t i = 0; i < count; i += 8) {
    const __m256 y = one_b ? same : LoadHalves(b + i, count - i);
    const __m256 value = op(LoadHalves(a + i, count - i), y);
    StoreHalves(output + i, Apply8(args.function, value, args.alpha, args.beta), count - i);
  }
}

template <class Op>
static inline void RunBinary(const BinaryF16Args& args, Share share) {
  const Op op(args);
  if (args.broadcast == blob::Broadcast::kNone || args.broadcast == blob::Broadcast::kScalar) {
    const bool one = args.broadcast == blob::Broadcast::kScalar;
    const Range range = RangeOf((uint64_t)args.pixels * args.channels, share);
    if (range.begin == range.end) return;
    RunElements(args, op, args.a + range.begin, one ? args.b : args.b + range.begin, one,
                args.output + range.begin, range.end - range.begin);
    return;
  }
  const bool one = args.broadcast == blob::Broadcast::kSpatial;
  const Range pixels = RangeOf(args.pixels, share);
  for (uint64_t p = pixels.begin; p < pixels.end; ++p) {
    const uint64_t first = p * args.channels;
    RunElements(args, op, args.a + first, one ? args.b + p : args.b, one, args.output + first,
                args.channels);
  }
}

}  // namespace

void add_f16_avx2(const BinaryF16Args& args, Share share) {
  RunBinary<AddOp>(args, share);
}
void mul_f16_avx2(const BinaryF16Args& args, Share share) {
  RunBinary<MulOp>(args, share);
}

}  // namespace octet
