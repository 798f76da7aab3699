// FP16 convolution with 512-bit FMA: one register holds the sums of 16 outputs of one pixel.
#include "runtime/kernels/conv/f16_x86.inl.h"

namespace octet {
namespace {

struct Sums {
  static constexpr size_t kSteps = 4;
  __m512 all;
  struct Weights {
    __m512 all;
    inline void Load(const uint16_t* from) {
      all = _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
    }
  };
  inline void Start(const float* bias) { all = _mm512_loadu_ps(bias); }
  inline void Add(float x, const Weights& w) {
    all = _mm512_fmadd_ps(_mm512_set1_ps(x), w.all, all);
  }
  inline void Store(float* to) const { _mm512_store_ps(to, all); }
};

struct WideRows {
  static inline void Widen(const uint16_t* from, uint32_t count, float* to) {
    uint32_t i = 0;
    for (; i + 16 <= count; i += 16) {
      _mm512_storeu_ps(
          to + i, _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i))));
    }
    if (i == count) return;
    const __mmask16 rest = (__mmask16)((1u << (count - i)) - 1);
    _mm512_mask_storeu_ps(to + i, rest, _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(rest, from + i)));
  }
};

// 12 sums hide the latency of two FMAs a cycle.
struct Avx512F16 : LevelF16<WideRows, kRulesF16Avx512Vnni> {
  static void Run(const PartF16& part, const PanelF16& panel, uint32_t rows, uint32_t blocks) {
    static constexpr PanelF16Fn kPanels[] = {Panel<Sums, 1>,  Panel<Sums, 2>,  Panel<Sums, 3>,
                                             Panel<Sums, 4>,  Panel<Sums, 5>,  Panel<Sums, 6>,
                                             Panel<Sums, 7>,  Panel<Sums, 8>,  Panel<Sums, 9>,
                                             Panel<Sums, 10>, Panel<Sums, 11>, Panel<Sums, 12>};
    RunPanels(kPanels[rows - 1], part, panel, rows, blocks, apply_function_avx512vnni);
  }
};

}  // namespace

void conv_f16_avx512vnni_12x1(const ConvF16Args& args, Share share) {
  RunConv<Avx512F16>(args, share, 1);
}

void conv_f16_avx512vnni_12x2(const ConvF16Args& args, Share share) {
  RunConv<Avx512F16>(args, share, 2);
}

void conv_f16_avx512vnni_12x3(const ConvF16Args& args, Share share) {
  RunConv<Avx512F16>(args, share, 3);
}

void conv_f16_avx512vnni_12x4(const ConvF16Args& args, Share share) {
  RunConv<Avx512F16>(args, share, 4);
}

void conv_f16_avx512vnni(const ConvF16Args& args, Share share) {
  RunConv<Avx512F16>(args, share);
}

}  // namespace octet
