// FP16 convolution with FP16 arithmetic (asimdhp, which every core with SDOT has:
// ports/linux/cpu.cc), for layers that allow it (blob::Arithmetic::kHalf); other layers run the
// kernel of NEON.
//
// Products are added in FP16, fused, over kChunk steps of the depth; sums of chunks are added in
// float, to the bias. That depends on the depth alone, so that neither tile nor thread count shows
// in the result. Against a sum in float: each addition is off by at most 2^-12 of the sum so far,
// and for products of random signs the error is about 0.29 * 2^-11 * sqrt(kChunk / 2) = 0.08 % of
// the sum's size.
//
// Rows are FP16 numbers as they lie in the image where a window's padding is not touched, else
// copied: kernel_h runs under a piece of an output row, or windows one by one where these are
// dilated or grouped.
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/conv/driver.inl.h"

namespace octet {
namespace {

constexpr uint32_t kPanelRows = 8;  // 16 sums, 8 rows, 2 weights in 32 registers
constexpr size_t kChunk = 64;

struct Part {
  const ConvF16Args* args;
  const uint16_t* tile;
  // Row r of the tile: `runs` runs of `run` halves, `run_step` apart, from tile + r * row_step on.
  size_t row_step, runs, run, run_step;
  const float* bias;
  bool flat;  // windows one by one
};

// `pixels` pixels of image row y from column x on, zeros outside the image.
static void CopyPixels(const ConvF16Args& args, int64_t y, int64_t x, size_t pixels, uint16_t* to) {
  const ConvGeometry& g = args.g;
  const int64_t end = x + (int64_t)pixels;
  const int64_t first = x < 0 ? 0 : x, last = end < g.in_w ? end : g.in_w;
  if (y < 0 || y >= g.in_h || first >= last) {
    memset(to, 0, pixels * g.in_c * sizeof(uint16_t));
    return;
  }
  const size_t before = (size_t)(first - x) * g.in_c, inside = (size_t)(last - first) * g.in_c;
  memset(to, 0, before * sizeof(uint16_t));
  memcpy(to + before, args.input + ((size_t)y * g.in_w + (size_t)first) * g.in_c,
         inside * sizeof(uint16_t));
  memset(to + before + inside, 0, (size_t)(end - last) * g.in_c * sizeof(uint16_t));
}

static void CopyWindow(const ConvF16Args& args, const ConvPlan& plan, uint64_t group, Pixel p,
                       uint16_t* row) {
  const ConvGeometry& g = plan.g;
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
    for (uint32_t kx = 0; kx < g.kernel_w; ++kx, row += plan.group_in) {
      const int64_t source = SourcePixel(g, p, ky, kx);
      const size_t bytes = (size_t)plan.group_in * sizeof(uint16_t);
      if (source < 0) {
        memset(row, 0, bytes);
      } else {
        memcpy(row, args.input + (size_t)source * g.in_c + group * plan.group_in, bytes);
      }
    }
  }
}

// clang-format off
#define OCTET_ROW(w0, w1, acc0, acc1, x, lane)                \
  "fmla v" #acc0 ".8h, v" #w0 ".8h, v" #x ".h[" #lane "]\n\t" \
  "fmla v" #acc1 ".8h, v" #w1 ".8h, v" #x ".h[" #lane "]\n\t"
#define OCTET_PART(w0, w1, lane, l0, l1, l2, l3, l4)          \
  OCTET_ROW(w0, w1, 16, 17, 0, lane) l0                       \
  OCTET_ROW(w0, w1, 18, 19, 1, lane) l1                       \
  OCTET_ROW(w0, w1, 20, 21, 2, lane) l2                       \
  OCTET_ROW(w0, w1, 22, 23, 3, lane) l3                       \
  OCTET_ROW(w0, w1, 24, 25, 4, lane) l4                       \
  OCTET_ROW(w0, w1, 26, 27, 5, lane)                          \
  OCTET_ROW(w0, w1, 28, 29, 6, lane)                          \
  OCTET_ROW(w0, w1, 30, 31, 7, lane)
#define OCTET_LANE(w0, w1, lane, load) OCTET_PART(w0, w1, lane, load, "", "", "", "")
#define OCTET_WEIGHTS(q, at) "ldr q" #q ", [%[weights], #" #at "]\n\t"
#define OCTET_PAIR(a, b, at) "ldp q" #a ", q" #b ", [%[weights], #" #at "]\n\t"
// A step of depth. The next one's weights, a pair that takes long, are loaded beside it.
#define OCTET_STEP(w0, w1, lane, n0, n1, at) OCTET_LANE(w0, w1, lane, OCTET_PAIR(n0, n1, at))
#define OCTET_LOAD(form, row) "ldr " form #row ", [%[in" #row "], %[at]]\n\t"
#define OCTET_LOAD4(form)                                     \
  OCTET_LOAD(form, 0) OCTET_LOAD(form, 1) OCTET_LOAD(form, 2) OCTET_LOAD(form, 3)
#define OCTET_LOAD8(form)                                     \
  OCTET_LOAD4(form) OCTET_LOAD(form, 4) OCTET_LOAD(form, 5)                     \
  OCTET_LOAD(form, 6) OCTET_LOAD(form, 7)
// Sums of a row to those in memory, at first to the bias, and none left.
#define OCTET_FLUSH(a, b, at)                                 \
  "ldp q0, q1, [%[from]]\n\t"                                 \
  "ldp q2, q3, [%[from], #32]\n\t"                            \
  "add %[from], %[from], %[row]\n\t"                          \
  "fcvtl v4.4s, v" #a ".4h\n\t"                               \
  "fcvtl2 v5.4s, v" #a ".8h\n\t"                              \
  "fcvtl v6.4s, v" #b ".4h\n\t"                               \
  "fcvtl2 v7.4s, v" #b ".8h\n\t"                              \
  "fadd v0.4s, v0.4s, v4.4s\n\t"                              \
  "fadd v1.4s, v1.4s, v5.4s\n\t"                              \
  "fadd v2.4s, v2.4s, v6.4s\n\t"                              \
  "fadd v3.4s, v3.4s, v7.4s\n\t"                              \
  "movi v" #a ".4s, #0\n\t"                                   \
  "movi v" #b ".4s, #0\n\t"                                   \
  "stp q0, q1, [%[sums], #" #at "]\n\t"                       \
  "stp q2, q3, [%[sums], #" #at " + 32]\n\t"
#define OCTET_NONE(a, b) "movi v" #a ".4s, #0\n\t" "movi v" #b ".4s, #0\n\t"

// The bias and the products of 8 rows. In assembly: 16 sums, 8 rows, which
// have to be among the lower 16, and 4 weights are more registers than the compiler finds room for.
static inline void MultiplyTall(const float16_t* weights, const float16_t* rows, const Part& part,
                                const float* bias, float* sums) {
  const size_t step = part.row_step;
  const float* from = bias;
  size_t row = 0;  // bytes of a row at `from`
  size_t runs = part.runs, start = 0, at, count, run_left, chunk_left = kChunk;
  __asm__ volatile(
      OCTET_NONE(16, 17) OCTET_NONE(18, 19) OCTET_NONE(20, 21) OCTET_NONE(22, 23)
      OCTET_NONE(24, 25) OCTET_NONE(26, 27) OCTET_NONE(28, 29) OCTET_NONE(30, 31)
      "1:\n\t"  // each run
      "mov %[run_left], %[run]\n\t"
      "mov %[at], %[start]\n\t"
      "2:\n\t"  // to the end of the run or of the chunk
      "cmp %[run_left], %[chunk_left]\n\t"
      "csel %[count], %[run_left], %[chunk_left], lo\n\t"
      "sub %[run_left], %[run_left], %[count]\n\t"
      "sub %[chunk_left], %[chunk_left], %[count]\n\t"
      "subs %[count], %[count], #8\n\t"
      "b.lo 4f\n\t"
      "3:\n\t"  // 8 steps
      OCTET_WEIGHTS(8, 0)
      OCTET_WEIGHTS(9, 16)
      OCTET_LOAD4("q")
      OCTET_PART(8, 9, 0, OCTET_LOAD("q", 4), OCTET_LOAD("q", 5), OCTET_LOAD("q", 6),
                 OCTET_LOAD("q", 7) OCTET_WEIGHTS(10, 32), OCTET_WEIGHTS(11, 48))
      OCTET_STEP(10, 11, 1, 8, 9, 64)
      OCTET_STEP(8, 9, 2, 10, 11, 96)
      OCTET_STEP(10, 11, 3, 8, 9, 128)
      OCTET_STEP(8, 9, 4, 10, 11, 160)
      OCTET_STEP(10, 11, 5, 8, 9, 192)
      "subs %[count], %[count], #8\n\t"
      "add %[at], %[at], #16\n\t"
      OCTET_STEP(8, 9, 6, 10, 11, 224)
      "add %[weights], %[weights], #256\n\t"
      OCTET_LANE(10, 11, 7, "")
      "b.hs 3b\n\t"
      "4:\n\t"
      "adds %[count], %[count], #8\n\t"
      "b.eq 6f\n\t"
      "5:\n\t"  // one by one
      OCTET_WEIGHTS(8, 0)
      OCTET_WEIGHTS(9, 16)
      OCTET_LOAD8("h")
      "add %[at], %[at], #2\n\t"
      "add %[weights], %[weights], #32\n\t"
      OCTET_LANE(8, 9, 0, "")
      "subs %[count], %[count], #1\n\t"
      "b.ne 5b\n\t"
      "6:\n\t"
      "cbz %[chunk_left], 7f\n\t"
      "cmp %[runs], #1\n\t"
      "b.ne 8f\n\t"
      "7:\n\t"
      OCTET_FLUSH(16, 17, 0)
      OCTET_FLUSH(18, 19, 64)
      OCTET_FLUSH(20, 21, 128)
      OCTET_FLUSH(22, 23, 192)
      OCTET_FLUSH(24, 25, 256)
      OCTET_FLUSH(26, 27, 320)
      OCTET_FLUSH(28, 29, 384)
      OCTET_FLUSH(30, 31, 448)
      "mov %[from], %[sums]\n\t"
      "mov %[row], #64\n\t"
      "mov %[chunk_left], %[chunk]\n\t"
      "cbnz %[run_left], 2b\n\t"
      "8:\n\t"
      "add %[start], %[start], %[run_step]\n\t"
      "subs %[runs], %[runs], #1\n\t"
      "b.ne 1b\n\t"
      : [weights] "+r"(weights), [runs] "+r"(runs), [start] "+r"(start), [at] "=&r"(at),
        [count] "=&r"(count), [run_left] "=&r"(run_left), [chunk_left] "+r"(chunk_left),
        [from] "+r"(from), [row] "+r"(row)
      : [run] "r"(part.run), [run_step] "r"(part.run_step * sizeof(*rows)), [sums] "r"(sums),
        [chunk] "i"(kChunk), [in0] "r"(rows), [in1] "r"(rows + step), [in2] "r"(rows + 2 * step),
        [in3] "r"(rows + 3 * step), [in4] "r"(rows + 4 * step), [in5] "r"(rows + 5 * step),
        [in6] "r"(rows + 6 * step), [in7] "r"(rows + 7 * step)
      : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",
        "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28",
        "v29", "v30", "v31");
}
// clang-format on
#undef OCTET_ROW
#undef OCTET_PART
#undef OCTET_LANE
#undef OCTET_WEIGHTS
#undef OCTET_PAIR
#undef OCTET_STEP
#undef OCTET_LOAD
#undef OCTET_LOAD4
#undef OCTET_LOAD8
#undef OCTET_FLUSH
#undef OCTET_NONE

// The compiler copies the lane of vfmaq_laneq_f16() to a register of its own first. Volatile, as
// the load below: it knows no latencies of assembly, so that the order written has to stay.
template <int kLane>
static inline void MultiplyAddLane(float16x8_t* sum, float16x8_t w, float16x8_t x) {
  __asm__ volatile("fmla %0.8h, %1.8h, %2.h[%3]" : "+w"(*sum) : "w"(w), "x"(x), "i"(kLane));
}

// Weights of 16 outputs.
struct Pair {
  float16x8_t low, high;
};
template <int kLane>
static inline Pair LoadPair(const float16_t* weights) {
  Pair w;
  __asm__ volatile("ldp %q0, %q1, [%2, %3]"
                   : "=w"(w.low), "=w"(w.high)
                   : "r"(weights), "i"(kLane * kChannelBlock * sizeof(*weights)),
                     "m"(*(const float16_t(*)[8 * kChannelBlock]) weights));
  return w;
}

// kLane of x times `w`, and the next lane's weights, until kLanes are done.
template <int kRows, int kLane, int kLanes>
static inline void MultiplyLanes(const float16_t* weights, Pair w, const float16x8_t* x,
                                 float16x8_t (*acc)[2]) {
  Pair next = w;
  if constexpr (kLane + 1 < kLanes) next = LoadPair<kLane + 1>(weights);
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    MultiplyAddLane<kLane>(&acc[r][0], w.low, x[r]);
    MultiplyAddLane<kLane>(&acc[r][1], w.high, x[r]);
  }
  if constexpr (kLane + 1 < kLanes) MultiplyLanes<kRows, kLane + 1, kLanes>(weights, next, x, acc);
}

// `count` steps of depth of kRows rows.
template <int kRows>
static inline void Multiply(const float16_t* weights, const float16_t* rows, size_t step,
                            size_t count, float16x8_t (*acc)[2]) {
  float16x8_t x[kRows];
  size_t k = 0;
  for (; k + 8 <= count; k += 8, weights += 8 * kChannelBlock) {
    const Pair w = LoadPair<0>(weights);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) x[r] = vld1q_f16(rows + (size_t)r * step + k);
    MultiplyLanes<kRows, 0, 8>(weights, w, x, acc);
  }
  for (; k < count; ++k, weights += kChannelBlock) {
    const Pair w = Pair{vld1q_f16(weights), vld1q_f16(weights + 8)};
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) x[r] = vld1q_dup_f16(rows + (size_t)r * step + k);
    MultiplyLanes<kRows, 0, 1>(weights, w, x, acc);
  }
}

// A chunk to the sums, and none left.
template <int kRows>
static inline void Flush(float16x8_t (*acc)[2], float* sums) {
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r, sums += kChannelBlock) {
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      const Float8 x = Widen(vreinterpretq_u16_f16(acc[r][i]));
      vst1q_f32(sums + 8 * i, vaddq_f32(vld1q_f32(sums + 8 * i), x.low));
      vst1q_f32(sums + 8 * i + 4, vaddq_f32(vld1q_f32(sums + 8 * i + 4), x.high));
      acc[r][i] = vdupq_n_f16(0);
    }
  }
}

// MultiplyTall() of fewer rows.
template <int kRows>
static inline void MultiplyFew(const float16_t* weights, const float16_t* rows, const Part& part,
                               float* sums) {
  float16x8_t acc[kRows][2];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) acc[r][0] = acc[r][1] = vdupq_n_f16(0);
  size_t left = kChunk;
  for (size_t i = 0; i < part.runs; ++i, rows += part.run_step) {
    for (size_t k = 0; k < part.run;) {
      const size_t count = left < part.run - k ? left : part.run - k;
      Multiply<kRows>(weights, rows + k, part.row_step, count, acc);
      weights += count * kChannelBlock;
      k += count;
      left -= count;
      if (left != 0) continue;
      Flush<kRows>(acc, sums);
      left = kChunk;
    }
  }
  if (left != kChunk) Flush<kRows>(acc, sums);
}

template <int kRows>
[[gnu::noinline]] static void Panel(const Part& part, const PanelF16& p, uint32_t row) {
  const float16_t* rows =
      reinterpret_cast<const float16_t*>(part.tile) + (p.row + row) * part.row_step;
  const float16_t* weights = reinterpret_cast<const float16_t*>(p.weights);
  const float* bias = part.bias + (size_t)p.block * kChannelBlock;
  float sums[kRows * kChannelBlock];
  if constexpr (kRows == kPanelRows) {
    MultiplyTall(weights, rows, part, bias, sums);
  } else {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const float32x4_t four = vld1q_f32(bias + 4 * i);
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) vst1q_f32(sums + r * kChannelBlock + 4 * i, four);
    }
    MultiplyFew<kRows>(weights, rows, part, sums);
  }
  ApplyMany(FloatFunction{part.args->function, part.args->alpha, part.args->beta}, sums,
            kRows * kChannelBlock);
  uint16_t* output = p.output + row * p.output_stride;
  const float* from = sums;
  for (int r = 0; r < kRows; ++r, output += p.output_stride, from += kChannelBlock) {
    if (p.output_channels < kChannelBlock) {
      HalfRows::Narrow(from, p.output_channels, output);
      continue;
    }
    StorePartialHalf8(output, Float8{vld1q_f32(from), vld1q_f32(from + 4)}, 8);
    StorePartialHalf8(output + 8, Float8{vld1q_f32(from + 8), vld1q_f32(from + 12)}, 8);
  }
}

struct DotprodF16 {
  static constexpr ConvRules kRules = kRulesF16Dotprod;
  typedef ConvF16Args Args;
  typedef octet::Part Part;
  static void FillPadding(const ConvF16Args&, const ConvPlan&) {}
  static void Begin(const ConvF16Args& args, const ConvPlan& plan, const ConvOutputs& outputs,
                    PanelF16*, Part* part) {
    const ConvGeometry& g = plan.g;
    *part = Part{&args,
                 nullptr,
                 (size_t)plan.deep,
                 1,
                 (size_t)plan.depth,
                 0,
                 args.bias + outputs.first * kChannelBlock,
                 true};
    const uint64_t pixels = (uint64_t)(plan.tile_rows - 1) * g.stride_w + g.kernel_w;
    part->flat = g.dilation_w != 1 || plan.group_in != g.in_c ||
                 g.kernel_h * pixels * g.in_c > plan.tile_rows * plan.deep;
    if (part->flat) return;
    part->row_step = (size_t)g.stride_w * g.in_c;
    part->runs = g.kernel_h;
    part->run = (size_t)g.kernel_w * g.in_c;
  }
  static uint32_t Prepare(const ConvF16Args& args, const ConvPlan& plan, uint64_t group,
                          uint64_t pixel, Part* part) {
    const ConvGeometry& g = plan.g;
    uint32_t rows = TileRows(plan, pixel);
    uint16_t* to = reinterpret_cast<uint16_t*>(plan.packed);
    part->tile = to;
    Pixel p = PixelOf(g, pixel);
    if (part->flat) {
      for (uint32_t r = 0; r < rows; ++r, to += plan.deep) {
        CopyWindow(args, plan, group, p, to);
        if (++p.x != g.out_w) continue;
        p = Pixel{p.y + 1, 0};
      }
      return rows;
    }
    const int64_t x = (int64_t)p.x * g.stride_w - g.pad_left;
    const int64_t y = (int64_t)p.y * g.stride_h - g.pad_top;
    const bool pointwise = plan.taps == 1 && g.stride_w == 1 && g.stride_h == 1 && g.pad_top == 0 &&
                           g.pad_left == 0 && g.out_w == g.in_w;
    if (!pointwise && rows > g.out_w - p.x) rows = g.out_w - p.x;
    const size_t pixels = (size_t)(rows - 1) * g.stride_w + g.kernel_w;
    const int64_t last_y = y + (int64_t)(g.kernel_h - 1) * g.dilation_h;
    if (pointwise || (x >= 0 && y >= 0 && x + (int64_t)pixels <= g.in_w && last_y < g.in_h)) {
      part->tile = args.input + ((size_t)y * g.in_w + (size_t)x) * g.in_c;
      part->run_step = (size_t)g.dilation_h * g.in_w * g.in_c;
      return rows;
    }
    part->run_step = pixels * g.in_c;
    for (uint32_t ky = 0; ky < g.kernel_h; ++ky, to += part->run_step) {
      CopyPixels(args, y + (int64_t)ky * g.dilation_h, x, pixels, to);
    }
    return rows;
  }
  static void Run(const Part& part, const PanelF16& panel, uint32_t rows, uint32_t) {
    if (rows == kPanelRows) return Panel<kPanelRows>(part, panel, 0);
    const uint32_t four = rows & 4, two = rows & 2;
    if (four != 0) Panel<4>(part, panel, 0);
    if (two != 0) Panel<2>(part, panel, four);
    if ((rows & 1) != 0) Panel<1>(part, panel, four + two);
  }
};

}  // namespace

void conv_f16_dotprod_8x1(const ConvF16Args& args, Share share) {
  conv_f16_dotprod(args, share);
}

void conv_f16_dotprod(const ConvF16Args& args, Share share) {
  if (!args.half_sums) return conv_f16_neon(args, share);
  RunConv<DotprodF16>(args, share);
}

}  // namespace octet
