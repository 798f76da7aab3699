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

// clang-format off
#define OCTET_ZIP(a, b, low, high)                       \
  "zip1 v" #low ".16b, v" #a ".16b, v" #b ".16b\n\t"     \
  "zip2 v" #high ".16b, v" #a ".16b, v" #b ".16b\n\t"
#define OCTET_ZIPS_UP                                    \
  OCTET_ZIP(0, 8, 16, 17) OCTET_ZIP(1, 9, 18, 19)        \
  OCTET_ZIP(2, 10, 20, 21) OCTET_ZIP(3, 11, 22, 23)      \
  OCTET_ZIP(4, 12, 24, 25) OCTET_ZIP(5, 13, 26, 27)      \
  OCTET_ZIP(6, 14, 28, 29) OCTET_ZIP(7, 15, 30, 31)
#define OCTET_ZIPS_DOWN                                  \
  OCTET_ZIP(16, 24, 0, 1) OCTET_ZIP(17, 25, 2, 3)        \
  OCTET_ZIP(18, 26, 4, 5) OCTET_ZIP(19, 27, 6, 7)        \
  OCTET_ZIP(20, 28, 8, 9) OCTET_ZIP(21, 29, 10, 11)      \
  OCTET_ZIP(22, 30, 12, 13) OCTET_ZIP(23, 31, 14, 15)
#define OCTET_FOUR(op, a, b, c, d)                       \
  op " q" #a ", [%[rows]]\n\t"                           \
  op " q" #b ", [%[rows], %[step]]\n\t"                  \
  op " q" #c ", [%[rows], %[step2]]\n\t"                 \
  op " q" #d ", [%[rows], %[step3]]\n\t"
#define OCTET_ROWS(op)                                   \
  OCTET_FOUR(op, 0, 1, 2, 3)                               \
  "add %[rows], %[rows], %[step], lsl #2\n\t"            \
  OCTET_FOUR(op, 4, 5, 6, 7)                               \
  "add %[rows], %[rows], %[step], lsl #2\n\t"            \
  OCTET_FOUR(op, 8, 9, 10, 11)                             \
  "add %[rows], %[rows], %[step], lsl #2\n\t"            \
  OCTET_FOUR(op, 12, 13, 14, 15)
#define OCTET_COLUMN(op, a) op " q" #a ", [%[columns], #64 * " #a "]\n\t"
#define OCTET_COLUMNS(op)                                \
  OCTET_COLUMN(op, 0) OCTET_COLUMN(op, 1)                \
  OCTET_COLUMN(op, 2) OCTET_COLUMN(op, 3)                \
  OCTET_COLUMN(op, 4) OCTET_COLUMN(op, 5)                \
  OCTET_COLUMN(op, 6) OCTET_COLUMN(op, 7)                \
  OCTET_COLUMN(op, 8) OCTET_COLUMN(op, 9)                \
  OCTET_COLUMN(op, 10) OCTET_COLUMN(op, 11)              \
  OCTET_COLUMN(op, 12) OCTET_COLUMN(op, 13)              \
  OCTET_COLUMN(op, 14) OCTET_COLUMN(op, 15)
#define OCTET_TRANSPOSE(load, store)                                                             \
  const size_t step2 = 2 * step, step3 = 3 * step;                                               \
  __asm__ volatile(load                                                                          \
      OCTET_ZIPS_UP OCTET_ZIPS_DOWN OCTET_ZIPS_UP OCTET_ZIPS_DOWN store                          \
      : [rows] "+r"(rows)                                                                        \
      : [columns] "r"(columns), [step] "r"(step), [step2] "r"(step2), [step3] "r"(step3)         \
      : "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",      \
        "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23",      \
        "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31")
// clang-format on

// Byte c of the row of 16 at rows + r * step and byte r of the one at columns + 64 * c are one and
// the same; in assembly because compilers run out of registers, of which it takes all.
static inline void TransposeRows(const uint8_t* rows, size_t step, uint8_t* columns) {
  OCTET_TRANSPOSE(OCTET_ROWS("ldr"), OCTET_COLUMNS("str"));
}
static inline void TransposeColumns(const uint8_t* columns, uint8_t* rows, size_t step) {
  OCTET_TRANSPOSE(OCTET_COLUMNS("ldr"), OCTET_ROWS("str"));
}

#undef OCTET_ZIP
#undef OCTET_ZIPS_UP
#undef OCTET_ZIPS_DOWN
#undef OCTET_FOUR
#undef OCTET_ROWS
#undef OCTET_COLUMN
#undef OCTET_COLUMNS
#undef OCTET_TRANSPOSE

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
  for (uint32_t i = 0; i < vectors; ++i, input += 16 * step) {
    const uint32_t left = pixels - 16 * i;
    if (left >= 16) {
      TransposeRows(input, step, tile[0][i]);
    } else {
      uint8_t rows[16][16] = {};
      for (uint32_t r = 0; r < left; ++r) vst1q_u8(rows[r], vld1q_u8(input + r * step));
      TransposeRows(rows[0], 16, tile[0][i]);
    }
  }
  for (uint32_t c = 0; c < 16; ++c) {
    const int8_t* table = tables + (size_t)index[c] * 256;
    if (vectors == kTileVectors) {
      LookUp64(table, tile[c][0]);
    } else {
      ApplyTable(reinterpret_cast<int8x16_t*>(tile[c][0]), (int)vectors, table);
    }
  }
  for (uint32_t i = 0; i < vectors; ++i, output += 16 * step) {
    const uint32_t left = pixels - 16 * i;
    if (left >= 16) {
      TransposeColumns(tile[0][i], output, step);
    } else {
      uint8_t rows[16][16];
      TransposeColumns(tile[0][i], rows[0], 16);
      for (uint32_t r = 0; r < left; ++r) vst1q_u8(output + r * step, vld1q_u8(rows[r]));
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
