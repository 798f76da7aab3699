// FP16 normalizations with AVX2 and F16C: lanes side by side, as the compiler vectorises them. Rows
// of LayerNormalization go four at a time, for a sum waits for its own last addition.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/normalize/f16.inl.h"
#include "runtime/kernels/x86_float.inl.h"

namespace octet {
namespace {

constexpr uint32_t kFour = 4;

// Elements of lanes whose sums have one part: beyond them SumOfRun() carries.
constexpr uint64_t kOnePart = (SumLanes<kRunLanes>::kRows - 1) * kRunLanes;

// The sums of kRows dense rows as SumOfRun() has them, of distances from `mean` or of their
// squares.
template <uint32_t kRows, bool kSquares>
static inline void SumsOfRows(const uint16_t* from, uint32_t count, const float (&mean)[kRows],
                              float (&out)[kRows]) {
  __m256 part[kRows];
  for (uint32_t r = 0; r < kRows; ++r) part[r] = _mm256_setzero_ps();
  const auto term = [&](__m256 x, uint32_t r) {
    if (!kSquares) return x;  // the mean of a first pass is 0
    x = _mm256_sub_ps(x, _mm256_set1_ps(mean[r]));
    return _mm256_mul_ps(x, x);
  };
  uint32_t i = 0;
  for (; i + kRunLanes <= count; i += kRunLanes) {
    for (uint32_t r = 0; r < kRows; ++r) {
      part[r] = _mm256_add_ps(part[r], term(LoadHalves(from + (size_t)r * count + i, 8), r));
    }
  }
  const uint32_t rest = count - i;
  const __m256i inside =
      _mm256_cmpgt_epi32(_mm256_set1_epi32((int)rest), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  for (uint32_t r = 0; r < kRows; ++r) {
    if (rest != 0) {
      const __m256 x = term(LoadHalves(from + (size_t)r * count + i, rest), r);
      part[r] = _mm256_add_ps(part[r], _mm256_and_ps(x, _mm256_castsi256_ps(inside)));
    }
    // No block and no total before it.
    const __m256 zero = _mm256_setzero_ps();
    const __m256 total = _mm256_add_ps(zero, _mm256_add_ps(zero, part[r]));
    __m128 x = _mm_add_ps(_mm256_castps256_ps128(total), _mm256_extractf128_ps(total, 1));
    x = _mm_add_ps(x, _mm_movehl_ps(x, x));
    out[r] = _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
  }
}

template <uint32_t kRows>
[[gnu::noinline]] static void NormalizeRows(const NormalizeF16Args& args, uint64_t row,
                                            uint32_t count) {
  const uint16_t* from = args.input + row * count;
  uint16_t* to = args.output + row * count;
  float mean[kRows] = {}, sums[kRows], inverse[kRows];
  SumsOfRows<kRows, false>(from, count, mean, sums);
  for (uint32_t r = 0; r < kRows; ++r) mean[r] = sums[r] / (float)count;
  SumsOfRows<kRows, true>(from, count, mean, sums);
  for (uint32_t r = 0; r < kRows; ++r) {
    inverse[r] = 1.0f / FloatSqrt(sums[r] / (float)count + args.params->epsilon);
  }
  const uint32_t whole = count / kRunLanes * kRunLanes;
  for (uint32_t r = 0; r < kRows; ++r, from += count, to += count) {
    const __m256 m = _mm256_set1_ps(mean[r]), f = _mm256_set1_ps(inverse[r]);
    for (uint32_t i = 0; i < whole; i += kRunLanes) {
      __m256 x = _mm256_mul_ps(_mm256_sub_ps(LoadHalves(from + i, 8), m), f);
      if (args.scale != nullptr) {
        x = _mm256_add_ps(_mm256_mul_ps(x, _mm256_loadu_ps(args.scale + i)),
                          _mm256_loadu_ps(args.bias + i));
      }
      StoreHalves(to + i, x, 8);
    }
    if (whole == count) continue;
    const bool scales = args.scale != nullptr;
    ScaleRun<HalfRows>(from + whole, count - whole, mean[r], inverse[r],
                       scales ? args.scale + whole : nullptr, scales ? args.bias + whole : nullptr,
                       to + whole);
  }
}

}  // namespace

void normalize_f16_avx2(const NormalizeF16Args& args, Share share) {
  const blob::NormalizeParams& p = *args.params;
  const AxesWalk walk = WalkOf(p.view, p.affine);
  const uint32_t kept = ~p.view.reduced & ((1u << p.view.rank) - 1);
  const bool rows_are_dense = IsOneRun(walk) && (kept & (kept + 1)) == 0;
  const bool alike =
      args.scale == nullptr || ((p.affine & kept) == 0 && walk.reduced.affine[0] == 1);
  if (p.kind != blob::NormalizeKind::kVariance || !rows_are_dense || !alike ||
      walk.reduced.count > kOnePart) {
    return RunNormalizeF16<HalfRows, true>(args, share);
  }
  const uint32_t count = (uint32_t)walk.reduced.count;
  const Range rows = RangeOf(walk.unit_count, share);
  uint64_t row = rows.begin;
  for (; row + kFour <= rows.end; row += kFour) NormalizeRows<kFour>(args, row, count);
  for (; row < rows.end; ++row) NormalizeRows<1>(args, row, count);
}

}  // namespace octet
