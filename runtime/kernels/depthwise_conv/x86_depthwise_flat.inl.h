// 3x3 depthwise convolution of few channels (8, 16, 32), which are taken with their neighbours, as
// many pixels as fill a register: rows are copied with their padding (of stride 2, even and odd
// columns apart), and every window column is interleaved where it is used. And which way a layer
// goes.
//
// Included by depthwise_conv/x86_<level>.cc behind x86_depthwise_3x3.inl.h. Everything has internal
// linkage.
namespace octet {
namespace {

// `count` pixels of kChannels, `step` bytes apart, put side by side.
template <size_t kChannels>
static inline void CopyApart(const uint8_t* from, size_t step, uint32_t count, uint8_t* to) {
  for (; count != 0; --count, from += step, to += kChannels) memcpy(to, from, kChannels);
}

// Copies `count` pixels of a row, every stride_w-th from `first` on.
static inline void CopyPixels(const ConvS8Args& args, const uint8_t* row, int64_t first,
                              uint32_t count, uint8_t* to) {
  const ConvGeometry& g = args.g;
  const uint8_t padding = (uint8_t)args.in_zero_point ^ 0x80;
  const size_t c = g.in_c;
  if (row == nullptr) {
    memset(to, padding, count * c);
    return;
  }
  uint32_t i = 0;
  for (; i < count && first < 0; ++i, first += g.stride_w, to += c) memset(to, padding, c);
  uint32_t last = i;  // one behind the last pixel inside
  if (first < g.in_w) {
    const uint64_t inside = ((uint64_t)(g.in_w - first) + g.stride_w - 1) / g.stride_w;
    last = inside < count - i ? i + (uint32_t)inside : count;
  }
  const uint8_t* from = row + (size_t)first * c;
  const size_t step = g.stride_w * c;
  if (last > i) {
    const uint32_t inside = last - i;
    if (g.stride_w == 1) {
      memcpy(to, from, inside * c);
    } else if (c == 8) {
      CopyApart<8>(from, step, inside, to);
    } else if (c == 16) {
      CopyApart<16>(from, step, inside, to);
    } else {
      CopyApart<32>(from, step, inside, to);
    }
    to += inside * c;
  }
  if (last < count) memset(to, padding, (count - last) * c);
}

// `bytes` output bytes of kRows rows; window column kx of image row r starts at rows[r] +
// offset[kx]. What is loaded behind the pixels is not stored.
template <class V, int kRows>
static void DotFlat3x3(const ConvS8Args& args, const Chunk3x3<V>& chunk, uint8_t* const (&rows)[4],
                       const size_t (&offset)[3], size_t bytes, uint8_t* output) {
  typedef typename V::Vec Vec;
  const size_t row_step = (size_t)args.g.out_w * args.g.out_c;
  const int8_t* table = args.table;
  const uint32_t width = bytes < V::kBytes ? (uint32_t)bytes : V::kBytes;
  const Vec ones = V::Ones();
  for (size_t j = 0;; j += V::kBytes) {
    // The last register ends with the row and repeats what the one before it did.
    if (j + V::kBytes > bytes && j != 0) {
      if (j >= bytes) return;
      j = bytes - V::kBytes;
    }
    Vec acc[kRows][4];
#pragma GCC unroll 2
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) acc[r][i] = chunk.start[i];
    }
#pragma GCC unroll 3
    for (int kx = 0; kx < 3; ++kx) {
      constexpr int kFourth = kRows == 2 ? 3 : V::kMiddleTwice ? 1 : 0;
      const size_t at = offset[kx] + j;
      const Vec x[4] = {V::Load(rows[0] + at), V::Load(rows[1] + at), V::Load(rows[2] + at),
                        V::Load(rows[kFourth] + at)};
      Vec v[4];
      V::Interleave(x, v);
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
#pragma GCC unroll 2
        for (int r = 0; r < kRows; ++r) V::Dot(acc[r][i], v[i], chunk.weights[kx][r][i], ones);
      }
    }
    Finish3x3<V, kRows>(chunk, table, acc, output + j, row_step, width);
  }
}

// All channels, V::kBytes / in_c pixels at a time.
template <class V>
static void RunFlat3x3(const ConvS8Args& args, const Chunk3x3<V>& chunk, Range rows) {
  const ConvGeometry& g = args.g;
  alignas(64) uint8_t buffer[kColumnBufferBytes];
  const size_t c = g.in_c;
  const uint32_t together = g.stride_h == 1 ? kRowsTogether<V> : 1;
  const uint32_t planes = g.stride_w;
  // A row: at stride 2 the columns 0, 2, .. and behind them 1, 3, ..; a register is loaded behind
  // the last pixel.
  const uint32_t slots = together == 2 ? 4 : 3;
  const size_t pitch = kColumnBufferBytes / slots & ~(size_t)63;
  const uint32_t most = (uint32_t)((pitch - V::kBytes) / (c * planes) - 2);
  const uint32_t strips = (g.out_w + most - 1) / most;
  // Where a strip is a whole line, the rows that the next one has in common with it stay: row r is
  // in slot (first + r) % slots.
  const uint32_t down = together * g.stride_h;
  uint32_t first = 0;
  for (uint64_t y = rows.begin; y < rows.end; y += together) {
    const bool two = together == 2 && y + 1 < rows.end;
    const bool goes_on = strips == 1 && y != rows.begin;
    if (goes_on) first = (first + down) % slots;
    uint8_t* row_at[4] = {};
    for (uint32_t r = 0; r < slots; ++r) row_at[r] = buffer + (first + r) % slots * pitch;
    for (uint32_t i = 0, x = 0; i < strips; ++i) {
      const uint32_t next = (uint32_t)((uint64_t)g.out_w * (i + 1) / strips);
      const uint32_t count = next - x;
      const uint32_t plane_pixels = count + (planes == 1 ? 2 : 1);
      for (uint32_t r = goes_on ? slots - down : 0; r < (two ? 4u : 3u); ++r) {
        const int64_t row = (int64_t)(y * g.stride_h) - g.pad_top + (int64_t)r;
        const uint8_t* source =
            row >= 0 && row < g.in_h ? args.input + (size_t)row * g.in_w * c : nullptr;
        for (uint32_t p = 0; p < planes; ++p) {
          CopyPixels(args, source, (int64_t)x * g.stride_w - g.pad_left + (int64_t)p, plane_pixels,
                     row_at[r] + p * plane_pixels * c);
        }
      }
      const size_t offset[3] = {0, planes == 1 ? c : plane_pixels * c, planes == 1 ? 2 * c : c};
      uint8_t* output = args.output + (y * g.out_w + x) * c;
      if (two) {
        DotFlat3x3<V, kRowsTogether<V>>(args, chunk, row_at, offset, count * c, output);
      } else {
        DotFlat3x3<V, 1>(args, chunk, row_at, offset, count * c, output);
      }
      x = next;
    }
  }
}

// Windows for the functions above.
static inline bool Is3x3(const ConvS8Args& args) {
  const ConvGeometry& g = args.g;
  return g.kernel_h == 3 && g.kernel_w == 3 && g.dilation_h == 1 && g.dilation_w == 1 &&
         g.stride_h == g.stride_w && g.stride_h <= 2;
}

// Channels that several pixels of fill a register of V.
template <class V>
static inline bool IsFlat(uint32_t channels) {
  return channels >= 8 && channels < V::kBytes && (channels & (channels - 1)) == 0;
}

template <class V>
static bool TryFlat3x3(const ConvS8Args& args, Range rows) {
  if (!Is3x3(args) || !IsFlat<V>(args.g.in_c)) return false;
  Chunk3x3<V> chunk;
  if (!LoadChunk3x3<V>(args, 0, args.g.in_c, &chunk)) return false;
  RunFlat3x3<V>(args, chunk, rows);
  return true;
}

// A chunk of channels, by the way that suits.
template <class V>
static void RunAnyChunk(const ConvS8Args& args, uint32_t channel, uint32_t width, Range rows) {
  if constexpr (V::kSideBySide > 1) {
    if (TryChunk5x5<V>(args, channel, width, rows)) return;
  }
  Chunk3x3<V> chunk;
  const bool fits = Is3x3(args) && args.g.out_w >= V::kSideBySide;
  if (fits && LoadChunk3x3<V>(args, channel, width, &chunk)) {
    RunChunk3x3<V>(args, chunk, channel, width, rows);
  } else {
    RunChunk<V>(args, channel, width, rows);
  }
}

// Levels of 256 bits.
template <class V>
static inline void RunDepthwise256(const ConvS8Args& args, Share share) {
  const ConvGeometry& g = args.g;
  if (!FitsChunk(g, V::kBytes)) {
    depthwise_conv_s8_reference(args, share);
    return;
  }
  const Range rows = RangeOf(g.out_h, share);
  if (rows.begin == rows.end || TryFlat3x3<V>(args, rows)) return;
  for (uint32_t channel = 0; channel < g.in_c; channel += V::kBytes) {
    const uint32_t left = g.in_c - channel;
    RunAnyChunk<V>(args, channel, left < V::kBytes ? left : V::kBytes, rows);
  }
}

}  // namespace
}  // namespace octet
