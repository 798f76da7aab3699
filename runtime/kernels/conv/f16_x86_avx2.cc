// FP16 convolution with AVX2, FMA and F16C.
#include "runtime/kernels/x86_float.inl.h"

namespace octet {
namespace {

constexpr uint32_t kMaxRows = 6;  // 6 x 2 sums, 2 weights and 1 broadcast in 16 registers

struct Sums {
  __m256 low, high;
  struct Weights {
    __m256 low, high;
    inline void Load(const uint16_t* from) {
      low = LoadHalves(from, 8);
      high = LoadHalves(from + 8, 8);
    }
  };
  inline void Start(const float* bias) {
    low = _mm256_loadu_ps(bias);
    high = _mm256_loadu_ps(bias + 8);
  }
  inline void Add(float x, const Weights& w) {
    const __m256 value = _mm256_set1_ps(x);
    low = _mm256_fmadd_ps(value, w.low, low);
    high = _mm256_fmadd_ps(value, w.high, high);
  }
  inline __m256 Low() const { return low; }
  inline __m256 High() const { return high; }
};

}  // namespace
}  // namespace octet

#include "runtime/kernels/conv/x86_conv_f16_driver.inl.h"

namespace octet {

void conv_f16_avx2(const ConvF16Args& args, Share share) {
  static constexpr PanelFn kPanels[kMaxRows] = {RunPanel<1>, RunPanel<2>, RunPanel<3>,
                                                RunPanel<4>, RunPanel<5>, RunPanel<6>};
  RunConvF16(args, share, kPanels);
}

}  // namespace octet
