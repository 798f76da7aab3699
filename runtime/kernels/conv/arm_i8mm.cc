// Convolution with SMMLA, which multiplies 2 pixels x 8 channels by 2 outputs x 8 channels. Both
// operands are made first: a tile of pixels is interleaved pair by pair into scratch, and as many
// weights as a level 1 cache holds (a chunk) have their groups of 4 channels zipped into groups of
// 8. All panels of the tile use a chunk before the next one is zipped; until the last, their sums
// wait on the stack.
#include "runtime/kernels/conv/arm_pairs.inl.h"
#include "runtime/kernels/conv/arm_s8.inl.h"

namespace octet {
namespace {

constexpr uint32_t kHalf = 8;  // outputs of a panel
constexpr uint32_t kTilePanels = kTileRows / (2 * kPanelPairs);
constexpr uint32_t kChunk = 96;  // groups of 8 channels: 12 KiB of zipped weights
// Below this many pixels the zipping costs more than SMMLA saves over SDOT.
constexpr uint64_t kMinPixels = 4;

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

// Where the results of a panel x half go.
struct Target {
  uint8_t* output;
  size_t stride;
  uint32_t rows, channels;  // channels 1 to 8
};

static inline void StorePair(const Target& to, uint32_t row, int8x16_t q) {
  uint8_t* out = to.output + row * to.stride;
  const bool both = row + 1 < to.rows;
  if (to.channels == kHalf) {
    vst1_s8(reinterpret_cast<int8_t*>(out), vget_low_s8(q));
    if (both) vst1_s8(reinterpret_cast<int8_t*>(out + to.stride), vget_high_s8(q));
  } else {
    StorePartial16(out, q, to.channels);
    if (both) StorePartial16(out + to.stride, vextq_s8(q, q, 8), to.channels);
  }
}

// Requantizes and stores.
template <int kPairs>
static void Finish(Sums* sums, const HalfScale& scale, const PartArm& layer, const Target& to) {
  if (layer.pre_shift != 0) {
    for (int p = 0; p < kPairs; ++p) {
      for (int i = 0; i < 4; ++i) sums->s[p][i] = PreShift4(sums->s[p][i], layer.pre_shift);
    }
  }
  Scale16 s;
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    s.multiplier[i] = scale.multiplier[i];
    s.left_shift[i] = scale.left_shift[i];
  }
  const Tail16 tail = layer.tail;
  int8x16_t q[kPairs];
#pragma GCC unroll 4
  for (int p = 0; p < kPairs; ++p) {
    q[p] = vqtbl1q_s8(RequantizeFinish16(sums->s[p], s, tail), scale.order);
  }
  if (layer.table != nullptr) ApplyTable(q, kPairs, layer.table);
  if (to.channels == kHalf && to.rows == 2 * kPairs) {
    uint8_t* out = to.output;
#pragma GCC unroll 4
    for (int p = 0; p < kPairs; ++p, out += 2 * to.stride) {
      vst1_s8(reinterpret_cast<int8_t*>(out), vget_low_s8(q[p]));
      vst1_s8(reinterpret_cast<int8_t*>(out + to.stride), vget_high_s8(q[p]));
    }
    return;
  }
  for (int p = 0; p < kPairs; ++p) StorePair(to, 2 * (uint32_t)p, q[p]);
}

struct PanelFns {
  void (*multiply)(const uint8_t*, const int8_t*, uint32_t, const int32x4_t*, size_t, Sums*);
  void (*finish)(Sums*, const HalfScale&, const PartArm&, const Target&);
};
constexpr PanelFns kPanels[kPanelPairs] = {{Multiply<1>, Finish<1>},
                                           {Multiply<2>, Finish<2>},
                                           {Multiply<3>, Finish<3>},
                                           {Multiply<4>, Finish<4>}};

// A tile of at most kTileRows pixels.
struct Tile {
  uint32_t panels;
  uint32_t row[kTilePanels + 1];  // first row of each panel; even but for the last
  bool full;                      // all panels are
};

static Tile DivideTile(uint32_t rows) {
  const uint32_t pairs = (rows + 1) / 2;
  Tile tile;
  tile.panels = (pairs + kPanelPairs - 1) / kPanelPairs;
  for (uint32_t i = 0; i < tile.panels; ++i) tile.row[i] = pairs * i / tile.panels * 2;
  tile.row[tile.panels] = rows;
  tile.full = rows == tile.panels * 2 * kPanelPairs;
  return tile;
}

struct PartI8mm : PartArm {
  Tile tile;
  uint32_t steps;         // of 8 channels
  uint64_t k_groups;      // of 4
  const uint8_t* packed;  // [panel][step][pair][2][8]
};

// A packed tile x one block of outputs.
__attribute__((noinline)) static void RunBlock(const PartI8mm& part, const PanelS8& p) {
  const Tile& tile = part.tile;
  const uint32_t lanes = p.output_channels;
  const blob::ChannelBlockS8& channels = part.channels[p.block];
  Chunk chunk;
  Sums sums[2][kTilePanels];
  const uint32_t halves = lanes > kHalf ? 2 : 1;
  const HalfScale scale[2] = {LoadHalf(channels, 0, part.tail), LoadHalf(channels, 1, part.tail)};
  for (uint32_t step = 0; step < part.steps; step += kChunk) {
    const uint32_t steps = part.steps - step < kChunk ? part.steps - step : kChunk;
    const uint64_t groups = part.k_groups - 2 * (uint64_t)step;
    ZipWeights(p.weights + (size_t)step * 128, groups < 2 * steps ? groups : 2 * steps, &chunk);
    for (uint32_t h = 0; h < halves; ++h) {
      const uint32_t left = lanes - h * kHalf;
      const Target half = {p.output + h * kHalf, p.output_stride, 0, left < kHalf ? left : kHalf};
      const bool last = step + steps == part.steps;
      const bool plain =
          last && half.channels == kHalf && part.pre_shift == 0 && part.table == nullptr;
      const int32x4_t* init = step == 0 ? scale[h].bias : sums[h][0].s[0];
      const size_t init_step = step == 0 ? 0 : 4;
      if (plain && tile.full) {
        constexpr size_t kStepBytes = 16 * kPanelPairs;
        MultiplyAndFinish(part.packed + step * kStepBytes, (part.steps - steps) * kStepBytes,
                          chunk.w[h], steps, init, init_step, &scale[h], part.clamps, half.output,
                          half.stride, tile.panels);
        continue;
      }
      for (uint32_t i = 0; i < tile.panels; ++i, init += 4 * init_step) {
        const uint32_t row = tile.row[i], rows = tile.row[i + 1] - row, pairs = (rows + 1) / 2;
        Sums* const s = &sums[h][i];
        const uint8_t* packed =
            part.packed + (size_t)row * 8 * part.steps + (size_t)step * 16 * pairs;
        uint8_t* to = half.output + row * half.stride;
        if (plain && rows == 2 * kPanelPairs) {
          MultiplyAndFinish(packed, 0, chunk.w[h], steps, init, init_step, &scale[h], part.clamps,
                            to, half.stride, 1);
          continue;
        }
        const PanelFns& panel = kPanels[pairs - 1];
        panel.multiply(packed, chunk.w[h], steps, init, init_step, s);
        if (last) panel.finish(s, scale[h], part, {to, half.stride, rows, half.channels});
      }
    }
  }
}

struct I8mm : LevelArm {
  static constexpr ConvRules kRules = kRulesI8mm;
  typedef PartI8mm Part;
  static void Begin(const ConvS8Args& args, const ConvPlan& plan, const ConvOutputs& outputs,
                    PanelS8*, Part* part) {
    BeginPart(args, outputs, part);
    part->steps = (uint32_t)DivideUp(plan.depth, 8);
    part->k_groups = DivideUp(plan.depth, 4);
    part->packed = plan.packed;
  }
  static uint32_t Prepare(const ConvS8Args& args, const ConvPlan& plan, uint64_t group,
                          uint64_t pixel, Part* part) {
    const uint32_t rows = TileRows(plan, pixel);
    const RowSource source = SourceOfGroup(args, plan, group);
    // The place of row pointers holds two flat rows.
    FlatRows flat = {args.scratch, (size_t)part->steps * 8};
    if (2 * (flat.bytes + kRowSlack) > RoundUp64(plan.taps * kTileRows * 8)) flat.rows = nullptr;
    part->tile = DivideTile(rows);
    for (uint32_t i = 0; i < part->tile.panels; ++i) {
      const uint32_t row = part->tile.row[i];
      PackPanel(flat, source, PixelOf(plan.g, pixel + row), part->tile.row[i + 1] - row,
                plan.packed + (size_t)row * 8 * part->steps);
    }
    return rows;
  }
  static void Run(const Part& part, const PanelS8& panel, uint32_t, uint32_t) {
    RunBlock(part, panel);
  }
};

}  // namespace

void conv_s8_i8mm_32x1(const ConvS8Args& args, Share share) {
  RunConv<I8mm>(args, share);
}

// Layers with next to no pixels are the SDOT kernel's.
void conv_s8_i8mm(const ConvS8Args& args, Share share) {
  if ((uint64_t)args.g.out_h * args.g.out_w < kMinPixels) {
    conv_s8_dotprod(args, share);
    return;
  }
  RunConv<I8mm>(args, share);
}

}  // namespace octet
