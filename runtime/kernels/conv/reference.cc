// Convolution in portable C++: the int8 one is the normative behaviour that every other kernel
// equals.
//
// A tile of output pixels is gathered into scratch as rows of K = taps * channels values, then
// multiplied by one block of 16 output channels after another, so that a block of weights is read
// once a tile.
#include <string.h>

#include "runtime/core/half.h"
#include "runtime/kernels/conv/scratch.h"
#include "runtime/kernels/convolution.h"
#include "runtime/kernels/function.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/window.h"
#include "runtime/quant/requantize.h"

namespace octet {
namespace {

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
  s.deep = DeepOf(s.depth);
  s.groups_of_4 = (s.depth + 3) / 4;
  s.blocks = ((uint64_t)g.out_c + kChannelBlock - 1) / kChannelBlock;
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
  const uint64_t first = group * s.group_out / kChannelBlock;
  const uint64_t last = ((group + 1) * s.group_out - 1) / kChannelBlock;
  return Range{first > work.blocks.begin ? first : work.blocks.begin,
               last + 1 < work.blocks.end ? last + 1 : work.blocks.end};
}

// The outputs of `block` that belong to `group`: a block may span groups.
Range LanesOfGroup(const Shape& s, uint64_t block, uint64_t group) {
  const uint64_t base = block * kChannelBlock;
  const uint64_t begin = group * s.group_out;
  const uint64_t end = begin + s.group_out;
  return Range{begin > base ? begin - base : 0,
               end < base + kChannelBlock ? end - base : kChannelBlock};
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
  for (uint64_t k = 0; k < groups_of_4; ++k, row += 4, weights += kChannelBlock * 4) {
    const int32_t x0 = row[0], x1 = row[1], x2 = row[2], x3 = row[3];
    for (uint32_t o = 0; o < kChannelBlock; ++o) {
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
                     const float* bias, float (*acc)[kChannelBlock]) {
  for (uint64_t r = 0; r < row_count; ++r) memcpy(acc[r], bias, sizeof(acc[r]));
  for (uint64_t k = 0; k < s.depth; ++k) {
    float w[kChannelBlock];
    for (uint32_t o = 0; o < kChannelBlock; ++o) w[o] = HalfToFloat(weights[k * kChannelBlock + o]);
    for (uint64_t r = 0; r < row_count; ++r) {
      const float x = rows[r * s.deep + k];
      for (uint32_t o = 0; o < kChannelBlock; ++o) acc[r][o] += x * w[o];
    }
  }
}

float To13Bits(float x) {
  const float high = x * 2049.0f;
  return high - (high - x);
}

// B^T of four values, `step` apart, in place.
void TransformFour(float* d, size_t step) {
  const float d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step];
  d[0] = d0 - d2;
  d[step] = d1 + d2;
  d[2 * step] = d2 - d1;
  d[3 * step] = d1 - d3;
}

// V [16][in_c] of the tile whose first pixel is `p`.
void TransformTileF16(const ConvF16Args& args, Pixel p, float* v) {
  const ConvGeometry& g = args.g;
  for (uint32_t i = 0; i < kWinogradPositionsF16; ++i) {
    const int64_t y = (int64_t)p.y + i / 4 - g.pad_top, x = (int64_t)p.x + i % 4 - g.pad_left;
    const bool inside = y >= 0 && y < g.in_h && x >= 0 && x < g.in_w;
    const uint16_t* from = args.input + (inside ? ((size_t)y * g.in_w + (size_t)x) * g.in_c : 0);
    for (uint32_t c = 0; c < g.in_c; ++c) {
      v[(size_t)i * g.in_c + c] = inside ? HalfToFloat(from[c]) : 0.0f;
    }
  }
  const size_t position = g.in_c, line = 4 * position;
  for (uint32_t c = 0; c < g.in_c; ++c, ++v) {
    for (size_t i = 0; i < 4; ++i) TransformFour(v + i * position, line);
    for (size_t i = 0; i < 4; ++i) TransformFour(v + i * line, position);
    for (size_t i = 0; i < kWinogradPositionsF16; ++i) {
      v[i * position] = To13Bits(v[i * position]);
    }
  }
}

// The 2 x 2 pixels of one output from its sums m[16][kChannelBlock].
void FinishTileF16(const float* m, float* pixels) {
  constexpr size_t kLine = 4 * kChannelBlock;
  float lines[2][4];
  for (size_t j = 0; j < 4; ++j, m += kChannelBlock) {
    lines[0][j] = m[0] + m[kLine] + m[2 * kLine];
    lines[1][j] = m[kLine] - m[2 * kLine] - m[3 * kLine];
  }
  for (const float* s : lines) {
    *pixels++ = s[0] + s[1] + s[2];
    *pixels++ = s[1] - s[2] - s[3];
  }
}

// FORMAT.md, "FP16 arithmetic": weights U.
void RunWinogradF16(const ConvF16Args& args, Share share) {
  const ConvGeometry& g = args.g;
  float* v = reinterpret_cast<float*>(args.scratch);
  const uint64_t blocks = ((uint64_t)g.out_c + kChannelBlock - 1) / kChannelBlock;
  const uint64_t tiles_x = (g.out_w + 1) / 2;
  const Range tiles = RangeOf(WinogradTileCount(2, g.out_h, g.out_w), share);
  for (uint64_t tile = tiles.begin; tile < tiles.end; ++tile) {
    const Pixel p = {(uint32_t)(tile / tiles_x) * 2, (uint32_t)(tile % tiles_x) * 2};
    TransformTileF16(args, p, v);
    for (uint64_t b = 0; b < blocks; ++b) {
      float m[kWinogradPositionsF16][kChannelBlock] = {};
      memcpy(m[5], args.bias + b * kChannelBlock, sizeof(m[5]));
      for (uint32_t i = 0; i < kWinogradPositionsF16; ++i) {
        const uint16_t* u = args.weights + (i * blocks + b) * g.in_c * kChannelBlock;
        for (uint32_t c = 0; c < g.in_c; ++c, u += kChannelBlock) {
          const float x = v[(size_t)i * g.in_c + c];
          for (uint32_t o = 0; o < kChannelBlock; ++o) m[i][o] += x * HalfToFloat(u[o]);
        }
      }
      for (uint64_t o = 0; o < kChannelBlock && b * kChannelBlock + o < g.out_c; ++o) {
        float pixels[4];
        FinishTileF16(m[0] + o, pixels);
        for (uint32_t i = 0; i < 4; ++i) {
          const uint32_t y = p.y + i / 2, x = p.x + i % 2;
          if (y >= g.out_h || x >= g.out_w) continue;
          args.output[((size_t)y * g.out_w + x) * g.out_c + b * kChannelBlock + o] =
              FloatToHalf(ApplyHalfFunction(args.function, pixels[i], args.alpha, args.beta));
        }
      }
    }
  }
}

}  // namespace

void conv_s8_reference(const ConvS8Args& args, Share share) {
  const ConvGeometry& g = args.g;
  const Shape s = ShapeOf(g);
  const Work work = WorkOf(g, s, share);
  int8_t* tile = reinterpret_cast<int8_t*>(args.scratch);
  const uint32_t tile_rows = ReferencePartsOf(s.depth, false).rows;
  for (uint64_t first = work.pixels.begin; first < work.pixels.end; first += tile_rows) {
    const uint64_t left = work.pixels.end - first;
    const uint64_t rows = left < tile_rows ? left : tile_rows;
    for (uint64_t group = 0; group < g.groups; ++group) {
      const Range blocks = BlocksOfGroup(s, work, group);
      if (blocks.begin >= blocks.end) continue;
      for (uint64_t r = 0; r < rows; ++r) GatherRowS8(args, s, first + r, group, tile + r * s.deep);
      for (uint64_t b = blocks.begin; b < blocks.end; ++b) {
        const Range lanes = LanesOfGroup(s, b, group);
        const int8_t* weights = args.weights + b * s.groups_of_4 * 4 * kChannelBlock;
        for (uint64_t r = 0; r < rows; ++r) {
          int32_t acc[kChannelBlock];
          memcpy(acc, args.channels[b].bias, sizeof(acc));
          MultiplyRowS8(tile + r * s.deep, weights, s.groups_of_4, acc);
          StoreS8(args, args.channels[b], acc, lanes,
                  args.output + (first + r) * g.out_c + b * kChannelBlock);
        }
      }
    }
  }
}

void conv_f16_reference(const ConvF16Args& args, Share share) {
  if (args.winograd) return RunWinogradF16(args, share);
  const ConvGeometry& g = args.g;
  const Shape s = ShapeOf(g);
  const Work work = WorkOf(g, s, share);
  float* tile = reinterpret_cast<float*>(args.scratch);
  const uint32_t tile_rows = ReferencePartsOf(s.depth, true).rows;
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
        float acc[kTileRowsF16][kChannelBlock];
        MultiplyTileF16(tile, rows, s, args.weights + b * s.depth * kChannelBlock,
                        args.bias + b * kChannelBlock, acc);
        for (uint64_t r = 0; r < rows; ++r) {
          uint16_t* output = args.output + (first + r) * g.out_c + b * kChannelBlock;
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
