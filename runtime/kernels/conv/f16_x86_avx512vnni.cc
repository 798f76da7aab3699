// FP16 convolution with 512-bit FMA: one register holds the sums of 16 outputs of one pixel.
#include "runtime/kernels/x86_float.inl.h"

namespace octet {
namespace {

constexpr uint32_t kMaxRows = 12;  // 12 sums hide the latency of two FMAs a cycle

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
  inline __m256 Low() const { return _mm512_castps512_ps256(all); }
  inline __m256 High() const { return _mm512_extractf32x8_ps(all, 1); }
};

}  // namespace
}  // namespace octet

#include "runtime/kernels/conv/x86_conv_f16_driver.inl.h"

namespace octet {

void conv_f16_avx512vnni(const ConvF16Args& args, Share share) {
  static constexpr PanelFn kPanels[kMaxRows] = {
      RunPanel<1>, RunPanel<2>, RunPanel<3>, RunPanel<4>,  RunPanel<5>,  RunPanel<6>,
      RunPanel<7>, RunPanel<8>, RunPanel<9>, RunPanel<10>, RunPanel<11>, RunPanel<12>};
  RunConvF16(args, share, kPanels);
}

}  // namespace octet
