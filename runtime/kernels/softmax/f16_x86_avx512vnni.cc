// FP16 softmax of short rows (the 16 bins of a box's side among them) with AVX-512: sixteen rows
// side by side, element by element, so that neither a sum in its order nor a largest element waits
// for its own lanes.
#include <string.h>

#include "runtime/kernels/function.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/x86_turn_halves.inl.h"

namespace octet {
namespace {

constexpr uint32_t kRows = 16, kMostElements = 32;

// Sixteen rows, `wide` halves of each (the count rounded up to 8) readable and writable; from and
// to may be one.
void SoftmaxOf16Rows(const uint16_t* from, size_t step, uint32_t count, uint32_t wide,
                     uint16_t* to) {
  alignas(64) float x[kMostElements][kRows];  // element by element
  __m256i columns[8];
  for (uint32_t k = 0; k < wide; k += 8) {
    LoadTurned16x8(from + k, step, columns);
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
  for (uint32_t k = 0; k < wide; k += 8) {
#pragma GCC unroll 8
    for (uint32_t c = 0; c < 8; ++c) {
      columns[c] =
          _mm512_cvtps_ph(_mm512_div_ps(_mm512_load_ps(x[k + c]), sum), _MM_FROUND_TO_NEAREST_INT);
    }
    StoreTurned16x8(columns, to + k, step);
  }
}

}  // namespace

void softmax_f16_avx512vnni(const SoftmaxF16Args& args, Share share) {
  const uint32_t count = args.count, wide = (count + 7) / 8 * 8;
  if (count > kMostElements) return softmax_f16_avx2(args, share);
  const Range range = RangeOf(args.rows, share);
  uint16_t padded[kRows * kMostElements] = {};
  for (uint64_t first = range.begin; first < range.end; first += kRows) {
    const uint64_t left = range.end - first, rows = left < kRows ? left : kRows;
    const uint16_t* from = args.input + first * count;
    uint16_t* to = args.output + first * count;
    if (count == wide && rows == kRows) {
      SoftmaxOf16Rows(from, count, count, wide, to);
      continue;
    }
    for (uint64_t r = 0; r < rows; ++r) {
      memcpy(padded + r * wide, from + r * count, count * sizeof(*from));
    }
    SoftmaxOf16Rows(padded, wide, count, wide, padded);
    for (uint64_t r = 0; r < rows; ++r) {
      memcpy(to + r * count, padded + r * wide, count * sizeof(*to));
    }
  }
}

}  // namespace octet
