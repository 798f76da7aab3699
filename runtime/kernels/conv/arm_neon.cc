// Convolution for cores without SDOT: SMULL and SMLAL put the products of two groups of 4 channels
// into 16 bits, SADALP adds neighbours to 32-bit sums of pairs of channels; two of these belong to
// each output and meet once at the end.
#include <stddef.h>
#include <stdint.h>

#include "runtime/kernels/conv/arm_s8.inl.h"
#include "runtime/kernels/conv/arm_winograd.inl.h"

namespace octet {
namespace {

#if defined(__aarch64__)
// 2 rows x 16 outputs are 16 vectors of pair sums, 8 of products, 4 of replicated activations and 4
// of weights.
constexpr int kPassQuads = 4;
#else
// 2 rows x 8 outputs are 8 of the 16 registers; a block takes two passes.
constexpr int kPassQuads = 2;
#endif
constexpr uint32_t kTile = kRulesNeon.tile_rows;

// sums[r][2 i], [2 i + 1] += 4 channels of row r x outputs 4 i .. 4 i + 3.
template <int kRows>
static inline void Multiply4(const int8_t* weights, const int8x16_t* x,
                             int32x4_t (*sums)[2 * kPassQuads]) {
#pragma GCC unroll 4
  for (int i = 0; i < kPassQuads; ++i) {
    const int8x16_t w = vld1q_s8(weights + 16 * i);
#pragma GCC unroll 2
    for (int r = 0; r < kRows; ++r) {
      const int16x8_t low = vmull_s8(vget_low_s8(w), vget_low_s8(x[r]));
      sums[r][2 * i] = vpadalq_s16(sums[r][2 * i], low);
      sums[r][2 * i + 1] = vpadalq_s16(sums[r][2 * i + 1], MultiplyHigh8(w, x[r]));
    }
  }
}

// The same for 8 channels, products of two groups added in 16 bits.
template <int kRows>
static inline void Multiply8(const int8_t* weights, const int8x16_t* x0, const int8x16_t* x1,
                             int32x4_t (*sums)[2 * kPassQuads]) {
#pragma GCC unroll 4
  for (int i = 0; i < kPassQuads; ++i) {
    const int8x16_t w0 = vld1q_s8(weights + 16 * i);
    const int8x16_t w1 = vld1q_s8(weights + 64 + 16 * i);
#pragma GCC unroll 2
    for (int r = 0; r < kRows; ++r) {
      int16x8_t low = vmull_s8(vget_low_s8(w0), vget_low_s8(x0[r]));
      int16x8_t high = MultiplyHigh8(w0, x0[r]);
      low = vmlal_s8(low, vget_low_s8(w1), vget_low_s8(x1[r]));
      high = MultiplyAddHigh8(high, w1, x1[r]);
      sums[r][2 * i] = vpadalq_s16(sums[r][2 * i], low);
      sums[r][2 * i + 1] = vpadalq_s16(sums[r][2 * i + 1], high);
    }
  }
}

template <int kRows, bool kSmallWeights>
static inline void Pass(const PanelS8& p, const PartArm& part, int first_quad,
                        int32x4_t (*acc)[4]) {
  int32x4_t sums[kRows][2 * kPassQuads];
#pragma GCC unroll 2
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int i = 0; i < 2 * kPassQuads; ++i) sums[r][i] = vdupq_n_s32(0);
  }
  const int8_t* weights = p.weights + 16 * first_quad;
  const uint8_t* const* pointers = p.pointers;
  for (uint64_t tap = 0; tap < p.taps; ++tap, pointers += kTile) {
    const uint8_t* in[kRows];
#pragma GCC unroll 2
    for (int r = 0; r < kRows; ++r) in[r] = pointers[r];
    size_t left = p.tap_bytes;
    int8x16_t x0[kRows], x1[kRows];
    if (kSmallWeights) {
      for (; left >= 8; left -= 8, weights += 128) {
#pragma GCC unroll 2
        for (int r = 0; r < kRows; ++r) {
          x0[r] = LoadNext4(&in[r]);
          x1[r] = LoadNext4(&in[r]);
        }
        Multiply8<kRows>(weights, x0, x1, sums);
      }
    }
    for (; left != 0; left -= 4, weights += 64) {
#pragma GCC unroll 2
      for (int r = 0; r < kRows; ++r) x0[r] = LoadNext4(&in[r]);
      Multiply4<kRows>(weights, x0, sums);
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < kPassQuads; ++i) {
    const int32x4_t bias = vld1q_s32(part.channels[p.block].bias + 4 * (first_quad + i));
#pragma GCC unroll 2
    for (int r = 0; r < kRows; ++r) {
      acc[r][first_quad + i] = vaddq_s32(AddPairs(sums[r][2 * i], sums[r][2 * i + 1]), bias);
    }
  }
}

template <int kRows, bool kSmallWeights>
static void Panel(const PanelS8& p, const PartArm& part) {
  int32x4_t acc[kRows][4];
#pragma GCC unroll 2
  for (int quad = 0; quad < 4; quad += kPassQuads) Pass<kRows, kSmallWeights>(p, part, quad, acc);
  StoreRows<kRows>(p, part, acc);
}

#if defined(__aarch64__)

// clang-format off
// 2 rows x 8 outputs x 8 channels, sums s0 to s3 and s4 to s7: weights v4, v5 of the first group of 4
// channels, v6, v7 of the second; activations v0, v1 and v2, v3. What is loaded for later goes to
// places found by trying with llvm-mca.
#define OCTET_PRODUCTS(s0, s1, s2, s3, s4, s5, s6, s7, load0, load1, load2, load3, load4) \
  "smull v8.8h, v4.8b, v0.8b\n\t"        load0   \
  "smull2 v9.8h, v4.16b, v0.16b\n\t"             \
  "smull v12.8h, v4.8b, v2.8b\n\t"               \
  "smull2 v13.8h, v4.16b, v2.16b\n\t"            \
  "smull v10.8h, v5.8b, v0.8b\n\t"               \
  "smull2 v11.8h, v5.16b, v0.16b\n\t"            \
  "smull v14.8h, v5.8b, v2.8b\n\t"               \
  "smull2 v15.8h, v5.16b, v2.16b\n\t"    load1   \
  "smlal v8.8h, v6.8b, v1.8b\n\t"                \
  "smlal2 v9.8h, v6.16b, v1.16b\n\t"             \
  "smlal v12.8h, v6.8b, v3.8b\n\t"               \
  "smlal2 v13.8h, v6.16b, v3.16b\n\t"            \
  "smlal v10.8h, v7.8b, v1.8b\n\t"       load2   \
  "smlal2 v11.8h, v7.16b, v1.16b\n\t"    load3   \
  "smlal v14.8h, v7.8b, v3.8b\n\t"               \
  "smlal2 v15.8h, v7.16b, v3.16b\n\t"            \
  "sadalp v" #s0 ".4s, v8.8h\n\t"                \
  "sadalp v" #s1 ".4s, v9.8h\n\t"                \
  "sadalp v" #s4 ".4s, v12.8h\n\t"       load4   \
  "sadalp v" #s5 ".4s, v13.8h\n\t"               \
  "sadalp v" #s2 ".4s, v10.8h\n\t"               \
  "sadalp v" #s3 ".4s, v11.8h\n\t"               \
  "sadalp v" #s6 ".4s, v14.8h\n\t"               \
  "sadalp v" #s7 ".4s, v15.8h\n\t"
#define OCTET_LOW(l0, l1, l2, l3, l4) \
  OCTET_PRODUCTS(16, 17, 18, 19, 24, 25, 26, 27, l0, l1, l2, l3, l4)
#define OCTET_HIGH(l0, l1, l2, l3, l4) \
  OCTET_PRODUCTS(20, 21, 22, 23, 28, 29, 30, 31, l0, l1, l2, l3, l4)
#define OCTET_WEIGHTS(a, b, at) "ldp q" #a ", q" #b ", [%[weights], #" #at "]\n\t"
#define OCTET_NEXT(x, row) "ld1r {v" #x ".4s}, [%[in" #row "]]\n\t"
#define OCTET_NEXT2(a, b, row) "ld2r {v" #a ".4s, v" #b ".4s}, [%[in" #row "]]\n\t"
// Addresses advance on their own: cores that execute in order make a load wait for the address that
// the one before it wrote back.
#define OCTET_ADVANCE "add %[in0], %[in0], #8\n\t" "add %[in1], %[in1], #8\n\t"
// 8 channels whose first weights and activations are there, and the same of the 8 behind them.
#define OCTET_ROUND(at64, at32, at96, at128, step)                                           \
  OCTET_LOW(OCTET_WEIGHTS(6, 7, at64), OCTET_WEIGHTS(4, 5, at32), OCTET_ADVANCE step, "", "") \
  OCTET_HIGH(OCTET_WEIGHTS(6, 7, at96), OCTET_WEIGHTS(4, 5, at128), "",                      \
             OCTET_NEXT2(0, 1, 0), OCTET_NEXT2(2, 3, 1))
// One row x 8 outputs x 4 channels.
#define OCTET_SINGLE(wa, wb, x, s0, s1, s2, s3)    \
  "smull v12.8h, v" #wa ".8b, v" #x ".8b\n\t"      \
  "smull2 v13.8h, v" #wa ".16b, v" #x ".16b\n\t"   \
  "smull v14.8h, v" #wb ".8b, v" #x ".8b\n\t"      \
  "smull2 v15.8h, v" #wb ".16b, v" #x ".16b\n\t"   \
  "sadalp v" #s0 ".4s, v12.8h\n\t"                 \
  "sadalp v" #s1 ".4s, v13.8h\n\t"                 \
  "sadalp v" #s2 ".4s, v14.8h\n\t"                 \
  "sadalp v" #s3 ".4s, v15.8h\n\t"
#define OCTET_ZERO(a) "movi v" #a ".4s, #0\n\t"
// Pair sums of a row -> sums of 16 outputs.
#define OCTET_SUMS(a, b, c, d, e, f, g, h)                     \
  "addp v" #a ".4s, v" #a ".4s, v" #b ".4s\n\t"                \
  "addp v" #c ".4s, v" #c ".4s, v" #d ".4s\n\t"                \
  "addp v" #e ".4s, v" #e ".4s, v" #f ".4s\n\t"                \
  "addp v" #g ".4s, v" #g ".4s, v" #h ".4s\n\t"                \
  "add v" #a ".4s, v" #a ".4s, v0.4s\n\t"                      \
  "add v" #c ".4s, v" #c ".4s, v1.4s\n\t"                      \
  "add v" #e ".4s, v" #e ".4s, v2.4s\n\t"                      \
  "add v" #g ".4s, v" #g ".4s, v3.4s\n\t"
#define OCTET_STORE(a, c, e, g, row)                           \
  "stp q" #a ", q" #c ", [%[acc], #64 * " #row "]\n\t"         \
  "stp q" #e ", q" #g ", [%[acc], #64 * " #row " + 32]\n\t"
// RequantizeFinish16: multipliers in v0 to v3, shifts in v4 to v7, zero point and clamp in v8 to v10.
#define OCTET_REQUANTIZE(a, c, e, g)                           \
  "sqdmulh v" #a ".4s, v" #a ".4s, v0.4s\n\t"                  \
  "sqdmulh v" #c ".4s, v" #c ".4s, v1.4s\n\t"                  \
  "sqdmulh v" #e ".4s, v" #e ".4s, v2.4s\n\t"                  \
  "sqdmulh v" #g ".4s, v" #g ".4s, v3.4s\n\t"                  \
  "srshl v" #a ".4s, v" #a ".4s, v4.4s\n\t"                    \
  "srshl v" #c ".4s, v" #c ".4s, v5.4s\n\t"                    \
  "srshl v" #e ".4s, v" #e ".4s, v6.4s\n\t"                    \
  "srshl v" #g ".4s, v" #g ".4s, v7.4s\n\t"                    \
  "sqxtn v" #a ".4h, v" #a ".4s\n\t"                           \
  "sqxtn v" #e ".4h, v" #e ".4s\n\t"                           \
  "sqxtn2 v" #a ".8h, v" #c ".4s\n\t"                          \
  "sqxtn2 v" #e ".8h, v" #g ".4s\n\t"                          \
  "sqadd v" #a ".8h, v" #a ".8h, v8.8h\n\t"                    \
  "sqadd v" #e ".8h, v" #e ".8h, v8.8h\n\t"                    \
  "sqxtn v" #a ".8b, v" #a ".8h\n\t"                           \
  "sqxtn2 v" #a ".16b, v" #e ".8h\n\t"                         \
  "smax v" #a ".16b, v" #a ".16b, v9.16b\n\t"                  \
  "smin v" #a ".16b, v" #a ".16b, v10.16b\n\t"
// clang-format on

// The panel that does the work, in assembly: the compiler moves sums through memory, and for cores
// that execute in order loads have to stand between multiplications, of which 8 are under way at a
// time (a product waits 6 cycles for the one before it on Cortex-A53). Sums of pairs: row 0 in v16
// to v23, row 1 in v24 to v31; products v8 to v15. llvm-mca has the loop at 76 % of the port limit
// of Cortex-A53 and at 80 % of Cortex-A55's.
template <>
void Panel<2, true>(const PanelS8& p, const PartArm& part) {
  int32x4_t acc[2][4];
  if (p.tap_bytes < 8) {
    Pass<2, true>(p, part, 0, acc);
    StoreRows<2>(p, part, acc);
    return;
  }
  const int8_t* weights = p.weights;
  const uint8_t* const* pointers = p.pointers;
  uint64_t taps = p.taps;  // at least 1
  size_t left;
  const uint8_t *in0, *in1;
  // Whole blocks without table and pre-shift are requantized where they are.
  const uint32_t plain =
      part.pre_shift == 0 && part.table == nullptr && p.output_channels == kChannelBlock ? 1 : 0;
  static_assert(offsetof(blob::ChannelBlockS8, bias) == 0, "");
  static_assert(offsetof(blob::ChannelBlockS8, multiplier) == 128, "");
  static_assert(offsetof(blob::ChannelBlockS8, shift) == 192, "");
  static_assert(offsetof(Tail16, zero_point) == 0 && offsetof(Tail16, lo) == 16, "");
  static_assert(offsetof(Tail16, hi) == 32, "");
  __asm__ volatile(
      // clang-format off
      OCTET_ZERO(16) OCTET_ZERO(17) OCTET_ZERO(18) OCTET_ZERO(19)
      OCTET_ZERO(20) OCTET_ZERO(21) OCTET_ZERO(22) OCTET_ZERO(23)
      OCTET_ZERO(24) OCTET_ZERO(25) OCTET_ZERO(26) OCTET_ZERO(27)
      OCTET_ZERO(28) OCTET_ZERO(29) OCTET_ZERO(30) OCTET_ZERO(31)
      "1:\n\t"  // each tap
      "ldp %[in0], %[in1], [%[pointers]]\n\t"
      "add %[pointers], %[pointers], %[next_tap]\n\t"
      "subs %[left], %[tap_bytes], #24\n\t"
      OCTET_WEIGHTS(4, 5, 0) OCTET_NEXT2(0, 1, 0) OCTET_NEXT2(2, 3, 1)
      "b.lo 3f\n\t"
      "2:\n\t"  // 16 channels, and at least 8 behind them
      OCTET_ROUND(64, 32, 96, 128, "subs %[left], %[left], #16\n\t")
      OCTET_ROUND(192, 160, -32, 0, "add %[weights], %[weights], #256\n\t")
      "b.hs 2b\n\t"
      "3:\n\t"
      "add %[left], %[left], #24\n\t"
      "tbz %[left], #4, 4f\n\t"  // 8 channels, and 8 behind them
      OCTET_ROUND(64, 32, -32, 0, "add %[weights], %[weights], #128\n\t")
      "4:\n\t"  // the last 8 channels
      OCTET_LOW(OCTET_WEIGHTS(6, 7, 64), OCTET_WEIGHTS(4, 5, 32), "", "", "")
      OCTET_HIGH(OCTET_WEIGHTS(6, 7, 96), "add %[weights], %[weights], #128\n\t", "", "", "")
      "tbz %[left], #2, 5f\n\t"  // 4 channels
      OCTET_ADVANCE
      OCTET_WEIGHTS(4, 5, 0) OCTET_WEIGHTS(6, 7, 32) OCTET_NEXT(0, 0) OCTET_NEXT(2, 1)
      OCTET_SINGLE(4, 5, 0, 16, 17, 18, 19)
      OCTET_SINGLE(6, 7, 0, 20, 21, 22, 23)
      OCTET_SINGLE(4, 5, 2, 24, 25, 26, 27)
      OCTET_SINGLE(6, 7, 2, 28, 29, 30, 31)
      "add %[weights], %[weights], #64\n\t"
      "5:\n\t"
      "subs %[taps], %[taps], #1\n\t"
      "b.ne 1b\n\t"
      "ldp q0, q1, [%[bias]]\n\t"
      "ldp q2, q3, [%[bias], #32]\n\t"
      OCTET_SUMS(16, 17, 18, 19, 20, 21, 22, 23)
      OCTET_SUMS(24, 25, 26, 27, 28, 29, 30, 31)
      "cbz %w[plain], 6f\n\t"
      "ldp q4, q5, [%[bias], #192]\n\t"  // shifts
      "ldp q6, q7, [%[bias], #224]\n\t"
      "ldp q0, q1, [%[bias], #128]\n\t"  // multipliers
      "ldp q2, q3, [%[bias], #160]\n\t"
      "neg v4.4s, v4.4s\n\t"
      "neg v5.4s, v5.4s\n\t"
      "neg v6.4s, v6.4s\n\t"
      "neg v7.4s, v7.4s\n\t"
      "ldp q8, q9, [%[tail]]\n\t"
      "ldr q10, [%[tail], #32]\n\t"
      OCTET_REQUANTIZE(16, 18, 20, 22)
      OCTET_REQUANTIZE(24, 26, 28, 30)
      "str q16, [%[output]]\n\t"
      "str q24, [%[output], %[stride]]\n\t"
      "b 7f\n\t"
      "6:\n\t"
      OCTET_STORE(16, 18, 20, 22, 0)
      OCTET_STORE(24, 26, 28, 30, 1)
      "7:\n\t"
      // clang-format on
      : [weights] "+r"(weights), [pointers] "+r"(pointers), [taps] "+r"(taps), [left] "=&r"(left),
        [in0] "=&r"(in0), [in1] "=&r"(in1)
      : [tap_bytes] "r"(p.tap_bytes), [bias] "r"(part.channels + p.block), [acc] "r"(acc),
        [next_tap] "i"(kTile * sizeof(*pointers)), [plain] "r"(plain),
        [tail] "r"(&part.tail), [output] "r"(p.output), [stride] "r"(p.output_stride)
      : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",
        "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24",
        "v25", "v26", "v27", "v28", "v29", "v30", "v31");
  if (plain == 0) StoreRows<2>(p, part, acc);
}

#undef OCTET_PRODUCTS
#undef OCTET_LOW
#undef OCTET_HIGH
#undef OCTET_WEIGHTS
#undef OCTET_NEXT
#undef OCTET_NEXT2
#undef OCTET_ADVANCE
#undef OCTET_ROUND
#undef OCTET_SINGLE
#undef OCTET_ZERO
#undef OCTET_SUMS
#undef OCTET_STORE
#undef OCTET_REQUANTIZE

#endif  // __aarch64__

// No weight is -128.
static bool WeightsAreSmall(const int8_t* weights, size_t bytes) {
  int8x16_t a = vdupq_n_s8(0), b = a, c = a, d = a;
  for (size_t i = 0; i < bytes; i += 64) {  // blocks are whole groups of 64 bytes
    a = vminq_s8(a, vld1q_s8(weights + i));
    b = vminq_s8(b, vld1q_s8(weights + i + 16));
    c = vminq_s8(c, vld1q_s8(weights + i + 32));
    d = vminq_s8(d, vld1q_s8(weights + i + 48));
  }
  return Smallest(vminq_s8(vminq_s8(a, b), vminq_s8(c, d))) > -128;
}

struct PartNeon : PartArm {
  bool small_weights;  // all of them in [-127, 127]
};

struct Neon : LevelArm {
  static constexpr ConvRules kRules = kRulesNeon;
  typedef PartNeon Part;
  static void Begin(const ConvS8Args& args, const ConvPlan& plan, const ConvOutputs& outputs,
                    PanelS8* panel, Part* part) {
    BeginPart(args, outputs, part);
    // Two products |x * w| <= 128 * 127 fit 16 bits, 2 * 128 * 128 does not. From a few pixels on,
    // a look at the weights costs less than adding every product on its own.
    part->small_weights = plan.pixels.end - plan.pixels.begin >= 4 &&
                          WeightsAreSmall(panel->weights, outputs.blocks * panel->block_step);
  }
  static void Run(const Part& part, const PanelS8& panel, uint32_t rows, uint32_t) {
    static constexpr void (*kPanels[2][2])(const PanelS8&, const PartArm&) = {
        {Panel<1, false>, Panel<2, false>}, {Panel<1, true>, Panel<2, true>}};
    kPanels[part.small_weights ? 1 : 0][rows - 1](panel, part);
  }
};

}  // namespace

void conv_s8_neon_2x1(const ConvS8Args& args, Share share) {
  RunConv<Neon>(args, share);
}

void conv_s8_neon(const ConvS8Args& args, Share share) {
  const ConvChoice choice = ChooseConv(kRulesNeon, args.g, args.winograd, share.count);
  if (choice.way == ConvWay::kWinograd) return RunWinograd<WinogradNeon>(args, share);
  RunConv<Neon>(args, share, choice.panel_blocks);
}

}  // namespace octet
