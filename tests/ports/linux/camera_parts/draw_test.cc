// What is drawn where: colours of every pixel format, frames of boxes, masks, key points, plates.
#include "ports/linux/camera/program/draw.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/mixed_blob.h"
#include "tests/support/session.h"

namespace octet::port {
namespace {

using Rgb = std::array<int, 3>;

Rgb At(const Annotated& picture, uint32_t x, uint32_t y) {
  const uint8_t* p = picture.rgb.data() + (size_t{y} * picture.width + x) * 3;
  return {p[0], p[1], p[2]};
}

FrameBuffer Grey(uint32_t width, uint32_t height, uint8_t value) {
  FrameBuffer frame;
  frame.Resize(OCTET_PIXELS_GREY8, width, height);
  std::fill(frame.bytes.begin(), frame.bytes.end(), value);
  return frame;
}

// 3 x 3 pixels whose four blocks of chroma differ; all formats say the same.
TEST(Draw, EveryFormatOfFrame) {
  FrameBuffer planes, pairs;
  planes.Resize(OCTET_PIXELS_YUV420P, 3, 3);
  pairs.Resize(OCTET_PIXELS_NV12, 3, 3);
  for (uint32_t i = 0; i < 9; ++i) {
    planes.Plane(0)[i] = pairs.Plane(0)[i] = static_cast<uint8_t>(60 + 10 * i);
  }
  for (uint32_t i = 0; i < 4; ++i) {
    planes.Plane(1)[i] = pairs.Plane(1)[2 * i] = static_cast<uint8_t>(100 + 10 * i);
    planes.Plane(2)[i] = pairs.Plane(1)[2 * i + 1] = static_cast<uint8_t>(160 - 10 * i);
  }
  Annotated one, other;
  one.SetFrame(planes);
  other.SetFrame(pairs);
  EXPECT_EQ(one.rgb, other.rgb);
  FrameBuffer yuyv;  // its chroma is of two pixels in a row
  yuyv.Resize(OCTET_PIXELS_YUYV, 3, 3);
  for (uint32_t y = 0; y < 3; ++y) {
    for (uint32_t x = 0; x < 4; ++x) {
      uint8_t* row = yuyv.Plane(0) + size_t{y} * 8;
      row[2 * x] = x < 3 ? planes.Plane(0)[y * 3 + x] : 0;
      row[2 * x + 1] = planes.Plane(x % 2 == 0 ? 1 : 2)[y / 2 * 2 + x / 2];
    }
  }
  other.SetFrame(yuyv);
  EXPECT_EQ(one.rgb, other.rgb);
  FrameBuffer rgb;
  rgb.Resize(OCTET_PIXELS_RGB24, 2, 2);
  for (size_t i = 0; i < 12; ++i) rgb.bytes[i] = static_cast<uint8_t>(i);
  one.SetFrame(rgb);
  EXPECT_EQ(one.rgb, (std::vector<uint8_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(At(one, 1, 1), (Rgb{9, 10, 11}));
  one.SetFrame(Grey(5, 2, 77));
  EXPECT_EQ(one.rgb, std::vector<uint8_t>(30, 77));
}

class Drawing : public testing::Test {
 protected:
  Drawing() : blob_(test::MakeMixedBlob()), session_(blob_, {}) {}

  Annotated Draw(const Results& results, uint32_t width, uint32_t height) {
    Annotated picture;
    picture.SetFrame(Grey(width, height, 100));
    picture.Draw(results, session_.get());
    return picture;
  }

  test::Blob blob_;
  test::TestSession session_;
};

constexpr Rgb kBack = {100, 100, 100}, kRed = {255, 64, 64};

TEST_F(Drawing, AFrameTwoPixelsThickAroundABox) {
  Results results;
  results.task = OCTET_TASK_DETECT;
  results.count = 1;
  results.boxes = {{20.5f, 40, 79.2f, 69.5f, 0.5f, 0}};
  const Annotated picture = Draw(results, 200, 100);
  // Text lies above the box; below its first row nothing but the frame is drawn.
  for (uint32_t y = 40; y < 100; ++y) {
    for (uint32_t x = 0; x < 200; ++x) {
      const bool in = x >= 20 && x < 80 && y < 70;
      const bool inner = x >= 22 && x < 78 && y >= 42 && y < 68;
      ASSERT_EQ(At(picture, x, y), in && !inner ? kRed : kBack) << x << "," << y;
    }
  }
  EXPECT_EQ(At(picture, 20, 39), kRed) << "the text's plate";
  EXPECT_EQ(At(picture, 20, 28), kRed);
  EXPECT_EQ(At(picture, 20, 27), kBack);
  EXPECT_EQ(At(picture, 19, 30), kBack);
}

TEST_F(Drawing, BoxesBeyondTheBordersAreCut) {
  Results results;
  results.task = OCTET_TASK_DETECT;
  results.count = 1;
  results.boxes = {{-10, -10, 60, 50, 0.5f, 0}};
  const Annotated picture = Draw(results, 50, 40);
  EXPECT_EQ(At(picture, 49, 39), kBack);
  EXPECT_EQ(At(picture, 0, 39), kBack);
  EXPECT_EQ(At(picture, 0, 0), kRed) << "text has no room above";
}

TEST_F(Drawing, MasksAndPoints) {
  Results results;
  results.task = OCTET_TASK_DETECT;
  results.count = 1;
  results.boxes = {{20, 40, 80, 70, 0.5f, 0}};
  // 60 x 30 pixels, of which three in the eleventh row are the object.
  results.masks = {{20, 40, 60, 30, 1, 3, 3}};
  results.runs = {9 /* of another */, 60 * 10 + 5, 3, 60 * 30 - 60 * 10 - 8};
  results.point_count = 2;
  results.points = {{50, 60.9f, 1}, {30, 60, 0}};
  const Annotated picture = Draw(results, 200, 100);
  const Rgb tinted = {(100 + 255) / 2, (100 + 64) / 2, (100 + 64) / 2};
  for (uint32_t y = 42; y < 68; ++y) {
    for (uint32_t x = 22; x < 78; ++x) {
      const bool object = y == 50 && x >= 25 && x < 28;
      const bool point = x >= 48 && x <= 52 && y >= 58 && y <= 62;
      ASSERT_EQ(At(picture, x, y), point ? kRed : object ? tinted : kBack) << x << "," << y;
    }
  }
}

// Twice the picture, twice the letters.
TEST_F(Drawing, TextGrowsWithThePicture) {
  Results results;
  results.task = OCTET_TASK_CLASSIFY;
  results.count = 2;
  results.classes[0] = {0, 0.75f};
  results.classes[1] = {1, 0.25f};
  const Annotated small = Draw(results, 320, 719), large = Draw(results, 320, 720);
  constexpr Rgb kGreen = {64, 220, 64};
  for (uint32_t line = 0; line < 2; ++line) {
    const Rgb plate = line == 0 ? kRed : kGreen;
    int ink = 0, plates = 0;
    for (uint32_t y = 0; y < 12; ++y) {
      for (uint32_t x = 0; x < 150; ++x) {
        const Rgb pixel = At(small, 4 + x, 4 + line * 12 + y);
        for (uint32_t k = 0; k < 4; ++k) {
          ASSERT_EQ(At(large, 4 + 2 * x + k % 2, 4 + line * 24 + 2 * y + k / 2), pixel)
              << line << ": " << x << "," << y;
        }
        plates += pixel == plate;
        ink += pixel != plate && pixel != kBack;
      }
    }
    EXPECT_GT(ink, 40);
    EXPECT_GT(plates, 150);
    EXPECT_EQ(At(small, 3, 4 + line * 12), kBack);
    for (uint32_t y = 0; y < 12; ++y) EXPECT_EQ(At(small, 4, 4 + line * 12 + y), plate);
  }
  EXPECT_EQ(At(small, 4, 3), kBack);
  EXPECT_EQ(At(small, 4, 28), kBack);
}

}  // namespace
}  // namespace octet::port
