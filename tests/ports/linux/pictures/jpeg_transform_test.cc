// The inverse transform in vectors, against the same integers one by one: on every board, also for
// numbers that no encoder writes.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "ports/linux/pictures/jpeg_scan.h"

namespace octet::pictures {
namespace {

// One transform of eight values, `stride` apart. All sums wrap at 32 bits.
void Along(uint32_t* v, size_t stride, int down) {
  const auto at = [&](size_t i) { return v[i * stride]; };
  const uint32_t even_sum = (at(0) + at(4)) << 13, even_difference = (at(0) - at(4)) << 13;
  const uint32_t high = at(2) * (4433 + 6270) + at(6) * 4433;
  const uint32_t low = at(2) * 4433 + at(6) * (4433u - 15137);
  // Rows: outputs; columns: v[1], v[3], v[5], v[7]. Sums of the constants of libjpeg's "islow".
  constexpr int32_t kOdd[4][4] = {{12299 - 7373 + 9633 - 3196, 9633, 9633 - 3196, 9633 - 7373},
                                  {9633, 25172 - 20995 + 9633 - 16069, 9633 - 20995, 9633 - 16069},
                                  {9633 - 3196, 9633 - 20995, 16819 - 20995 + 9633 - 3196, 9633},
                                  {9633 - 7373, 9633 - 16069, 9633, 2446 - 7373 + 9633 - 16069}};
  const uint32_t even[4] = {even_sum + high, even_difference + low, even_difference - low,
                            even_sum - high};
  uint32_t odd[4];
  for (size_t i = 0; i < 4; ++i) {
    odd[i] = 0;
    for (size_t k = 0; k < 4; ++k) odd[i] += at(2 * k + 1) * static_cast<uint32_t>(kOdd[i][k]);
  }
  const auto descaled = [&](uint32_t value) {
    return static_cast<uint32_t>(static_cast<int32_t>(value + (1u << (down - 1))) >> down);
  };
  for (size_t i = 0; i < 4; ++i) {
    v[i * stride] = descaled(even[i] + odd[i]);
    v[(7 - i) * stride] = descaled(even[i] - odd[i]);
  }
}

void Reference(const int16_t* values, const uint16_t* quantization, uint8_t* out, size_t stride) {
  uint32_t all[kBlockValues];
  for (size_t i = 0; i < kBlockValues; ++i) {
    const uint32_t product = static_cast<uint32_t>(values[i]) * quantization[i];
    all[i] = static_cast<uint32_t>(static_cast<int16_t>(product));
  }
  for (size_t x = 0; x < 8; ++x) Along(all + x, 8, 11);
  for (size_t y = 0; y < 8; ++y) Along(all + 8 * y, 1, 18);
  for (size_t i = 0; i < kBlockValues; ++i) {
    const int64_t sample = int64_t{static_cast<int32_t>(all[i])} + 128;
    out[i / 8 * stride + i % 8] = static_cast<uint8_t>(std::clamp<int64_t>(sample, 0, 255));
  }
}

TEST(JpegTransform, GivesTheSameIntegersForEveryBlock) {
  constexpr size_t kStride = 11;  // of rows that lie apart
  std::mt19937 random(1);
  const auto below = [&](uint32_t end) { return random() % end; };
  for (int block = 0; block < 20000; ++block) {
    int16_t values[kBlockValues] = {};
    uint16_t quantization[kBlockValues];
    const bool hostile = block % 4 == 3;
    for (uint16_t& q : quantization) {
      q = static_cast<uint16_t>(hostile ? below(1u << 16) : 1 + below(40));
    }
    for (uint32_t left = below(65); left > 0; --left) {
      const auto value = static_cast<int32_t>(below(1u << 16)) - (1 << 15);
      values[below(64)] = static_cast<int16_t>(hostile ? value : value / 1024);
    }
    uint8_t expected[8 * kStride], got[8 * kStride];
    std::fill_n(expected, sizeof(expected), uint8_t{77});
    std::fill_n(got, sizeof(got), uint8_t{77});
    Reference(values, quantization, expected, kStride);
    InverseTransform(values, quantization, got, kStride);
    ASSERT_TRUE(std::equal(std::begin(got), std::end(got), expected)) << "block " << block;
  }
}

}  // namespace
}  // namespace octet::pictures
