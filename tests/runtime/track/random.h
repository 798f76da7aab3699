// Numbers that are the same in every run.
#ifndef OCTET_TESTS_RUNTIME_TRACK_RANDOM_H_
#define OCTET_TESTS_RUNTIME_TRACK_RANDOM_H_

#include <cstdint>

namespace octet::test {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  uint64_t Bits() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>((Bits() >> 32) * bound >> 32); }
  int32_t Between(int32_t least, int32_t most) {
    return least + static_cast<int32_t>(Below(static_cast<uint32_t>(most - least) + 1));
  }
  bool OneIn(uint32_t n) { return Below(n) == 0; }

 private:
  uint64_t state_;
};

}  // namespace octet::test

#endif  // OCTET_TESTS_RUNTIME_TRACK_RANDOM_H_
