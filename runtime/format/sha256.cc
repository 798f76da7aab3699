#include "runtime/format/sha256.h"

#include <string.h>

#include "runtime/format/sha256_constants.h"

namespace octet {

#if defined(OCTET_ARCH_X86)
void Sha256BlocksX86Shani(uint32_t state[8], const uint8_t* data, size_t block_count);
#elif defined(OCTET_ARCH_AARCH64)
void Sha256BlocksArmSha2(uint32_t state[8], const uint8_t* data, size_t block_count);
#endif

Sha256BlocksFn Sha256BlocksAccelerated() {
#if defined(OCTET_ARCH_X86)
  return Sha256BlocksX86Shani;
#elif defined(OCTET_ARCH_AARCH64)
  return Sha256BlocksArmSha2;
#else
  return Sha256BlocksPortable;
#endif
}

namespace {

inline uint32_t RotateRight(uint32_t x, uint32_t n) {
  return (x >> n) | (x << (32 - n));
}

inline uint32_t LoadBigEndian32(const uint8_t* p) {
  return ((uint32_t)p[0] << 24) | ((uint32_t)p[1] << 16) | ((uint32_t)p[2] << 8) | (uint32_t)p[3];
}

// Sums of rotations as rotations of partial sums: on machines whose rotation overwrites its operand
// this saves copies. Sum0 = (a >>> 2) ^ (a >>> 13) ^ (a >>> 22), Sum1 with 6, 11, 25.
inline uint32_t Sum0(uint32_t a) {
  return RotateRight(RotateRight(RotateRight(a, 9) ^ a, 11) ^ a, 2);
}
inline uint32_t Sum1(uint32_t e) {
  return RotateRight(RotateRight(RotateRight(e, 14) ^ e, 5) ^ e, 6);
}

inline uint32_t Expand(const uint32_t w[16], uint32_t i) {
  const uint32_t w15 = w[(i + 1) & 15], w2 = w[(i + 14) & 15];
  const uint32_t s0 = RotateRight(RotateRight(w15, 11) ^ w15, 7) ^ (w15 >> 3);
  const uint32_t s1 = RotateRight(RotateRight(w2, 2) ^ w2, 17) ^ (w2 >> 10);
  return w[i & 15] + s0 + w[(i + 9) & 15] + s1;
}

// Round t. The eight working variables stay where they are; which of them plays a, b, ... turns
// with t, which the unrolled loops make a constant. *b_xor_c becomes a ^ b, the next round's b ^ c.
inline void Round(uint32_t v[8], uint32_t t, uint32_t k_plus_w, uint32_t* b_xor_c) {
  const uint32_t a = v[(0 - t) & 7], b = v[(1 - t) & 7];
  const uint32_t e = v[(4 - t) & 7], f = v[(5 - t) & 7], g = v[(6 - t) & 7];
  uint32_t* d = &v[(3 - t) & 7];
  uint32_t* h = &v[(7 - t) & 7];
  const uint32_t choose = g ^ (e & (f ^ g));
  const uint32_t a_xor_b = a ^ b;
  const uint32_t majority = b ^ (a_xor_b & *b_xor_c);
  *b_xor_c = a_xor_b;
  *h += k_plus_w + choose;
  *h += Sum1(e);
  *d += *h;
  *h += majority;
  *h += Sum0(a);
}

}  // namespace

void Sha256BlocksPortable(uint32_t state[8], const uint8_t* data, size_t block_count) {
  for (; block_count != 0; --block_count, data += kSha256BlockBytes) {
    uint32_t v[8], w[16];
#pragma GCC unroll 8
    for (uint32_t i = 0; i < 8; ++i) v[i] = state[i];
    uint32_t b_xor_c = v[1] ^ v[2];
#pragma GCC unroll 16
    for (uint32_t t = 0; t < 16; ++t) {
      w[t] = LoadBigEndian32(data + 4 * t);
      Round(v, t, kSha256K[t] + w[t], &b_xor_c);
    }
    for (uint32_t first = 16; first < 64; first += 16) {
#pragma GCC unroll 16
      for (uint32_t t = 0; t < 16; ++t) {
        w[t] = Expand(w, t);
        Round(v, t, kSha256K[first + t] + w[t], &b_xor_c);
      }
    }
#pragma GCC unroll 8
    for (uint32_t i = 0; i < 8; ++i) state[i] += v[i];
  }
}

void Sha256Start(Sha256* hash, Sha256BlocksFn blocks) {
  static const uint32_t kInitial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  hash->blocks = blocks;
  hash->byte_count = 0;
  memcpy(hash->state, kInitial, sizeof(kInitial));
}

void Sha256Update(Sha256* hash, const uint8_t* data, size_t bytes) {
  if (bytes == 0) return;  // data may be null, which memcpy must not be given
  size_t held = (size_t)(hash->byte_count % kSha256BlockBytes);
  hash->byte_count += bytes;
  if (held != 0) {
    const size_t wanted = kSha256BlockBytes - held;
    const size_t taken = bytes < wanted ? bytes : wanted;
    memcpy(hash->pending + held, data, taken);
    if (taken < wanted) return;
    hash->blocks(hash->state, hash->pending, 1);
    data += taken;
    bytes -= taken;
  }
  const size_t block_count = bytes / kSha256BlockBytes;
  hash->blocks(hash->state, data, block_count);
  held = bytes % kSha256BlockBytes;
  if (held != 0) memcpy(hash->pending, data + block_count * kSha256BlockBytes, held);
}

void Sha256Finish(Sha256* hash, uint8_t digest[kSha256Bytes]) {
  const uint64_t bit_count = hash->byte_count * 8;
  const size_t held = (size_t)(hash->byte_count % kSha256BlockBytes);
  uint8_t tail[2 * kSha256BlockBytes];
  memset(tail, 0, sizeof(tail));
  if (held != 0) memcpy(tail, hash->pending, held);
  tail[held] = 0x80;
  const size_t tail_blocks = held + 9 <= kSha256BlockBytes ? 1 : 2;
  for (size_t i = 0; i < 8; ++i) {
    tail[tail_blocks * kSha256BlockBytes - 1 - i] = (uint8_t)(bit_count >> (8 * i));
  }
  hash->blocks(hash->state, tail, tail_blocks);
  for (size_t i = 0; i < kSha256Bytes; ++i) {
    digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
  }
}

void Sha256Of(const uint8_t* data, size_t bytes, Sha256BlocksFn blocks,
              uint8_t digest[kSha256Bytes]) {
  Sha256 hash;
  Sha256Start(&hash, blocks);
  Sha256Update(&hash, data, bytes);
  Sha256Finish(&hash, digest);
}

}  // namespace octet
