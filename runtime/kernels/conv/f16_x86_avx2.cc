// FP16 convolution with AVX2, FMA and F16C.
#include "runtime/kernels/conv/f16_few_x86.inl.h"
#include "runtime/kernels/conv/f16_x86.inl.h"

namespace octet {
namespace {

// 6 x 2 sums, 2 weights and 1 broadcast in 16 registers; 10 sums of half a block.
constexpr MultiplySet kHalfSet = {Multiplies<Widened, 1, UpTo10>::kOfRows,
                                  Multiplies<Direct, 1, UpTo10>::kOfRows,
                                  Multiplies<Widening, 1, UpTo10>::kOfRows,
                                  10,
                                  1,
                                  8,
                                  nullptr};
constexpr MultiplySet kSet = {Multiplies<Widened, 2, UpTo6>::kOfRows,
                              Multiplies<Direct, 2, UpTo6>::kOfRows,
                              Multiplies<Widening, 2, UpTo6>::kOfRows,
                              6,
                              1,
                              16,
                              &kHalfSet};

struct Avx2F16 : LevelWide<HalfRows, kRulesF16Avx2> {
  static void Run(const PartWide& part, const PanelF16& panel, uint32_t rows, uint32_t blocks) {
    RunWidePanel(kSet, part, panel, rows, blocks, apply_function_avx2);
  }
};

struct Avx2Winograd {
  typedef WinogradLanes Lanes;
  static constexpr uint32_t kTogether = 1;
  static void Multiply(const WinogradProducts& products) { MultiplyPosition(kSet, products); }
  static void Finish(const ConvF16Args& args, float* values, uint32_t rows, const PanelF16& panel) {
    FinishPanel(args, values, rows, panel, apply_function_avx2);
  }
};

}  // namespace

void conv_f16_avx2_96x1(const ConvF16Args& args, Share share) {
  RunConv<Avx2F16>(args, share, 1);
}

void conv_f16_avx2_96x2(const ConvF16Args& args, Share share) {
  RunConv<Avx2F16>(args, share, 2);
}

void conv_f16_avx2_96x3(const ConvF16Args& args, Share share) {
  RunConv<Avx2F16>(args, share, 3);
}

void conv_f16_avx2(const ConvF16Args& args, Share share) {
  const ConvChoice choice = ChooseConv(kRulesF16Avx2, args.g, args.winograd ? 2 : 0, share.count);
  if (choice.way == ConvWay::kWinograd) {
    return RunWinogradF16<Avx2Winograd>(args, share, Isa::kAvx2);
  }
  if (choice.way == ConvWay::kFewOutputs) return RunFewOutputs(args, share);
  RunConv<Avx2F16>(args, share, choice.panel_blocks);
}

}  // namespace octet
