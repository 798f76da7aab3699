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

// A channel of a block whose table most others do not have.
struct Other {
  const uint8_t* middle;  // of its table: of q = 0
  size_t channel;
};

constexpr uint32_t kMostOthers = 6;
// Fewer pixels than this take fewer instructions one by one.
constexpr uint32_t kLeastPixels = 8;

// clang-format off
#define OCTET_LOAD(i, from) "ldrsb %[x" #i "], [%[" from "], %[c" #i "]]\n\t"
#define OCTET_FIND(i) "ldrb %w[x" #i "], [%[m" #i "], %[x" #i "]]\n\t"
#define OCTET_STORE(i, to) "strb %w[x" #i "], [%[" to "], %[c" #i "]]\n\t"
// Two pixels; macros name what is done to the others.
#define OCTET_LOOP(label, LOADS, FINDS, STORES)                                   \
  #label ":\n\t"                                                                  \
  "ldr q0, [%[input]]\n\t"                                                        \
  "ldr q4, [%[input2]]\n\t"                                                       \
  LOADS("input")                                                                  \
  "sub v2.16b, v0.16b, %[part].16b\n\t"                                           \
  "tbl v1.16b, {v16.16b-v19.16b}, v0.16b\n\t"                                     \
  "sub v6.16b, v4.16b, %[part].16b\n\t"                                           \
  "tbl v5.16b, {v16.16b-v19.16b}, v4.16b\n\t"                                     \
  FINDS                                                                           \
  "sub v0.16b, v2.16b, %[part].16b\n\t"                                           \
  "tbx v1.16b, {v20.16b-v23.16b}, v2.16b\n\t"                                     \
  "sub v4.16b, v6.16b, %[part].16b\n\t"                                           \
  "tbx v5.16b, {v20.16b-v23.16b}, v6.16b\n\t"                                     \
  "sub v2.16b, v0.16b, %[part].16b\n\t"                                           \
  "tbx v1.16b, {v24.16b-v27.16b}, v0.16b\n\t"                                     \
  "sub v6.16b, v4.16b, %[part].16b\n\t"                                           \
  "tbx v5.16b, {v24.16b-v27.16b}, v4.16b\n\t"                                     \
  "add %[input], %[input], %[step], lsl #1\n\t"                                   \
  "tbx v1.16b, {v28.16b-v31.16b}, v2.16b\n\t"                                     \
  "cmp %[input], %[end]\n\t"                                                      \
  "tbx v5.16b, {v28.16b-v31.16b}, v6.16b\n\t"                                     \
  "str q1, [%[output]]\n\t"                                                       \
  STORES("output")                                                                \
  LOADS("input2")                                                                 \
  "add %[input2], %[input2], %[step], lsl #1\n\t"                                 \
  "add %[output], %[output], %[step], lsl #1\n\t"                                 \
  FINDS                                                                           \
  "str q5, [%[output2]]\n\t"                                                      \
  STORES("output2")                                                               \
  "add %[output2], %[output2], %[step], lsl #1\n\t"                               \
  "b.ne " #label "b\n\t"
#define OCTET_LOADS2(from) OCTET_LOAD(0, from) OCTET_LOAD(1, from)
#define OCTET_LOADS4(from) OCTET_LOADS2(from) OCTET_LOAD(2, from) OCTET_LOAD(3, from)
#define OCTET_LOADS6(from) OCTET_LOADS4(from) OCTET_LOAD(4, from) OCTET_LOAD(5, from)
#define OCTET_FINDS2 OCTET_FIND(0) OCTET_FIND(1)
#define OCTET_FINDS4 OCTET_FINDS2 OCTET_FIND(2) OCTET_FIND(3)
#define OCTET_FINDS6 OCTET_FINDS4 OCTET_FIND(4) OCTET_FIND(5)
#define OCTET_STORES2(to) OCTET_STORE(0, to) OCTET_STORE(1, to)
#define OCTET_STORES4(to) OCTET_STORES2(to) OCTET_STORE(2, to) OCTET_STORE(3, to)
#define OCTET_STORES6(to) OCTET_STORES4(to) OCTET_STORE(4, to) OCTET_STORE(5, to)

// 16 channels of `pixels` pixels, an even number, `step` bytes apart, through one table, as
// LookUp() does it, but for 2, 4 or 6 of them, which are looked up one by one: what loads and
// stores has nothing else to do meanwhile. Their bytes are read before the vector is stored, since
// output and input may be one. In assembly because GCC, which fears that a store changes the table,
// loads it again and again.
static void LookUp16(const uint8_t* input, uint8_t* output, uint32_t pixels, size_t step,
                     const int8_t* table, const Other* others, uint32_t count) {
  const uint8_t* end = input + pixels * step;
  const int8_t* input2 = table;         // at first
  const int8_t* output2 = table + 128;
  size_t x0, x1, x2, x3, x4, x5;
  __asm__ volatile(
      "ld1 {v16.16b-v19.16b}, [%[output2]], #64\n\t"
      "ld1 {v20.16b-v23.16b}, [%[output2]]\n\t"
      "ld1 {v24.16b-v27.16b}, [%[input2]], #64\n\t"
      "ld1 {v28.16b-v31.16b}, [%[input2]]\n\t"
      "add %[input2], %[input], %[step]\n\t"
      "add %[output2], %[output], %[step]\n\t"
      "cmp %w[count], #4\n\t"
      "b.hi 6f\n\t"
      "b.eq 4f\n\t"
      OCTET_LOOP(2, OCTET_LOADS2, OCTET_FINDS2, OCTET_STORES2)
      "b 9f\n\t"
      OCTET_LOOP(4, OCTET_LOADS4, OCTET_FINDS4, OCTET_STORES4)
      "b 9f\n\t"
      OCTET_LOOP(6, OCTET_LOADS6, OCTET_FINDS6, OCTET_STORES6)
      "9:\n\t"
      : [input] "+r"(input), [output] "+r"(output), [input2] "+r"(input2), [output2] "+r"(output2),
        [x0] "=&r"(x0), [x1] "=&r"(x1), [x2] "=&r"(x2), [x3] "=&r"(x3), [x4] "=&r"(x4),
        [x5] "=&r"(x5)
      : [end] "r"(end), [step] "r"(step), [count] "r"(count), [part] "w"(vdupq_n_u8(64)),
        [c0] "r"(others[0].channel), [c1] "r"(others[1].channel), [c2] "r"(others[2].channel),
        [c3] "r"(others[3].channel), [c4] "r"(others[4].channel), [c5] "r"(others[5].channel),
        [m0] "r"(others[0].middle), [m1] "r"(others[1].middle), [m2] "r"(others[2].middle),
        [m3] "r"(others[3].middle), [m4] "r"(others[4].middle), [m5] "r"(others[5].middle)
      : "cc", "memory", "v0", "v1", "v2", "v4", "v5", "v6", "v16", "v17", "v18", "v19", "v20",
        "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
}
// clang-format on
#undef OCTET_LOAD
#undef OCTET_FIND
#undef OCTET_STORE
#undef OCTET_LOOP
#undef OCTET_LOADS2
#undef OCTET_LOADS4
#undef OCTET_LOADS6
#undef OCTET_FINDS2
#undef OCTET_FINDS4
#undef OCTET_FINDS6
#undef OCTET_STORES2
#undef OCTET_STORES4
#undef OCTET_STORES6

// The table that most of 16 channels have, and the channels that have others: 2, 4 or 6 of them,
// some repeated or of that table too; 0: there are more.
[[gnu::noinline]] static uint32_t SortTables(const uint8_t* index, const int8_t* tables,
                                             const int8_t** most, Other* others) {
  const uint8x16_t indices = vld1q_u8(index);
  uint32_t best = 0;
  int least = 0;
#pragma GCC unroll 1
  for (uint32_t c = 0; c < 16; ++c) {
    const uint8x16_t equal = vceqq_u8(indices, vdupq_n_u8(index[c]));
    const int count = vaddvq_s8(vreinterpretq_s8_u8(equal));  // negative
    if (count >= least) continue;
    best = c;
    least = count;
  }
  *most = tables + (size_t)index[best] * 256;
  if (least > (int)kMostOthers - 16) return 0;
  const auto other = [&](uint32_t c) {
    return Other{reinterpret_cast<const uint8_t*>(tables) + (size_t)index[c] * 256 + 128, c};
  };
  uint32_t count = 0;
#pragma GCC unroll 1
  for (uint32_t c = 0; c < 16; ++c) {
    if (index[c] != index[best]) others[count++] = other(c);
  }
  for (uint32_t i = count; i < kMostOthers; ++i) others[i] = count == 0 ? other(0) : others[0];
  return count <= 2 ? 2 : count <= 4 ? 4 : 6;
}

}  // namespace
}  // namespace octet

#endif  // __aarch64__

namespace octet {
namespace {

#if defined(__aarch64__)
// clang-format off
#define OCTET_INDEX(to, from, bit) "sbfx %[" #to "], %[" #from "], #" #bit ", #8\n\t"
#define OCTET_INDEX8(x) \
  OCTET_INDEX(x##1, x##0, 8) OCTET_INDEX(x##2, x##0, 16) OCTET_INDEX(x##3, x##0, 24) \
  OCTET_INDEX(x##4, x##0, 32) OCTET_INDEX(x##5, x##0, 40) OCTET_INDEX(x##6, x##0, 48) \
  OCTET_INDEX(x##7, x##0, 56) OCTET_INDEX(x##0, x##0, 0)
#define OCTET_FIND(x, i) "ldrb %w[" #x #i "], [%[m" #i "], %[" #x #i "]]\n\t"
#define OCTET_FIND8(x) \
  OCTET_FIND(x, 0) OCTET_FIND(x, 1) OCTET_FIND(x, 2) OCTET_FIND(x, 3) \
  OCTET_FIND(x, 4) OCTET_FIND(x, 5) OCTET_FIND(x, 6) OCTET_FIND(x, 7)
#define OCTET_JOIN(i, j, bits) \
  "orr %[a" #i "], %[a" #i "], %[a" #j "], lsl #" #bits "\n\t" \
  "orr %[b" #i "], %[b" #i "], %[b" #j "], lsl #" #bits "\n\t"
// Each byte of two words in its table. In assembly, so that steps of one kind stay together: cores
// that execute in order wait less.
static inline void LookUpWords(const uint8_t* const* tables, uint64_t* a, uint64_t* b) {
  uint64_t a0 = *a, b0 = *b, a1, a2, a3, a4, a5, a6, a7, b1, b2, b3, b4, b5, b6, b7;
  __asm__ volatile(
      OCTET_INDEX8(a) OCTET_INDEX8(b) OCTET_FIND8(a) OCTET_FIND8(b)
      OCTET_JOIN(0, 1, 8) OCTET_JOIN(2, 3, 8) OCTET_JOIN(4, 5, 8) OCTET_JOIN(6, 7, 8)
      OCTET_JOIN(0, 2, 16) OCTET_JOIN(4, 6, 16) OCTET_JOIN(0, 4, 32)
      : [a0] "+r"(a0), [b0] "+r"(b0), [a1] "=&r"(a1), [a2] "=&r"(a2), [a3] "=&r"(a3),
        [a4] "=&r"(a4), [a5] "=&r"(a5), [a6] "=&r"(a6), [a7] "=&r"(a7), [b1] "=&r"(b1),
        [b2] "=&r"(b2), [b3] "=&r"(b3), [b4] "=&r"(b4), [b5] "=&r"(b5), [b6] "=&r"(b6),
        [b7] "=&r"(b7)
      : [m0] "r"(tables[0]), [m1] "r"(tables[1]), [m2] "r"(tables[2]), [m3] "r"(tables[3]),
        [m4] "r"(tables[4]), [m5] "r"(tables[5]), [m6] "r"(tables[6]), [m7] "r"(tables[7])
      : "memory");
  *a = a0;
  *b = b0;
}
// clang-format on
#undef OCTET_INDEX
#undef OCTET_INDEX8
#undef OCTET_FIND
#undef OCTET_FIND8
#undef OCTET_JOIN
#endif

// As many channels at a time as a register has bytes: one load and one store for all of them, and
// their tables' addresses stay in registers.
[[gnu::noinline, gnu::noclone]] static void LookUpBytes(const ChannelTableS8Args& args,
                                                        uint64_t first, uint32_t pixels, uint32_t c,
                                                        uint32_t end) {
  typedef uintptr_t Word;
  constexpr uint32_t kBytes = sizeof(Word);
  const uint32_t channels = args.channels;
  const uint8_t* input = args.input + first * channels;
  uint8_t* output = args.output + first * channels;
  const uint8_t* middle = reinterpret_cast<const uint8_t*>(args.tables) + 128;  // of q = 0
  for (; c + kBytes <= end; c += kBytes) {
    const uint8_t* tables[kBytes];
    for (uint32_t i = 0; i < kBytes; ++i) tables[i] = middle + (uint32_t)args.index[c + i] * 256;
    const uint8_t* x = input + c;
    uint8_t* y = output + c;
    uint32_t p = 0;
#if defined(__aarch64__)
    for (; p + 2 <= pixels; p += 2, x += 2 * (size_t)channels, y += 2 * (size_t)channels) {
      uint64_t a, b;
      memcpy(&a, x, kBytes);
      memcpy(&b, x + channels, kBytes);
      LookUpWords(tables, &a, &b);
      memcpy(y, &a, kBytes);
      memcpy(y + channels, &b, kBytes);
    }
#endif
    for (; p < pixels; ++p, x += channels, y += channels) {
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
  for (; c < end; ++c) {
    const uint8_t* table = middle + (uint32_t)args.index[c] * 256;
    for (uint32_t p = 0; p < pixels; ++p) {
      output[p * channels + c] = table[(int8_t)input[p * channels + c]];
    }
  }
}

}  // namespace

// The pixels in tiles: the next channels find the lines in the first cache.
void channel_table_s8_neon(const ChannelTableS8Args& args, Share share) {
  constexpr uint32_t kTileBytes = 16384;
  const Range range = RangeOf(args.pixels, share);
  const size_t step = args.channels;
  const uint32_t tile = kTileBytes / 64 < step ? 64 : (uint32_t)(kTileBytes / step);
  for (uint64_t first = range.begin; first < range.end; first += tile) {
    uint32_t pixels = range.end - first < tile ? (uint32_t)(range.end - first) : tile;
    uint32_t c = 0;
#if defined(__aarch64__)
    if (pixels % 2 != 0) LookUpBytes(args, first + --pixels, 1, 0, args.channels);
    for (; pixels >= kLeastPixels && c + 16 <= args.channels; c += 16) {
      const int8_t* most;
      Other others[kMostOthers];
      const uint32_t count = SortTables(args.index + c, args.tables, &most, others);
      if (count == 0) {
        LookUpBytes(args, first, pixels, c, c + 16);
        continue;
      }
      const size_t at = (size_t)first * step + c;
      LookUp16(args.input + at, args.output + at, pixels, step, most, others, count);
    }
#endif
    LookUpBytes(args, first, pixels, c, args.channels);
  }
}

}  // namespace octet
