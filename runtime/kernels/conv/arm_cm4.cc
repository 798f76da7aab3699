// Convolution with SMLAD. Three output pixels at a time: the values under their windows are
// gathered as 16-bit pairs, side by side, then multiplied by two output channels after another.
// What is left over, and a layer of one pixel, goes pixel by pixel with four outputs at a time.
#include "runtime/kernels/arm_cm4.inl.h"
#include "runtime/kernels/conv/cm4_panels.inl.h"
#include "runtime/kernels/conv/scratch.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/window.h"
#include "runtime/quant/requantize.h"

namespace octet {
namespace {

struct Layer {
  const ConvS8Args& args;
  ConvGeometry g;
  uint32_t group_in, group_out;
  uint32_t quads;      // of values under a window
  uint32_t row_bytes;  // of a row of the window, where its taps lie side by side; else 0
  bool in_place;       // runs are words: they are widened from the image
  Range pixels;
  uint32_t first_block, last_block;
  // Scratch (ConvPartsCm4).
  uint32_t* rows;       // [quads][2][kPanelRows]
  uint8_t* packed;      // [quads][4]: a window whose runs are no words
  uint8_t* unfinished;  // of each block: not what Panel3 finishes
};

static inline Layer LayerOf(const ConvS8Args& args, Share share) {
  ConvGeometry g = args.g;
  const uint32_t group_in = g.in_c / g.groups;
  const uint32_t depth = g.kernel_h * g.kernel_w * group_in;
  const uint32_t blocks = (g.out_c + kChannelBlock - 1) / kChannelBlock;
  const uint32_t quads = (depth + 3) / 4;
  const uint64_t pixels = OutputPixels(g);
  if (depth == group_in && g.stride_h == 1 && g.stride_w == 1) {
    // 1x1: a single long row (windows of one tap have no padding).
    g.in_w = g.out_w = g.in_h * g.in_w;
    g.in_h = g.out_h = 1;
  }
  Layer layer = {
      args,    g,       group_in, g.out_c / g.groups, quads, 0, false, {0, pixels}, 0, blocks,
      nullptr, nullptr, nullptr};
  if (g.groups == 1 && g.dilation_w == 1) layer.row_bytes = g.kernel_w * g.in_c;
  layer.in_place = group_in % 4 == 0;
  if (pixels >= share.count) {
    layer.pixels = RangeOf(pixels, share);
  } else {
    const Range range = RangeOf(blocks, share);
    layer.first_block = (uint32_t)range.begin;
    layer.last_block = (uint32_t)range.end;
  }
  const ConvPartsCm4 parts = Cm4PartsOf(depth, g.out_c);
  layer.rows = reinterpret_cast<uint32_t*>(args.scratch);
  layer.packed = args.scratch + parts.packed;
  layer.unfinished = args.scratch + parts.unfinished;
  for (uint32_t b = layer.first_block; b < layer.last_block; ++b) {
    bool fits = args.pre_shift == 0;
    for (uint32_t o = 0; o < kChannelBlock && b * kChannelBlock + o < g.out_c; ++o) {
      const int32_t shift = args.channels[b].shift[o];
      fits = fits && shift >= kLeastShift && shift <= kMostShift;
    }
    layer.unfinished[b] = fits ? 0 : 1;
  }
  return layer;
}

// `count` words from `from` as pairs of 16 bits, kStride words apart, from `to` on.
template <uint32_t kStride>
static inline uint32_t* Widen(const uint8_t* from, uint32_t count, uint32_t* to) {
  for (; count != 0; --count, from += 4, to += 2 * kStride) {
    const uint32_t word = LoadWord(from);
    to[0] = EvenBytes(word);
    to[kStride] = OddBytes(word);
  }
  return to;
}

// The same of three rows that lie `step` bytes apart.
static inline uint32_t* WidenThree(const uint8_t* from, size_t step, uint32_t count, uint32_t* to) {
  for (; count != 0; --count, from += 4, to += 2 * kPanelRows) {
    const uint32_t a = LoadWord(from), b = LoadWord(from + step), c = LoadWord(from + 2 * step);
    to[0] = EvenBytes(a);
    to[1] = EvenBytes(b);
    to[2] = EvenBytes(c);
    to[3] = OddBytes(a);
    to[4] = OddBytes(b);
    to[5] = OddBytes(c);
  }
  return to;
}

// Padding for kEach rows side by side.
template <uint32_t kStride, uint32_t kEach>
static inline uint32_t* WidenPadding(int32_t zero_point, uint32_t count, uint32_t* to) {
  const uint32_t pair = EvenBytes(FourOf(zero_point));
  for (; count != 0; --count, to += 2 * kStride) {
    for (uint32_t r = 0; r < kEach; ++r) to[r] = to[kStride + r] = pair;
  }
  return to;
}

// Words, the last one over part of the one before.
static inline void CopyRun(const uint8_t* from, uint32_t bytes, uint8_t* to) {
  if (bytes < 4) {
    for (uint32_t i = 0; i < bytes; ++i) to[i] = from[i];
    return;
  }
  uint32_t i = 0;
  for (; i + 4 <= bytes; i += 4) StoreWord(to + i, LoadWord(from + i));
  if (i != bytes) StoreWord(to + bytes - 4, LoadWord(from + bytes - 4));
}

// Where the values under a window go: to the rows, or, where runs are no words, to a packed window
// that is widened as a whole.
template <uint32_t kStride>
struct Sink {
  uint32_t* to;
  uint8_t* packed;  // null: in place
  int32_t zero_point;

  void Run(const uint8_t* from, uint32_t bytes) {
    if (packed == nullptr) {
      to = Widen<kStride>(from, bytes / 4, to);
    } else {
      CopyRun(from, bytes, packed);
      packed += bytes;
    }
  }
  void Padding(uint32_t bytes) {
    if (packed == nullptr) {
      to = WidenPadding<kStride, 1>(zero_point, bytes / 4, to);
      return;
    }
    for (; bytes != 0; --bytes) *packed++ = (uint8_t)zero_point;
  }
};

// The values under the window of output pixel (y, x), of one group.
template <uint32_t kStride>
static void Gather(const Layer& layer, Pixel p, uint32_t group, uint32_t* to) {
  const ConvGeometry& g = layer.g;
  Sink<kStride> sink = {to, layer.in_place ? nullptr : layer.packed, layer.args.in_zero_point};
  // Coordinates wrap below 0 and are then beyond the image.
  const uint32_t left = p.x * g.stride_w - g.pad_left;
  uint32_t y = p.y * g.stride_h - g.pad_top;
  const uint8_t* const first = layer.args.input + (size_t)group * layer.group_in;
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky, y += g.dilation_h) {
    if (y >= g.in_h) {
      sink.Padding(g.kernel_w * layer.group_in);
      continue;
    }
    const uint8_t* const row = first + (size_t)y * g.in_w * g.in_c;
    if (layer.row_bytes != 0 && left < g.in_w && g.kernel_w <= g.in_w - left) {
      sink.Run(row + (size_t)left * g.in_c, layer.row_bytes);
      continue;
    }
    uint32_t x = left;
    for (uint32_t kx = 0; kx < g.kernel_w; ++kx, x += g.dilation_w) {
      if (x >= g.in_w) {
        sink.Padding(layer.group_in);
      } else {
        sink.Run(row + (size_t)x * g.in_c, layer.group_in);
      }
    }
  }
  if (layer.in_place) return;
  uint8_t* const end = layer.packed + (size_t)layer.quads * 4;
  while (sink.packed != end) *sink.packed++ = 0;  // meets the zero tail of the weights
  Widen<kStride>(layer.packed, layer.quads, to);
}

// A window whose rows lie side by side from `from` on, `line` bytes apart, the first of them at
// `y`.
static inline void Pack(const Layer& layer, const uint8_t* from, size_t line, uint32_t y) {
  const ConvGeometry& g = layer.g;
  uint8_t* to = layer.packed;
  StoreWord(to + (size_t)layer.quads * 4 - 4, 0);  // the tail meets the zero tail of the weights
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky, to += layer.row_bytes, y += g.dilation_h) {
    if (y >= g.in_h) {
      memset(to, layer.args.in_zero_point, layer.row_bytes);
    } else {
      CopyRun(from + y * line, layer.row_bytes, to);
    }
  }
}

// Three pixels of a row from `p` on at once; false where rows of their windows do not lie side by
// side in the image.
static bool GatherThree(const Layer& layer, Pixel p) {
  const ConvGeometry& g = layer.g;
  const uint32_t left = p.x * g.stride_w - g.pad_left;
  const uint32_t extent = (kPanelRows - 1) * g.stride_w + g.kernel_w;
  if (layer.row_bytes == 0 || g.out_w - p.x < kPanelRows || left >= g.in_w ||
      extent > g.in_w - left) {
    return false;
  }
  uint32_t y = p.y * g.stride_h - g.pad_top;
  const size_t line = (size_t)g.in_w * g.in_c, step = (size_t)g.stride_w * g.in_c;
  const uint8_t* from = layer.args.input + (size_t)left * g.in_c;
  uint32_t* to = layer.rows;
  if (layer.row_bytes % 4 != 0) {
    for (uint32_t r = 0; r < kPanelRows; ++r, from += step) {
      Pack(layer, from, line, y);
      Widen<kPanelRows>(layer.packed, layer.quads, to + r);
    }
    return true;
  }
  const uint32_t words = layer.row_bytes / 4;
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky, y += g.dilation_h) {
    to = y >= g.in_h ? WidenPadding<kPanelRows, kPanelRows>(layer.args.in_zero_point, words, to)
                     : WidenThree(from + y * line, step, words, to);
  }
  return true;
}

static void StoreOne(const ConvS8Args& args, const blob::ChannelBlockS8& block, uint32_t lane,
                     int32_t acc, uint8_t* to) {
  const int32_t value =
      Requantize(PreShift(acc, args.pre_shift), block.multiplier[lane], block.shift[lane]);
  int8_t q = ToInt8(value, args.out_zero_point, args.clamp_lo, args.clamp_hi);
  if (args.table != nullptr) q = args.table[q + 128];
  *to = (uint8_t)q;
}

static inline Panel PanelOf(const Layer& layer, uint32_t b, uint32_t lane) {
  Panel panel = {};
  panel.weights = layer.args.weights + (size_t)b * layer.quads * kQuadBytes + lane * 4;
  panel.rows = layer.rows;
  panel.bias = layer.args.channels[b].bias + lane;
  panel.bytes = (size_t)layer.quads * kQuadBytes;
  panel.zero = 2 * layer.args.out_zero_point + 1;
  return panel;
}

// Outputs [begin, end) of block b of 3 pixels from `output` on.
static void Block3(const Layer& layer, uint32_t b, uint32_t begin, uint32_t end, uint8_t* output) {
  const ConvS8Args& args = layer.args;
  const size_t step = args.g.out_c;
  uint32_t lane = begin;
  if (layer.unfinished[b] == 0 && end - begin >= 2) {
    lane = begin + ((end - begin) & ~1u);
    Panel panel = PanelOf(layer, b, begin);
    panel.output = output + begin;
    panel.output_step = step;
    panel.end = panel.bias + (lane - begin);
    Panel3(&panel);
    if (IsNarrow(args)) {
      for (uint32_t r = 0; r < kPanelRows; ++r) {
        FinishBytes(output + r * step + begin, lane - begin, args.clamp_lo, args.clamp_hi,
                    args.table);
      }
    }
  }
  // Pairs whose second output may be another group's, or beyond the last.
  for (; lane < end; lane = (lane & ~1u) + 2) {
    const uint32_t first = lane & ~1u;
    int32_t sums[2][kPanelRows];
    Panel panel = PanelOf(layer, b, first);
    panel.end = panel.bias + 2;
    panel.sums = sums[0];
    Panel3(&panel);
    for (uint32_t o = lane; o < end && o < first + 2; ++o) {
      for (uint32_t r = 0; r < kPanelRows; ++r) {
        StoreOne(args, args.channels[b], o, sums[o - first][r], output + r * step + o);
      }
    }
  }
}

// Outputs [begin, end) of block b of one pixel.
static void Block1(const Layer& layer, uint32_t b, uint32_t begin, uint32_t end, uint8_t* output) {
  for (uint32_t lane = begin; lane < end;) {
    const uint32_t first = lane & ~3u;
    const Panel panel = PanelOf(layer, b, first);
    int32_t sums[4];
    Panel1(&panel, sums);
    for (; lane < end && lane < first + 4; ++lane) {
      StoreOne(layer.args, layer.args.channels[b], lane, sums[lane - first], output + lane);
    }
  }
}

// All outputs of a group of the rows in scratch; `output`: the first pixel.
template <void kBlockOf(const Layer&, uint32_t, uint32_t, uint32_t, uint8_t*)>
static inline void Blocks(const Layer& layer, uint32_t group, uint8_t* output) {
  const uint32_t first = group * layer.group_out, last = first + layer.group_out;
  uint32_t b = first / kChannelBlock;
  if (b < layer.first_block) b = layer.first_block;
  for (; b < layer.last_block && b * kChannelBlock < last; ++b) {
    const uint32_t base = b * kChannelBlock;
    kBlockOf(layer, b, first > base ? first - base : 0,
             last - base < kChannelBlock ? last - base : kChannelBlock, output + base);
  }
}

static inline void Advance(const ConvGeometry& g, Pixel* p) {
  if (++p->x != g.out_w) return;
  p->x = 0;
  ++p->y;
}

}  // namespace

void conv_s8_cm4(const ConvS8Args& args, Share share) {
  const Layer layer = LayerOf(args, share);
  const ConvGeometry& g = layer.g;
  if (layer.pixels.begin == layer.pixels.end || layer.first_block == layer.last_block) return;
  Pixel p = PixelOf(g, layer.pixels.begin);
  uint8_t* output = args.output + (size_t)layer.pixels.begin * g.out_c;
  uint32_t left = (uint32_t)(layer.pixels.end - layer.pixels.begin);
  for (; left >= kPanelRows; left -= kPanelRows, output += kPanelRows * g.out_c) {
    if (GatherThree(layer, p)) {
      Blocks<Block3>(layer, 0, output);
      p.x += kPanelRows - 1;
      Advance(g, &p);
      continue;
    }
    Pixel next = p;
    for (uint32_t group = 0; group < g.groups; ++group) {
      next = p;
      for (uint32_t r = 0; r < kPanelRows; ++r, Advance(g, &next)) {
        Gather<kPanelRows>(layer, next, group, layer.rows + r);
      }
      Blocks<Block3>(layer, group, output);
    }
    p = next;
  }
  for (; left != 0; --left, output += g.out_c, Advance(g, &p)) {
    for (uint32_t group = 0; group < g.groups; ++group) {
      Gather<1>(layer, p, group, layer.rows);
      Blocks<Block1>(layer, group, output);
    }
  }
}

}  // namespace octet
