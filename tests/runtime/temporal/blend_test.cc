// The filter on bytes: exact values, ends, and the equation of octet/temporal.h written down again.
#include "runtime/temporal/blend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace octet::temporal {
namespace {

// One byte x (as q + 128) with these frames before it, newest first.
int BlendOne(int x, const std::vector<int>& before, const std::vector<int>& weights,
             uint32_t gate = 255) {
  std::vector<uint8_t> frames;
  for (const int b : before) frames.push_back(static_cast<uint8_t>(b));
  Past past = {};
  past.count = static_cast<uint32_t>(frames.size());
  for (size_t k = 0; k < frames.size(); ++k) {
    past.frames[k] = &frames[k];
    past.weights[k] = static_cast<int16_t>(weights[k]);
  }
  auto byte = static_cast<uint8_t>(x);
  uint8_t kept = 0;
  Blend(&byte, 1, 0, past, gate, &kept);
  EXPECT_EQ(kept, x) << "the cache keeps what came in, not what went out";
  return byte;
}

TEST(Blend, ExactValues) {
  EXPECT_EQ(BlendOne(100, {}, {}), 100);
  // (x + lambda * before) / (1 + lambda), lambda = 1: halves go up.
  EXPECT_EQ(BlendOne(10, {12}, {16384}), 11);
  EXPECT_EQ(BlendOne(10, {11}, {16384}), 11) << "10.5";
  EXPECT_EQ(BlendOne(10, {9}, {16384}), 10) << "9.5";
  EXPECT_EQ(BlendOne(10, {8}, {16384}), 9);
  // lambda = 0.1: 2979 / 32768. 5 steps are less than half a step, 6 are more.
  EXPECT_EQ(BlendOne(100, {105}, {2979}), 100);
  EXPECT_EQ(BlendOne(100, {106}, {2979}), 101);
  EXPECT_EQ(BlendOne(100, {95}, {2979}), 100);
  EXPECT_EQ(BlendOne(100, {94}, {2979}), 99);
  // A mean of ten: 3276 / 32768 each.
  const std::vector<int> tenths(9, 3276);
  EXPECT_EQ(BlendOne(0, std::vector<int>(9, 10), tenths), 9);
  EXPECT_EQ(BlendOne(10, std::vector<int>(9, 0), tenths), 1);
  // The smallest share that moves a byte, 65 / 32768 of 255 steps, and one less.
  EXPECT_EQ(BlendOne(0, {255}, {65}), 1);
  EXPECT_EQ(BlendOne(0, {255}, {64}), 0);
  // Nearly all of the past.
  EXPECT_EQ(BlendOne(7, {200}, {32767}), 200);
}

TEST(Blend, TheEndsStay) {
  const std::vector<int> tenths(9, 3276);
  for (int x = 0; x < 256; ++x) {
    EXPECT_EQ(BlendOne(x, std::vector<int>(9, x), tenths), x) << "gain 1";
    EXPECT_EQ(BlendOne(x, {x}, {16384}), x);
  }
  EXPECT_EQ(BlendOne(255, {254}, {16384}), 255);
  EXPECT_EQ(BlendOne(0, {1}, {16383}), 0);
}

TEST(Blend, TheGateLetsSmallChangesPassAlone) {
  EXPECT_EQ(BlendOne(100, {102}, {16384}, 2), 101);
  EXPECT_EQ(BlendOne(100, {103}, {16384}, 2), 100);
  EXPECT_EQ(BlendOne(100, {98}, {16384}, 2), 99);
  EXPECT_EQ(BlendOne(100, {97}, {16384}, 2), 100);
  EXPECT_EQ(BlendOne(0, {255}, {16384}, 254), 0);
  EXPECT_EQ(BlendOne(0, {255}, {16384}, 255), 128);
  // Each frame by itself.
  EXPECT_EQ(BlendOne(100, {102, 0, 102}, {8192, 16384, 8192}, 2), 101);
}

// Sizes around the block, unaligned, both ways of keeping int8, the oldest frame's place reused.
TEST(Blend, IsTheEquationAtAnySize) {
  std::mt19937 random(1);
  const auto below = [&random](uint32_t n) { return random() % n; };
  for (size_t bytes : {1, 2, 15, 16, 17, 127, 128, 129, 255, 256, 300, 1000}) {
    for (const uint8_t mask : {0x00, 0x80}) {
      for (int repeat = 0; repeat < 20; ++repeat) {
        Past past = {};
        past.count = below(10);
        const uint32_t gate = repeat % 2 == 0 ? 255 : 1 + below(255);
        uint32_t left = blob::kTemporalOne;
        std::vector<std::vector<uint8_t>> frames(past.count);
        for (uint32_t k = 0; k < past.count; ++k) {
          frames[k].resize(bytes + 2);
          for (uint8_t& byte : frames[k]) byte = static_cast<uint8_t>(random());
          past.frames[k] = frames[k].data() + 1;
          past.weights[k] = static_cast<int16_t>(below(std::min(left, 32768u)));
          left -= static_cast<uint32_t>(past.weights[k]);
        }
        std::vector<uint8_t> tensor(bytes + 2), keep(bytes + 2, 77);
        for (uint8_t& byte : tensor) byte = static_cast<uint8_t>(random());
        const std::vector<uint8_t> first = tensor;
        std::vector<uint8_t> wanted = tensor;
        for (size_t i = 1; i <= bytes; ++i) {
          const int now = first[i] ^ mask;
          double sum = now;
          for (uint32_t k = 0; k < past.count; ++k) {
            const int change = frames[k][i] - now;
            if (std::abs(change) <= static_cast<int>(gate))
              sum += past.weights[k] / 32768.0 * change;
          }
          wanted[i] = static_cast<uint8_t>(static_cast<int>(std::floor(sum + 0.5)) ^ mask);
        }
        uint8_t* kept = past.count == 9 ? frames[8].data() : keep.data();
        Blend(tensor.data() + 1, bytes, mask, past, gate, kept + 1);
        EXPECT_EQ(tensor, wanted) << bytes << " bytes, " << past.count << " frames, gate " << gate;
        for (size_t i = 1; i <= bytes; ++i) ASSERT_EQ(kept[i], first[i] ^ mask);
        if (past.count != 9) {
          EXPECT_EQ(keep[0] + keep[bytes + 1], 2 * 77);
        }
      }
    }
  }
}

TEST(Blend, MeanChange) {
  std::vector<uint8_t> now(10, 100 ^ 0x80), before(10, 100);
  EXPECT_EQ(MeanChange(now.data(), before.data(), 10, 0x80), 0u);
  before[3] = 105;
  before[4] = 90;
  EXPECT_EQ(MeanChange(now.data(), before.data(), 10, 0x80), 15u * 256 / 10);
  EXPECT_EQ(MeanChange(now.data(), before.data(), 1, 0x80), 0u);
  // All of 256 bytes; of more a sample that reaches both ends.
  now.assign(256, 0), before.assign(256, 255);
  EXPECT_EQ(MeanChange(now.data(), before.data(), 256, 0), 255u * 256);
  now.assign(4096, 0), before.assign(4096, 0);
  before[0] = 255;
  EXPECT_EQ(MeanChange(now.data(), before.data(), 4096, 0), 255u);
  before[0] = 0;
  before[31 * ((4096 - 8) / 31) + 7] = 255;
  EXPECT_EQ(MeanChange(now.data(), before.data(), 4096, 0), 255u);
  before.assign(4096, 1);
  EXPECT_EQ(MeanChange(now.data(), before.data(), 4096, 0), 256u);
}

}  // namespace
}  // namespace octet::temporal
