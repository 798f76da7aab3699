// FP16 depthwise convolution. Windows of 3 x 3 inside the image: 4 channels of pixels side by side,
// whose columns are widened once for all outputs that see them. Others: one pixel x 8 channels at a
// time. Taps in their order either way; those in the padding are left out.
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/window.h"

namespace octet {
namespace {

// Input pixel of every tap, or null in the padding.
static inline void PointTaps(const ConvF16Args& args, uint64_t pixel, const uint16_t** out) {
  const ConvGeometry& g = args.g;
  const Pixel p = PixelOf(g, pixel);
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
    for (uint32_t kx = 0; kx < g.kernel_w; ++kx) {
      const int64_t source = SourcePixel(g, p, ky, kx);
      *out++ = source < 0 ? nullptr : args.input + (size_t)source * g.in_c;
    }
  }
}

// One for all: in line it would be most of this file's code.
[[gnu::noinline]] static void Apply(const ConvF16Args& args, float* values, uint32_t count) {
  ApplyMany(FloatFunction{args.function, args.alpha, args.beta}, values, count);
}

// Units of 8 channels of a pixel.
[[gnu::noinline]] static void RunUnits(const ConvF16Args& args, Range range) {
  const ConvGeometry& g = args.g;
  const size_t taps = (size_t)g.kernel_h * g.kernel_w;
  const uint64_t units = ((uint64_t)g.out_c + 7) / 8;
  const uint16_t** pointers = reinterpret_cast<const uint16_t**>(args.scratch);
  for (uint64_t i = range.begin; i < range.end; ++i) {
    const uint64_t pixel = i / units;
    const size_t channel = (size_t)(i % units) * 8;
    if (channel == 0 || i == range.begin) PointTaps(args, pixel, pointers);
    const uint32_t left = g.out_c - (uint32_t)channel;
    const uint32_t lanes = left < 8 ? left : 8;
    const uint16_t* weights =
        args.weights + channel / kChannelBlock * taps * kChannelBlock + channel % kChannelBlock;
    float values[8];
    Float8 acc = {vld1q_f32(args.bias + channel), vld1q_f32(args.bias + channel + 4)};
    for (size_t t = 0; t < taps; ++t) {
      if (pointers[t] == nullptr) continue;
      const Float8 x = LoadPartialHalf8(pointers[t] + channel, lanes);
      const Float8 w = LoadHalf8(weights + t * kChannelBlock);
      acc.low = vfmaq_f32(acc.low, x.low, w.low);
      acc.high = vfmaq_f32(acc.high, x.high, w.high);
    }
    vst1q_f32(values, acc.low);
    vst1q_f32(values + 4, acc.high);
    Apply(args, values, 8);
    HalfRows::Narrow(values, lanes, args.output + (size_t)pixel * g.out_c + channel);
  }
}

#if defined(__aarch64__)
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

constexpr uint32_t kTogether = 30;  // pixels at a time; the last round may write two more

// Neighbours share two columns (stride 1) or one (stride 2): rounds of outputs in which every
// column keeps its registers.
template <uint32_t kStride>
static void SumRow(const ConvGeometry& g, const uint16_t* from, const uint16_t* weights,
                   float32x4_t bias, uint32_t count, float* to) {
  const size_t right = g.in_c, down = (size_t)g.in_w * g.in_c;
  float32x4_t w[9];  // a copy that no store can alias stays in registers
#pragma GCC unroll 9
  for (int t = 0; t < 9; ++t) w[t] = LoadHalf4(weights + t * kChannelBlock);
  Column a = LoadColumn(from, down), b, c;
  from += right;
  if constexpr (kStride == 1) {
    b = LoadColumn(from, down);
    for (from += right; count >= 3; count -= 3, from += 3 * right, to += 12) {
      c = LoadColumn(from, down);
      vst1q_f32(to, Sum(bias, w, a, b, c));
      a = LoadColumn(from + right, down);
      vst1q_f32(to + 4, Sum(bias, w, b, c, a));
      b = LoadColumn(from + 2 * right, down);
      vst1q_f32(to + 8, Sum(bias, w, c, a, b));
    }
    for (; count != 0; --count, from += right, to += 4) {
      c = LoadColumn(from, down);
      vst1q_f32(to, Sum(bias, w, a, b, c));
      a = b;
      b = c;
    }
  } else {
    for (; count != 0; --count, from += 2 * right, to += 4) {
      b = LoadColumn(from, down);
      c = LoadColumn(from + right, down);
      vst1q_f32(to, Sum(bias, w, a, b, c));
      a = c;
    }
  }
}

// Outputs [x, end) of row y, whose windows lie inside the image.
static void RunInside(const ConvF16Args& args, uint64_t y, uint64_t x, uint64_t end) {
  const ConvGeometry& g = args.g;
  for (uint64_t next; x < end; x = next) {
    next = end - x < kTogether ? end : x + kTogether;
    const uint32_t count = (uint32_t)(next - x);
    const uint64_t in_y = y * g.stride_h - g.pad_top, in_x = x * g.stride_w - g.pad_left;
    const uint16_t* from = args.input + (in_y * g.in_w + in_x) * g.in_c;
    uint16_t* output = args.output + (y * g.out_w + x) * g.out_c;
    for (uint32_t channel = 0; channel < g.out_c; channel += 4) {
      const uint16_t* weights = args.weights + (size_t)channel / kChannelBlock * 9 * kChannelBlock +
                                channel % kChannelBlock;
      float values[(kTogether + 2) * 4];
      (g.stride_w == 1 ? SumRow<1> : SumRow<2>)(g, from + channel, weights,
                                                vld1q_f32(args.bias + channel), count, values);
      Apply(args, values, (count + 1) / 2 * 8);
      uint16_t* to = output + channel;
      for (uint32_t i = 0; i < count; ++i, to += g.out_c) {
        vst1_u16(to, vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(values + 4 * i))));
      }
    }
  }
}

static void RunRows(const ConvF16Args& args, Share share) {
  const ConvGeometry& g = args.g;
  const uint64_t units = ((uint64_t)g.out_c + 7) / 8;
  const Range rows = RangeOf(g.out_h, share);
  // Windows inside the image begin here, and end.
  const uint64_t first = ((uint64_t)g.pad_left + g.stride_w - 1) / g.stride_w;
  uint64_t last = ((uint64_t)g.in_w + g.pad_left - 3) / g.stride_w + 1;
  if (last > g.out_w) last = g.out_w;
  for (uint64_t y = rows.begin; y < rows.end; ++y) {
    const uint64_t top = y * g.stride_h, pixel = y * g.out_w;
    const bool inside = top >= g.pad_top && top + 3 <= (uint64_t)g.in_h + g.pad_top;
    if (!inside || first >= last) {
      RunUnits(args, Range{pixel * units, (pixel + g.out_w) * units});
      continue;
    }
    RunUnits(args, Range{pixel * units, (pixel + first) * units});
    RunInside(args, y, first, last);
    RunUnits(args, Range{(pixel + last) * units, (pixel + g.out_w) * units});
  }
}
#endif

}  // namespace

void depthwise_conv_f16_neon(const DepthwiseConvF16Args& args, Share share) {
  const ConvGeometry& g = args.g;
#if defined(__aarch64__)
  if (g.kernel_h == 3 && g.kernel_w == 3 && g.dilation_h == 1 && g.dilation_w == 1 &&
      g.stride_w <= 2 && g.out_c % 4 == 0 && (uint64_t)g.in_w + g.pad_left >= 3) {
    return RunRows(args, share);
  }
#endif
  RunUnits(args, RangeOf(OutputPixels(g) * (((uint64_t)g.out_c + 7) / 8), share));
}

}  // namespace octet
