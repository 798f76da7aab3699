// Convolution with SDOT by element: a vector of weights holds 4 outputs x 4 channels, an element of
// a row's activations the same 4 channels, so neither is rearranged.
#include <stddef.h>
#include <stdint.h>

#include "runtime/kernels/conv/arm_s8.inl.h"
#include "runtime/kernels/conv/strips.inl.h"

namespace octet {
namespace {

constexpr uint32_t kTile = kRulesDotprod.tile_rows;

// The assembly below reads it.
static_assert(offsetof(Tail16, zero_point) == 0 && offsetof(Tail16, lo) == 16 &&
                  offsetof(Tail16, hi) == 32,
              "layout");

// 4 channels, those of element kLane, of all rows x 16 outputs.
template <int kRows, int kLane>
static inline void Multiply4(const int8_t* weights, const int8x16_t* x, int32x4_t (*acc)[4]) {
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const int8x16_t w = vld1q_s8(weights + 64 * kLane + 16 * i);
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) acc[r][i] = vdotq_laneq_s32(acc[r][i], w, x[r], kLane);
  }
}

template <int kRows>
static void Panel(const PanelS8& p, const PartArm& part) {
  int32x4_t acc[kRows][4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const int32x4_t bias = vld1q_s32(part.channels[p.block].bias + 4 * i);
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) acc[r][i] = bias;
  }
  const int8_t* weights = p.weights;
  const uint8_t* const* pointers = p.pointers;
  for (uint64_t tap = 0; tap < p.taps; ++tap, pointers += kTile) {
    const uint8_t* in[kRows];
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) in[r] = pointers[r];
    size_t left = p.tap_bytes;
    int8x16_t x[kRows];
    for (; left >= 16; left -= 16, weights += 256) {
#pragma GCC unroll 6
      for (int r = 0; r < kRows; ++r, in[r - 1] += 16) x[r] = LoadBytes(in[r]);
      Multiply4<kRows, 0>(weights, x, acc);
      Multiply4<kRows, 1>(weights, x, acc);
      Multiply4<kRows, 2>(weights, x, acc);
      Multiply4<kRows, 3>(weights, x, acc);
    }
    for (; left != 0; left -= 4, weights += 64) {
#pragma GCC unroll 6
      for (int r = 0; r < kRows; ++r, in[r - 1] += 4) x[r] = LoadReplicated4(in[r]);
      Multiply4<kRows, 0>(weights, x, acc);
    }
  }
  StoreRows<kRows>(p, part, acc);
}

// clang-format off
// 4 outputs of all rows: row 0's dot product, a load for later, the other rows'.
#define OCTET_QUAD(a0, a1, a2, a3, a4, a5, w, lane, load)  \
  "sdot v" #a0 ".4s, v" #w ".16b, v0.4b[" #lane "]\n\t"    \
  load                                                     \
  "sdot v" #a1 ".4s, v" #w ".16b, v1.4b[" #lane "]\n\t"    \
  "sdot v" #a2 ".4s, v" #w ".16b, v2.4b[" #lane "]\n\t"    \
  "sdot v" #a3 ".4s, v" #w ".16b, v3.4b[" #lane "]\n\t"    \
  "sdot v" #a4 ".4s, v" #w ".16b, v4.4b[" #lane "]\n\t"    \
  "sdot v" #a5 ".4s, v" #w ".16b, v5.4b[" #lane "]\n\t"
#define OCTET_WEIGHTS(w, at) "ldr q" #w ", [%[weights], #" #at "]\n\t"
#define OCTET_LANE(lane, last)                                                            \
  OCTET_QUAD(8, 12, 16, 20, 24, 28, 6, lane, OCTET_WEIGHTS(7, 64 * lane + 16))            \
  OCTET_QUAD(9, 13, 17, 21, 25, 29, 7, lane, OCTET_WEIGHTS(6, 64 * lane + 32))            \
  OCTET_QUAD(10, 14, 18, 22, 26, 30, 6, lane, OCTET_WEIGHTS(7, 64 * lane + 48))           \
  OCTET_QUAD(11, 15, 19, 23, 27, 31, 7, lane, last)
#define OCTET_LOAD6(form)                                \
  "ldr " form "0, [%[in0], %[at]]\n\t"                   \
  "ldr " form "1, [%[in1], %[at]]\n\t"                   \
  "ldr " form "2, [%[in2], %[at]]\n\t"                   \
  "ldr " form "3, [%[in3], %[at]]\n\t"                   \
  "ldr " form "4, [%[in4], %[at]]\n\t"                   \
  "ldr " form "5, [%[in5], %[at]]\n\t"
#define OCTET_START(a, b, c, d)                          \
  "ldp q" #a ", q" #b ", [%[bias]]\n\t"                  \
  "ldp q" #c ", q" #d ", [%[bias], #32]\n\t"
#define OCTET_STORE(a, b, c, d, row)                     \
  "stp q" #a ", q" #b ", [%[acc], #64 * " #row "]\n\t"   \
  "stp q" #c ", q" #d ", [%[acc], #64 * " #row " + 32]\n\t"
#define OCTET_BY4(op, a, b, c, d, e, f, x)               \
  op " v" #a ".4s, v" #a ".4s, v" #x ".4s\n\t"           \
  op " v" #b ".4s, v" #b ".4s, v" #x ".4s\n\t"           \
  op " v" #c ".4s, v" #c ".4s, v" #x ".4s\n\t"           \
  op " v" #d ".4s, v" #d ".4s, v" #x ".4s\n\t"           \
  op " v" #e ".4s, v" #e ".4s, v" #x ".4s\n\t"           \
  op " v" #f ".4s, v" #f ".4s, v" #x ".4s\n\t"
#define OCTET_ALL(op, x0, x1, x2, x3)                    \
  OCTET_BY4(op, 8, 12, 16, 20, 24, 28, x0)               \
  OCTET_BY4(op, 9, 13, 17, 21, 25, 29, x1)               \
  OCTET_BY4(op, 10, 14, 18, 22, 26, 30, x2)              \
  OCTET_BY4(op, 11, 15, 19, 23, 27, 31, x3)
// Two rows of requantized values to bytes, as Finish16() does, and to the output.
#define OCTET_FINISH2(a, b, c, d, e, f, g, h)            \
  "sqxtn v" #a ".4h, v" #a ".4s\n\t"                     \
  "sqxtn v" #c ".4h, v" #c ".4s\n\t"                     \
  "sqxtn v" #e ".4h, v" #e ".4s\n\t"                     \
  "sqxtn v" #g ".4h, v" #g ".4s\n\t"                     \
  "sqxtn2 v" #a ".8h, v" #b ".4s\n\t"                    \
  "sqxtn2 v" #c ".8h, v" #d ".4s\n\t"                    \
  "sqxtn2 v" #e ".8h, v" #f ".4s\n\t"                    \
  "sqxtn2 v" #g ".8h, v" #h ".4s\n\t"                    \
  "sqadd v" #a ".8h, v" #a ".8h, v0.8h\n\t"              \
  "sqadd v" #c ".8h, v" #c ".8h, v0.8h\n\t"              \
  "sqadd v" #e ".8h, v" #e ".8h, v0.8h\n\t"              \
  "sqadd v" #g ".8h, v" #g ".8h, v0.8h\n\t"              \
  "sqxtn v" #a ".8b, v" #a ".8h\n\t"                     \
  "sqxtn v" #e ".8b, v" #e ".8h\n\t"                     \
  "sqxtn2 v" #a ".16b, v" #c ".8h\n\t"                   \
  "sqxtn2 v" #e ".16b, v" #g ".8h\n\t"                   \
  "smax v" #a ".16b, v" #a ".16b, v1.16b\n\t"            \
  "smax v" #e ".16b, v" #e ".16b, v1.16b\n\t"            \
  "smin v" #a ".16b, v" #a ".16b, v2.16b\n\t"            \
  "smin v" #e ".16b, v" #e ".16b, v2.16b\n\t"            \
  "str q" #a ", [%[output]]\n\t"                         \
  "add %[output], %[output], %[stride]\n\t"              \
  "str q" #e ", [%[output]]\n\t"                         \
  "add %[output], %[output], %[stride]\n\t"
// clang-format on

// The largest panel in assembly: 24 sums, 6 rows and 2 weights take all 32 registers, and the
// compiler, which wants one more, moves sums through memory. Row r, outputs 4 i .. 4 i + 3: v(8 + 4
// r + i). Weights are loaded one by one, each during the dot products of the one before, and rows
// without moving their pointers: cores that execute in order (Cortex-A55) wait for pairs of loads
// and for moved pointers, others do as well either way. Sums of whole blocks of a layer without
// pre-shift and table, nearly all, are requantized where they are.
template <>
void Panel<6>(const PanelS8& p, const PartArm& part) {
  const blob::ChannelBlockS8* channels = part.channels + p.block;
  int32x4_t acc[6][4];
  const int8_t* weights = p.weights;
  const uint8_t* const* pointers = p.pointers;
  uint64_t taps = p.taps;  // at least 1
  size_t at, left;
  const bool plain = part.pre_shift == 0 && part.table == nullptr && p.output_channels == kBlock;
  uint8_t* output = p.output;
  const uint8_t *in0, *in1, *in2, *in3, *in4, *in5;
  __asm__ volatile(
      // clang-format off
      OCTET_START(8, 9, 10, 11)
      OCTET_START(12, 13, 14, 15)
      OCTET_START(16, 17, 18, 19)
      OCTET_START(20, 21, 22, 23)
      OCTET_START(24, 25, 26, 27)
      OCTET_START(28, 29, 30, 31)
      "1:\n\t"  // each tap
      "ldp %[in0], %[in1], [%[pointers]]\n\t"
      "ldp %[in2], %[in3], [%[pointers], #16]\n\t"
      "ldp %[in4], %[in5], [%[pointers], #32]\n\t"
      "add %[pointers], %[pointers], %[next_tap]\n\t"
      "mov %[at], #0\n\t"
      "subs %[left], %[tap_bytes], #16\n\t"
      "b.lo 3f\n\t"
      "2:\n\t"  // 16 channels
      OCTET_WEIGHTS(6, 0)
      OCTET_LOAD6("q")
      OCTET_LANE(0, OCTET_WEIGHTS(6, 64))
      OCTET_LANE(1, OCTET_WEIGHTS(6, 128))
      "subs %[left], %[left], #16\n\t"
      "add %[at], %[at], #16\n\t"
      OCTET_LANE(2, OCTET_WEIGHTS(6, 192))
      OCTET_LANE(3, "")
      "add %[weights], %[weights], #256\n\t"
      "b.hs 2b\n\t"
      "3:\n\t"
      "adds %[left], %[left], #16\n\t"
      "b.eq 5f\n\t"
      "4:\n\t"  // the last 4, 8 or 12
      OCTET_WEIGHTS(6, 0)
      OCTET_LOAD6("s")
      OCTET_LANE(0, "")
      "subs %[left], %[left], #4\n\t"
      "add %[at], %[at], #4\n\t"
      "add %[weights], %[weights], #64\n\t"
      "b.ne 4b\n\t"
      "5:\n\t"
      "subs %[taps], %[taps], #1\n\t"
      "b.ne 1b\n\t"
      "cbz %w[plain], 6f\n\t"
      "ldp q0, q1, [%[channels], %[multiplier]]\n\t"
      "ldp q2, q3, [%[channels], %[multiplier] + 32]\n\t"
      "ldp q4, q5, [%[channels], %[shift]]\n\t"
      "ldp q6, q7, [%[channels], %[shift] + 32]\n\t"
      OCTET_ALL("sqdmulh", 0, 1, 2, 3)
      "neg v4.4s, v4.4s\n\t"
      "neg v5.4s, v5.4s\n\t"
      "neg v6.4s, v6.4s\n\t"
      "neg v7.4s, v7.4s\n\t"
      "ldp q0, q1, [%[tail]]\n\t"  // zero point, lo
      "ldr q2, [%[tail], #32]\n\t"  // hi
      OCTET_ALL("srshl", 4, 5, 6, 7)
      OCTET_FINISH2(8, 9, 10, 11, 12, 13, 14, 15)
      OCTET_FINISH2(16, 17, 18, 19, 20, 21, 22, 23)
      OCTET_FINISH2(24, 25, 26, 27, 28, 29, 30, 31)
      "b 7f\n\t"
      "6:\n\t"
      OCTET_STORE(8, 9, 10, 11, 0)
      OCTET_STORE(12, 13, 14, 15, 1)
      OCTET_STORE(16, 17, 18, 19, 2)
      OCTET_STORE(20, 21, 22, 23, 3)
      OCTET_STORE(24, 25, 26, 27, 4)
      OCTET_STORE(28, 29, 30, 31, 5)
      "7:\n\t"
      // clang-format on
      : [weights] "+r"(weights), [pointers] "+r"(pointers), [taps] "+r"(taps), [at] "=&r"(at), [left] "=&r"(left), [output] "+r"(output),
        [in0] "=&r"(in0), [in1] "=&r"(in1), [in2] "=&r"(in2), [in3] "=&r"(in3), [in4] "=&r"(in4),
        [in5] "=&r"(in5)
      : [tap_bytes] "r"(p.tap_bytes), [bias] "r"(channels->bias), [acc] "r"(acc), [plain] "r"(plain), [channels] "r"(channels), [tail] "r"(&part.tail), [stride] "r"(p.output_stride), [multiplier] "i"(offsetof(blob::ChannelBlockS8, multiplier)), [shift] "i"(offsetof(blob::ChannelBlockS8, shift)),
        [next_tap] "i"(kTile * sizeof(*pointers))
      : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",
        "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24",
        "v25", "v26", "v27", "v28", "v29", "v30", "v31");
  if (!plain) StoreRows<6>(p, part, acc);
}

#undef OCTET_QUAD
#undef OCTET_WEIGHTS
#undef OCTET_LANE
#undef OCTET_LOAD6
#undef OCTET_START
#undef OCTET_STORE
#undef OCTET_BY4
#undef OCTET_ALL
#undef OCTET_FINISH2

struct PartDotprod : PartArm {
  alignas(64) uint8_t strip[kStripBytes];
};

// 6 x 4 sums, 4 weights and 4 rows in 32 registers; 16 channels cost 6 + 16 loads for 96 SDOT.
struct Dotprod : LevelArm {
  static constexpr ConvRules kRules = kRulesDotprod;
  typedef PartDotprod Part;
  // Windows of whole groups of 4: where a row of the image has next to no remainder of a panel.
  // Others would be packed, which costs as much as multiplying some groups by a block of outputs,
  // and strips have more groups.
  static bool WantsStrips(const ConvPlan& plan) {
    const ConvGeometry& g = plan.g;
    if (plan.rows == Rows::kPointed) return g.out_w >= plan.tile_rows;
    constexpr uint64_t kGroupsOfPacking = 16;
    const uint64_t run_groups = DivideUp((uint64_t)g.kernel_w * plan.group_in, 4);
    return (g.kernel_h * run_groups - DivideUp(plan.depth, 4)) * plan.blocks <= kGroupsOfPacking;
  }
  static void Begin(const ConvS8Args& args, const ConvPlan& plan, const ConvOutputs& outputs,
                    PanelS8* panel, Part* part) {
    BeginPart(args, outputs, part);
    if (plan.rows == Rows::kStrips) BeginStrips(args, plan, outputs, panel);
  }
  static uint32_t Prepare(const ConvS8Args& args, const ConvPlan& plan, uint64_t group,
                          uint64_t pixel, Part* part) {
    if (plan.rows == Rows::kStrips) return PointStrip(args, plan, pixel, part->strip);
    return GatherRows(args, plan, group, pixel);
  }
  static void Run(const Part& part, const PanelS8& panel, uint32_t rows, uint32_t) {
    static constexpr void (*kPanels[])(const PanelS8&, const PartArm&) = {
        Panel<1>, Panel<2>, Panel<3>, Panel<4>, Panel<5>, Panel<6>};
    kPanels[rows - 1](panel, part);
  }
};

}  // namespace

void conv_s8_dotprod_6x1(const ConvS8Args& args, Share share) {
  RunConv<Dotprod>(args, share);
}

void conv_s8_dotprod(const ConvS8Args& args, Share share) {
  RunConv<Dotprod>(args, share);
}

}  // namespace octet
