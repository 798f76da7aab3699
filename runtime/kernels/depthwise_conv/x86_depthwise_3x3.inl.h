// 3x3 depthwise convolution without dilation, stride 1 or 2: what x86_depthwise_s8.inl.h does, with
// less work for an output.
//
// Four image rows interleaved serve two output rows at stride 1: with weights (w0, w1, w2, 0) the
// upper, with (0, w0, w1, w2) the lower. (Where a class says kMiddleTwice, three serve one.) Many
// channels are taken in chunks, whose interleaved image columns go through a buffer, because three
// output columns use each. Few channels go the way of x86_depthwise_flat.inl.h.
//
// Two registers of sums become one of words together: V::Arrange() puts their constants in the
// order that V::FinishTwo() wants.
//
// Sums that need more than one multiplication and shift go the other way (PreparedKind).
//
// Included by depthwise_conv/x86_<level>.cc behind x86_depthwise_s8.inl.h; classes also define
// FinishTwo(), Bytes(), Clamp() and StorePart(). Everything has internal linkage.
namespace octet {
namespace {

// Output rows at a time.
template <class V>
constexpr uint32_t kRowsTogether = V::kMiddleTwice ? 1 : 2;

// Constants of V::kBytes elements, in the order of interleaved registers: register i holds elements
// 4i..4i+3 of every 16.
template <class V>
struct Constants {
  typename V::Vec start[4];
  typename V::Channels channels[4];  // unless `fused`
  typename V::Floats factor[4], fused_start;
  typename V::Vec lo, hi;
  bool fused;    // PreparedKind
  bool clamped;  // by more than a byte's range
};

template <class V>
struct Chunk3x3 : Constants<V> {
  typename V::Weight weights[3][kRowsTogether<V>][4];  // [window column][output row][register]
};

// Channels from `channel` on, `width` of them, over and over. Of 8 channels, the second half of a
// block of 16 repeats the first. False: another way has to be taken.
template <class V>
static bool LoadConstants(const ConvS8Args& args, uint32_t channel, uint32_t width,
                          Constants<V>* constants) {
  constexpr uint32_t kLanes = V::kBytes / kChannelBlock;
  const uint32_t block = channel / kChannelBlock;
  const uint32_t blocks = (width + kChannelBlock - 1) / kChannelBlock;
  PreparedBlock prepared[kLanes];
  const PreparedKind kind = PrepareBlocks(args, block, blocks, prepared);
  if (!kind.fused && (args.pre_shift != 0 || kind.doubled || kind.late_zero)) return false;
  const bool eight = width == 8;
  const auto pieces = [&](const auto& of_first, uint32_t i) {
    const void* lanes[kLanes];
    for (uint32_t l = 0; l < kLanes; ++l) {
      const uint8_t* of = reinterpret_cast<const uint8_t*>(of_first);
      lanes[l] = of + l % blocks * sizeof(PreparedBlock) + 16 * (eight ? i % 2 : i);
    }
    return V::FromLanes(lanes);
  };
  constants->fused = kind.fused;
  constants->fused_start = V::FusedStart(args.out_zero_point);
  for (uint32_t i = 0; i < 4; ++i) {
    constants->start[i] = pieces(prepared->start, i);
    if (kind.fused) {
      constants->factor[i] = V::AsFloats(pieces(prepared->factor, i));
    } else {
      constants->channels[i] = {pieces(prepared->multiplier, i),
                                pieces(prepared->multiplier_odd, i), pieces(prepared->rounding, i),
                                pieces(prepared->shift, i), false};
    }
  }
  if (!kind.fused) V::Arrange(constants->channels);
  constants->lo = V::Set((uint8_t)(args.clamp_lo + 128));
  constants->hi = V::Set((uint8_t)(args.clamp_hi + 128));
  constants->clamped = args.clamp_lo != -128 || args.clamp_hi != 127;
  return true;
}

// A tap of the chunk's channels; pieces past the last block repeat the first ones.
template <class V>
static inline typename V::Vec TapOf(const int8_t* weights, uint32_t taps, uint32_t tap,
                                    uint32_t blocks) {
  const void* lanes[V::kBytes / kChannelBlock];
  for (uint32_t l = 0; l < V::kBytes / kChannelBlock; ++l) {
    lanes[l] = weights + (l % blocks * taps + tap) * kChannelBlock;
  }
  return V::FromLanes(lanes);
}

template <class V>
static bool LoadChunk3x3(const ConvS8Args& args, uint32_t channel, uint32_t width,
                         Chunk3x3<V>* chunk) {
  typedef typename V::Vec Vec;
  constexpr uint32_t kTaps = 9;
  if (!LoadConstants<V>(args, channel, width, chunk)) return false;
  const uint32_t block = channel / kChannelBlock;
  const uint32_t blocks = (width + kChannelBlock - 1) / kChannelBlock;
  const int8_t* weights = args.weights + (size_t)block * kTaps * kChannelBlock;
  int8_t repeated[kTaps * kChannelBlock];
  if (width == 8) {
    for (uint32_t t = 0; t < kTaps * kChannelBlock; t += kChannelBlock) {
      memcpy(repeated + t, weights + t, 8);
      memcpy(repeated + t + 8, weights + t, 8);
    }
    weights = repeated;
  }
  for (uint32_t kx = 0; kx < 3; ++kx) {
    Vec rows[3];
    for (uint32_t ky = 0; ky < 3; ++ky) rows[ky] = TapOf<V>(weights, kTaps, ky * 3 + kx, blocks);
    const Vec zero = V::Set(0);
    const Vec upper[4] = {rows[0], rows[1], rows[2], zero};
    const Vec lower[4] = {zero, rows[0], rows[1], rows[2]};
    for (uint32_t r = 0; r < kRowsTogether<V>; ++r) {
      Vec interleaved[4];
      V::Interleave(r == 0 ? upper : lower, interleaved);
      for (uint32_t i = 0; i < 4; ++i) {
        chunk->weights[kx][r][i] = V::MakeWeight(interleaved[i], true);
      }
    }
  }
  return true;
}

// kInMemory: of sums, else they are in registers.
template <class V, bool kInMemory>
static inline typename V::Vec BytesOf(const Constants<V>& constants,
                                      const typename V::Vec (&sums)[4]) {
  const typename V::Channels(&of)[4] = constants.channels;
  const typename V::Vec bytes =
      constants.fused ? V::FusedBytes(sums, constants.factor, constants.fused_start)
                      : V::Bytes(V::template FinishTwo<kInMemory>(sums[0], sums[1], of[0], of[1]),
                                 V::template FinishTwo<kInMemory>(sums[2], sums[3], of[2], of[3]));
  // Where sums are in registers, the two instructions cost less than asking.
  const bool clamped = !kInMemory || constants.clamped;
  return clamped ? V::Clamp(bytes, constants.lo, constants.hi) : bytes;
}

template <class V, int kRows>
static inline void Finish3x3(const Chunk3x3<V>& chunk, const int8_t* table,
                             typename V::Vec (&acc)[kRows][4], uint8_t* to, size_t row_step,
                             uint32_t width) {
#pragma GCC unroll 2
  for (int r = 0; r < kRows; ++r, to += row_step) {
    typename V::Vec bytes = BytesOf<V, false>(chunk, acc[r]);
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
  const typename V::Vec ones = V::Ones();
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
        for (int r = 0; r < kRows; ++r) V::Dot(acc[r][i], v, chunk.weights[kx][r][i], ones);
      }
    }
    Finish3x3<V, kRows>(chunk, table, acc, output, row_step, width);
  }
}

// Products of one register with 4 taps, for kPixels outputs side by side whose columns are `step`
// bytes apart.
template <class V, int kPixels>
static inline void DotSameTaps(const uint8_t* from, size_t step, const typename V::Weight& w,
                               typename V::Vec ones, typename V::Vec (&acc)[kPixels]) {
  if (V::IsExact(w)) {
#pragma GCC unroll 4
    for (int p = 0; p < kPixels; ++p) {
      V::template DotAs<true>(acc[p], V::Load(from + (size_t)p * step), w, ones);
    }
  } else {
#pragma GCC unroll 4
    for (int p = 0; p < kPixels; ++p) {
      V::template DotAs<false>(acc[p], V::Load(from + (size_t)p * step), w, ones);
    }
  }
}

// Output pixels of one row, V::kSideBySide at a time and at least so many; of the last ones some
// are done twice.
template <class V, uint32_t kStride>
static void DotSideBySide(const ConvS8Args& args, const Chunk3x3<V>& chunk, int row,
                          const uint8_t* columns, uint32_t count, uint32_t width, uint8_t* output) {
  typedef typename V::Vec Vec;
  constexpr uint32_t kPixels = V::kSideBySide;
  constexpr size_t kStep = kStride * 4 * V::kBytes;
  const size_t out_c = args.g.out_c;
  const int8_t* table = args.table;
  const Vec ones = V::Ones();
  for (uint32_t x = 0; x < count; x += kPixels) {
    if (x + kPixels > count) x = count - kPixels;
    const uint8_t* from = columns + x * kStep;
    Vec sums[kPixels][4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      Vec acc[kPixels];
#pragma GCC unroll 4
      for (Vec& sum : acc) sum = chunk.start[i];
#pragma GCC unroll 3
      for (int kx = 0; kx < 3; ++kx) {
        const uint8_t* at = from + (size_t)(kx * 4 + i) * V::kBytes;
        DotSameTaps<V>(at, kStep, chunk.weights[kx][row][i], ones, acc);
      }
#pragma GCC unroll 4
      for (uint32_t p = 0; p < kPixels; ++p) sums[p][i] = acc[p];
    }
    uint8_t* to = output + x * out_c;
    for (uint32_t p = 0; p < kPixels; ++p, to += out_c) {
      V::StorePart(to, BytesOf<V, true>(chunk, sums[p]), width);
      if (table != nullptr) ApplyTable(to, width, table);
    }
  }
}

// `count` output pixels of kRows rows from interleaved columns, by the way that suits.
template <class V, int kRows>
static inline void DotPixels3x3(const ConvS8Args& args, const Chunk3x3<V>& chunk,
                                const uint8_t* columns, uint32_t count, uint32_t width,
                                uint8_t* output) {
  if constexpr (V::kSideBySide > 1) {
    const size_t row_step = (size_t)args.g.out_w * args.g.out_c;
    for (int r = 0; r < kRows; ++r, output += row_step) {
      if (args.g.stride_w == 1) {
        DotSideBySide<V, 1>(args, chunk, r, columns, count, width, output);
      } else {
        DotSideBySide<V, 2>(args, chunk, r, columns, count, width, output);
      }
    }
  } else {
    DotColumns3x3<V, kRows>(args, chunk, columns, count, width, output);
  }
}

// Interleaves image columns [first, first + count) of four rows; null rows and columns outside are
// zero points. kWhole: the channels fill a register.
template <class V, bool kWhole>
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
        const uint8_t* row_end = source[r] == nullptr ? row[r] + V::kBytes : end;
        rows[r] = kWhole ? V::Load(row[r]) : V::LoadPart(row[r], width, row_end);
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
  const uint32_t together = g.stride_h == 1 ? kRowsTogether<V> : 1;
  for (uint64_t y = rows.begin; y < rows.end; y += together) {
    const bool two = together == 2 && y + 1 < rows.end;
    const uint8_t* source[4];
    for (uint32_t r = 0; r < 4; ++r) {
      const int64_t row = (int64_t)(y * g.stride_h) - g.pad_top + (int64_t)r;
      const bool inside = row >= 0 && row < g.in_h && (r < 3 || two);
      source[r] = inside ? args.input + (size_t)row * g.in_w * g.in_c + channel : nullptr;
    }
    if (V::kMiddleTwice) source[3] = source[1];
    for (uint32_t i = 0, x = 0; i < strips; ++i) {
      const uint32_t next = (uint32_t)((uint64_t)g.out_w * (i + 1) / strips);
      const auto interleave =
          width >= V::kBytes ? InterleaveColumns3x3<V, true> : InterleaveColumns3x3<V, false>;
      interleave(args, source, (int64_t)x * g.stride_w - g.pad_left,
                 (next - x - 1) * g.stride_w + 3, width, columns);
      uint8_t* output = args.output + (y * g.out_w + x) * g.out_c + channel;
      if (two) {
        DotPixels3x3<V, kRowsTogether<V>>(args, chunk, columns, next - x, width, output);
      } else {
        DotPixels3x3<V, 1>(args, chunk, columns, next - x, width, output);
      }
      x = next;
    }
  }
}

}  // namespace
}  // namespace octet
