// Zipped weights and the panels of the SMMLA convolution. Included by conv/arm_i8mm.cc only;
// internal linkage.
#ifndef OCTET_KERNELS_CONV_ARM_I8MM_PANELS_INL_H_
#define OCTET_KERNELS_CONV_ARM_I8MM_PANELS_INL_H_

#include "runtime/kernels/conv/arm_pairs.inl.h"
#include "runtime/kernels/conv/arm_s8.inl.h"

namespace octet {
namespace {

constexpr uint32_t kHalf = 8;  // outputs of a panel
constexpr uint32_t kTilePanels = kTileRows / (2 * kPanelPairs);
constexpr uint32_t kChunk = 96;  // groups of 8 channels: 12 KiB of zipped weights

// Zipped weights: [half of the block][group of 8 channels][4 pairs of outputs][2][8].
struct Chunk {
  alignas(64) int8_t w[2][kChunk * 64];
};

// Sums of a panel x half: [pair of pixels][pair of outputs][pixel][output].
struct Sums {
  int32x4_t s[kPanelPairs][4];
};

// What all pairs of pixels share: values of outputs [0 1 0 1] [2 3 2 3] ..; what the layer's
// outputs share; and the order of a pair's 16 narrowed bytes [pixel a: outputs 0 1, pixel b: 0 1,
// a: 2 3,
// ..], which one table lookup sorts. The assembly reads it.
struct HalfScale {
  int32x4_t bias[4], multiplier[4], left_shift[4];
  int16x8_t zero_point;
  int8x16_t lo, hi;
  uint8x16_t order;
};
static_assert(sizeof(HalfScale) == 256, "no padding");

static inline int32x4_t Twice(const int32_t* two) {
  const int32x2_t v = vld1_s32(two);
  return vcombine_s32(v, v);
}

static inline HalfScale LoadHalf(const blob::ChannelBlockS8& block, uint32_t half,
                                 const Tail16& tail) {
  static constexpr uint8_t kOrder[16] = {0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15};
  HalfScale h;
  h.zero_point = tail.zero_point;
  h.lo = tail.lo;
  h.hi = tail.hi;
  h.order = vld1q_u8(kOrder);
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t at = half * kHalf + 2 * i;
    h.bias[i] = Twice(block.bias + at);
    h.multiplier[i] = Twice(block.multiplier + at);
    h.left_shift[i] = vnegq_s32(Twice(block.shift + at));
  }
  return h;
}

// `groups` groups of 4 channels x 16 outputs from `from` on. ST2 stores the words of two registers
// in turn, so that groups k and k + 1 of 4 outputs become groups of 8.
static void ZipWeights(const int8_t* from, uint64_t groups, Chunk* chunk) {
  int8_t *low = chunk->w[0], *high = chunk->w[1];
  uint64_t twos = groups / 2;
  __asm__ volatile(
      "cbz %[twos], 2f\n\t"
      "1:\n\t"
      "ldp q0, q2, [%[from]]\n\t"
      "ldp q4, q6, [%[from], #32]\n\t"
      "ldp q1, q3, [%[from], #64]\n\t"
      "ldp q5, q7, [%[from], #96]\n\t"
      "subs %[twos], %[twos], #1\n\t"
      "add %[from], %[from], #128\n\t"
      "st2 {v0.4s, v1.4s}, [%[low]], #32\n\t"
      "st2 {v4.4s, v5.4s}, [%[high]], #32\n\t"
      "st2 {v2.4s, v3.4s}, [%[low]], #32\n\t"
      "st2 {v6.4s, v7.4s}, [%[high]], #32\n\t"
      "b.ne 1b\n\t"
      "2:\n\t"
      : [from] "+r"(from), [low] "+r"(low), [high] "+r"(high), [twos] "+r"(twos)
      :
      : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7");
  if (groups % 2 == 0) return;
  const int32x4_t none = vdupq_n_s32(0);
  for (int i = 0; i < 4; ++i, from += 16) {
    const int32x4_t a = vreinterpretq_s32_s8(vld1q_s8(from));
    vst2q_s32(reinterpret_cast<int32_t*>((i < 2 ? low : high) + i % 2 * 32),
              int32x4x2_t{{a, none}});
  }
}

// kPairs pairs of pixels x 8 outputs over a chunk. `init`: what the sums start from, 4 vectors for
// each pair, `init_step` vectors from one pair to the next.
template <int kPairs>
static void Multiply(const uint8_t* packed, const int8_t* weights, uint32_t steps,
                     const int32x4_t* init, size_t init_step, Sums* sums) {
  int32x4_t acc[kPairs][4];
#pragma GCC unroll 4
  for (int p = 0; p < kPairs; ++p) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) acc[p][i] = init[(size_t)p * init_step + i];
  }
  const int8_t* in = reinterpret_cast<const int8_t*>(packed);
  for (; steps != 0; --steps, in += 16 * kPairs, weights += 64) {
    const int8x16x4_t w = vld1q_s8_x4(weights);
#pragma GCC unroll 4
    for (int p = 0; p < kPairs; ++p) {
      const int8x16_t x = vld1q_s8(in + 16 * p);
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) acc[p][i] = vmmlaq_s32(acc[p][i], x, w.val[i]);
    }
  }
#pragma GCC unroll 4
  for (int p = 0; p < kPairs; ++p) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) sums->s[p][i] = acc[p][i];
  }
}

// clang-format off
#define OCTET_PAIR(a, b, c, d, x)                         \
  "smmla v" #a ".4s, v" #x ".16b, v0.16b\n\t"             \
  "smmla v" #b ".4s, v" #x ".16b, v1.16b\n\t"             \
  "smmla v" #c ".4s, v" #x ".16b, v2.16b\n\t"             \
  "smmla v" #d ".4s, v" #x ".16b, v3.16b\n\t"
#define OCTET_STEP3                                       \
  "ld1 {v0.16b-v3.16b}, [%[weights]], #64\n\t"            \
  "ld1 {v4.16b-v6.16b}, [%[in]], #48\n\t"                 \
  OCTET_PAIR(16, 17, 18, 19, 4)                           \
  OCTET_PAIR(20, 21, 22, 23, 5)                           \
  OCTET_PAIR(24, 25, 26, 27, 6)
#define OCTET_STEP4                                       \
  "ld1 {v0.16b-v3.16b}, [%[weights]], #64\n\t"            \
  "ld1 {v4.16b-v7.16b}, [%[in]], #64\n\t"                 \
  OCTET_PAIR(16, 17, 18, 19, 4)                           \
  OCTET_PAIR(20, 21, 22, 23, 5)                           \
  OCTET_PAIR(24, 25, 26, 27, 6)                           \
  OCTET_PAIR(28, 29, 30, 31, 7)
#define OCTET_LOOP(step)                                  \
  "subs %w[steps], %w[steps], #4\n\t"                     \
  "b.lo 2f\n\t"                                           \
  "1:\n\t"                                                \
  step step step step                                     \
  "subs %w[steps], %w[steps], #4\n\t"                     \
  "b.hs 1b\n\t"                                           \
  "2:\n\t"                                                \
  "adds %w[steps], %w[steps], #4\n\t"                     \
  "b.eq 4f\n\t"                                           \
  "3:\n\t"                                                \
  step                                                    \
  "subs %w[steps], %w[steps], #1\n\t"                     \
  "b.ne 3b\n\t"                                           \
  "4:\n\t"
#define OCTET_MULTIPLY(step, load, end)                                                        \
  __asm__ volatile(                                                                              \
      "ld1 {v16.4s-v19.4s}, [%[init]], %[next]\n\t"                                              \
      "ld1 {v20.4s-v23.4s}, [%[init]], %[next]\n\t"                                              \
      "ld1 {v24.4s-v27.4s}, [%[init]], %[next]\n\t"                                              \
      load OCTET_LOOP(step) end                                                                  \
      : [in] "+r"(packed), [weights] "+r"(weights), [steps] "+r"(steps), [init] "+r"(init),      \
        [to] "+r"(to)                                                                            \
      : [next] "r"(init_step * sizeof(*init))                                                    \
      : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18",     \
        "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31")
#define OCTET_STORE3                                      \
  "st1 {v16.4s-v19.4s}, [%[to]], #64\n\t"                 \
  "st1 {v20.4s-v23.4s}, [%[to]], #64\n\t"                 \
  "st1 {v24.4s-v27.4s}, [%[to]], #64\n\t"
#define OCTET_BY4(op, a, b, c, d, x)                      \
  op " v" #a ".4s, v" #a ".4s, v" #x ".4s\n\t"            \
  op " v" #b ".4s, v" #b ".4s, v" #x ".4s\n\t"            \
  op " v" #c ".4s, v" #c ".4s, v" #x ".4s\n\t"            \
  op " v" #d ".4s, v" #d ".4s, v" #x ".4s\n\t"
#define OCTET_ALL(op, x0, x1, x2, x3)                     \
  OCTET_BY4(op, 16, 20, 24, 28, x0)                       \
  OCTET_BY4(op, 17, 21, 25, 29, x1)                       \
  OCTET_BY4(op, 18, 22, 26, 30, x2)                       \
  OCTET_BY4(op, 19, 23, 27, 31, x3)
// An operation on all pairs' vectors a (or: a and c), from themselves or from the ones behind.
#define OCTET_EACH(op, to, from, tail)                    \
  op " v16." to ", v16." from tail "\n\t"                 \
  op " v20." to ", v20." from tail "\n\t"                 \
  op " v24." to ", v24." from tail "\n\t"                 \
  op " v28." to ", v28." from tail "\n\t"
#define OCTET_EACH_HIGH(op, to, from, tail)               \
  op " v18." to ", v18." from tail "\n\t"                 \
  op " v22." to ", v22." from tail "\n\t"                 \
  op " v26." to ", v26." from tail "\n\t"                 \
  op " v30." to ", v30." from tail "\n\t"
#define OCTET_UPPER(op, to, from, a, x, b, y, c, z, d, u) \
  op " v" #a "." to ", v" #x "." from "\n\t"              \
  op " v" #b "." to ", v" #y "." from "\n\t"              \
  op " v" #c "." to ", v" #z "." from "\n\t"              \
  op " v" #d "." to ", v" #u "." from "\n\t"
#define OCTET_PUT(a)                                      \
  "st1 {v" #a ".d}[0], [%[to]], %[stride]\n\t"            \
  "st1 {v" #a ".d}[1], [%[to]], %[stride]\n\t"
// clang-format on

// The panels that do the work, in assembly: the compiler neither loads several vectors at a time
// nor unrolls without copies.
template <>
void Multiply<3>(const uint8_t* packed, const int8_t* weights, uint32_t steps,
                 const int32x4_t* init, size_t init_step, Sums* sums) {
  uint8_t* to = reinterpret_cast<uint8_t*>(sums);
  OCTET_MULTIPLY(OCTET_STEP3, "", OCTET_STORE3);
}

template <>
void Multiply<4>(const uint8_t* packed, const int8_t* weights, uint32_t steps,
                 const int32x4_t* init, size_t init_step, Sums* sums) {
  uint8_t* to = reinterpret_cast<uint8_t*>(sums);
  OCTET_MULTIPLY(OCTET_STEP4, "ld1 {v28.4s-v31.4s}, [%[init]]\n\t",
                 OCTET_STORE3 "st1 {v28.4s-v31.4s}, [%[to]]\n\t");
}

// The last chunk of `panels` of 8 pixels x 8 outputs of a layer without pre-shift and table:
// requantized where the sums are, straight to the output. `gap`: bytes from the end of the chunk of
// a panel's pixels to the next panel's.
static void MultiplyAndFinish(const uint8_t* packed, size_t gap, const int8_t* first_weights,
                              uint32_t all_steps, const int32x4_t* init, size_t init_step,
                              const HalfScale* scale, bool clamps, uint8_t* to, size_t stride,
                              uint32_t panels) {
  const int8_t* weights;
  const int32x4_t* at;
  uint32_t steps;
  __asm__ volatile(
      // clang-format off
      "0:\n\t"
      "ld1 {v16.4s-v19.4s}, [%[init]], %[next]\n\t"
      "ld1 {v20.4s-v23.4s}, [%[init]], %[next]\n\t"
      "ld1 {v24.4s-v27.4s}, [%[init]], %[next]\n\t"
      "ld1 {v28.4s-v31.4s}, [%[init]], %[next]\n\t"
      "mov %[weights], %[first_weights]\n\t"
      "mov %w[steps], %w[all_steps]\n\t"
      OCTET_LOOP(OCTET_STEP4)
      "add %[at], %[scale], #64\n\t"
      "ld1 {v0.4s-v3.4s}, [%[at]], #64\n\t"
      "ld1 {v4.4s-v7.4s}, [%[at]], #64\n\t"
      OCTET_ALL("sqdmulh", 0, 1, 2, 3)
      "ld1 {v0.16b-v3.16b}, [%[at]]\n\t"
      OCTET_ALL("srshl", 4, 5, 6, 7)
      // As Finish() below.
      OCTET_EACH("sqxtn", "4h", "4s", "")
      OCTET_EACH_HIGH("sqxtn", "4h", "4s", "")
      OCTET_UPPER("sqxtn2", "8h", "4s", 16, 17, 20, 21, 24, 25, 28, 29)
      OCTET_UPPER("sqxtn2", "8h", "4s", 18, 19, 22, 23, 26, 27, 30, 31)
      OCTET_EACH("sqadd", "8h", "8h", ", v0.8h")
      OCTET_EACH_HIGH("sqadd", "8h", "8h", ", v0.8h")
      OCTET_EACH("sqxtn", "8b", "8h", "")
      OCTET_UPPER("sqxtn2", "16b", "8h", 16, 18, 20, 22, 24, 26, 28, 30)
      "cbz %w[clamps], 5f\n\t"
      OCTET_EACH("smax", "16b", "16b", ", v1.16b")
      OCTET_EACH("smin", "16b", "16b", ", v2.16b")
      "5:\n\t"
      "tbl v16.16b, {v16.16b}, v3.16b\n\t"
      "tbl v20.16b, {v20.16b}, v3.16b\n\t"
      "tbl v24.16b, {v24.16b}, v3.16b\n\t"
      "tbl v28.16b, {v28.16b}, v3.16b\n\t"
      "add %[in], %[in], %[gap]\n\t"
      "subs %w[panels], %w[panels], #1\n\t"
      OCTET_PUT(16) OCTET_PUT(20) OCTET_PUT(24) OCTET_PUT(28)
      "b.ne 0b\n\t"
      // clang-format on
      : [in] "+r"(packed), [weights] "=&r"(weights), [steps] "=&r"(steps), [init] "+r"(init),
        [at] "=&r"(at), [to] "+r"(to), [panels] "+r"(panels)
      : [next] "r"(init_step * sizeof(*init)), [scale] "r"(scale), [stride] "r"(stride),
        [gap] "r"(gap), [first_weights] "r"(first_weights), [all_steps] "r"(all_steps),
        [clamps] "r"((uint32_t)clamps)
      : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19",
        "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
}

#undef OCTET_PAIR
#undef OCTET_STEP3
#undef OCTET_STEP4
#undef OCTET_MULTIPLY
#undef OCTET_STORE3
#undef OCTET_BY4
#undef OCTET_ALL
#undef OCTET_LOOP
#undef OCTET_EACH
#undef OCTET_EACH_HIGH
#undef OCTET_UPPER
#undef OCTET_PUT

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_ARM_I8MM_PANELS_INL_H_
