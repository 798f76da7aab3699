// 5x5 depthwise convolution without dilation, stride 1 or 2, of levels whose products are dear: 7
// products of 4 taps in place of 10. Four rows of the window are taken by columns as in
// x86_depthwise_s8.inl.h. The fifth row lies along itself: next to the column x of four rows are
// the pixels x .. x + 3 of the fifth, of which an output pixel takes four taps at its first column
// and one at its last.
//
// Included by depthwise_conv/x86_<level>.cc behind x86_depthwise_3x3.inl.h. Everything has internal
// linkage.
namespace octet {
namespace {

constexpr uint32_t kFirstOfFifth = 5, kLastOfFifth = 6;  // behind the window's columns

template <class V>
struct Chunk5x5 : Constants<V> {
  typename V::Weight weights[7][4];  // [..][register]
};

template <class V>
static bool LoadChunk5x5(const ConvS8Args& args, uint32_t channel, uint32_t width,
                         Chunk5x5<V>* chunk) {
  typedef typename V::Vec Vec;
  constexpr uint32_t kTaps = 25;
  if (width == 8 || !LoadConstants<V>(args, channel, width, chunk)) return false;
  const uint32_t blocks = (width + kChannelBlock - 1) / kChannelBlock;
  const int8_t* weights = args.weights + (size_t)(channel / kChannelBlock) * kTaps * kChannelBlock;
  const auto tap = [&](uint32_t ky, uint32_t kx) {
    return TapOf<V>(weights, kTaps, ky * 5 + kx, blocks);
  };
  const Vec zero = V::Set(0);
  for (uint32_t k = 0; k < 7; ++k) {
    Vec rows[4], interleaved[4];
    for (uint32_t r = 0; r < 4; ++r) {
      rows[r] = k < kFirstOfFifth    ? tap(r, k)
                : k == kFirstOfFifth ? tap(4, r)
                : r == 0             ? tap(4, 4)
                                     : zero;
    }
    V::Interleave(rows, interleaved);
    for (uint32_t i = 0; i < 4; ++i) {
      chunk->weights[k][i] = V::MakeWeight(interleaved[i], false);
    }
  }
  return true;
}

// Image columns [first, first + count) of four rows, and at every stride_w-th of them four pixels
// of the fifth.
template <class V>
static void InterleaveColumns5x5(const ConvS8Args& args, const uint8_t* const (&source)[5],
                                 int64_t first, uint32_t count, uint32_t width, uint8_t* to) {
  typedef typename V::Vec Vec;
  const ConvGeometry& g = args.g;
  const Vec padding = V::Set((uint8_t)((uint8_t)args.in_zero_point ^ 0x80));
  const uint8_t* end = args.input + (size_t)g.in_h * g.in_w * g.in_c;
  const auto pixel = [&](const uint8_t* row, int64_t x) {
    const bool inside = row != nullptr && x >= 0 && x < g.in_w;
    return inside ? V::LoadPart(row + (size_t)x * g.in_c, width, end) : padding;
  };
  for (uint32_t j = 0; j < count; ++j, to += 8 * V::kBytes) {
    Vec rows[4], interleaved[4];
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) rows[r] = pixel(source[r], first + j);
    V::Interleave(rows, interleaved);
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 4; ++i) V::Store(to + i * V::kBytes, interleaved[i]);
    if (j % g.stride_w != 0) continue;
#pragma GCC unroll 4
    for (int t = 0; t < 4; ++t) rows[t] = pixel(source[4], first + j + t);
    V::Interleave(rows, interleaved);
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 4; ++i) V::Store(to + (4 + i) * V::kBytes, interleaved[i]);
  }
}

// Output pixels of a row, V::kSideBySide at a time and at least so many; of the last ones some are
// done twice.
template <class V, uint32_t kStride>
static void DotColumns5x5(const ConvS8Args& args, const Chunk5x5<V>& chunk, const uint8_t* columns,
                          uint32_t count, uint32_t width, uint8_t* output) {
  typedef typename V::Vec Vec;
  constexpr uint32_t kPixels = V::kSideBySide;
  constexpr size_t kStep = kStride * 8 * V::kBytes;
  const size_t out_c = args.g.out_c;
  const Vec ones = V::Ones();
  for (uint32_t x = 0; x < count; x += kPixels) {
    if (x + kPixels > count) x = count - kPixels;
    const uint8_t* from = columns + x * kStep;
    Vec sums[kPixels][4];
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 4; ++i) {
      Vec acc[kPixels];
#pragma GCC unroll 4
      for (Vec& sum : acc) sum = chunk.start[i];
#pragma GCC unroll 7
      for (uint32_t k = 0; k < 7; ++k) {
        const uint32_t column = k < kFirstOfFifth ? k * 8 : k == kFirstOfFifth ? 4 : 4 * 8 + 4;
        const uint8_t* at = from + (column + i) * V::kBytes;
        DotSameTaps<V>(at, kStep, chunk.weights[k][i], ones, acc);
      }
#pragma GCC unroll 4
      for (uint32_t p = 0; p < kPixels; ++p) sums[p][i] = acc[p];
    }
    uint8_t* to = output + x * out_c;
    for (uint32_t p = 0; p < kPixels; ++p, to += out_c) {
      V::StorePart(to, BytesOf<V, true>(chunk, sums[p]), width);
      if (args.table != nullptr) ApplyTable(to, width, args.table);
    }
  }
}

static inline bool Is5x5(const ConvS8Args& args) {
  const ConvGeometry& g = args.g;
  return g.kernel_h == 5 && g.kernel_w == 5 && g.dilation_h == 1 && g.dilation_w == 1 &&
         g.stride_w <= 2;
}

// One chunk of `width` channels over output rows [begin, end). False: another way has to be taken.
template <class V>
static bool TryChunk5x5(const ConvS8Args& args, uint32_t channel, uint32_t width, Range rows) {
  const ConvGeometry& g = args.g;
  Chunk5x5<V> chunk;
  if (!Is5x5(args) || g.out_w < V::kSideBySide || !LoadChunk5x5<V>(args, channel, width, &chunk)) {
    return false;
  }
  alignas(64) uint8_t columns[kColumnBufferBytes];
  constexpr uint32_t kCapacity = kColumnBufferBytes / (8 * V::kBytes);
  const uint32_t most = (kCapacity - 5) / g.stride_w + 1;
  const uint32_t strips = (g.out_w + most - 1) / most;
  for (uint64_t y = rows.begin; y < rows.end; ++y) {
    const uint8_t* source[5];
    for (uint32_t r = 0; r < 5; ++r) {
      const int64_t row = (int64_t)(y * g.stride_h) - g.pad_top + (int64_t)r;
      const bool inside = row >= 0 && row < g.in_h;
      source[r] = inside ? args.input + (size_t)row * g.in_w * g.in_c + channel : nullptr;
    }
    for (uint32_t i = 0, x = 0; i < strips; ++i) {
      const uint32_t next = (uint32_t)((uint64_t)g.out_w * (i + 1) / strips);
      InterleaveColumns5x5<V>(args, source, (int64_t)x * g.stride_w - g.pad_left,
                              (next - x - 1) * g.stride_w + 5, width, columns);
      uint8_t* output = args.output + (y * g.out_w + x) * g.out_c + channel;
      if (g.stride_w == 1) {
        DotColumns5x5<V, 1>(args, chunk, columns, next - x, width, output);
      } else {
        DotColumns5x5<V, 2>(args, chunk, columns, next - x, width, output);
      }
      x = next;
    }
  }
  return true;
}

}  // namespace
}  // namespace octet
