// FP16 softmax of rows that are not long (the 16 bins of a box's side, the tokens of a small
// transformer) with AVX-512: sixteen rows side by side, element by element, so that neither a sum
// in its order nor a largest element waits for its own lanes.
#include "runtime/kernels/function.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/x86_turn_halves.inl.h"

namespace octet {
namespace {

constexpr uint32_t kRows = 16, kMostElements = 256;

static inline __mmask8 MaskOf(uint32_t count) {
  return (__mmask8)((1u << count) - 1);
}

// Up to 8 elements of up to sixteen rows, the others zero.
static inline void LoadPart(const uint16_t* from, size_t step, uint32_t rows, uint32_t count,
                            __m256i* columns) {
  if (rows == kRows && count == 8) return LoadTurned16x8(from, step, columns);
  alignas(16) uint16_t part[kRows * 8] = {};
  for (uint32_t r = 0; r < rows; ++r) {
    _mm_store_si128(reinterpret_cast<__m128i*>(part + r * 8),
                    _mm_maskz_loadu_epi16(MaskOf(count), from + r * step));
  }
  LoadTurned16x8(part, 8, columns);
}

static inline void StorePart(const __m256i* columns, uint32_t rows, uint32_t count, uint16_t* to,
                             size_t step) {
  if (rows == kRows && count == 8) return StoreTurned16x8(columns, to, step);
  alignas(16) uint16_t part[kRows * 8];
  StoreTurned16x8(columns, part, 8);
  for (uint32_t r = 0; r < rows; ++r) {
    _mm_mask_storeu_epi16(to + r * step, MaskOf(count),
                          _mm_load_si128(reinterpret_cast<const __m128i*>(part + r * 8)));
  }
}

// Up to sixteen rows, one behind the other.
void SoftmaxOfRows(const uint16_t* from, uint32_t rows, uint32_t count, uint16_t* to) {
  alignas(64) float x[kMostElements][kRows];  // element by element
  __m256i columns[8];
  for (uint32_t k = 0; k < count; k += 8) {
    LoadPart(from + k, count, rows, count - k < 8 ? count - k : 8, columns);
#pragma GCC unroll 8
    for (uint32_t c = 0; c < 8; ++c) _mm512_store_ps(x[k + c], _mm512_cvtph_ps(columns[c]));
  }
  // VMAXPS returns its second operand where one is NaN.
  __m512 max = _mm512_set1_ps(-FloatInfinity()), sum = _mm512_setzero_ps();
  for (uint32_t k = 0; k < count; ++k) max = _mm512_max_ps(_mm512_load_ps(x[k]), max);
  for (uint32_t k = 0; k < count; ++k) {
    _mm512_store_ps(x[k], _mm512_sub_ps(_mm512_load_ps(x[k]), max));
  }
  apply_function_avx512vnni(blob::Function::kExp, 0, 0, x[0], count * kRows);
  for (uint32_t k = 0; k < count; ++k) sum = _mm512_add_ps(sum, _mm512_load_ps(x[k]));
  for (uint32_t k = 0; k < count; k += 8) {
#pragma GCC unroll 8
    for (uint32_t c = 0; c < 8; ++c) {
      columns[c] =
          _mm512_cvtps_ph(_mm512_div_ps(_mm512_load_ps(x[k + c]), sum), _MM_FROUND_TO_NEAREST_INT);
    }
    StorePart(columns, rows, count - k < 8 ? count - k : 8, to + k, count);
  }
}

}  // namespace

void softmax_f16_avx512vnni(const SoftmaxF16Args& args, Share share) {
  const uint32_t count = args.count;
  if (count > kMostElements) return softmax_f16_avx2(args, share);
  const Range range = RangeOf(args.rows, share);
  for (uint64_t first = range.begin; first < range.end; first += kRows) {
    const uint64_t left = range.end - first;
    SoftmaxOfRows(args.input + first * count, left < kRows ? (uint32_t)left : kRows, count,
                  args.output + first * count);
  }
}

}  // namespace octet
