// SHA-256 with the ARMv8 cryptographic extension.
#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/format/sha256_constants.h"

namespace octet {

void Sha256BlocksArmSha2(uint32_t state[8], const uint8_t* data, size_t block_count);

void Sha256BlocksArmSha2(uint32_t state[8], const uint8_t* data, size_t block_count) {
  uint32x4_t abcd = vld1q_u32(state);
  uint32x4_t efgh = vld1q_u32(state + 4);
  for (; block_count != 0; --block_count, data += 64) {
    const uint32x4_t abcd_before = abcd, efgh_before = efgh;
    uint32x4_t w[4];
    for (int i = 0; i < 4; ++i) {
      w[i] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(data + 16 * i)));
    }
#pragma GCC unroll 16
    for (int group = 0; group < 16; ++group) {
      const uint32x4_t now = w[group & 3];
      const uint32x4_t sum = vaddq_u32(now, vld1q_u32(kSha256K + 4 * group));
      const uint32x4_t abcd_old = abcd;
      abcd = vsha256hq_u32(abcd, efgh, sum);
      efgh = vsha256h2q_u32(efgh, abcd_old, sum);
      if (group < 12) {
        // w[t+16] = w[t] + s0(w[t+1]) + w[t+9] + s1(w[t+14]), four at a time.
        w[group & 3] = vsha256su1q_u32(vsha256su0q_u32(now, w[(group + 1) & 3]), w[(group + 2) & 3],
                                       w[(group + 3) & 3]);
      }
    }
    abcd = vaddq_u32(abcd, abcd_before);
    efgh = vaddq_u32(efgh, efgh_before);
  }
  vst1q_u32(state, abcd);
  vst1q_u32(state + 4, efgh);
}

}  // namespace octet
