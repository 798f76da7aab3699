// Copies of what goes from frame to frame: octet_motion_get and _set, and those of zones and
// tracks.
#ifndef OCTET_TESTS_SUPPORT_COPIES_H_
#define OCTET_TESTS_SUPPORT_COPIES_H_

#include <gtest/gtest.h>

#include <vector>

#include "octet/octet.h"
#include "tests/runtime/track/random.h"

namespace octet::test {

template <typename Thing>
struct Copies {
  Thing* thing;
  size_t bytes;  // of a copy
  octet_status (*get)(const Thing*, void*, size_t);
  octet_status (*set)(Thing*, const void*, size_t);

  std::vector<uint8_t> Copy() const {
    std::vector<uint8_t> copy(bytes, 0xAA);
    EXPECT_EQ(get(thing, copy.data(), copy.size()).code, OCTET_OK);
    return copy;
  }
  octet_code Set(const std::vector<uint8_t>& copy) const {
    return set(thing, copy.data(), copy.size()).code;
  }
  // Of `rounds` copies with one to four other bytes each: how many were refused. One that is
  // refused changes nothing, one that is taken runs. frame: runs the next frame, and takes the
  // round.
  template <typename Frame>
  uint32_t RefusedOfDamaged(uint32_t rounds, Random& random, Frame frame) const {
    uint32_t refused = 0;
    for (uint32_t round = 0; round < rounds; ++round) {
      frame(round);
      const std::vector<uint8_t> now = Copy();
      std::vector<uint8_t> damaged = now;
      for (uint32_t i = 0; i <= random.Below(3); ++i) {
        const uint32_t at = random.Below(static_cast<uint32_t>(damaged.size()));
        damaged[at] = static_cast<uint8_t>(random.Bits());
      }
      if (Set(damaged) == OCTET_OK) {
        frame(round);
        EXPECT_EQ(Set(now), OCTET_OK) << round;
        continue;
      }
      ++refused;
      EXPECT_EQ(Copy(), now) << round;
    }
    return refused;
  }
};

}  // namespace octet::test

#endif  // OCTET_TESTS_SUPPORT_COPIES_H_
