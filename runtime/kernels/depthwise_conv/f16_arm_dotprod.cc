// FP16 depthwise convolution. Windows of 3 x 3 inside the image: 4 channels of pixels side by side,
// whose columns are widened once for all outputs that see them. Taps in their order; those of other
// windows run as those of NEON do.
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/depthwise_conv/f16_units.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/window.h"

namespace octet {
namespace {

static inline float32x4_t LoadHalf4(const uint16_t* from) {
  return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(from)));
}

// 4 channels of the three rows under a window.
struct Column {
  float32x4_t x[3];
};

static inline Column LoadColumn(const uint16_t* from, size_t down) {
  return Column{{LoadHalf4(from), LoadHalf4(from + down), LoadHalf4(from + 2 * down)}};
}

static inline float32x4_t Sum(float32x4_t sum, const float32x4_t* w, const Column& a,
                              const Column& b, const Column& c) {
#pragma GCC unroll 3
  for (int ky = 0; ky < 3; ++ky) {
    sum = vfmaq_f32(sum, a.x[ky], w[3 * ky]);
    sum = vfmaq_f32(sum, b.x[ky], w[3 * ky + 1]);
    sum = vfmaq_f32(sum, c.x[ky], w[3 * ky + 2]);
  }
  return sum;
}

constexpr uint32_t kTogether = 32;  // pixels at a time

// `right`: to the next column. Neighbours share two columns (stride 1) or one (stride 2).
[[gnu::noinline]] static void SumRow(const ConvGeometry& g, const uint16_t* from,
                                     const uint16_t* weights, float32x4_t bias, uint32_t count,
                                     float* to) {
  const size_t right = g.in_c, down = (size_t)g.in_w * g.in_c;
  float32x4_t w[9];  // a copy that no store can alias stays in registers
#pragma GCC unroll 9
  for (int t = 0; t < 9; ++t) w[t] = LoadHalf4(weights + t * kChannelBlock);
  Column a = LoadColumn(from, down), b = LoadColumn(from + right, down);
  from += 2 * right;
  // The window that begins with column x; true: it was the last.
  const auto sum = [&](const Column& x, const Column& y, Column* z) __attribute__((always_inline)) {
    *z = LoadColumn(from, down);
    from += right;
    vst1q_f32(to, Sum(bias, w, x, y, *z));
    to += 4;
    return --count == 0;
  };
  Column c;
  if (g.stride_w != 1) {
    while (!sum(a, b, &c)) {
      a = c;
      b = LoadColumn(from, down);
      from += right;
    }
    return;
  }
  // Columns change their places after three windows.
  while (!sum(a, b, &c) && !sum(b, c, &a) && !sum(c, a, &b)) {
  }
}

// Outputs [x, end) of row y, whose windows lie inside the image.
static void RunInside(const DepthwiseConvF16Args& args, uint64_t y, uint64_t x, uint64_t end) {
  const ConvGeometry& g = args.g;
  const FloatFunction function = {args.function, args.alpha, args.beta};
  for (uint64_t next; x < end; x = next) {
    next = end - x < kTogether ? end : x + kTogether;
    const uint32_t count = (uint32_t)(next - x);
    const uint64_t in_y = y * g.stride_h - g.pad_top, in_x = x * g.stride_w - g.pad_left;
    const uint16_t* from = args.input + (in_y * g.in_w + in_x) * g.in_c;
    uint16_t* output = args.output + (y * g.out_w + x) * g.out_c;
    for (uint32_t channel = 0; channel < g.out_c; channel += 4) {
      const uint16_t* weights = args.weights + (size_t)channel / kChannelBlock * 9 * kChannelBlock +
                                channel % kChannelBlock;
      float values[kTogether * 4];
      SumRow(g, from + channel, weights, vld1q_f32(args.bias + channel), count, values);
      ApplyMany(function, values, (count + 1) / 2 * 8);
      uint16_t* to = output + channel;
      for (uint32_t i = 0; i < count; ++i, to += g.out_c) {
        vst1_u16(to, vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(values + 4 * i))));
      }
    }
  }
}

static void RunRows(const ConvF16Args& args, Share share) {
  const ConvGeometry& g = args.g;
  const uint64_t units = DepthwiseUnits(g);
  const Range rows = RangeOf(g.out_h, share);
  // Windows inside the image begin here, and end.
  const uint64_t first = ((uint64_t)g.pad_left + g.stride_w - 1) / g.stride_w;
  uint64_t last = ((uint64_t)g.in_w + g.pad_left - 3) / g.stride_w + 1;
  if (last > g.out_w) last = g.out_w;
  for (uint64_t y = rows.begin; y < rows.end; ++y) {
    const uint64_t top = y * g.stride_h, pixel = y * g.out_w;
    const bool inside = top >= g.pad_top && top + 3 <= (uint64_t)g.in_h + g.pad_top;
    if (!inside || first >= last) {
      RunDepthwiseUnits(args, Range{pixel * units, (pixel + g.out_w) * units});
      continue;
    }
    RunDepthwiseUnits(args, Range{pixel * units, (pixel + first) * units});
    RunInside(args, y, first, last);
    RunDepthwiseUnits(args, Range{(pixel + last) * units, (pixel + g.out_w) * units});
  }
}

}  // namespace

void depthwise_conv_f16_dotprod(const DepthwiseConvF16Args& args, Share share) {
  const ConvGeometry& g = args.g;
  const bool slides = g.kernel_h == 3 && g.kernel_w == 3 && g.dilation_h == 1 &&
                      g.dilation_w == 1 && g.stride_w <= 2 && g.out_c % 4 == 0 &&
                      (uint64_t)g.in_w + g.pad_left >= 3;
  if (!slides) return depthwise_conv_f16_neon(args, share);
  RunRows(args, share);
}

}  // namespace octet
