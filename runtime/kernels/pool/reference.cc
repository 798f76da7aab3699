// Pooling in portable C++: one output pixel and a run of channels at a time, taps in their order.
#include "runtime/kernels/pool/pool.h"

#include "runtime/core/float_math.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/window.h"

namespace octet {
namespace {

constexpr uint32_t kRun = 64;  // channels whose accumulators fit the registers and L1

// One piece of work: channels [first, first + count) of an output pixel.
struct Piece {
  uint64_t pixel;
  uint32_t first, count;
};

template <typename Body>
void ForEachPiece(const ConvGeometry& g, Share share, Body body) {
  const uint64_t runs = ((uint64_t)g.in_c + kRun - 1) / kRun;
  const Range range = RangeOf(OutputPixels(g) * runs, share);
  for (uint64_t i = range.begin; i < range.end; ++i) {
    const uint32_t first = (uint32_t)(i % runs) * kRun;
    const uint32_t left = g.in_c - first;
    body(Piece{i / runs, first, left < kRun ? left : kRun});
  }
}

// Calls body(x) with the channels of every tap that lies within the input; returns how many do.
template <typename T, typename Body>
uint32_t ForEachTap(const ConvGeometry& g, const T* input, const Piece& piece, Body body) {
  const Pixel p = PixelOf(g, piece.pixel);
  uint32_t valid = 0;
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
    for (uint32_t kx = 0; kx < g.kernel_w; ++kx) {
      const int64_t source = SourcePixel(g, p, ky, kx);
      if (source < 0) continue;
      body(input + (uint64_t)source * g.in_c + piece.first);
      ++valid;
    }
  }
  return valid;
}

}  // namespace

void max_pool_s8_reference(const PoolS8Args& args, Share share) {
  const ConvGeometry& g = args.g;
  ForEachPiece(g, share, [&](const Piece& piece) {
    int8_t best[kRun];
    for (uint32_t c = 0; c < kRun; ++c) best[c] = -128;
    ForEachTap(g, args.input, piece, [&](const uint8_t* x) {
      for (uint32_t c = 0; c < piece.count; ++c) {
        const int8_t q = (int8_t)(x[c] ^ args.sign);
        best[c] = q > best[c] ? q : best[c];
      }
    });
    uint8_t* output = args.output + piece.pixel * g.in_c + piece.first;
    for (uint32_t c = 0; c < piece.count; ++c) {
      const int8_t q = ToInt8(best[c], 0, args.clamp_lo, args.clamp_hi);
      output[c] = (uint8_t)((uint8_t)q ^ args.sign);
    }
  });
}

// |acc| <= 255 * taps <= 2^30 by the check.
void average_pool_s8_reference(const PoolS8Args& args, Share share) {
  const ConvGeometry& g = args.g;
  ForEachPiece(g, share, [&](const Piece& piece) {
    int32_t acc[kRun] = {};
    const uint32_t valid = ForEachTap(g, args.input, piece, [&](const uint8_t* x) {
      for (uint32_t c = 0; c < piece.count; ++c) {
        acc[c] += (int8_t)(x[c] ^ args.sign) - args.in_zero_point;
      }
    });
    const Multiplier m = args.multipliers[args.multiplier_count == 1 ? 0 : valid - 1];
    uint8_t* output = args.output + piece.pixel * g.in_c + piece.first;
    for (uint32_t c = 0; c < piece.count; ++c) {
      const int32_t value = Requantize(PreShift(acc[c], args.pre_shift), m.multiplier, m.shift);
      const int8_t q = ToInt8(value, args.out_zero_point, args.clamp_lo, args.clamp_hi);
      output[c] = (uint8_t)((uint8_t)q ^ args.sign);
    }
  });
}

void max_pool_f16_reference(const PoolF16Args& args, Share share) {
  const ConvGeometry& g = args.g;
  ForEachPiece(g, share, [&](const Piece& piece) {
    float best[kRun];
    for (uint32_t c = 0; c < kRun; ++c) best[c] = -FloatInfinity();
    ForEachTap(g, args.input, piece, [&](const uint16_t* x) {
      for (uint32_t c = 0; c < piece.count; ++c) {
        const float value = HalfToFloat(x[c]);
        best[c] = value > best[c] ? value : best[c];
      }
    });
    uint16_t* output = args.output + piece.pixel * g.in_c + piece.first;
    for (uint32_t c = 0; c < piece.count; ++c) output[c] = FloatToHalf(best[c]);
  });
}

void average_pool_f16_reference(const PoolF16Args& args, Share share) {
  const ConvGeometry& g = args.g;
  ForEachPiece(g, share, [&](const Piece& piece) {
    float acc[kRun] = {};
    const uint32_t valid = ForEachTap(g, args.input, piece, [&](const uint16_t* x) {
      for (uint32_t c = 0; c < piece.count; ++c) acc[c] += HalfToFloat(x[c]);
    });
    const float n = (float)(args.count_include_pad != 0 ? g.kernel_h * g.kernel_w : valid);
    uint16_t* output = args.output + piece.pixel * g.in_c + piece.first;
    for (uint32_t c = 0; c < piece.count; ++c) output[c] = FloatToHalf(acc[c] / n);
  });
}

}  // namespace octet
