// FP16 convolution with 512-bit FMA: one register holds the sums of 16 outputs of one pixel.
#include "runtime/kernels/conv/f16_x86.inl.h"

namespace octet {
namespace {

struct Sums {
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
  static inline void Apply(const ConvF16Args& args, float* values, uint32_t count) {
    apply_function_avx512vnni(args.function, args.alpha, args.beta, values, count);
  }
  inline __m256 Low() const { return _mm512_castps512_ps256(all); }
  inline __m256 High() const { return _mm512_extractf32x8_ps(all, 1); }
};

// 12 sums hide the latency of two FMAs a cycle.
struct Avx512F16 : LevelF16<HalfRows, kRulesF16Avx512Vnni> {
  static void Run(const PartF16& part, const PanelF16& panel, uint32_t rows, uint32_t) {
    static constexpr void (*kPanels[])(const PartF16&, const PanelF16&) = {
        Panel<Sums, 1>, Panel<Sums, 2>,  Panel<Sums, 3>,  Panel<Sums, 4>,
        Panel<Sums, 5>, Panel<Sums, 6>,  Panel<Sums, 7>,  Panel<Sums, 8>,
        Panel<Sums, 9>, Panel<Sums, 10>, Panel<Sums, 11>, Panel<Sums, 12>};
    kPanels[rows - 1](part, panel);
  }
};

}  // namespace

void conv_f16_avx512vnni_12x1(const ConvF16Args& args, Share share) {
  RunConv<Avx512F16>(args, share);
}

void conv_f16_avx512vnni(const ConvF16Args& args, Share share) {
  RunConv<Avx512F16>(args, share);
}

}  // namespace octet
