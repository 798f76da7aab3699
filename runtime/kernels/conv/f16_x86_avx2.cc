// FP16 convolution with AVX2, FMA and F16C.
#include "runtime/kernels/conv/f16_x86.inl.h"

namespace octet {
namespace {

struct Sums {
  static constexpr size_t kSteps = 1;  // more would need registers for their loads
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
  inline void Store(float* to) const {
    _mm256_store_ps(to, low);
    _mm256_store_ps(to + 8, high);
  }
};

// 6 x 2 sums, 2 weights and 1 broadcast in 16 registers.
struct Avx2F16 : LevelF16<HalfRows, kRulesF16Avx2> {
  static void Run(const PartF16& part, const PanelF16& panel, uint32_t rows, uint32_t blocks) {
    static constexpr PanelF16Fn kPanels[] = {Panel<Sums, 1>, Panel<Sums, 2>, Panel<Sums, 3>,
                                             Panel<Sums, 4>, Panel<Sums, 5>, Panel<Sums, 6>};
    RunPanels(kPanels[rows - 1], part, panel, rows, blocks, apply_function_avx2);
  }
};

}  // namespace

void conv_f16_avx2_6x1(const ConvF16Args& args, Share share) {
  RunConv<Avx2F16>(args, share, 1);
}

void conv_f16_avx2_6x2(const ConvF16Args& args, Share share) {
  RunConv<Avx2F16>(args, share, 2);
}

void conv_f16_avx2_6x3(const ConvF16Args& args, Share share) {
  RunConv<Avx2F16>(args, share, 3);
}

void conv_f16_avx2_6x4(const ConvF16Args& args, Share share) {
  RunConv<Avx2F16>(args, share, 4);
}

void conv_f16_avx2(const ConvF16Args& args, Share share) {
  RunConv<Avx2F16>(args, share);
}

}  // namespace octet
