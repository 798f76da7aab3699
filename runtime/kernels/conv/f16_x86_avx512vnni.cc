// FP16 convolution with 512-bit FMA: one register holds the sums of 16 outputs of one pixel.
#include "runtime/kernels/conv/f16_few_x86.inl.h"
#include "runtime/kernels/conv/f16_x86.inl.h"

namespace octet {
namespace {

struct VectorRows {
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

// Of 1, 2 and 3 blocks. 12 sums hide the latency of two FMAs a cycle.
constexpr MultiplySet kSets[] = {
    {Multiplies<Widened, 1, UpTo9>::kOfRows, Multiplies<Direct, 1, UpTo9>::kOfRows,
     Multiplies<Widening, 1, UpTo9>::kOfRows, 9, 1, 16, nullptr},
    {Multiplies<Widened, 2, UpTo8>::kOfRows, Multiplies<Direct, 2, UpTo8>::kOfRows,
     Multiplies<Widening, 2, UpTo8>::kOfRows, 8, 2, 32, nullptr},
    {Multiplies<Widened, 3, UpTo8>::kOfRows, Multiplies<Direct, 3, UpTo8>::kOfRows,
     Multiplies<Widening, 3, UpTo8>::kOfRows, 8, 3, 48, nullptr},
};

struct Avx512F16 : LevelWide<VectorRows, kRulesF16Avx512Vnni> {
  static void Run(const PartWide& part, const PanelF16& panel, uint32_t rows, uint32_t blocks) {
    RunWidePanel(kSets[blocks - 1], part, panel, rows, blocks, apply_function_avx512vnni);
  }
};

struct Avx512Winograd {
  typedef WinogradLanes Lanes;
  static constexpr uint32_t kTogether = 3;
  static void Multiply(const WinogradProducts& products) {
    MultiplyPosition(kSets[products.blocks - 1], products);
  }
  static void Finish(const ConvF16Args& args, float* values, uint32_t rows, const PanelF16& panel) {
    FinishPanel(args, values, rows, panel, apply_function_avx512vnni);
  }
};

}  // namespace

void conv_f16_avx512vnni_96x1(const ConvF16Args& args, Share share) {
  RunConv<Avx512F16>(args, share, 1);
}

void conv_f16_avx512vnni_96x2(const ConvF16Args& args, Share share) {
  RunConv<Avx512F16>(args, share, 2);
}

void conv_f16_avx512vnni_96x3(const ConvF16Args& args, Share share) {
  RunConv<Avx512F16>(args, share, 3);
}

void conv_f16_avx512vnni(const ConvF16Args& args, Share share) {
  const ConvChoice choice =
      ChooseConv(kRulesF16Avx512Vnni, args.g, args.winograd ? 2 : 0, share.count);
  if (choice.way == ConvWay::kWinograd) {
    return RunWinogradF16<Avx512Winograd>(args, share, Isa::kAvx512Vnni);
  }
  if (choice.way == ConvWay::kFewOutputs) return RunFewOutputs(args, share);
  RunConv<Avx512F16>(args, share, choice.panel_blocks);
}

}  // namespace octet
