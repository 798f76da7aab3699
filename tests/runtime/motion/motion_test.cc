#include "octet/motion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/support/copies.h"

namespace octet {
namespace {

constexpr uint32_t kWidth = 160, kHeight = 96;

class MotionTest : public testing::Test {
 protected:
  MotionTest() {
    octet_motion_defaults(&config_), config_.width = kWidth, config_.height = kHeight;
  }

  void Start() {
    memory_.assign(octet_motion_bytes(&config_) / 8, 0);
    ASSERT_EQ(octet_motion_init(memory_.data(), Bytes(), &config_, &motion_).code, OCTET_OK);
  }
  size_t Bytes() const { return memory_.size() * 8; }
  test::Copies<octet_motion> Copied() const {
    return {motion_, Bytes(), octet_motion_get, octet_motion_set};
  }
  // A noisy frame of one level with a square of another, 33 ms after the one before.
  octet_motion_answer Ask(int32_t level, uint32_t left = kWidth, int32_t contrast = 0,
                          uint32_t top = 40) {
    pixels_.resize(size_t{kWidth} * kHeight);
    for (uint32_t i = 0; i < pixels_.size(); ++i) {
      const uint32_t x = i % kWidth, y = i / kWidth;
      const bool inside = x >= left && x < left + 12 && y >= top && y < top + 12;
      pixels_[i] = static_cast<uint8_t>(
          std::clamp(level + (inside ? contrast : 0) + random_.Between(-3, 3), 0, 255));
    }
    octet_frame frame = {};
    frame.size = sizeof(frame);
    frame.format = OCTET_PIXELS_GREY8;
    frame.width = kWidth;
    frame.height = kHeight;
    frame.planes[0] = pixels_.data();
    frame.strides[0] = kWidth;
    octet_motion_answer answer = {};
    answer.size = sizeof(answer);
    EXPECT_EQ(octet_motion_frame(motion_, time_us_, &frame, &answer).code, OCTET_OK);
    time_us_ += 33333;
    return answer;
  }
  void Settle(int frames = 60) {
    for (int f = 0; f < frames; ++f) Ask(100);
  }

  octet_motion_config config_;
  std::vector<uint64_t> memory_;
  octet_motion* motion_ = nullptr;
  std::vector<uint8_t> pixels_;
  test::Random random_{59};
  uint64_t time_us_ = 1000000;
};

TEST_F(MotionTest, TheFirstFrameIsInferredAndStillOnesAreNot) {
  Start();
  EXPECT_EQ(Ask(100).reason, OCTET_MOTION_START);
  for (int f = 1; f < 150; ++f) EXPECT_EQ(Ask(100).reason, OCTET_MOTION_STILL) << f;
}

TEST_F(MotionTest, OneFrameIsInferredWithinTheLongestTime) {
  config_.longest_ms = 1000;
  Start();
  uint64_t last_us = 0;
  for (int f = 0; f < 200; ++f) {
    const uint64_t now_us = time_us_;
    if (Ask(100).reason != OCTET_MOTION_STILL) last_us = now_us;
    EXPECT_LE(now_us - last_us, 1000000u) << f;
  }
}

TEST_F(MotionTest, AnObjectIsFoundWhereItIs) {
  Start();
  Settle();
  const octet_motion_answer answer = Ask(100, 64, 30);
  EXPECT_EQ(answer.reason, OCTET_MOTION_CHANGE);
  EXPECT_GT(answer.strength, 65536u);
  EXPECT_LE(answer.x0, 64 * 65536 / 160);
  EXPECT_GE(answer.x1, 76 * 65536 / 160);
  EXPECT_LE(answer.y0, 40 * 65536 / 96);
  EXPECT_GE(answer.y1, 52 * 65536 / 96);
  EXPECT_LT(answer.changed, 65536u / 4);
}

TEST_F(MotionTest, APolygonHidesWhatMovesInIt) {
  static constexpr octet_zone_point kLeft[] = {{0, 0}, {39000, 0}, {39000, 65536}, {0, 65536}};
  const octet_polygon polygon = {kLeft, 4};
  config_.polygons = &polygon;
  config_.polygon_count = 1;
  Start();
  Settle();
  EXPECT_EQ(Ask(100, 64, 60).reason, OCTET_MOTION_STILL);
  EXPECT_EQ(Ask(100, 130, 60).reason, OCTET_MOTION_CHANGE);
}

TEST_F(MotionTest, NothingIsKnownOfAHiddenPicture) {
  static constexpr octet_zone_point kAll[] = {
      {-10, -10}, {65546, -10}, {65546, 65546}, {-10, 65546}};
  const octet_polygon polygon = {kAll, 4};
  config_.polygons = &polygon;
  config_.polygon_count = 1;
  Start();
  for (int f = 0; f < 5; ++f) EXPECT_EQ(Ask(100).reason, OCTET_MOTION_HIDDEN);
}

TEST_F(MotionTest, LightThatDriftsIsNoChange) {
  Start();
  Settle();
  for (int f = 0; f < 100; ++f)
    EXPECT_EQ(Ask(100 + f / 4).reason == OCTET_MOTION_CHANGE, false) << f;
}

// A step of the whole picture above and below its threshold of 4 levels.
TEST_F(MotionTest, AStepOfExposureTakesTheBackgroundAnewOnce) {
  Start();
  Settle();
  EXPECT_EQ(Ask(103).reason, OCTET_MOTION_STILL);
  Settle(20);
  EXPECT_EQ(Ask(106).reason, OCTET_MOTION_ALL);
  for (int f = 0; f < 20; ++f) EXPECT_EQ(Ask(106).reason, OCTET_MOTION_STILL) << f;
}

TEST_F(MotionTest, AGapStartsAnew) {
  Start();
  Settle();
  time_us_ += 1900000;
  EXPECT_NE(Ask(100).reason, OCTET_MOTION_START);
  time_us_ += 2100000;
  EXPECT_EQ(Ask(100).reason, OCTET_MOTION_START);
  octet_motion_reset(motion_);
  EXPECT_EQ(Ask(100).reason, OCTET_MOTION_START);
}

TEST_F(MotionTest, ACopyGoesOnWithTheSameAnswers) {
  Start();
  Settle();
  const std::vector<uint8_t> copy = Copied().Copy();
  const test::Random random = random_;
  const uint64_t time_us = time_us_;
  std::vector<octet_motion_answer> first;
  for (uint32_t f = 0; f < 40; ++f) first.push_back(Ask(100, f, f < 20 ? 0 : 12));
  octet_motion_reset(motion_);
  Settle(3);
  ASSERT_EQ(Copied().Set(copy), OCTET_OK);
  random_ = random;
  time_us_ = time_us;
  for (uint32_t f = 0; f < 40; ++f) {
    const octet_motion_answer again = Ask(100, f, f < 20 ? 0 : 12);
    EXPECT_EQ(std::memcmp(&again, &first[f], sizeof(again)), 0) << f;
  }
}

TEST_F(MotionTest, TheClassMakesTheSameCalls) {
  octet_motion_config config = Motion::Defaults();
  EXPECT_EQ(config.longest_ms, 5000u);
  config.width = kWidth, config.height = kHeight;
  std::vector<uint64_t> memory(Motion::Bytes(config) / 8);
  Motion motion;
  ASSERT_EQ(motion.Init(memory.data(), memory.size() * 8, config).code, OCTET_OK);
  Start();
  std::vector<uint8_t> copy(Bytes());
  for (int f = 0; f < 40; ++f) {
    const uint64_t time_us = time_us_;
    const octet_motion_answer wanted = Ask(100, f < 30 ? kWidth : 60, 30);
    octet_frame frame;
    frame.format = OCTET_PIXELS_GREY8;
    frame.width = kWidth, frame.height = kHeight;
    frame.planes[0] = pixels_.data(), frame.planes[1] = frame.planes[2] = nullptr;
    frame.strides[0] = kWidth, frame.strides[1] = frame.strides[2] = 0;
    octet_motion_answer answer;
    ASSERT_EQ(motion.Frame(time_us, frame, &answer).code, OCTET_OK);
    EXPECT_EQ(std::memcmp(&answer, &wanted, sizeof(answer)), 0) << f;
    ASSERT_EQ(motion.Get(copy.data(), copy.size()).code, OCTET_OK);
    motion.Reset();
    ASSERT_EQ(motion.Set(copy.data(), copy.size()).code, OCTET_OK);
    if (f == 0) {
      EXPECT_EQ(PaintMask(frame, nullptr, 0).code, OCTET_OK);
    }
  }
}

TEST_F(MotionTest, ADamagedCopyIsRefusedOrRuns) {
  Start();
  Settle(20);
  const uint32_t refused =
      Copied().RefusedOfDamaged(400, random_, [this](uint32_t) { Ask(100, 20, 30); });
  EXPECT_GT(refused, 0u);
}

TEST_F(MotionTest, RefusesWhatBreaksARule) {
  Start();
  const auto refuses = [](octet_motion_config config) { return octet_motion_bytes(&config) == 0; };
  octet_motion_config config = config_;
  config.width = OCTET_MOTION_LEAST - 1;
  EXPECT_TRUE(refuses(config));
  config.width = OCTET_MOTION_LEAST;
  EXPECT_FALSE(refuses(config));
  config.width = OCTET_MOTION_MOST;
  EXPECT_FALSE(refuses(config));
  config.width = OCTET_MOTION_MOST + 1;
  EXPECT_TRUE(refuses(config));
  config = config_;
  config.longest_ms = 0;
  EXPECT_TRUE(refuses(config));
  config = config_;
  config.polygon_count = 1;
  EXPECT_TRUE(refuses(config));
  octet_motion* motion = nullptr;
  EXPECT_EQ(octet_motion_init(memory_.data(), Bytes() - 8, &config_, &motion).code,
            OCTET_ARENA_TOO_SMALL);
  auto* odd = reinterpret_cast<uint8_t*>(memory_.data()) + 4;
  EXPECT_EQ(octet_motion_init(odd, Bytes(), &config_, &motion).code, OCTET_MISALIGNED);
  octet_frame frame = {};
  frame.size = sizeof(frame);
  frame.format = OCTET_PIXELS_GREY8;
  frame.width = kWidth + 1;
  frame.height = kHeight;
  pixels_.resize(size_t{kWidth + 1} * kHeight);
  frame.planes[0] = pixels_.data();
  frame.strides[0] = kWidth + 1;
  octet_motion_answer answer = {};
  answer.size = sizeof(answer);
  EXPECT_EQ(octet_motion_frame(motion_, 0, &frame, &answer).code, OCTET_INVALID_ARGUMENT);
  frame.width = kWidth;
  frame.strides[0] = kWidth - 1;
  EXPECT_EQ(octet_motion_frame(motion_, 0, &frame, &answer).code, OCTET_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace octet
