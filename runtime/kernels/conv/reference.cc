// Convolution in portable C++: the int8 one is the normative behaviour that every other kernel
// equals.
//
// A tile of output pixels is gathered into scratch as rows of K = taps * channels values, then
// multiplied by one block of 16 output channels after another, so that a block of weights is read
// once a tile.
#include <string.h>

#include "runtime/core/half.h"
#include "runtime/format/scratch.h"
#include "runtime/kernels/conv/conv.h"
#include "runtime/kernels/function.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/window.h"
#include "runtime/quant/requantize.h"

namespace octet {
namespace {

constexpr uint32_t kBlock = 16;

// Sizes that follow from the geometry.
struct Shape {
  uint64_t taps, group_in, group_out, depth, deep, groups_of_4, blocks;
};

Shape ShapeOf(const ConvGeometry& g) {
  Shape s;
  s.taps = (uint64_t)g.kernel_h * g.kernel_w;
  s.group_in = g.in_c / g.groups;
  s.group_out = g.out_c / g.groups;
  s.depth = s.taps * s.group_in;
  s.deep = (s.depth + 15) & ~(uint64_t)15;
  s.groups_of_4 = (s.depth + 3) / 4;
  s.blocks = ((uint64_t)g.out_c + kBlock - 1) / kBlock;
  return s;
}

// What one thread does: pixels of all channel blocks, or, where pixels are fewer than threads
// (fully connected layers), some channel blocks of all pixels.
struct Work {
  Range pixels, blocks;
};

Work WorkOf(const ConvGeometry& g, const Shape& s, Share share) {
  const uint64_t pixels = OutputPixels(g);
  if (pixels >= share.count) return Work{RangeOf(pixels, share), Range{0, s.blocks}};
  return Work{Range{0, pixels}, RangeOf(s.blocks, share)};
}

// The channel blocks within `work` that hold outputs of `group`.
Range BlocksOfGroup(const Shape& s, const Work& work, uint64_t group) {
  const uint64_t first = group * s.group_out / kBlock;
  const uint64_t last = ((group + 1) * s.group_out - 1) / kBlock;
  return Range{first > work.blocks.begin ? first : work.blocks.begin,
               last + 1 < work.blocks.end ? last + 1 : work.blocks.end};
}

// The outputs of `block` that belong to `group`: a block may span groups.
Range LanesOfGroup(const Shape& s, uint64_t block, uint64_t group) {
  const uint64_t base = block * kBlock;
  const uint64_t begin = group * s.group_out;
  const uint64_t end = begin + s.group_out;
  return Range{begin > base ? begin - base : 0, end < base + kBlock ? end - base : kBlock};
}

void GatherRowS8(const ConvS8Args& args, const Shape& s, uint64_t pixel, uint64_t group,
                 int8_t* row) {
  const ConvGeometry& g = args.g;
  const Pixel p = PixelOf(g, pixel);
  int8_t* end = row + s.groups_of_4 * 4;
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
    for (uint32_t kx = 0; kx < g.kernel_w; ++kx) {
      const int64_t source = SourcePixel(g, p, ky, kx);
      if (source < 0) {
        memset(row, args.in_zero_point, (size_t)s.group_in);
      } else {
        const uint8_t* x = args.input + (uint64_t)source * g.in_c + group * s.group_in;
        for (uint64_t c = 0; c < s.group_in; ++c) row[c] = (int8_t)(x[c] ^ args.sign);
      }
      row += s.group_in;
    }
  }
  while (row < end) *row++ = 0;  // meets the zero tail of the weights
}

// acc += row * block of weights [groups_of_4][16][4].
void MultiplyRowS8(const int8_t* row, const int8_t* weights, uint64_t groups_of_4, int32_t* acc) {
  for (uint64_t k = 0; k < groups_of_4; ++k, row += 4, weights += kBlock * 4) {
    const int32_t x0 = row[0], x1 = row[1], x2 = row[2], x3 = row[3];
    for (uint32_t o = 0; o < kBlock; ++o) {
      acc[o] += x0 * weights[4 * o] + x1 * weights[4 * o + 1] + x2 * weights[4 * o + 2] +
                x3 * weights[4 * o + 3];
    }
  }
}

void StoreS8(const ConvS8Args& args, const blob::ChannelBlockS8& block, const int32_t* acc,
             Range lanes, uint8_t* output) {
  for (uint64_t o = lanes.begin; o < lanes.end; ++o) {
    const int32_t value =
        Requantize(PreShift(acc[o], args.pre_shift), block.multiplier[o], block.shift[o]);
    int8_t q = ToInt8(value, args.out_zero_point, args.clamp_lo, args.clamp_hi);
    if (args.table != nullptr) q = args.table[q + 128];
    output[o] = (uint8_t)((uint8_t)q ^ args.sign);
  }
}

void GatherRowF16(const ConvF16Args& args, const Shape& s, uint64_t pixel, uint64_t group,
                  float* row) {
  const ConvGeometry& g = args.g;
  const Pixel p = PixelOf(g, pixel);
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
    for (uint32_t kx = 0; kx < g.kernel_w; ++kx) {
      const int64_t source = SourcePixel(g, p, ky, kx);
      const uint16_t* x =
          source < 0 ? nullptr : args.input + (uint64_t)source * g.in_c + group * s.group_in;
      for (uint64_t c = 0; c < s.group_in; ++c) row[c] = x == nullptr ? 0.0f : HalfToFloat(x[c]);
      row += s.group_in;
    }
  }
}

// acc[row] = bias + rows * block of weights [depth][16], products added in the order of depth.
void MultiplyTileF16(const float* rows, uint64_t row_count, const Shape& s, const uint16_t* weights,
                     const float* bias, float (*acc)[kBlock]) {
  for (uint64_t r = 0; r < row_count; ++r) memcpy(acc[r], bias, sizeof(acc[r]));
  for (uint64_t k = 0; k < s.depth; ++k) {
    float w[kBlock];
    for (uint32_t o = 0; o < kBlock; ++o) w[o] = HalfToFloat(weights[k * kBlock + o]);
    for (uint64_t r = 0; r < row_count; ++r) {
      const float x = rows[r * s.deep + k];
      for (uint32_t o = 0; o < kBlock; ++o) acc[r][o] += x * w[o];
    }
  }
}

}  // namespace

void conv_s8_reference(const ConvS8Args& args, Share share) {
  const ConvGeometry& g = args.g;
  const Shape s = ShapeOf(g);
  const Work work = WorkOf(g, s, share);
  int8_t* tile = reinterpret_cast<int8_t*>(args.scratch);
  const uint32_t tile_rows = ReferenceTileRows(s.depth, false);
  for (uint64_t first = work.pixels.begin; first < work.pixels.end; first += tile_rows) {
    const uint64_t left = work.pixels.end - first;
    const uint64_t rows = left < tile_rows ? left : tile_rows;
    for (uint64_t group = 0; group < g.groups; ++group) {
      const Range blocks = BlocksOfGroup(s, work, group);
      if (blocks.begin >= blocks.end) continue;
      for (uint64_t r = 0; r < rows; ++r) GatherRowS8(args, s, first + r, group, tile + r * s.deep);
      for (uint64_t b = blocks.begin; b < blocks.end; ++b) {
        const Range lanes = LanesOfGroup(s, b, group);
        const int8_t* weights = args.weights + b * s.groups_of_4 * 4 * kBlock;
        for (uint64_t r = 0; r < rows; ++r) {
          int32_t acc[kBlock];
          memcpy(acc, args.channels[b].bias, sizeof(acc));
          MultiplyRowS8(tile + r * s.deep, weights, s.groups_of_4, acc);
          StoreS8(args, args.channels[b], acc, lanes,
                  args.output + (first + r) * g.out_c + b * kBlock);
        }
      }
    }
  }
}

void conv_f16_reference(const ConvF16Args& args, Share share) {
  const ConvGeometry& g = args.g;
  const Shape s = ShapeOf(g);
  const Work work = WorkOf(g, s, share);
  float* tile = reinterpret_cast<float*>(args.scratch);
  const uint32_t tile_rows = ReferenceTileRows(s.depth, true);
  for (uint64_t first = work.pixels.begin; first < work.pixels.end; first += tile_rows) {
    const uint64_t left = work.pixels.end - first;
    const uint64_t rows = left < tile_rows ? left : tile_rows;
    for (uint64_t group = 0; group < g.groups; ++group) {
      const Range blocks = BlocksOfGroup(s, work, group);
      if (blocks.begin >= blocks.end) continue;
      for (uint64_t r = 0; r < rows; ++r)
        GatherRowF16(args, s, first + r, group, tile + r * s.deep);
      for (uint64_t b = blocks.begin; b < blocks.end; ++b) {
        const Range lanes = LanesOfGroup(s, b, group);
        float acc[kTileRowsF16][kBlock];
        MultiplyTileF16(tile, rows, s, args.weights + b * s.depth * kBlock, args.bias + b * kBlock,
                        acc);
        for (uint64_t r = 0; r < rows; ++r) {
          uint16_t* output = args.output + (first + r) * g.out_c + b * kBlock;
          for (uint64_t o = lanes.begin; o < lanes.end; ++o) {
            output[o] =
                FloatToHalf(ApplyHalfFunction(args.function, acc[r][o], args.alpha, args.beta));
          }
        }
      }
    }
  }
}

}  // namespace octet
