#include "ports/linux/capture/disturb.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "ports/linux/file.h"

namespace octet::port {
namespace {

FrameBuffer Grey(uint32_t width, uint32_t height, uint8_t value, uint64_t number = 0) {
  FrameBuffer frame;
  frame.Resize(OCTET_PIXELS_GREY8, width, height);
  std::fill(frame.bytes.begin(), frame.bytes.end(), value);
  frame.number = number;
  return frame;
}

TEST(Disturb, OnlyTheFramesThatAreMeant) {
  const auto list = ReadDisturbances("exposure:2@10-19,exposure:0.5@30-");
  for (const auto& [number, expected] :
       {std::pair{9, 100}, {10, 200}, {19, 200}, {20, 100}, {29, 100}, {30, 50}, {100000, 50}}) {
    FrameBuffer frame = Grey(4, 4, 100, static_cast<uint64_t>(number));
    Disturb(list, &frame);
    for (const uint8_t byte : frame.bytes) ASSERT_EQ(byte, expected) << number;
  }
  FrameBuffer frame = Grey(2, 2, 200);
  Disturb(ReadDisturbances("exposure:3"), &frame);
  EXPECT_EQ(frame.bytes[0], 255);
}

TEST(Disturb, NoiseHasItsDeviationAndIsTheSameAgain) {
  const auto list = ReadDisturbances("noise:20");
  FrameBuffer frame = Grey(256, 256, 128, 7), again = Grey(256, 256, 128, 7);
  Disturb(list, &frame);
  Disturb(list, &again);
  EXPECT_EQ(frame.bytes, again.bytes);
  FrameBuffer other = Grey(256, 256, 128, 8);
  Disturb(list, &other);
  EXPECT_NE(frame.bytes, other.bytes);
  double sum = 0, squares = 0;
  for (const uint8_t byte : frame.bytes) {
    sum += byte - 128.0;
    squares += (byte - 128.0) * (byte - 128.0);
  }
  const double count = 65536;
  EXPECT_NEAR(sum / count, 0, 0.5);
  EXPECT_NEAR(std::sqrt(squares / count), 20, 0.5);
}

TEST(Disturb, BlurIsAMeanOverABoxInEveryChannel) {
  FrameBuffer frame;
  frame.Resize(OCTET_PIXELS_RGB24, 7, 5);
  for (size_t i = 0; i < frame.bytes.size(); ++i) {
    frame.bytes[i] = static_cast<uint8_t>(i * 89 % 251);
  }
  const std::vector<uint8_t> before = frame.bytes;
  Disturb(ReadDisturbances("blur:1"), &frame);
  const auto at = [&](int x, int y, int c) {
    x = std::clamp(x, 0, 6), y = std::clamp(y, 0, 4);
    return int{before[static_cast<size_t>((y * 7 + x) * 3 + c)]};
  };
  for (int y = 0; y < 5; ++y) {
    for (int x = 0; x < 7; ++x) {
      for (int c = 0; c < 3; ++c) {
        int rows[3];
        for (int dy = -1; dy <= 1; ++dy) {
          rows[dy + 1] = (at(x - 1, y + dy, c) + at(x, y + dy, c) + at(x + 1, y + dy, c) + 1) / 3;
        }
        EXPECT_EQ(frame.bytes[static_cast<size_t>((y * 7 + x) * 3 + c)],
                  (rows[0] + rows[1] + rows[2] + 1) / 3);
      }
    }
  }
}

TEST(Disturb, LeavesColourOfYuvAlone) {
  for (const octet_pixel_format format :
       {OCTET_PIXELS_NV12, OCTET_PIXELS_YUV420P, OCTET_PIXELS_YUYV}) {
    FrameBuffer frame;
    frame.Resize(format, 6, 4);
    std::fill(frame.bytes.begin(), frame.bytes.end(), uint8_t{60});
    Disturb(ReadDisturbances("exposure:2,blur:2"), &frame);
    const auto doubled = std::count(frame.bytes.begin(), frame.bytes.end(), 120);
    const auto kept = std::count(frame.bytes.begin(), frame.bytes.end(), 60);
    EXPECT_EQ(doubled, 24);
    EXPECT_EQ(kept, static_cast<long>(frame.bytes.size()) - 24);
  }
}

// Two grey frames, the second after two that nobody took; then the end.
class TwoFrames : public Source {
 public:
  Took Next(FrameBuffer* frame, const StopRequest&) override {
    if (given_ == 2) return Took::kEnd;
    *frame = Grey(2, 2, 100, 77);
    frame->passed_over = given_ == 0 ? 0 : 2;
    ++given_;
    return Took::kFrame;
  }
  bool waits() const override { return true; }
  std::string note() const override { return "two"; }

 private:
  int given_ = 0;
};

TEST(Disturb, ASourceByItsOwnCount) {
  const auto source =
      DisturbedSource(std::make_unique<TwoFrames>(), ReadDisturbances("exposure:2@3-3"));
  EXPECT_TRUE(source->waits());
  EXPECT_EQ(source->note(), "two");
  FrameBuffer frame;
  StopRequest stop;
  ASSERT_EQ(source->Next(&frame, stop), Source::Took::kFrame);
  EXPECT_EQ(frame.number, 0u);
  EXPECT_EQ(frame.bytes, std::vector<uint8_t>(4, 100));
  ASSERT_EQ(source->Next(&frame, stop), Source::Took::kFrame);
  EXPECT_EQ(frame.number, 3u);
  EXPECT_EQ(frame.bytes, std::vector<uint8_t>(4, 200));
  EXPECT_EQ(source->Next(&frame, stop), Source::Took::kEnd);
  EXPECT_EQ(frame.bytes, std::vector<uint8_t>(4, 200)) << "once";
}

TEST(Disturb, RefusesWhatItCannotRead) {
  for (const char* bad : {"fog:1", "noise", "noise:", "noise:x", "noise:0", "noise:-1",
                          "noise:2000", "noise:1@", "noise:1@5", "noise:1@9-5", "noise:1@1-2x",
                          "noise:1 ", "noise:1x", "noise:1@5-x", "blur:1@-5"}) {
    EXPECT_THROW(ReadDisturbances(bad), InputError) << bad;
  }
  EXPECT_TRUE(ReadDisturbances("").empty());
}

}  // namespace
}  // namespace octet::port
