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
#define OCTET_LANE(from, lane, last)                                                      \
  OCTET_QUAD(8, 12, 16, 20, 24, 28, 6, lane, OCTET_WEIGHTS(7, from + 64 * lane + 16))     \
  OCTET_QUAD(9, 13, 17, 21, 25, 29, 7, lane, OCTET_WEIGHTS(6, from + 64 * lane + 32))     \
  OCTET_QUAD(10, 14, 18, 22, 26, 30, 6, lane, OCTET_WEIGHTS(7, from + 64 * lane + 48))    \
  OCTET_QUAD(11, 15, 19, 23, 27, 31, 7, lane, last)
#define OCTET_LOAD6(form)                                \
  "ldr " form "0, [%[in0], %[at]]\n\t"                   \
  "ldr " form "1, [%[in1], %[at]]\n\t"                   \
  "ldr " form "2, [%[in2], %[at]]\n\t"                   \
  "ldr " form "3, [%[in3], %[at]]\n\t"                   \
  "ldr " form "4, [%[in4], %[at]]\n\t"                   \
  "ldr " form "5, [%[in5], %[at]]\n\t"
// 16 channels, weights from `from` on; `counting` stands among the products.
#define OCTET_16(from, counting)                         \
  OCTET_WEIGHTS(6, from)                                 \
  OCTET_LOAD6("q")                                       \
  OCTET_LANE(from, 0, OCTET_WEIGHTS(6, from + 64))       \
  OCTET_LANE(from, 1, OCTET_WEIGHTS(6, from + 128))      \
  "add %[at], %[at], #16\n\t"                            \
  counting                                               \
  OCTET_LANE(from, 2, OCTET_WEIGHTS(6, from + 192))      \
  OCTET_LANE(from, 3, "")
#define OCTET_START(a, b, c, d)                          \
  "ld1 {v" #a ".4s-v" #d ".4s}, [%[channels]]\n\t"
#define OCTET_STORE(a, b, c, d, row)                     \
  "stp q" #a ", q" #b ", [%[acc], #64 * " #row "]\n\t"   \
  "stp q" #c ", q" #d ", [%[acc], #64 * " #row " + 32]\n\t"
// An operation on one output group of all rows.
#define OCTET_BY4(op, a, b, c, d, e, f, x)               \
  op " v" #a ".4s, v" #a ".4s, v" #x ".4s\n\t"           \
  op " v" #b ".4s, v" #b ".4s, v" #x ".4s\n\t"           \
  op " v" #c ".4s, v" #c ".4s, v" #x ".4s\n\t"           \
  op " v" #d ".4s, v" #d ".4s, v" #x ".4s\n\t"           \
  op " v" #e ".4s, v" #e ".4s, v" #x ".4s\n\t"           \
  op " v" #f ".4s, v" #f ".4s, v" #x ".4s\n\t"
#define OCTET_BY4_0(op, x) OCTET_BY4(op, 8, 12, 16, 20, 24, 28, x)
#define OCTET_BY4_1(op, x) OCTET_BY4(op, 9, 13, 17, 21, 25, 29, x)
#define OCTET_BY4_2(op, x) OCTET_BY4(op, 10, 14, 18, 22, 26, 30, x)
#define OCTET_BY4_3(op, x) OCTET_BY4(op, 11, 15, 19, 23, 27, 31, x)
// All rows' vectors of the outputs 0 to 7 and of 8 to 15: an operation with a vector of its own
// (the next one, or itself) or with one for all.
#define OCTET_EACH(op, to, from, tail)                   \
  op " v8." to ", v8." from tail "\n\t"                  \
  op " v12." to ", v12." from tail "\n\t"                \
  op " v16." to ", v16." from tail "\n\t"                \
  op " v20." to ", v20." from tail "\n\t"                \
  op " v24." to ", v24." from tail "\n\t"                \
  op " v28." to ", v28." from tail "\n\t"
#define OCTET_EACH_HIGH(op, to, from, tail)              \
  op " v10." to ", v10." from tail "\n\t"                \
  op " v14." to ", v14." from tail "\n\t"                \
  op " v18." to ", v18." from tail "\n\t"                \
  op " v22." to ", v22." from tail "\n\t"                \
  op " v26." to ", v26." from tail "\n\t"                \
  op " v30." to ", v30." from tail "\n\t"
// op into the upper halves of vectors, from others.
#define OCTET_UPPER(op, to, from, a, x, b, y, c, z, d, u, e, v, f, w) \
  op " v" #a "." to ", v" #x "." from "\n\t"             \
  op " v" #b "." to ", v" #y "." from "\n\t"             \
  op " v" #c "." to ", v" #z "." from "\n\t"             \
  op " v" #d "." to ", v" #u "." from "\n\t"             \
  op " v" #e "." to ", v" #v "." from "\n\t"             \
  op " v" #f "." to ", v" #w "." from "\n\t"
#define OCTET_STORE2(a, b)                               \
  "str q" #a ", [%[output]]\n\t"                         \
  "str q" #b ", [%[output], %[stride]]\n\t"              \
  "add %[output], %[output], %[stride], lsl #1\n\t"
// clang-format on

// `panels` of the largest panels one under the other, in assembly: 24 sums, 6 rows and 2 weights
// take all 32 registers, and the compiler, which wants one more, moves sums through memory. Row r,
// outputs 4 i .. 4 i + 3: v(8 + 4 r + i). Weights are loaded one by one, each during the dot
// products of the one before, and rows without moving their pointers: cores that execute in order
// (Cortex-A55) wait for pairs of loads and for moved pointers, others do as well either way. Sums
// of whole blocks of a layer without pre-shift and table, nearly all, are requantized where they
// are, clamped only where int8 does not do it; of others one panel is multiplied.
static void Panels6(const PanelS8& p, const PartArm& part, uint32_t panels, bool plain,
                    int32x4_t (*acc)[4]) {
  const blob::ChannelBlockS8* channels = part.channels + p.block;
  const int8_t* weights;
  const uint8_t* const* pointers = p.pointers;
  uint64_t taps;
  size_t at, left;
  uint8_t* output = p.output;
  const uint8_t *in0, *in1, *in2, *in3, *in4, *in5;
  __asm__ volatile(
      // clang-format off
      "0:\n\t"  // each panel
      OCTET_START(8, 9, 10, 11)
      OCTET_START(12, 13, 14, 15)
      OCTET_START(16, 17, 18, 19)
      OCTET_START(20, 21, 22, 23)
      OCTET_START(24, 25, 26, 27)
      OCTET_START(28, 29, 30, 31)
      "mov %[weights], %[first_weights]\n\t"
      "mov %[taps], %[all_taps]\n\t"  // at least 1
      "1:\n\t"  // each tap
      "ldp %[in0], %[in1], [%[pointers]]\n\t"
      "ldp %[in2], %[in3], [%[pointers], #16]\n\t"
      "ldp %[in4], %[in5], [%[pointers], #32]\n\t"
      "add %[pointers], %[pointers], %[next_tap]\n\t"
      "mov %[at], #0\n\t"
      "subs %[left], %[tap_bytes], #32\n\t"
      "b.lo 3f\n\t"
      "2:\n\t"  // 32 channels
      OCTET_16(0, "")
      OCTET_16(256, "subs %[left], %[left], #32\n\t")
      "add %[weights], %[weights], #512\n\t"
      "b.hs 2b\n\t"
      "3:\n\t"
      "tbz %[left], #4, 4f\n\t"
      OCTET_16(0, "")
      "add %[weights], %[weights], #256\n\t"
      "4:\n\t"
      "ands %[left], %[left], #15\n\t"
      "b.eq 6f\n\t"
      "5:\n\t"  // the last 4, 8 or 12
      OCTET_WEIGHTS(6, 0)
      OCTET_LOAD6("s")
      OCTET_LANE(0, 0, "")
      "subs %[left], %[left], #4\n\t"
      "add %[at], %[at], #4\n\t"
      "add %[weights], %[weights], #64\n\t"
      "b.ne 5b\n\t"
      "6:\n\t"
      "subs %[taps], %[taps], #1\n\t"
      "b.ne 1b\n\t"
      "cbz %w[plain], 8f\n\t"
      "ldp q0, q1, [%[channels], %[multiplier]]\n\t"
      "ldp q2, q3, [%[channels], %[multiplier] + 32]\n\t"
      OCTET_BY4_0("sqdmulh", 0)
      "ldp q4, q5, [%[channels], %[shift]]\n\t"
      OCTET_BY4_1("sqdmulh", 1)
      "ldp q6, q7, [%[channels], %[shift] + 32]\n\t"
      OCTET_BY4_2("sqdmulh", 2)
      "neg v4.4s, v4.4s\n\t"
      "neg v5.4s, v5.4s\n\t"
      OCTET_BY4_3("sqdmulh", 3)
      "neg v6.4s, v6.4s\n\t"
      "neg v7.4s, v7.4s\n\t"
      OCTET_BY4_0("srshl", 4)
      OCTET_BY4_1("srshl", 5)
      "ldr q0, [%[tail]]\n\t"  // zero point
      OCTET_BY4_2("srshl", 6)
      OCTET_BY4_3("srshl", 7)
      // As Finish16().
      OCTET_EACH("sqxtn", "4h", "4s", "")
      OCTET_EACH_HIGH("sqxtn", "4h", "4s", "")
      OCTET_UPPER("sqxtn2", "8h", "4s", 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29)
      OCTET_UPPER("sqxtn2", "8h", "4s", 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31)
      OCTET_EACH("sqadd", "8h", "8h", ", v0.8h")
      OCTET_EACH_HIGH("sqadd", "8h", "8h", ", v0.8h")
      OCTET_EACH("sqxtn", "8b", "8h", "")
      OCTET_UPPER("sqxtn2", "16b", "8h", 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
      "cbz %w[clamps], 7f\n\t"
      "ldp q1, q2, [%[tail], #16]\n\t"
      OCTET_EACH("smax", "16b", "16b", ", v1.16b")
      OCTET_EACH("smin", "16b", "16b", ", v2.16b")
      "7:\n\t"
      OCTET_STORE2(8, 12)
      OCTET_STORE2(16, 20)
      OCTET_STORE2(24, 28)
      "sub %[pointers], %[pointers], %[back]\n\t"
      "subs %w[panels], %w[panels], #1\n\t"
      "b.ne 0b\n\t"
      "b 9f\n\t"
      "8:\n\t"
      OCTET_STORE(8, 9, 10, 11, 0)
      OCTET_STORE(12, 13, 14, 15, 1)
      OCTET_STORE(16, 17, 18, 19, 2)
      OCTET_STORE(20, 21, 22, 23, 3)
      OCTET_STORE(24, 25, 26, 27, 4)
      OCTET_STORE(28, 29, 30, 31, 5)
      "9:\n\t"
      // clang-format on
      : [weights] "=&r"(weights), [pointers] "+r"(pointers), [taps] "=&r"(taps), [at] "=&r"(at),
        [left] "=&r"(left), [output] "+r"(output), [in0] "=&r"(in0), [in1] "=&r"(in1),
        [in2] "=&r"(in2), [in3] "=&r"(in3), [in4] "=&r"(in4), [in5] "=&r"(in5),
        [panels] "+r"(panels)
      : [first_weights] "r"(p.weights), [all_taps] "r"(p.taps), [tap_bytes] "r"(p.tap_bytes),
        [acc] "r"(acc), [plain] "r"((uint32_t)plain), [channels] "r"(channels),
        [tail] "r"(&part.tail), [stride] "r"(p.output_stride), [clamps] "r"((uint32_t)part.clamps),
        [back] "r"((p.taps * kTile - 6) * sizeof(*pointers)),
        [multiplier] "i"(offsetof(blob::ChannelBlockS8, multiplier)),
        [shift] "i"(offsetof(blob::ChannelBlockS8, shift)), [next_tap] "i"(kTile * sizeof(*pointers))
      : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",
        "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24",
        "v25", "v26", "v27", "v28", "v29", "v30", "v31");
}

#undef OCTET_QUAD
#undef OCTET_WEIGHTS
#undef OCTET_LANE
#undef OCTET_LOAD6
#undef OCTET_16
#undef OCTET_START
#undef OCTET_STORE
#undef OCTET_BY4
#undef OCTET_BY4_0
#undef OCTET_BY4_1
#undef OCTET_BY4_2
#undef OCTET_BY4_3
#undef OCTET_EACH
#undef OCTET_EACH_HIGH
#undef OCTET_UPPER
#undef OCTET_STORE2

// A multiple of 6 rows.
static void RunPanels6(PanelS8 p, const PartArm& part, uint32_t rows) {
  const bool plain = part.pre_shift == 0 && part.table == nullptr && p.output_channels == kBlock;
  int32x4_t acc[6][4];
  if (plain) return Panels6(p, part, rows / 6, true, acc);
  for (; rows != 0; rows -= 6) {
    Panels6(p, part, 1, false, acc);
    StoreRows<6>(p, part, acc);
    p.pointers += 6;
    p.output += 6 * p.output_stride;
  }
}

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
        Panel<1>, Panel<2>, Panel<3>, Panel<4>, Panel<5>};
    if (rows >= 6) return RunPanels6(panel, part, rows);
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
