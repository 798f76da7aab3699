// Convolution with VMLADAVA: 16 inputs of an output at once, summed across the vector.
//
// A tile of output pixels are rows of bytes: their windows, copied side by side, or the image
// itself where windows are single pixels. The weights of four outputs, of which the blob holds 4
// inputs side by side, are laid out anew for every tile, 16 inputs side by side; then panels of two
// outputs and three rows leave their sums in scratch, and the sums of four outputs of a row are
// finished as one vector.
#include "runtime/kernels/arm_helium.inl.h"
#include "runtime/kernels/conv/helium_panels.inl.h"
#include "runtime/kernels/conv/scratch.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/window.h"

namespace octet {
namespace {

constexpr uint32_t kLanes = 4;
constexpr uint32_t kVector = 16;                    // bytes
constexpr uint32_t kQuadBytes = kChannelBlock * 4;  // weights of 4 inputs of a block
// Fewer rows than this are not worth weights laid out anew.
constexpr uint32_t kLeastRows = 3;

struct Layer {
  const ConvS8Args& args;
  uint32_t group_in, group_out;
  uint32_t quads, deep;  // of values under a window: by 4; rounded up to 16
  uint32_t run_bytes;    // of a row of the window
  uint32_t run_vectors;  // the same, rounded up, where its taps lie side by side; else 0
  uint32_t tile_rows;    // most copied rows of a tile
  bool in_place;
  uint32_t begin, end;  // output pixels
  uint32_t first_output, last_output;
  const uint8_t* input_end;
  // Scratch (ConvPartsHelium).
  int8_t* weights;  // [2][deep / 16][2][16]
  int32_t* sums;    // [row][4]
  uint8_t* packed;  // [row][deep]
};

// Rows of some output pixels of one group.
struct Rows {
  const uint8_t* first;
  size_t pitch;
  uint32_t count;
  uint8_t* output;  // of the first pixel
};

static inline Layer LayerOf(const ConvS8Args& args, Share share) {
  const ConvGeometry& g = args.g;
  const uint32_t group_in = g.in_c / g.groups;
  const uint32_t taps = g.kernel_h * g.kernel_w;
  const uint32_t depth = taps * group_in;
  const uint32_t deep = (depth + kVector - 1) & ~(kVector - 1);
  const uint64_t pixels = OutputPixels(g);
  const bool in_place = taps == 1 && g.stride_h == 1 && g.stride_w == 1;
  const bool runs = g.groups == 1 && g.dilation_w == 1;
  const uint32_t rows = (uint32_t)RowsBytesOfHelium(deep) / deep;
  Range range = {0, pixels}, outputs = {0, g.out_c};
  if (pixels >= share.count) {
    range = RangeOf(pixels, share);
  } else {
    const Range blocks = RangeOf((g.out_c + kChannelBlock - 1) / kChannelBlock, share);
    outputs.begin = blocks.begin * kChannelBlock;
    if (blocks.end * kChannelBlock < g.out_c) outputs.end = blocks.end * kChannelBlock;
  }
  const ConvPartsHelium parts = HeliumPartsOf(deep);
  return Layer{args,
               group_in,
               g.out_c / g.groups,
               (depth + 3) / 4,
               deep,
               g.kernel_w * group_in,
               runs ? (g.kernel_w * g.in_c + kVector - 1) / kVector : 0,
               rows / kHeliumPanelRows * kHeliumPanelRows,
               in_place,
               (uint32_t)range.begin,
               (uint32_t)range.end,
               (uint32_t)outputs.begin,
               (uint32_t)outputs.end,
               args.input + (size_t)g.in_h * g.in_w * g.in_c,
               reinterpret_cast<int8_t*>(args.scratch),
               reinterpret_cast<int32_t*>(args.scratch + parts.sums),
               args.scratch + parts.rows};
}

// Whole vectors are written: what follows the run is written later, or meets zero weights.
static inline void CopyRun(const Layer& layer, const uint8_t* from, uint32_t bytes, uint8_t* to) {
  for (int32_t left = (int32_t)bytes; left > 0; left -= kVector) {
    // Nothing behind the input is read.
    const size_t rest = (size_t)(layer.input_end - from);
    vst1q_u8(to, vldrbq_z_u8(from, vctp8q(rest < kVector ? (uint32_t)rest : kVector)));
    from += kVector;
    to += kVector;
  }
}

static inline void FillRun(int32_t zero_point, uint32_t bytes, uint8_t* to) {
  const uint8x16_t padding = vdupq_n_u8((uint8_t)zero_point);
  for (int32_t left = (int32_t)bytes; left > 0; left -= kVector, to += kVector) {
    vst1q_u8(to, padding);
  }
}

// The values under the window of output pixel p, of one group, tap by tap. Coordinates wrap below 0
// and are then beyond the image.
static void CopyTaps(const Layer& layer, Pixel p, const uint8_t* group, uint8_t* to) {
  const ConvGeometry& g = layer.args.g;
  uint32_t y = p.y * g.stride_h - g.pad_top;
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky, y += g.dilation_h) {
    uint32_t x = p.x * g.stride_w - g.pad_left;
    for (uint32_t kx = 0; kx < g.kernel_w; ++kx, x += g.dilation_w, to += layer.group_in) {
      if (y >= g.in_h || x >= g.in_w) {
        FillRun(layer.args.in_zero_point, layer.group_in, to);
      } else {
        CopyRun(layer, group + ((size_t)y * g.in_w + x) * g.in_c, layer.group_in, to);
      }
    }
  }
}

// The same where the taps of a row lie side by side, some of them outside.
static void CopyRows(const Layer& layer, Pixel p, uint8_t* to) {
  const ConvGeometry& g = layer.args.g;
  const int32_t zero_point = layer.args.in_zero_point;
  const uint32_t left = p.x * g.stride_w - g.pad_left;
  uint32_t y = p.y * g.stride_h - g.pad_top;
  uint32_t before = (int32_t)left < 0 ? 0u - left : 0;
  if (before > g.kernel_w) before = g.kernel_w;
  const uint32_t first = left + before;
  uint32_t inside = first < g.in_w ? g.in_w - first : 0;
  if (inside > g.kernel_w - before) inside = g.kernel_w - before;
  const uint32_t before_bytes = before * g.in_c, inside_bytes = inside * g.in_c;
  const uint32_t after_bytes = layer.run_bytes - before_bytes - inside_bytes;
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky, y += g.dilation_h) {
    if (y >= g.in_h || inside == 0) {
      FillRun(zero_point, layer.run_bytes, to);
      to += layer.run_bytes;
      continue;
    }
    if (before_bytes != 0) FillRun(zero_point, before_bytes, to);
    to += before_bytes;
    CopyRun(layer, layer.args.input + ((size_t)y * g.in_w + first) * g.in_c, inside_bytes, to);
    to += inside_bytes;
    if (after_bytes != 0) FillRun(zero_point, after_bytes, to);
    to += after_bytes;
  }
}

// As many pixels of a row from `p` on, of at most `count`, as have windows inside the image whose
// taps lie side by side, and where nothing behind the input is read.
static uint32_t CopyInside(const Layer& layer, Pixel p, uint32_t count, uint8_t* to) {
  const ConvGeometry& g = layer.args.g;
  const uint32_t left = p.x * g.stride_w - g.pad_left;
  const uint32_t top = p.y * g.stride_h - g.pad_top;
  const uint32_t down = (g.kernel_h - 1) * g.dilation_h;
  if (layer.run_vectors == 0 || left >= g.in_w || g.kernel_w > g.in_w - left || top >= g.in_h ||
      down >= g.in_h - top) {
    return 0;
  }
  const uint32_t fit = (g.in_w - left - g.kernel_w) / g.stride_w + 1;
  if (count > fit) count = fit;
  if (count > g.out_w - p.x) count = g.out_w - p.x;
  const size_t line = (size_t)g.in_w * g.in_c, step = (size_t)g.stride_w * g.in_c;
  const size_t vectors_bytes = layer.run_vectors * kVector;
  const uint8_t* const from = layer.args.input + top * line + (size_t)left * g.in_c;
  const size_t rest = (size_t)(layer.input_end - from);
  while (count != 0 && rest < (count - 1) * step + down * line + vectors_bytes) --count;
  if (count == 0) return 0;
  const size_t moved = layer.run_vectors == 1 ? 0 : vectors_bytes;
  const Runs runs = {from,
                     to,
                     line * g.dilation_h - moved,
                     layer.run_bytes - moved,
                     g.kernel_h,
                     layer.run_vectors,
                     step,
                     layer.deep,
                     count};
  (layer.run_vectors == 1 ? CopyShortRuns : CopyLongRuns)(&runs);
  return count;
}

// Rows of the pixels [pixel, pixel + count), copied.
static void CopyWindows(const Layer& layer, uint32_t pixel, uint32_t count, uint32_t group) {
  const ConvGeometry& g = layer.args.g;
  const uint8_t* const from = layer.args.input + (size_t)group * layer.group_in;
  Pixel p = PixelOf(g, pixel);
  uint8_t* to = layer.packed;
  while (count != 0) {
    uint32_t done = CopyInside(layer, p, count, to);
    if (done == 0) {
      done = 1;
      if (layer.run_vectors != 0) {
        CopyRows(layer, p, to);
      } else {
        CopyTaps(layer, p, from, to);
      }
    }
    count -= done;
    to += done * layer.deep;
    p.x += done;
    if (p.x == g.out_w) p = Pixel{p.y + 1, 0};
  }
}

// Four outputs of one row.
static void SumsOfRow(const Layer& layer, const int8_t* weights, const uint8_t* row,
                      int32_t* sums) {
  const uint32x4_t places = vmulq_n_u32(vidupq_n_u32(0, 1), kQuadBytes);
  const auto* words = reinterpret_cast<const int32_t*>(weights);
  const auto* x = reinterpret_cast<const int8_t*>(row);
  int32_t a = 0, b = 0, c = 0, d = 0;
  for (int32_t left = (int32_t)layer.quads; left > 0; left -= 4) {
    const mve_pred16_t p = vctp32q((uint32_t)left);
    const int8x16_t v = vld1q_s8(x);
    const auto of = [&](uint32_t o) {
      return vreinterpretq_s8_s32(vldrwq_gather_offset_z_s32(words + o, places, p));
    };
    a = vmladavaq_s8(a, v, of(0));
    b = vmladavaq_s8(b, v, of(1));
    c = vmladavaq_s8(c, v, of(2));
    d = vmladavaq_s8(d, v, of(3));
    x += kVector;
    words += kQuadBytes;
  }
  sums[0] = a;
  sums[1] = b;
  sums[2] = c;
  sums[3] = d;
}

// Sums of `rows` to bytes: lanes [begin, end) of the four from `lane` of a block on.
static void FinishSums(const Layer& layer, const Rows& rows, const blob::ChannelBlockS8& block,
                       uint32_t lane, uint32_t begin, uint32_t end, uint8_t* output) {
  const ConvS8Args& args = layer.args;
  const int32x4_t bias = vldrwq_s32(block.bias + lane);
  const int32x4_t multiplier = vldrwq_s32(block.multiplier + lane);
  const int32x4_t shift = vnegq_s32(vldrwq_s32(block.shift + lane));
  const int32x4_t lo = vdupq_n_s32(args.clamp_lo), hi = vdupq_n_s32(args.clamp_hi);
  const int32_t* sums = layer.sums;
  auto* to = reinterpret_cast<int8_t*>(output);
  const size_t step = args.g.out_c;
  const int32_t zero_point = args.out_zero_point;
  if (end - begin == kLanes && args.pre_shift == 0 && args.table == nullptr) {
    for (uint32_t r = rows.count; r != 0; --r, sums += kLanes, to += step) {
      const int32x4_t acc = vaddq_s32(vldrwq_s32(sums), bias);
      const int32x4_t value = vaddq_n_s32(RequantizeLanes(acc, multiplier, shift), zero_point);
      vstrbq_s32(to, vmaxq_s32(vminq_s32(value, hi), lo));
    }
    return;
  }
  const mve_pred16_t p = LanesBetween(begin, end);
  for (uint32_t r = rows.count; r != 0; --r, sums += kLanes, to += step) {
    const int32x4_t acc = PreShiftLanes(vaddq_s32(vldrwq_s32(sums), bias), args.pre_shift);
    int32x4_t value = vaddq_n_s32(RequantizeLanes(acc, multiplier, shift), zero_point);
    value = vmaxq_s32(vminq_s32(value, hi), lo);
    if (args.table != nullptr) value = LookUpLanes(args.table, value);
    vstrbq_p_s32(to, value, p);
  }
}

// Whether sums are finished by the int8 range alone.
static inline bool IsWholeRange(const ConvS8Args& args) {
  return args.clamp_lo == -128 && args.clamp_hi == 127 && args.pre_shift == 0 &&
         args.table == nullptr;
}

// All outputs of a group.
static void RunRows(const Layer& layer, const Rows& rows, uint32_t group) {
  const ConvS8Args& args = layer.args;
  uint32_t first = group * layer.group_out, last = first + layer.group_out;
  if (first < layer.first_output) first = layer.first_output;
  if (last > layer.last_output) last = layer.last_output;
  const size_t pair = (size_t)layer.deep * 2;
  const bool is_short = layer.deep == kVector && IsWholeRange(args);
  // A four may hold outputs of another group, or none: their sums are made and not stored.
  for (uint32_t o = first & ~(kLanes - 1); o < last; o += kLanes) {
    const uint32_t lane = o % kChannelBlock;
    const blob::ChannelBlockS8& block = args.channels[o / kChannelBlock];
    const int8_t* weights =
        args.weights + (size_t)(o / kChannelBlock) * layer.quads * kQuadBytes + (size_t)lane * 4;
    const uint32_t begin = first > o ? first - o : 0;
    const uint32_t end = last - o < kLanes ? last - o : kLanes;
    if (rows.count < kLeastRows) {
      for (uint32_t r = 0; r < rows.count; ++r) {
        SumsOfRow(layer, weights, rows.first + r * rows.pitch, layer.sums + r * kLanes);
      }
    } else {
      const WeightsLayout layout = {weights, layer.weights, layer.weights + pair, layer.quads / 4,
                                    layer.quads % 4};
      LayOutWeights(&layout);
      if (is_short && end - begin == kLanes) {
        const ShortRows short_rows = {rows.first,    rows.pitch,       rows.output + o,
                                      args.g.out_c,  rows.count,       args.out_zero_point,
                                      layer.weights, block.bias + lane};
        RunShortRows(&short_rows);
        continue;
      }
      Panels panels = {rows.pitch, layer.weights, layer.deep / kVector - 1, rows.pitch - layer.deep,
                       rows.first, layer.sums,    (rows.count + 2) / 3};
      RunPanels(&panels);
      panels.weights += pair;
      panels.sums += 2;
      RunPanels(&panels);
    }
    FinishSums(layer, rows, block, lane, begin, end, rows.output + o);
  }
}

}  // namespace

void conv_s8_helium(const ConvS8Args& args, Share share) {
  const Layer layer = LayerOf(args, share);
  const ConvGeometry& g = args.g;
  if (layer.begin == layer.end || layer.first_output >= layer.last_output) return;
  uint32_t pixel = layer.begin;
  if (layer.in_place) {
    // In threes; what is left over must not touch rows behind the image.
    // Of the last pixels a load of 16 would read behind the image.
    const uint32_t depth = layer.group_in;
    uint32_t unsafe = (layer.deep - depth + g.in_c - 1) / g.in_c;
    if (unsafe > OutputPixels(g)) unsafe = (uint32_t)OutputPixels(g);
    const uint32_t all = (uint32_t)OutputPixels(g) - unsafe;
    const uint32_t end = layer.end < all ? layer.end : all;
    while (pixel < end) {
      uint32_t count = end - pixel;
      if (count > kHeliumMostRows) count = kHeliumMostRows;
      if (count >= kHeliumPanelRows) count -= count % kHeliumPanelRows;
      for (uint32_t group = 0; group < g.groups; ++group) {
        const size_t place = (size_t)pixel * g.in_c + (size_t)group * layer.group_in;
        RunRows(layer,
                Rows{args.input + place, g.in_c, count, args.output + (size_t)pixel * g.out_c},
                group);
      }
      pixel += count;
    }
  }
  while (pixel < layer.end) {
    uint32_t count = layer.end - pixel;
    if (count > layer.tile_rows) count = layer.tile_rows;
    for (uint32_t group = 0; group < g.groups; ++group) {
      CopyWindows(layer, pixel, count, group);
      RunRows(layer, Rows{layer.packed, layer.deep, count, args.output + (size_t)pixel * g.out_c},
              group);
    }
    pixel += count;
  }
}

}  // namespace octet
