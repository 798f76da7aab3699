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
#include "runtime/kernels/conv/f16_arm_finish.inl.h"

namespace octet {
namespace {

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

// The lines under `rows` windows side by side, of which the first begins at (y, x).
[[gnu::noinline]] static Rows16 CopyRows(const ConvF16Args& args, int64_t y, int64_t x,
                                         uint32_t rows, uint16_t* to) {
  const ConvGeometry& g = args.g;
  const size_t pixels = (size_t)(rows - 1) * g.stride_w + g.kernel_w, step = pixels * g.in_c;
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky, y += g.dilation_h) {
    CopyPixels(args, y, x, pixels, to + ky * step);
  }
  return Rows16{to, step};
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

// The compiler copies the lane of vfmaq_laneq_f16() to a register of its own first. Volatile, as
// the load below: it knows no latencies of assembly, so that the order written has to stay.
template <int kLane>
static inline void MultiplyAddLane(float16x8_t* sum, float16x8_t w, float16x8_t x) {
  __asm__ volatile("fmla %0.8h, %1.8h, %2.h[%3]" : "+w"(*sum) : "w"(w), "x"(x), "i"(kLane));
}

// Weights of 8 or 16 outputs.
template <int kVectors>
struct Weights {
  float16x8_t w[kVectors];
};
template <int kVectors, int kLane>
static inline Weights<kVectors> LoadWeights(const float16_t* weights) {
  Weights<kVectors> lane;
  constexpr size_t kAt = kLane * kChannelBlock * sizeof(*weights);
  if constexpr (kVectors == 2) {
    __asm__ volatile("ldp %q0, %q1, [%2, %3]"
                     : "=w"(lane.w[0]), "=w"(lane.w[1])
                     : "r"(weights), "i"(kAt),
                       "m"(*(const float16_t(*)[8 * kChannelBlock]) weights));
  } else {
    __asm__ volatile("ldr %q0, [%1, %2]"
                     : "=w"(lane.w[0])
                     : "r"(weights), "i"(kAt),
                       "m"(*(const float16_t(*)[8 * kChannelBlock]) weights));
  }
  return lane;
}

// kLane of x times `lane`, and the next lane's weights, until kLanes are done.
template <int kRows, int kVectors, int kLane, int kLanes>
static inline void MultiplyLanes(const float16_t* weights, Weights<kVectors> lane,
                                 const float16x8_t* x, float16x8_t (*acc)[kVectors]) {
  Weights<kVectors> next = lane;
  if constexpr (kLane + 1 < kLanes) next = LoadWeights<kVectors, kLane + 1>(weights);
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (int i = 0; i < kVectors; ++i) MultiplyAddLane<kLane>(&acc[r][i], lane.w[i], x[r]);
  }
  if constexpr (kLane + 1 < kLanes) {
    MultiplyLanes<kRows, kVectors, kLane + 1, kLanes>(weights, next, x, acc);
  }
}

// `count` steps of depth of kRows rows.
template <int kRows, int kVectors>
static inline void Multiply(const float16_t* weights, const float16_t* rows, size_t step,
                            size_t count, float16x8_t (*acc)[kVectors]) {
  float16x8_t x[kRows];
  size_t k = 0;
  for (; k + 8 <= count; k += 8, weights += 8 * kChannelBlock) {
    const Weights<kVectors> lane = LoadWeights<kVectors, 0>(weights);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) x[r] = vld1q_f16(rows + (size_t)r * step + k);
    MultiplyLanes<kRows, kVectors, 0, 8>(weights, lane, x, acc);
  }
#pragma GCC unroll 1
  for (; k < count; ++k, weights += kChannelBlock) {
    Weights<kVectors> lane;
#pragma GCC unroll 2
    for (int i = 0; i < kVectors; ++i) lane.w[i] = vld1q_f16(weights + 8 * i);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) x[r] = vld1q_dup_f16(rows + (size_t)r * step + k);
    MultiplyLanes<kRows, kVectors, 0, 1>(weights, lane, x, acc);
  }
}

// A chunk to the sums, and none left.
template <int kRows, int kVectors>
static inline Earlier Flush(float16x8_t (*acc)[kVectors], Earlier earlier, float* sums) {
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r, sums += 8 * kVectors) {
    const float* from = earlier.from + r * earlier.step;
#pragma GCC unroll 2
    for (int i = 0; i < kVectors; ++i) {
      const Float8 x = Widen(vreinterpretq_u16_f16(acc[r][i]));
      vst1q_f32(sums + 8 * i, vaddq_f32(vld1q_f32(from + 8 * i), x.low));
      vst1q_f32(sums + 8 * i + 4, vaddq_f32(vld1q_f32(from + 8 * i + 4), x.high));
      acc[r][i] = vdupq_n_f16(0);
    }
  }
  return Earlier{sums - kRows * 8 * kVectors, 8 * kVectors};
}

// MultiplyTall() of fewer rows, or of 8 outputs.
template <int kRows, int kVectors>
static inline Earlier MultiplyFew(const float16_t* weights, Rows16 from, const Part& part,
                                  const float* bias, float* sums, float16_t* last) {
  const float16_t* rows = reinterpret_cast<const float16_t*>(from.first);
  float16x8_t acc[kRows][kVectors];
#pragma GCC unroll 16
  for (int i = 0; i < kRows * kVectors; ++i) acc[i / kVectors][i % kVectors] = vdupq_n_f16(0);
  Earlier earlier = {bias, 0};
  size_t left = kChunk;
  for (size_t i = 0; i < part.runs; ++i, rows += from.run_step) {
    for (size_t k = 0; k < part.run;) {
      if (left == 0) {
        earlier = Flush<kRows, kVectors>(acc, earlier, sums);
        left = kChunk;
      }
      const size_t count = left < part.run - k ? left : part.run - k;
      Multiply<kRows, kVectors>(weights, rows + k, part.row_step, count, acc);
      weights += count * kChannelBlock;
      k += count;
      left -= count;
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRows * kVectors; ++i) {
    vst1q_f16(last + 8 * i, acc[i / kVectors][i % kVectors]);
  }
  return earlier;
}

template <int kRows, int kVectors>
[[gnu::noinline]] static void Panel(const Part& part, const PanelF16& p, uint32_t row) {
  const Rows16 rows = RowsAt(part, p.row + row);
  const float16_t* weights = reinterpret_cast<const float16_t*>(p.weights);
  const float* bias = part.bias + (size_t)p.block * kChannelBlock;
  float sums[kRows * kVectors * 8];
  float16_t last[kRows * kVectors * 8];
  Earlier earlier;
  if constexpr (kRows == kPanelRows && kVectors == 2) {
    earlier = MultiplyTall(weights, rows, part, bias, sums, last);
  } else {
    earlier = MultiplyFew<kRows, kVectors>(weights, rows, part, bias, sums, last);
  }
  Finish(part, p, row, kRows, 8 * kVectors, last, earlier);
}

struct DotprodF16 {
  static constexpr ConvRules kRules = kRulesF16Dotprod;
  typedef ConvF16Args Args;
  typedef octet::Part Part;
  static void FillPadding(const ConvF16Args&, const ConvPlan&) {}
  // Tiles of about equal width across a row of the output.
  static uint32_t EvenColumns(const ConvGeometry& g, uint32_t most) {
    const uint64_t columns = CeilDiv(g.out_w, CeilDiv(g.out_w, most));
    return (uint32_t)CeilDiv(columns, kPanelRows) * kPanelRows;
  }
  static void Begin(const ConvF16Args& args, const ConvPlan& plan, const ConvOutputs& outputs,
                    PanelF16*, Part* part) {
    const ConvGeometry& g = plan.g;
    *part = Part{};
    part->args = &args;
    part->row_step = (size_t)plan.deep;
    part->runs = 1;
    part->run = (size_t)plan.depth;
    part->right_first = UINT32_MAX;
    part->bias = args.bias + outputs.first * kChannelBlock;
    part->columns = EvenColumns(g, plan.tile_rows);
    part->flat = g.dilation_w != 1 || plan.group_in != g.in_c;
    // Rows are halves where the room is for half as many floats.
    const auto fits = [&] {
      const uint64_t pixels = (uint64_t)(part->columns - 1) * g.stride_w + g.kernel_w;
      return g.kernel_h * pixels * g.in_c <= kTileRows * plan.deep;
    };
    if (!fits()) part->columns = EvenColumns(g, kTileRows);
    if (!fits()) part->flat = true;
    if (part->flat) part->columns = kTileRows;
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
    Pixel p = PixelOf(g, pixel);
    const bool pointwise = plan.taps == 1 && g.stride_w == 1 && g.stride_h == 1 && g.pad_top == 0 &&
                           g.pad_left == 0 && g.out_w == g.in_w;
    if ((part->flat || !pointwise) && rows > part->columns) rows = part->columns;
    if (part->flat) {
      part->inside = Rows16{to, 0};
      for (uint32_t r = 0; r < rows; ++r, to += plan.deep) {
        CopyWindow(args, plan, group, p, to);
        if (++p.x != g.out_w) continue;
        p = Pixel{p.y + 1, 0};
      }
      return rows;
    }
    if (!pointwise && rows > g.out_w - p.x) rows = g.out_w - p.x;
    PlaceRows(args, (int64_t)p.y * g.stride_h - g.pad_top, (int64_t)p.x * g.stride_w - g.pad_left,
              rows, pointwise, to, part);
    return rows;
  }
  // `rows` windows, the first of which begins at (y, x), as they lie in the image; what reaches
  // over its edge is copied to `to`, of a tile within the lines of the image its first and last
  // panel.
  static void PlaceRows(const ConvF16Args& args, int64_t y, int64_t x, uint32_t rows,
                        bool pointwise, uint16_t* to, Part* part) {
    const ConvGeometry& g = args.g;
    part->inside_first = 0;
    part->right_first = UINT32_MAX;
    // The first row on the left, and the number of those, that are within the line.
    const int64_t last_y = y + (int64_t)(g.kernel_h - 1) * g.dilation_h;
    const int64_t last_x = (int64_t)g.in_w - g.kernel_w;
    const bool lines = y >= 0 && last_y < g.in_h && last_x >= x;
    uint32_t first = 0, end = rows;
    if (!pointwise && lines) {
      if (x < 0) first = kPanelRows;
      const uint64_t fitting = (uint64_t)(last_x - x) / g.stride_w + 1;
      if (fitting < rows) end = (uint32_t)fitting / kPanelRows * kPanelRows;
    }
    const bool edges = first < end && rows - end <= kPanelRows &&
                       x + (int64_t)first * g.stride_w >= 0 && g.stride_w <= 2 * g.kernel_w;
    if (!pointwise && !(lines && edges)) {
      part->inside = CopyRows(args, y, x, rows, to);
      return;
    }
    part->inside_first = first;
    part->inside = Rows16{
        args.input + ((size_t)y * g.in_w + (size_t)(x + (int64_t)first * g.stride_w)) * g.in_c,
        (size_t)g.dilation_h * g.in_w * g.in_c};
    if (first != 0) {
      part->left = CopyRows(args, y, x, first, to);
      to += g.kernel_h * part->left.run_step;
    }
    if (end == rows) return;
    part->right_first = end;
    part->right = CopyRows(args, y, x + (int64_t)end * g.stride_w, rows - end, to);
  }
  static void Run(const Part& part, const PanelF16& panel, uint32_t rows, uint32_t) {
    if (rows == kPanelRows) {
      // The other half of the weights is nothing.
      if (panel.output_channels <= 8) return Panel<kPanelRows, 1>(part, panel, 0);
      return Panel<kPanelRows, 2>(part, panel, 0);
    }
    const uint32_t four = rows & 4, two = rows & 2;
    if (four != 0) Panel<4, 2>(part, panel, 0);
    if (two != 0) Panel<2, 2>(part, panel, four);
    if ((rows & 1) != 0) Panel<1, 2>(part, panel, four + two);
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
