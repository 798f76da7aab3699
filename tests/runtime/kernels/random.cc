#include "tests/runtime/kernels/random.h"

#include <cstdio>
#include <cstdlib>

namespace octet::kernels_test {

uint64_t TestSeed() {
  static const uint64_t seed = [] {
    const char* text = std::getenv("OCTET_TEST_SEED");
    const uint64_t value = text == nullptr ? 20240917 : std::strtoull(text, nullptr, 0);
    std::printf("seed %llu (set OCTET_TEST_SEED to change it)\n",
                static_cast<unsigned long long>(value));
    return value;
  }();
  return seed;
}

void FillActivations(Random& random, const GuardedBuffer& buffer, bool extreme) {
  for (size_t i = 0; i < buffer.size(); ++i) {
    const uint64_t bits = random.Next();
    buffer.data()[i] = extreme ? (bits & 1 ? 0x7F : 0x80) : static_cast<uint8_t>(bits);
  }
}

void ApplySign(const GuardedBuffer& buffer, uint8_t sign) {
  for (size_t i = 0; i < buffer.size(); ++i) buffer.data()[i] ^= sign;
}

}  // namespace octet::kernels_test
