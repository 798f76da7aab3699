// Depthwise convolution with MVE: windows of 3x3, the common ones, by bands of rows whose windows
// are single vectors (helium_bands.inl.h); any other four channels at a time, tap by tap.
#include "runtime/kernels/arm_helium.inl.h"
#include "runtime/kernels/depthwise_conv/helium_bands.inl.h"
#include "runtime/kernels/depthwise_conv/scratch.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/window.h"

namespace octet {
namespace {

constexpr uint32_t kChannelBlock = 16, kLanes = 4;
constexpr size_t kColumnBytes = kHeliumColumnBytes;

// Four channels from `c` on of one output pixel; `p`: those that exist.
static void Window(const ConvS8Args& args, Pixel pixel, uint32_t c, mve_pred16_t p) {
  const ConvGeometry& g = args.g;
  const blob::ChannelBlockS8& block = args.channels[c / kChannelBlock];
  const uint32_t lane = c % kChannelBlock;
  const auto* input = reinterpret_cast<const int8_t*>(args.input) + c;
  const int8_t* w =
      args.weights + (size_t)(c / kChannelBlock) * g.kernel_h * g.kernel_w * kChannelBlock + lane;
  int32x4_t acc = vldrwq_s32(block.bias + lane);
  // Coordinates wrap below 0 and are then beyond the image.
  const uint32_t left = pixel.x * g.stride_w - g.pad_left;
  uint32_t y = pixel.y * g.stride_h - g.pad_top;
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky, y += g.dilation_h) {
    uint32_t x = left;
    for (uint32_t kx = 0; kx < g.kernel_w; ++kx, x += g.dilation_w, w += kChannelBlock) {
      const int32x4_t weights = vldrbq_s32(w);
      const int32x4_t products =
          y < g.in_h && x < g.in_w
              ? vmulq_s32(weights, vldrbq_z_s32(input + ((size_t)y * g.in_w + x) * g.in_c, p))
              : vmulq_n_s32(weights, args.in_zero_point);
      acc = vaddq_s32(acc, products);
    }
  }
  const int32x4_t shift = vnegq_s32(vldrwq_s32(block.shift + lane));
  acc = RequantizeLanes(PreShiftLanes(acc, args.pre_shift), vldrwq_s32(block.multiplier + lane),
                        shift);
  int32x4_t value = ClampLanes(vaddq_n_s32(acc, args.out_zero_point), args.clamp_lo, args.clamp_hi);
  if (args.table != nullptr) value = LookUpLanes(args.table, value);
  auto* output = reinterpret_cast<int8_t*>(args.output) + c;
  vstrbq_p_s32(output + ((size_t)pixel.y * g.out_w + pixel.x) * g.out_c, value, p);
}

static void RunWindows(const ConvS8Args& args, Range rows) {
  const ConvGeometry& g = args.g;
  for (uint32_t y = (uint32_t)rows.begin; y < rows.end; ++y) {
    for (uint32_t x = 0; x < g.out_w; ++x) {
      for (uint32_t c = 0; c < g.out_c; c += kLanes) {
        Window(args, Pixel{y, x}, c, vctp32q(g.out_c - c));
      }
    }
  }
}

struct Band {
  uint32_t columns;  // most output pixels
  uint32_t read;     // columns of the image: twos read four, of stride 2 fours read ten
  uint32_t count;    // most bands at a time
};

static inline Band BandOf(const ConvGeometry& g) {
  const uint32_t most = (kHeliumColumns - 2) / g.stride_w;
  const uint32_t columns = g.out_w < most ? g.out_w : most;
  const uint32_t read =
      g.stride_w == 1 ? columns + columns % 2 + 2 : (columns + kLanes - 1) / kLanes * 8 + 2;
  return Band{columns, read, kHeliumColumns / read};
}

struct Strip {
  const ConvS8Args& args;
  uint32_t column, columns;  // of output pixels
  Band band;
  int8_t* scratch;  // weights, then columns, then a pixel of padding
  uint8_t* padding;
};

// Ten columns of a block: none, the three of the window, none; the same a row further down.
static void LayOutWeights(const ConvS8Args& args, uint32_t block, int8_t* to) {
  const int8_t* w = args.weights + (size_t)block * 9 * kChannelBlock;
  const int8x16_t none = vdupq_n_s8(0);
  for (uint32_t down = 0; down < 2; ++down) {
    for (uint32_t x = 0; x < 5; ++x, to += kColumnBytes) {
      int8x16x4_t column = {{none, none, none, none}};
      if (x - 1 < 3) {
        const int8_t* at = w + (x - 1) * kChannelBlock;
        for (uint32_t y = 0; y < 3; ++y)
          column.val[y + down] = vld1q_s8(at + y * 3 * kChannelBlock);
      }
      vst4q_s8(to, column);
    }
  }
}

// The four rows from `top` on (it wraps below 0) under a strip, of one block of channels.
static void LayOutRows(const Strip& s, uint32_t top, uint32_t rows, uint32_t block,
                       uint32_t channels, int8_t* columns) {
  const ConvGeometry& g = s.args.g;
  const uint32_t left = s.column * g.stride_w - g.pad_left;
  const uint32_t before = (int32_t)left < 0 ? 0u - left : 0;
  uint32_t inside = left + before < g.in_w ? g.in_w - (left + before) : 0;
  if (inside > s.band.read - before) inside = s.band.read - before;
  const int8x16_t padding = vdupq_n_s8((int8_t)s.args.in_zero_point);
  const auto fill = [padding](int8_t* to, const int8_t* end) {
    for (; to != end; to += 16) vst1q_s8(to, padding);
  };
  Columns c = {};
  c.to = columns + before * kColumnBytes;
  c.count = inside;
  c.channels = channels;
  fill(columns, c.to);
  fill(c.to + inside * kColumnBytes, columns + s.band.read * kColumnBytes);
  for (uint32_t r = 0; r < 4; ++r) {
    const uint32_t y = top + r;
    const bool is_inside = r < rows && y < g.in_h;
    c.rows[r] = is_inside ? s.args.input + ((size_t)y * g.in_w + left + before) * g.in_c +
                                (size_t)block * kChannelBlock
                          : s.padding;
    c.steps[r] = is_inside ? g.in_c : 0;
  }
  LayOutColumns(&c);
}

// `count` bands of output rows from y on.
static void RunBands(const Strip& s, uint32_t y, uint32_t count, uint32_t block,
                     uint32_t channels) {
  const ConvGeometry& g = s.args.g;
  const bool stride_1 = g.stride_w == 1;
  const uint32_t rows = stride_1 ? 2 : 1;
  const size_t band_bytes = s.band.read * kColumnBytes;
  int8_t* columns = s.scratch + kHeliumColumnsAt;
  for (uint32_t i = 0; i < count; ++i, columns += band_bytes) {
    LayOutRows(s, (y + i * rows) * g.stride_h - g.pad_top, stride_1 ? 4 : 3, block, channels,
               columns);
  }
  const size_t below = (size_t)g.out_w * g.out_c;
  Bands bands = {};
  bands.columns = s.scratch;
  bands.bias = s.args.channels[block].bias;
  bands.output =
      s.args.output + ((size_t)y * g.out_w + s.column) * g.out_c + (size_t)block * kChannelBlock;
  bands.channels = channels;
  bands.count = count;
  bands.zero_point = s.args.out_zero_point;
  if (stride_1) {
    const uint32_t odd = s.columns % 2;
    bands.output_step = 2 * (size_t)g.out_c;
    bands.vectors = s.columns / 2;
    bands.rest = odd;
    bands.back_columns = -(int32_t)kColumnBytes;
    bands.back_output = g.out_c;
    // From behind the last vector, or from the begin of the rest.
    bands.next_columns = (int32_t)(band_bytes - (bands.vectors * 2 + odd) * kColumnBytes);
    bands.next_output = 2 * below - bands.vectors * bands.output_step + odd * g.out_c;
    bands.places[1] = g.out_c;
    bands.places[2] = (uint32_t)below;
    bands.places[3] = (uint32_t)below + g.out_c;
    BandsStride1(&bands);
  } else {
    bands.output_step = kLanes * (size_t)g.out_c;
    bands.vectors = s.columns / kLanes;
    bands.rest = s.columns % kLanes;
    const uint32_t vectors = (s.columns + kLanes - 1) / kLanes;
    bands.next_columns = (int32_t)(band_bytes - vectors * 8 * kColumnBytes);
    bands.next_output = below - bands.vectors * bands.output_step;
    for (uint32_t i = 0; i < kLanes; ++i) bands.places[i] = i * g.out_c;
    BandsStride2(&bands);
  }
}

static void RunStrip(const Strip& s, Range rows) {
  const ConvGeometry& g = s.args.g;
  const uint32_t step = g.stride_w == 1 ? 2 : 1;
  const uint32_t end = (uint32_t)rows.end;
  for (uint32_t c = 0; c < g.out_c; c += kChannelBlock) {
    const uint32_t channels = g.out_c - c < kChannelBlock ? g.out_c - c : kChannelBlock;
    LayOutWeights(s.args, c / kChannelBlock, s.scratch);
    uint32_t y = (uint32_t)rows.begin;
    while (end - y >= step) {
      uint32_t count = (end - y) / step;
      if (count > s.band.count) count = s.band.count;
      RunBands(s, y, count, c / kChannelBlock, channels);
      y += count * step;
    }
    // An odd row at the end is made with the one above once more.
    if (y != end) RunBands(s, y - 1, 1, c / kChannelBlock, channels);
  }
}

// Whether bands can make these rows: of stride 1 two rows and columns at least.
static bool HasBands(const ConvS8Args& args, Range rows) {
  const ConvGeometry& g = args.g;
  if (g.kernel_h != 3 || g.kernel_w != 3 || g.dilation_h != 1 || g.dilation_w != 1 ||
      g.stride_h != g.stride_w || g.stride_w > 2 || args.pre_shift != 0 || g.pad_left > 3) {
    return false;
  }
  return g.stride_w == 2 || (rows.end - rows.begin >= 2 && g.out_w >= 2);
}

}  // namespace

void depthwise_conv_s8_helium(const DepthwiseConvS8Args& args, Share share) {
  const ConvGeometry& g = args.g;
  const Range rows = RangeOf(g.out_h, share);
  if (rows.begin == rows.end) return;
  if (!HasBands(args, rows)) return RunWindows(args, rows);
  const Band band = BandOf(g);
  auto* const scratch = reinterpret_cast<int8_t*>(args.scratch);
  uint8_t* const padding = args.scratch + kHeliumPaddingAt;
  vst1q_u8(padding, vdupq_n_u8((uint8_t)args.in_zero_point));
  for (uint32_t x = 0; x < g.out_w; x += band.columns) {
    uint32_t columns = g.out_w - x < band.columns ? g.out_w - x : band.columns;
    uint32_t first = x;
    if (columns == 1 && g.stride_w == 1) {  // twos: the one to its left once more
      --first;
      ++columns;
    }
    RunStrip(Strip{args, first, columns, band, scratch, padding}, rows);
  }
  if (args.clamp_lo > -128 || args.clamp_hi < 127 || args.table != nullptr) {
    const size_t line = (size_t)g.out_w * g.out_c;
    FinishBytes(args.output + rows.begin * line, (size_t)(rows.end - rows.begin) * line,
                args.clamp_lo, args.clamp_hi, args.table);
  }
}

}  // namespace octet
