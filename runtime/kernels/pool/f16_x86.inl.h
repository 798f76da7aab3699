// FP16 pooling on x86, a vector of channels of one output pixel at a time. A level brings V:
//   Floats, kWide                     8 or 16 floats
//   Load(from, count), Store(to, Floats, count)   halves
//   All(float), Sum(x, y), Quotient(x, y)
//   Larger(x, y)                      y where one is NaN or both are alike
// Internal linkage.
#include "runtime/kernels/pool/x86_taps.inl.h"

namespace octet {
namespace {

// Fold(sum or maximum, x) over the taps of channels [c, c + count), in their order.
template <class V, class Op>
static inline typename V::Floats Fold(const WindowPixels<uint16_t>& taps, uint32_t c,
                                      uint32_t count, typename V::Floats value) {
  const uint16_t* row = taps.first + c;
  for (uint32_t ky = 0; ky < taps.rows; ++ky, row += taps.row_step) {
    const uint16_t* x = row;
    for (uint32_t kx = 0; kx < taps.columns; ++kx, x += taps.column_step) {
      value = Op::Apply(value, V::Load(x, count));
    }
  }
  return value;
}

template <class V>
struct Maximum {
  // value > best ? value : best, as in the reference.
  static inline typename V::Floats Apply(typename V::Floats best, typename V::Floats x) {
    return V::Larger(x, best);
  }
};
template <class V>
struct Sum {
  static inline typename V::Floats Apply(typename V::Floats sum, typename V::Floats x) {
    return V::Sum(sum, x);
  }
};

// The largest of kVectors vectors of channels from c on: the loops over the taps cost as much as
// one does.
template <class V, uint32_t kVectors>
static inline void LargestOfVectors(const WindowPixels<uint16_t>& taps, uint32_t c, uint16_t* to) {
  typename V::Floats best[kVectors];
  for (uint32_t v = 0; v < kVectors; ++v) best[v] = V::All(-FloatInfinity());
  const uint16_t* row = taps.first + c;
  for (uint32_t ky = 0; ky < taps.rows; ++ky, row += taps.row_step) {
    const uint16_t* x = row;
    for (uint32_t kx = 0; kx < taps.columns; ++kx, x += taps.column_step) {
      for (uint32_t v = 0; v < kVectors; ++v) {
        best[v] = Maximum<V>::Apply(best[v], V::Load(x + V::kWide * v, V::kWide));
      }
    }
  }
  for (uint32_t v = 0; v < kVectors; ++v) V::Store(to + V::kWide * v, best[v], V::kWide);
}

// The largest of four taps, all channels of `pixels` outputs side by side.
template <class V>
static void LargestOf2x2(const WindowPixels<uint16_t>& taps, size_t step, uint32_t channels,
                         uint32_t pixels, uint16_t* to) {
  const typename V::Floats none = V::All(-FloatInfinity());
  const uint16_t *upper = taps.first, *lower = upper + taps.row_step;
  for (uint32_t i = 0; i < pixels; ++i, upper += step, lower += step, to += channels) {
    for (uint32_t c = 0; c < channels; c += V::kWide) {
      const auto tap = [&](const uint16_t* row) { return V::Load(row + c, V::kWide); };
      typename V::Floats best = Maximum<V>::Apply(none, tap(upper));
      best = Maximum<V>::Apply(best, tap(upper + taps.column_step));
      best = Maximum<V>::Apply(best, tap(lower));
      best = Maximum<V>::Apply(best, tap(lower + taps.column_step));
      V::Store(to + c, best, V::kWide);
    }
  }
}

template <class V, bool kAverage>
static inline void RunPool(const PoolF16Args& args, Share share) {
  const ConvGeometry& g = args.g;
  const uint64_t pieces = (g.in_c + V::kWide - 1) / V::kWide;
  const Range work = RangeOf((uint64_t)g.out_h * g.out_w * pieces, share);
  uint64_t pixel = work.begin / pieces;
  PixelWalk<uint16_t> walk(g, args.input, pixel);
  for (uint64_t i = work.begin; i < work.end; ++pixel, walk.Next()) {
    const WindowPixels<uint16_t> taps = walk.Taps();
    if (!kAverage && g.in_c % V::kWide == 0 && i == pixel * pieces) {
      const uint64_t whole = (work.end - i) / pieces, inside = Inside2x2(walk);
      const uint32_t pixels = (uint32_t)(inside < whole ? inside : whole);
      if (pixels != 0) {
        LargestOf2x2<V>(taps, (size_t)g.stride_w * g.in_c, g.in_c, pixels,
                        args.output + pixel * g.in_c);
        walk.x += pixels - 1;
        pixel += pixels - 1;
        i += pixels * pieces;
        continue;
      }
    }
    const uint32_t valid = taps.rows * taps.columns;
    const float n = (float)(args.count_include_pad != 0 ? g.kernel_h * g.kernel_w : valid);
    uint64_t end = (pixel + 1) * pieces;
    if (end > work.end) end = work.end;
    while (i < end) {
      const uint32_t c = (uint32_t)(i - pixel * pieces) * V::kWide, left = g.in_c - c;
      uint16_t* to = args.output + pixel * g.in_c + c;
      if (!kAverage && end - i >= 4 && left >= 4 * V::kWide) {
        LargestOfVectors<V, 4>(taps, c, to);
        i += 4;
        continue;
      }
      if (!kAverage && end - i >= 2 && left >= 2 * V::kWide) {
        LargestOfVectors<V, 2>(taps, c, to);
        i += 2;
        continue;
      }
      const uint32_t count = left < V::kWide ? left : V::kWide;
      const typename V::Floats value =
          kAverage ? V::Quotient(Fold<V, Sum<V>>(taps, c, count, V::All(0.0f)), V::All(n))
                   : Fold<V, Maximum<V>>(taps, c, count, V::All(-FloatInfinity()));
      V::Store(to, value, count);
      ++i;
    }
  }
}

}  // namespace
}  // namespace octet
