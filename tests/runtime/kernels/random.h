// Random numbers of the kernel tests: one seed a run, printed, settable by OCTET_TEST_SEED.
#ifndef OCTET_TESTS_RUNTIME_KERNELS_RANDOM_H_
#define OCTET_TESTS_RUNTIME_KERNELS_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "tests/runtime/kernels/guarded_buffer.h"

namespace octet::kernels_test {

// OCTET_TEST_SEED, or a fixed default, so that a plain run is reproducible.
uint64_t TestSeed();

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}

  uint64_t Next() {  // splitmix64
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  // Uniform in [lo, hi].
  int64_t Int(int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(Next() % static_cast<uint64_t>(hi - lo + 1));
  }
  uint32_t UInt(uint32_t lo, uint32_t hi) { return static_cast<uint32_t>(Int(lo, hi)); }
  bool OneIn(uint32_t n) { return Next() % n == 0; }
  float Float(float lo, float hi) {
    return lo + (hi - lo) * static_cast<float>(Next() >> 40) / static_cast<float>(1 << 24);
  }
  template <typename T>
  T Pick(std::initializer_list<T> values) {
    return *(values.begin() + Next() % values.size());
  }
  GuardedBuffer::Place Place() {
    return OneIn(4) ? GuardedBuffer::Place::kStart : GuardedBuffer::Place::kEnd;
  }

 private:
  uint64_t state_;
};

// int8 activations as arena bytes; `extreme`: only -128 and 127.
void FillActivations(Random& random, const GuardedBuffer& buffer, bool extreme);

// The same values under another sign byte.
void ApplySign(const GuardedBuffer& buffer, uint8_t sign);

}  // namespace octet::kernels_test

#endif  // OCTET_TESTS_RUNTIME_KERNELS_RANDOM_H_
