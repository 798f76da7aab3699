// Depthwise int8 convolution for all x86 levels.
//
// A dot product of 4 bytes adds up 4 products of one lane, so 4 taps of one channel have to lie
// side by side. Taken down a column of the window, the 4 bytes are shared by every output pixel
// that this image column takes part in: for a chunk of channels and one output row, each image
// column is interleaved once ([channel][4 rows], 8 byte shuffles for 4 registers) into a small
// buffer, and an output pixel is then one dot product for each window column and group of 4 rows.
// Where a class says kMiddleTwice, the fourth place of three rows holds the middle row once more.
// The channels of register i of 4 are 4i..4i+3 of every 16, which the packing of the results undoes
// by itself.
//
// Included by depthwise_conv/x86_<level>.cc, which defines vector classes: Vec, kBytes, Weight,
// Channels and the functions used below. Everything has internal linkage.
#include <string.h>

#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

constexpr uint32_t kColumnBufferBytes = 8192;
constexpr uint32_t kMaxWeightGroups = 14;  // kernel_w * ceil(kernel_h / 4): up to 7x7
constexpr uint32_t kMaxKernelH = 8;

// A chunk of channels: weights and per-channel constants in the order of the interleaved registers.
template <class V>
struct Chunk {
  typename V::Weight weights[kMaxWeightGroups][4];  // [window column][group of 4 rows]
  typename V::Vec start[4];                         // bias - 128 * weight_sum
  typename V::Channels channels[4];
};

// `V::kBytes / 16` pieces of 16 bytes, `step` bytes apart; pieces past the last block repeat it.
template <class V>
static inline typename V::Vec LoadPieces(const void* base, size_t step, uint32_t pieces) {
  alignas(64) uint8_t bytes[V::kBytes];
  for (uint32_t i = 0; i < V::kBytes / 16; ++i) {
    const uint32_t piece = i < pieces ? i : pieces - 1;
    memcpy(bytes + 16 * i, static_cast<const uint8_t*>(base) + piece * step, 16);
  }
  return V::Load(bytes);
}

template <class V>
static void LoadChunk(const ConvS8Args& args, uint32_t channel, Chunk<V>* chunk) {
  typedef typename V::Vec Vec;
  const ConvGeometry& g = args.g;
  const uint32_t taps = g.kernel_h * g.kernel_w;
  const uint32_t block = channel / kChannelBlock;
  const uint32_t blocks = (g.in_c + kChannelBlock - 1) / kChannelBlock - block;
  const uint32_t row_groups = (g.kernel_h + 3) / 4;
  const int8_t* weights = args.weights + (size_t)block * taps * kChannelBlock;
  for (uint32_t kx = 0; kx < g.kernel_w; ++kx) {
    for (uint32_t group = 0; group < row_groups; ++group) {
      Vec rows[4], interleaved[4];
      for (uint32_t r = 0; r < 4; ++r) {
        const uint32_t ky = 4 * group + r;
        rows[r] = ky < g.kernel_h
                      ? LoadPieces<V>(weights + (size_t)(ky * g.kernel_w + kx) * kChannelBlock,
                                      (size_t)taps * kChannelBlock, blocks)
                      : V::Set(0);
      }
      V::Interleave(rows, interleaved);
      for (uint32_t i = 0; i < 4; ++i) {
        chunk->weights[kx * row_groups + group][i] = V::MakeWeight(interleaved[i], g.kernel_h == 3);
      }
    }
  }
  const blob::ChannelBlockS8* channels = args.channels + block;
  const size_t step = sizeof(blob::ChannelBlockS8);
  for (uint32_t i = 0; i < 4; ++i) {
    const Vec bias = LoadPieces<V>(channels->bias + 4 * i, step, blocks);
    const Vec sum = LoadPieces<V>(channels->weight_sum + 4 * i, step, blocks);
    chunk->start[i] = V::Start(bias, sum);
    chunk->channels[i] = V::MakeChannels(LoadPieces<V>(channels->multiplier + 4 * i, step, blocks),
                                         LoadPieces<V>(channels->shift + 4 * i, step, blocks));
  }
}

// The rows of the image under one output row; null in the padding.
struct SourceRows {
  const uint8_t* row[kMaxKernelH];
};

// Interleaves image columns [first, first + count), those outside the image as zero points.
template <class V>
static inline void InterleaveColumns(const ConvS8Args& args, const SourceRows& source,
                                     int64_t first, uint32_t count, uint32_t width, uint8_t* to) {
  typedef typename V::Vec Vec;
  const ConvGeometry& g = args.g;
  const Vec padding = V::Set((uint8_t)((uint8_t)args.in_zero_point ^ 0x80));
  const uint8_t* end = args.input + (size_t)g.in_h * g.in_w * g.in_c;
  const uint32_t row_groups = (g.kernel_h + 3) / 4;
  for (uint32_t j = 0; j < count; ++j) {
    const int64_t x = first + j;
    const bool inside = x >= 0 && x < g.in_w;
    const size_t offset = inside ? (size_t)x * g.in_c : 0;
    for (uint32_t group = 0; group < row_groups; ++group, to += 4 * V::kBytes) {
      Vec rows[4], interleaved[4];
#pragma GCC unroll 4
      for (uint32_t r = 0; r < 4; ++r) {
        // Rows beyond the kernel meet zero weights.
        const uint8_t* row = source.row[4 * group + r];
        rows[r] = inside && row != nullptr ? V::LoadPart(row + offset, width, end) : padding;
      }
      V::Interleave(rows, interleaved);
#pragma GCC unroll 4
      for (uint32_t i = 0; i < 4; ++i) V::Store(to + i * V::kBytes, interleaved[i]);
    }
  }
}

// Output pixels [first, first + count) of a row from interleaved columns. kWindow and kGroups:
// kernel_w and the groups of 4 rows, or 0.
template <class V, uint32_t kWindow, uint32_t kGroups>
static inline void DotColumns(const ConvS8Args& args, const Chunk<V>& chunk, const uint8_t* columns,
                              uint32_t count, uint32_t width, uint8_t* output) {
  typedef typename V::Vec Vec;
  const ConvGeometry& g = args.g;
  const uint32_t row_groups = kGroups != 0 ? kGroups : (g.kernel_h + 3) / 4;
  const uint32_t window = kWindow != 0 ? kWindow : g.kernel_w;
  const size_t column_bytes = (size_t)4 * V::kBytes * row_groups;
  const size_t tap_bytes = g.dilation_w * column_bytes;
  const Vec ones = V::Ones();
  for (uint32_t x = 0; x < count; ++x) {
    Vec acc[4] = {chunk.start[0], chunk.start[1], chunk.start[2], chunk.start[3]};
    const uint8_t* column = columns + x * g.stride_w * column_bytes;
#pragma GCC unroll 5
    for (uint32_t kx = 0; kx < window; ++kx) {
      const typename V::Weight(*weights)[4] = chunk.weights + kx * row_groups;
      const uint8_t* part = column + kx * tap_bytes;
#pragma GCC unroll 2
      for (uint32_t group = 0; group < row_groups; ++group, part += 4 * V::kBytes) {
#pragma GCC unroll 4
        for (uint32_t i = 0; i < 4; ++i) {
          V::Dot(acc[i], V::Load(part + i * V::kBytes), weights[group][i], ones);
        }
      }
    }
    uint8_t* to = output + (size_t)x * g.out_c;
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 4; ++i) {
      if (args.pre_shift != 0) acc[i] = V::PreShift(acc[i], args.pre_shift);
      acc[i] = V::Requantize(acc[i], chunk.channels[i]);
    }
    V::Finish(acc, args.out_zero_point, args.clamp_lo, args.clamp_hi, to, width);
    if (args.table != nullptr) ApplyTable(to, width, args.table);
  }
}

// One chunk of `width` channels over output rows [begin, end).
template <class V>
static void RunChunk(const ConvS8Args& args, uint32_t channel, uint32_t width, Range rows) {
  const ConvGeometry& g = args.g;
  Chunk<V> chunk;
  LoadChunk<V>(args, channel, &chunk);
  alignas(64) uint8_t columns[kColumnBufferBytes];
  const uint32_t row_groups = (g.kernel_h + 3) / 4;
  const uint32_t capacity = kColumnBufferBytes / (4 * V::kBytes * row_groups);
  const uint32_t extent = (g.kernel_w - 1) * g.dilation_w + 1;
  const uint32_t most = (capacity - extent) / g.stride_w + 1;
  for (uint64_t y = rows.begin; y < rows.end; ++y) {
    SourceRows source;
    for (uint32_t ky = 0; ky < kMaxKernelH; ++ky) {
      const int64_t row = (int64_t)(y * g.stride_h) - g.pad_top + (int64_t)ky * g.dilation_h;
      const bool inside = ky < g.kernel_h && row >= 0 && row < g.in_h;
      source.row[ky] = inside ? args.input + (size_t)row * g.in_w * g.in_c + channel : nullptr;
    }
    if (V::kMiddleTwice && g.kernel_h == 3) source.row[3] = source.row[1];
    for (uint32_t x = 0; x < g.out_w; x += most) {
      const uint32_t count = g.out_w - x < most ? g.out_w - x : most;
      InterleaveColumns<V>(args, source, (int64_t)x * g.stride_w - g.pad_left,
                           (count - 1) * g.stride_w + extent, width, columns);
      uint8_t* output = args.output + (y * g.out_w + x) * g.out_c + channel;
      if (g.kernel_w == 3 && row_groups == 1) {
        DotColumns<V, 3, 1>(args, chunk, columns, count, width, output);
      } else if (g.kernel_w == 5 && row_groups == 2) {
        DotColumns<V, 5, 2>(args, chunk, columns, count, width, output);
      } else {
        DotColumns<V, 0, 0>(args, chunk, columns, count, width, output);
      }
    }
  }
}

// Windows that fit the buffers: up to 7x7, and dilated as far as a few columns fit.
static bool FitsChunk(const ConvGeometry& g, uint32_t vector_bytes) {
  const uint32_t row_groups = (g.kernel_h + 3) / 4;
  const uint64_t capacity = kColumnBufferBytes / (4 * vector_bytes * row_groups);
  return g.kernel_h <= kMaxKernelH && (uint64_t)g.kernel_w * row_groups <= kMaxWeightGroups &&
         (uint64_t)(g.kernel_w - 1) * g.dilation_w + 1 <= capacity;
}

}  // namespace
}  // namespace octet
