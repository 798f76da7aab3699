// The 256-entry table of int8 functions: all of it in 16 registers (AArch64). ARMv7 has half as
// many and keeps the reference, one load an element.
//
// Tables by channel are looked up one load a byte, no vectors: four TBL and TBX of four registers
// take 18 cycles on a Cortex-A72 (9 on an A76) for 16 bytes of one table, as long as the loads, and
// once more for every further table among the 16 channels.
#include <string.h>

#include "runtime/kernels/arm_requantize.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"

#if defined(__aarch64__)

namespace octet {

void table_s8_neon(const TableS8Args& args, Share share) {
  constexpr uint64_t kVectors = 8;
  const Range range = RangeOf(args.count, share);
  for (uint64_t i = range.begin; i < range.end; i += 16 * kVectors) {
    int8x16_t q[kVectors];
    const uint64_t left = range.end - i;
    if (left >= 16 * kVectors) {
      for (uint64_t v = 0; v < kVectors; ++v) q[v] = LoadBytes(args.input + i + 16 * v);
      ApplyTable(q, kVectors, args.table);
      for (uint64_t v = 0; v < kVectors; ++v) {
        vst1q_u8(args.output + i + 16 * v, vreinterpretq_u8_s8(q[v]));
      }
      continue;
    }
    for (uint64_t at = 0; at < left; at += 16) {
      const uint32_t count = left - at < 16 ? (uint32_t)(left - at) : 16;
      q[0] = LoadPartial16(args.input + i + at, count);
      ApplyTable(q, 1, args.table);
      StorePartial16(args.output + i + at, q[0], count);
    }
  }
}

}  // namespace octet

#endif  // __aarch64__

namespace octet {

// As many channels at a time as a register has bytes: one load and one store for all of them, and
// their tables' addresses stay in registers. The pixels in tiles: the next channels find the lines
// in the first cache.
void channel_table_s8_neon(const ChannelTableS8Args& args, Share share) {
  typedef uintptr_t Word;
  constexpr uint64_t kTilePixels = 64;
  constexpr uint32_t kBytes = sizeof(Word);
  const Range range = RangeOf(args.pixels, share);
  const uint32_t channels = args.channels;
  for (uint64_t begin = range.begin; begin < range.end; begin += kTilePixels) {
    const uint64_t left = range.end - begin;
    const uint32_t pixels = left < kTilePixels ? (uint32_t)left : (uint32_t)kTilePixels;
    const uint8_t* input = args.input + begin * channels;
    uint8_t* output = args.output + begin * channels;
    const uint8_t* middle = reinterpret_cast<const uint8_t*>(args.tables) + 128;  // of q = 0
    uint32_t c = 0;
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
}

}  // namespace octet
