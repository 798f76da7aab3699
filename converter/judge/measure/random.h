// Numbers that look random and are the same on every machine: SplitMix64 (Steele, Lea and Flood
// 2014, Fast splittable pseudorandom number generators).
#ifndef OCTET_CONVERTER_JUDGE_MEASURE_RANDOM_H_
#define OCTET_CONVERTER_JUDGE_MEASURE_RANDOM_H_

#include <cstddef>
#include <cstdint>

namespace octet::judge {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // Above 0 and below 1.
  double Share() { return (static_cast<double>(Next() >> 12) + 0.5) * 0x1p-52; }
  // count > 0; by the low bits of the product the bias is below count / 2^52.
  size_t Below(size_t count) { return static_cast<size_t>(Share() * static_cast<double>(count)); }

 private:
  uint64_t state_;
};

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_MEASURE_RANDOM_H_
