// 3x3 depthwise convolution without dilation, stride 1 or 2, for levels with VPDPBUSD: what
// x86_depthwise_s8.inl.h does, with less work for an output.
//
// Four image rows interleaved serve two output rows at stride 1: with weights (w0, w1, w2, 0) the
// upper, with (0, w0, w1, w2) the lower. Many channels are taken in chunks, whose interleaved image
// columns go through a buffer, because three output columns use each. Few channels (8, 16, 32) are
// taken with their neighbours instead, as many pixels as fill a register: rows are copied with
// their padding (of stride 2, even and odd columns apart), and every window column is interleaved
// where it is used.
//
// Sums that need more than one multiplication and shift go the other way (PreparedKind).
//
// Included by depthwise_conv/x86_<level>.cc behind x86_depthwise_s8.inl.h; classes also define
// Pack() and StorePart(). Everything has internal linkage.
namespace octet {
namespace {

// Weights and constants of V::kBytes elements, in the order of interleaved registers: register i
// holds elements 4i..4i+3 of every 16.
template <class V>
struct Chunk3x3 {
  typename V::Vec weights[3][2][4];  // [window column][output row][register]
  typename V::Vec start[4];
  typename V::Channels channels[4];
  typename V::Vec lo, hi;
};

// Channels from `channel` on, `width` of them, over and over. False: another way has to be taken.
template <class V>
static bool LoadChunk3x3(const ConvS8Args& args, uint32_t channel, uint32_t width,
                         Chunk3x3<V>* chunk) {
  typedef typename V::Vec Vec;
  constexpr uint32_t kLanes = V::kBytes / kChannelBlock;
  constexpr uint32_t kTaps = 9;
  const uint32_t block = channel / kChannelBlock;
  const uint32_t blocks = (width + kChannelBlock - 1) / kChannelBlock;
  PreparedBlock prepared[kLanes];
  const PreparedKind kind =
      PrepareBlocks(args.channels + block, blocks, args.out_zero_point, prepared);
  if (kind.doubled || kind.late_zero) return false;
  const int8_t* weights = args.weights + (size_t)block * kTaps * kChannelBlock;
  // Of 8 channels, the second half of a block of 16 repeats the first.
  const bool eight = width == 8;
  int8_t repeated[kTaps * kChannelBlock];
  if (eight) {
    for (uint32_t t = 0; t < kTaps * kChannelBlock; t += kChannelBlock) {
      memcpy(repeated + t, weights + t, 8);
      memcpy(repeated + t + 8, weights + t, 8);
    }
    weights = repeated;
  }
  const auto pieces = [&](const int32_t* first, uint32_t i) {
    const void* lanes[kLanes];
    for (uint32_t l = 0; l < kLanes; ++l) {
      lanes[l] = first + l % blocks * (sizeof(PreparedBlock) / 4) + 4 * (eight ? i % 2 : i);
    }
    return V::FromLanes(lanes);
  };
  for (uint32_t i = 0; i < 4; ++i) {
    chunk->start[i] = pieces(prepared->start, i);
    chunk->channels[i] = {pieces(prepared->multiplier, i), pieces(prepared->multiplier_odd, i),
                          pieces(prepared->rounding, i), pieces(prepared->shift, i), false};
  }
  for (uint32_t kx = 0; kx < 3; ++kx) {
    Vec rows[3];
    for (uint32_t ky = 0; ky < 3; ++ky) {
      const void* lanes[kLanes];
      for (uint32_t l = 0; l < kLanes; ++l) {
        lanes[l] = weights + (l % blocks * kTaps + ky * 3 + kx) * kChannelBlock;
      }
      rows[ky] = V::FromLanes(lanes);
    }
    const Vec zero = V::Set(0);
    const Vec upper[4] = {rows[0], rows[1], rows[2], zero};
    const Vec lower[4] = {zero, rows[0], rows[1], rows[2]};
    V::Interleave(upper, chunk->weights[kx][0]);
    V::Interleave(lower, chunk->weights[kx][1]);
  }
  chunk->lo = V::Set((uint8_t)(args.clamp_lo + 128));
  chunk->hi = V::Set((uint8_t)(args.clamp_hi + 128));
  return true;
}

template <class V, int kRows>
static inline void Finish3x3(const Chunk3x3<V>& chunk, const int8_t* table,
                             typename V::Vec (&acc)[kRows][4], uint8_t* to, size_t row_step,
                             uint32_t width) {
#pragma GCC unroll 2
  for (int r = 0; r < kRows; ++r, to += row_step) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) acc[r][i] = V::RequantizeDoubled(acc[r][i], chunk.channels[i]);
    typename V::Vec bytes = V::Pack(acc[r], chunk.lo, chunk.hi);
    if constexpr (V::kLooksUp) {
      if (table != nullptr) bytes = V::LookUp(bytes, table);
    }
    V::StorePart(to, bytes, width);
    if (!V::kLooksUp && table != nullptr) ApplyTable(to, width, table);
  }
}

// `count` output pixels of kRows rows from interleaved columns.
template <class V, int kRows>
static void DotColumns3x3(const ConvS8Args& args, const Chunk3x3<V>& chunk, const uint8_t* columns,
                          uint32_t count, uint32_t width, uint8_t* output) {
  const size_t step = (size_t)args.g.stride_w * 4 * V::kBytes;
  const size_t out_c = args.g.out_c, row_step = (size_t)args.g.out_w * out_c;
  const int8_t* table = args.table;
  for (uint32_t x = 0; x < count; ++x, columns += step, output += out_c) {
    typename V::Vec acc[kRows][4];
#pragma GCC unroll 2
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) acc[r][i] = chunk.start[i];
    }
#pragma GCC unroll 3
    for (int kx = 0; kx < 3; ++kx) {
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        const typename V::Vec v = V::Load(columns + (size_t)(kx * 4 + i) * V::kBytes);
#pragma GCC unroll 2
        for (int r = 0; r < kRows; ++r) V::Dot(acc[r][i], v, chunk.weights[kx][r][i]);
      }
    }
    Finish3x3<V, kRows>(chunk, table, acc, output, row_step, width);
  }
}

// Interleaves image columns [first, first + count) of four rows; null rows and columns outside are
// zero points.
template <class V>
static void InterleaveColumns3x3(const ConvS8Args& args, const uint8_t* const (&source)[4],
                                 int64_t first, uint32_t count, uint32_t width, uint8_t* to) {
  typedef typename V::Vec Vec;
  const ConvGeometry& g = args.g;
  const Vec padding = V::Set((uint8_t)((uint8_t)args.in_zero_point ^ 0x80));
  const uint8_t* end = args.input + (size_t)g.in_h * g.in_w * g.in_c;
  alignas(64) uint8_t padding_bytes[V::kBytes];
  V::Store(padding_bytes, padding);
  const uint8_t* row[4];
  size_t step[4];
  const int64_t inside = first < 0 ? 0 : first;
  for (int r = 0; r < 4; ++r) {
    row[r] = source[r] == nullptr ? padding_bytes : source[r] + (size_t)inside * g.in_c;
    step[r] = source[r] == nullptr ? 0 : g.in_c;
  }
  for (uint32_t j = 0; j < count; ++j, to += 4 * V::kBytes) {
    Vec rows[4] = {padding, padding, padding, padding}, interleaved[4];
    if (first + j >= 0 && first + j < g.in_w) {
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) {
        rows[r] = V::LoadPart(row[r], width, source[r] == nullptr ? row[r] + V::kBytes : end);
        row[r] += step[r];
      }
    }
    V::Interleave(rows, interleaved);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) V::Store(to + (size_t)i * V::kBytes, interleaved[i]);
  }
}

// One chunk of `width` channels over output rows [begin, end).
template <class V>
static void RunChunk3x3(const ConvS8Args& args, const Chunk3x3<V>& chunk, uint32_t channel,
                        uint32_t width, Range rows) {
  const ConvGeometry& g = args.g;
  alignas(64) uint8_t columns[kColumnBufferBytes];
  constexpr uint32_t kCapacity = kColumnBufferBytes / (4 * V::kBytes);
  const uint32_t most = (kCapacity - 3) / g.stride_w + 1;
  const uint32_t strips = (g.out_w + most - 1) / most;
  const uint32_t together = g.stride_h == 1 ? 2 : 1;
  for (uint64_t y = rows.begin; y < rows.end; y += together) {
    const bool two = together == 2 && y + 1 < rows.end;
    const uint8_t* source[4];
    for (uint32_t r = 0; r < 4; ++r) {
      const int64_t row = (int64_t)(y * g.stride_h) - g.pad_top + (int64_t)r;
      const bool inside = row >= 0 && row < g.in_h && (r < 3 || two);
      source[r] = inside ? args.input + (size_t)row * g.in_w * g.in_c + channel : nullptr;
    }
    for (uint32_t i = 0, x = 0; i < strips; ++i) {
      const uint32_t next = (uint32_t)((uint64_t)g.out_w * (i + 1) / strips);
      InterleaveColumns3x3<V>(args, source, (int64_t)x * g.stride_w - g.pad_left,
                              (next - x - 1) * g.stride_w + 3, width, columns);
      uint8_t* output = args.output + (y * g.out_w + x) * g.out_c + channel;
      if (two) {
        DotColumns3x3<V, 2>(args, chunk, columns, next - x, width, output);
      } else {
        DotColumns3x3<V, 1>(args, chunk, columns, next - x, width, output);
      }
      x = next;
    }
  }
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
  if (g.stride_w == 1 && last > i) {
    memcpy(to, from, (last - i) * c);
    to += (last - i) * c;
  } else if (c == 8) {
    for (; i < last; ++i, from += step, to += 8) memcpy(to, from, 8);
  } else {
    for (; i < last; ++i, from += step, to += c) {
      for (size_t k = 0; k < c; k += 16) memcpy(to + k, from + k, 16);
    }
  }
  if (last < count) memset(to, padding, (count - last) * c);
}

// `bytes` output bytes of kRows rows; window column kx of image row r starts at r * pitch +
// offset[kx]. What is loaded behind the pixels is not stored.
template <class V, int kRows>
static void DotFlat3x3(const ConvS8Args& args, const Chunk3x3<V>& chunk, const uint8_t* rows,
                       size_t pitch, const size_t (&offset)[3], size_t bytes, uint8_t* output) {
  typedef typename V::Vec Vec;
  const size_t row_step = (size_t)args.g.out_w * args.g.out_c;
  const int8_t* table = args.table;
  const uint32_t width = bytes < V::kBytes ? (uint32_t)bytes : V::kBytes;
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
      const uint8_t* from = rows + offset[kx] + j;
      const Vec x[4] = {V::Load(from), V::Load(from + pitch), V::Load(from + 2 * pitch),
                        kRows == 2 ? V::Load(from + 3 * pitch) : V::Load(from)};
      Vec v[4];
      V::Interleave(x, v);
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
#pragma GCC unroll 2
        for (int r = 0; r < kRows; ++r) V::Dot(acc[r][i], v[i], chunk.weights[kx][r][i]);
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
  const uint32_t together = g.stride_h == 1 ? 2 : 1;
  const uint32_t planes = g.stride_w;
  // A row: at stride 2 the columns 0, 2, .. and behind them 1, 3, ..; a register is loaded behind
  // the last pixel.
  const size_t pitch = kColumnBufferBytes / (together == 2 ? 4 : 3) & ~(size_t)63;
  const uint32_t most = (uint32_t)((pitch - V::kBytes) / (c * planes) - 2);
  const uint32_t strips = (g.out_w + most - 1) / most;
  for (uint64_t y = rows.begin; y < rows.end; y += together) {
    const bool two = together == 2 && y + 1 < rows.end;
    for (uint32_t i = 0, x = 0; i < strips; ++i) {
      const uint32_t next = (uint32_t)((uint64_t)g.out_w * (i + 1) / strips);
      const uint32_t count = next - x;
      const uint32_t plane_pixels = count + (planes == 1 ? 2 : 1);
      for (uint32_t r = 0; r < (two ? 4u : 3u); ++r) {
        const int64_t row = (int64_t)(y * g.stride_h) - g.pad_top + (int64_t)r;
        const uint8_t* source =
            row >= 0 && row < g.in_h ? args.input + (size_t)row * g.in_w * c : nullptr;
        for (uint32_t p = 0; p < planes; ++p) {
          CopyPixels(args, source, (int64_t)x * g.stride_w - g.pad_left + (int64_t)p, plane_pixels,
                     buffer + r * pitch + p * plane_pixels * c);
        }
      }
      const size_t offset[3] = {0, planes == 1 ? c : plane_pixels * c, planes == 1 ? 2 * c : c};
      uint8_t* output = args.output + (y * g.out_w + x) * c;
      if (two) {
        DotFlat3x3<V, 2>(args, chunk, buffer, pitch, offset, count * c, output);
      } else {
        DotFlat3x3<V, 1>(args, chunk, buffer, pitch, offset, count * c, output);
      }
      x = next;
    }
  }
}

// Windows for the functions above.
static inline bool Is3x3(const ConvS8Args& args) {
  const ConvGeometry& g = args.g;
  return g.kernel_h == 3 && g.kernel_w == 3 && g.dilation_h == 1 && g.dilation_w == 1 &&
         g.stride_h == g.stride_w && g.stride_h <= 2 && args.pre_shift == 0;
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
  Chunk3x3<V> chunk;
  if (Is3x3(args) && LoadChunk3x3<V>(args, channel, width, &chunk)) {
    RunChunk3x3<V>(args, chunk, channel, width, rows);
  } else {
    RunChunk<V>(args, channel, width, rows);
  }
}

}  // namespace
}  // namespace octet
