// int8 reductions with AVX2. Arena bytes q + 128 order as the values do.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/reduce/s8.inl.h"
#include "runtime/kernels/x86_requantize.inl.h"

namespace octet {
namespace {

struct Level {
  typedef __m128i Bytes;
  struct Sums {
    __m256i low, high;
  };
  struct Total {
    __m128i halves;  // 64 bits each
  };
  static constexpr int32_t kZero = 128;

  static inline Bytes Load(const uint8_t* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
  static inline void Store(uint8_t* to, Bytes x, uint32_t count) { StorePartial16(to, x, count); }
  static inline Bytes All(uint8_t byte) { return _mm_set1_epi8((char)byte); }
  static inline Bytes Select(Bytes mask, Bytes a, Bytes b) { return _mm_blendv_epi8(b, a, mask); }
  static inline Bytes Max(Bytes a, Bytes b) { return _mm_max_epu8(a, b); }
  static inline Bytes Min(Bytes a, Bytes b) { return _mm_min_epu8(a, b); }
  static inline uint8_t MaxOf(Bytes x) {
    x = _mm_max_epu8(x, _mm_srli_si128(x, 8));
    x = _mm_max_epu8(x, _mm_srli_si128(x, 4));
    x = _mm_max_epu8(x, _mm_srli_si128(x, 2));
    return (uint8_t)_mm_cvtsi128_si32(_mm_max_epu8(x, _mm_srli_si128(x, 1)));
  }
  static inline uint8_t MinOf(Bytes x) { return (uint8_t)~MaxOf(_mm_xor_si128(x, All(255))); }
  static inline void Add(Bytes x, Sums* sums) {
    sums->low = _mm256_add_epi32(sums->low, _mm256_cvtepu8_epi32(x));
    sums->high = _mm256_add_epi32(sums->high, _mm256_cvtepu8_epi32(_mm_srli_si128(x, 8)));
  }
  static inline void Write(const Sums& sums, int32_t* to) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), sums.low);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 8), sums.high);
  }
  static inline void Add(Bytes x, Total* total) {
    total->halves = _mm_add_epi64(total->halves, _mm_sad_epu8(x, _mm_setzero_si128()));
  }
  static inline int32_t Value(const Total& total) {
    return _mm_cvtsi128_si32(total.halves) + _mm_extract_epi32(total.halves, 2);
  }

  Level(const ReduceS8Args& args, int32_t zeros)
      : zeros_(_mm256_set1_epi32(zeros)),
        channels_(MakeChannels8(_mm256_set1_epi32(args.params->multiplier),
                                _mm256_set1_epi32(args.params->shift))),
        finish_(MakeFinish8(args.out_zero_point, -128, 127)),
        pre_shift_(args.params->pre_shift) {}
  inline Bytes Finish(const int32_t* sums) const {
    return Finish16(Eight(sums), Eight(sums + 8), finish_);
  }

 private:
  inline __m256i Eight(const int32_t* sums) const {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums));
    return Requantize8(PreShift8(_mm256_sub_epi32(x, zeros_), pre_shift_), channels_);
  }
  __m256i zeros_;
  Channels8 channels_;
  Finish8 finish_;
  int32_t pre_shift_;
};

}  // namespace

void reduce_s8_avx2(const ReduceS8Args& args, Share share) {
  RunReduceS8<Level>(args, share);
}

}  // namespace octet
