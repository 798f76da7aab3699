#include "runtime/core/half_block.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace octet {
namespace {

uint32_t BitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

TEST(HalfBlock, EveryHalfWidensAsAlone) {
  for (const float factor : {1.0f, 0.125f, 64.0f}) {
    for (uint32_t first = 0; first < 65536; first += kHalfBlock) {
      uint16_t halves[kHalfBlock];
      float values[kHalfBlock];
      for (uint32_t i = 0; i < kHalfBlock; ++i) halves[i] = static_cast<uint16_t>(first + i);
      HalvesToFloatBlock(halves, factor, values);
      for (uint32_t i = 0; i < kHalfBlock; ++i) {
        ASSERT_EQ(BitsOf(values[i]), BitsOf(HalfToFloat(halves[i]) * factor)) << halves[i];
      }
    }
  }
}

void ExpectAsAlone(const std::vector<float>& values, float factor) {
  for (size_t first = 0; first + kHalfBlock <= values.size(); first += kHalfBlock) {
    uint16_t halves[kHalfBlock];
    FloatsToHalfBlock(&values[first], factor, halves);
    for (size_t i = 0; i < kHalfBlock; ++i) {
      ASSERT_EQ(halves[i], FloatToHalf(values[first + i] * factor))
          << values[first + i] << ", bits " << BitsOf(values[first + i]);
    }
  }
}

// All halves, what lies in the middle of two, and the floats beside those.
TEST(HalfBlock, EveryIntervalRoundsAsAlone) {
  std::vector<float> values;
  for (uint32_t half = 0; half < 65536; ++half) {
    const uint32_t bits = BitsOf(HalfToFloat(static_cast<uint16_t>(half)));
    const uint32_t middle = BitsOf(0.5f * (HalfToFloat(static_cast<uint16_t>(half)) +
                                           HalfToFloat(static_cast<uint16_t>(half + 1))));
    for (const uint32_t centre : {bits, middle}) {
      for (uint32_t off = 0; off < 4; ++off) {
        const uint32_t near = centre + off - 1;
        float value;
        std::memcpy(&value, &near, sizeof(value));
        values.push_back(value);
      }
    }
  }
  ExpectAsAlone(values, 1.0f);
}

TEST(HalfBlock, AnyFloatRoundsAsAlone) {
  std::mt19937 random(5);
  std::vector<float> values(1 << 20);
  for (float& value : values) {
    const auto bits = static_cast<uint32_t>(random());
    std::memcpy(&value, &bits, sizeof(value));
  }
  ExpectAsAlone(values, 1.0f);
  ExpectAsAlone(values, 0.25f);
  for (float& value : values) value = static_cast<float>(random() % 2000001) * 1e-6f - 1;
  ExpectAsAlone(values, 2.0f);
}

}  // namespace
}  // namespace octet
