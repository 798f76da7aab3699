// Copies of short runs of bytes: the channels of a pixel. A call of memcpy costs more than most of
// them take.
#ifndef OCTET_KERNELS_COPY_H_
#define OCTET_KERNELS_COPY_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace octet {

// As memcpy: the two do not overlap. Tails are copied by a block that ends with the run and repeats
// bytes before it.
static inline void CopyRun(uint8_t* to, const uint8_t* from, size_t bytes) {
  constexpr size_t kLong = 256;  // where memcpy's wider registers pay for the call
  if (bytes > kLong) {
    memcpy(to, from, bytes);
  } else if (bytes >= 16) {
    for (size_t i = 0; i + 16 <= bytes; i += 16) memcpy(to + i, from + i, 16);
    memcpy(to + bytes - 16, from + bytes - 16, 16);
  } else if (bytes >= 8) {
    memcpy(to, from, 8);
    memcpy(to + bytes - 8, from + bytes - 8, 8);
  } else if (bytes >= 4) {
    memcpy(to, from, 4);
    memcpy(to + bytes - 4, from + bytes - 4, 4);
  } else if (bytes >= 2) {
    memcpy(to, from, 2);
    to[bytes - 1] = from[bytes - 1];
  } else if (bytes == 1) {
    *to = *from;
  }
}

// 16 bytes in one register: compilers take two for a memcpy.
static inline void Copy16(uint8_t* to, const uint8_t* from) {
  typedef uint8_t Vector __attribute__((vector_size(16)));
  Vector bytes;
  memcpy(&bytes, from, 16);
  memcpy(to, &bytes, 16);
}

// As memcpy for runs of kBlock / 2 to kBlock bytes: two blocks, which overlap in the middle.
template <size_t kBlock>
static inline void CopyEnds(uint8_t* to, const uint8_t* from, size_t bytes) {
  constexpr size_t kHalf = kBlock / 2;
  if constexpr (kHalf == 16) {
    Copy16(to, from);
    Copy16(to + bytes - kHalf, from + bytes - kHalf);
  } else {
    memcpy(to, from, kHalf);
    memcpy(to + bytes - kHalf, from + bytes - kHalf, kHalf);
  }
}

// `count` runs, at their own distances.
static inline void CopyRuns(uint8_t* to, uint64_t to_step, const uint8_t* from, uint64_t from_step,
                            uint64_t count, size_t bytes) {
  if (to_step == bytes && from_step == bytes) {
    memcpy(to, from, (size_t)count * bytes);
    return;
  }
  const auto each = [=](auto copy) {
    uint8_t* t = to;
    const uint8_t* f = from;
    for (uint64_t i = 0; i < count; ++i, t += to_step, f += from_step) copy(t, f);
  };
#if OCTET_ARCH_CORTEX_M  // flash is short there
  const auto four = each;
#else
  // Of the shortest, counting and moving on cost as much as copying.
  const auto four = [=](auto copy) {
    uint8_t* t = to;
    const uint8_t* f = from;
    uint64_t left = count;
    const uint64_t t2 = 2 * to_step, t3 = 3 * to_step, f2 = 2 * from_step, f3 = 3 * from_step;
    for (; left >= 4; left -= 4, t += 4 * to_step, f += 4 * from_step) {
      copy(t, f);
      copy(t + to_step, f + from_step);
      copy(t + t2, f + f2);
      copy(t + t3, f + f3);
    }
    for (; left != 0; --left, t += to_step, f += from_step) copy(t, f);
  };
#endif
  switch (bytes) {
    case 1:
      return four([](uint8_t* t, const uint8_t* f) { *t = *f; });
    case 2:
      return four([](uint8_t* t, const uint8_t* f) { memcpy(t, f, 2); });
    case 3:
      return each([](uint8_t* t, const uint8_t* f) {
        memcpy(t, f, 2);
        t[2] = f[2];
      });
    case 4:
      return four([](uint8_t* t, const uint8_t* f) { memcpy(t, f, 4); });
    case 8:
      return four([](uint8_t* t, const uint8_t* f) { memcpy(t, f, 8); });
    case 16:
      return four([](uint8_t* t, const uint8_t* f) { Copy16(t, f); });
#if !OCTET_ARCH_CORTEX_M
    case 32:
      return four([](uint8_t* t, const uint8_t* f) { memcpy(t, f, 32); });
    case 64:
      return each([](uint8_t* t, const uint8_t* f) { memcpy(t, f, 64); });
    case 128:
      return each([](uint8_t* t, const uint8_t* f) { memcpy(t, f, 128); });
#endif
    default:
      break;
  }
#if !OCTET_ARCH_CORTEX_M
  if (bytes > 64 && bytes < 128) {
    return each([bytes](uint8_t* t, const uint8_t* f) { CopyEnds<128>(t, f, bytes); });
  }
  if (bytes > 32 && bytes < 64) {
    return four([bytes](uint8_t* t, const uint8_t* f) { CopyEnds<64>(t, f, bytes); });
  }
  if (bytes > 16 && bytes < 32) {
    return four([bytes](uint8_t* t, const uint8_t* f) { CopyEnds<32>(t, f, bytes); });
  }
  if (bytes > 8 && bytes < 16) {
    return four([bytes](uint8_t* t, const uint8_t* f) { CopyEnds<16>(t, f, bytes); });
  }
  if (bytes > 4 && bytes < 8) {
    return four([bytes](uint8_t* t, const uint8_t* f) { CopyEnds<8>(t, f, bytes); });
  }
#endif
  each([bytes](uint8_t* t, const uint8_t* f) { CopyRun(t, f, bytes); });
}

}  // namespace octet

#endif  // OCTET_KERNELS_COPY_H_
