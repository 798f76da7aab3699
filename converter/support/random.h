// splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014):
// the same numbers on every machine and from every standard library.
#ifndef OCTET_CONVERTER_SUPPORT_RANDOM_H_
#define OCTET_CONVERTER_SUPPORT_RANDOM_H_

#include <cstdint>

namespace octet {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Bits() {
    state_ += 0x9E3779B97F4A7C15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  // From 0 up to 1.
  double Unit() { return static_cast<double>(Bits() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

}  // namespace octet

#endif  // OCTET_CONVERTER_SUPPORT_RANDOM_H_
