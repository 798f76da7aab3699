// The 256-entry table of int8 functions: all of it in 16 registers (AArch64). ARMv7 has half as
// many and keeps the reference, one load an element.
//
// Tables by channel: 16 channels of 16 pixels are transposed, so that a vector is looked up in one
// table, and transposed back. ARMv7, and channels that do not fill a vector: one load a byte.
#include <string.h>

#include "runtime/kernels/arm_requantize.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"

#if defined(__aarch64__)

namespace octet {

void table_s8_neon(const TableS8Args& args, Share share) {
  constexpr uint32_t kVectors = 4;
  const Range range = RangeOf(args.count, share);
  const Table256 table = LoadTable256(args.table);
  const uint8_t* from = args.input + range.begin;
  uint8_t* to = args.output + range.begin;
  uint64_t left = range.end - range.begin;
  for (; left >= 16 * kVectors; left -= 16 * kVectors) {
    uint8x16_t q[kVectors];
#pragma GCC unroll 4
    for (uint32_t v = 0; v < kVectors; ++v) q[v] = vld1q_u8(from + 16 * v);
#pragma GCC unroll 4
    for (uint32_t v = 0; v < kVectors; ++v) q[v] = LookUp(table, q[v]);
#pragma GCC unroll 4
    for (uint32_t v = 0; v < kVectors; ++v) vst1q_u8(to + 16 * v, q[v]);
    from += 16 * kVectors;
    to += 16 * kVectors;
  }
  while (left != 0) {
    const uint32_t count = left < 16 ? (uint32_t)left : 16;
    int8x16_t q = LoadPartial16(from, count);
    q = vreinterpretq_s8_u8(LookUp(table, vreinterpretq_u8_s8(q)));
    StorePartial16(to, q, count);
    from += count;
    to += count;
    left -= count;
  }
}

namespace {

constexpr uint32_t kTilePixels = 64;
constexpr uint32_t kTileVectors = kTilePixels / 16;
// Fewer pixels than this take fewer instructions one by one.
constexpr uint32_t kMinPixels = 8;

// v[i]'s byte j becomes v[j]'s byte i.
static inline void Transpose16(uint8x16_t* v) {
#pragma GCC unroll 4
  for (int stage = 0; stage < 4; ++stage) {
    uint8x16_t w[16];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      w[2 * i] = vzip1q_u8(v[i], v[i + 8]);
      w[2 * i + 1] = vzip2q_u8(v[i], v[i + 8]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) v[i] = w[i];
  }
}

// clang-format off
#define OCTET_ON4(op, rest)                              \
  op "4.16b, " rest "v0.16b\n\t"                         \
  op "5.16b, " rest "v1.16b\n\t"                         \
  op "6.16b, " rest "v2.16b\n\t"                         \
  op "7.16b, " rest "v3.16b\n\t"
#define OCTET_NEXT                                       \
  "sub v0.16b, v0.16b, %[step].16b\n\t"                  \
  "sub v1.16b, v1.16b, %[step].16b\n\t"                  \
  "sub v2.16b, v2.16b, %[step].16b\n\t"                  \
  "sub v3.16b, v3.16b, %[step].16b\n\t"
// clang-format on

// As LookUp(), 64 bytes in place. In assembly because GCC copies tables that it loads four vectors
// at a time.
static inline void LookUp64(const int8_t* table, uint8_t* bytes) {
  static_assert(kTilePixels == 64, "");
  const int8_t* positive = table + 128;
  __asm__ volatile(
      "ld1 {v16.16b-v19.16b}, [%[positive]], #64\n\t"
      "ld1 {v0.16b-v3.16b}, [%[bytes]]\n\t"
      "ld1 {v20.16b-v23.16b}, [%[positive]]\n\t" OCTET_ON4("tbl v", "{v16.16b-v19.16b}, ")
          OCTET_NEXT "ld1 {v24.16b-v27.16b}, [%[table]], #64\n\t" OCTET_ON4(
              "tbx v", "{v20.16b-v23.16b}, ") OCTET_NEXT
      "ld1 {v28.16b-v31.16b}, [%[table]]\n\t" OCTET_ON4("tbx v", "{v24.16b-v27.16b}, ")
          OCTET_NEXT OCTET_ON4("tbx v", "{v28.16b-v31.16b}, ") "st1 {v4.16b-v7.16b}, [%[bytes]]\n\t"
      : [positive] "+r"(positive), [table] "+r"(table)
      : [bytes] "r"(bytes), [step] "w"(vdupq_n_u8(64))
      : "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20",
        "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
}

#undef OCTET_ON4
#undef OCTET_NEXT

// 16 channels of `pixels` pixels, at most kTilePixels, `step` bytes apart.
static void LookUp16(const uint8_t* input, uint8_t* output, uint32_t pixels, size_t step,
                     const int8_t* tables, const uint8_t* index) {
  alignas(16) uint8_t tile[16][kTileVectors][16];  // [channel][pixel]
  const uint32_t vectors = (pixels + 15) / 16;
  for (uint32_t i = 0; i < vectors; ++i) {
    const uint32_t last = pixels - 16 * i - 1;  // behind it the last once more, for nothing
    uint8x16_t v[16];
    if (last >= 15) {
#pragma GCC unroll 16
      for (uint32_t r = 0; r < 16; ++r, input += step) v[r] = vld1q_u8(input);
    } else {
      for (uint32_t r = 0; r < 16; ++r) v[r] = vld1q_u8(input + (r < last ? r : last) * step);
    }
    Transpose16(v);
#pragma GCC unroll 16
    for (uint32_t c = 0; c < 16; ++c) vst1q_u8(tile[c][i], v[c]);
  }
  for (uint32_t c = 0; c < 16; ++c) {
    const int8_t* table = tables + (size_t)index[c] * 256;
    if (vectors == kTileVectors) {
      LookUp64(table, tile[c][0]);
    } else {
      ApplyTable(reinterpret_cast<int8x16_t*>(tile[c][0]), (int)vectors, table);
    }
  }
  for (uint32_t i = 0; i < vectors; ++i) {
    const uint32_t left = pixels - 16 * i;
    uint8x16_t v[16];
#pragma GCC unroll 16
    for (uint32_t c = 0; c < 16; ++c) v[c] = vld1q_u8(tile[c][i]);
    Transpose16(v);
    if (left >= 16) {
#pragma GCC unroll 16
      for (uint32_t r = 0; r < 16; ++r, output += step) vst1q_u8(output, v[r]);
    } else {
      for (uint32_t r = 0; r < left; ++r) vst1q_u8(output + r * step, v[r]);
    }
  }
}

}  // namespace
}  // namespace octet

#endif  // __aarch64__

namespace octet {
namespace {

// As many channels at a time as a register has bytes: one load and one store for all of them, and
// their tables' addresses stay in registers.
static void LookUpBytes(const ChannelTableS8Args& args, uint64_t first, uint32_t pixels,
                        uint32_t c) {
  typedef uintptr_t Word;
  constexpr uint32_t kBytes = sizeof(Word);
  const uint32_t channels = args.channels;
  const uint8_t* input = args.input + first * channels;
  uint8_t* output = args.output + first * channels;
  const uint8_t* middle = reinterpret_cast<const uint8_t*>(args.tables) + 128;  // of q = 0
  for (; c + kBytes <= channels; c += kBytes) {
    const uint8_t* tables[kBytes];
    for (uint32_t i = 0; i < kBytes; ++i) tables[i] = middle + (uint32_t)args.index[c + i] * 256;
    const uint8_t* x = input + c;
    uint8_t* y = output + c;
    for (uint32_t p = 0; p < pixels; ++p, x += channels, y += channels) {
      Word from, to = 0;
      memcpy(&from, x, kBytes);
#pragma GCC unroll 8
      for (uint32_t i = 0; i < kBytes; ++i) {
        to |= (Word)tables[i][(int8_t)(from >> (8 * i))] << (8 * i);
        // One ORR with a shift a byte: GCC would make a tree, with shifts of their own.
        __asm__("" : "+r"(to));
      }
      memcpy(y, &to, kBytes);
    }
  }
  for (; c < channels; ++c) {
    const uint8_t* table = middle + (uint32_t)args.index[c] * 256;
    for (uint32_t p = 0; p < pixels; ++p) {
      output[p * channels + c] = table[(int8_t)input[p * channels + c]];
    }
  }
}

}  // namespace

// The pixels in tiles: the next channels find the lines in the first cache.
void channel_table_s8_neon(const ChannelTableS8Args& args, Share share) {
  constexpr uint32_t kTile = 64;
  const Range range = RangeOf(args.pixels, share);
  for (uint64_t first = range.begin; first < range.end; first += kTile) {
    uint32_t pixels = range.end - first < kTile ? (uint32_t)(range.end - first) : kTile;
    uint32_t c = 0;
#if defined(__aarch64__)
    static_assert(kTile == kTilePixels, "one tile");
    const uint32_t rest = pixels % 16 < kMinPixels ? pixels % 16 : 0;
    if (rest != 0) LookUpBytes(args, first + pixels - rest, rest, 0);
    pixels -= rest;
    const size_t step = args.channels;
    if (pixels != 0) {
      for (; c + 16 <= args.channels; c += 16) {
        const size_t at = (size_t)first * step + c;
        LookUp16(args.input + at, args.output + at, pixels, step, args.tables, args.index + c);
      }
    }
#endif
    LookUpBytes(args, first, pixels, c);
  }
}

}  // namespace octet
