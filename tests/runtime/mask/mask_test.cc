#include "octet/mask.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "runtime/zones/geometry.h"
#include "tests/runtime/track/random.h"

namespace octet {
namespace {

constexpr octet_zone_point kTriangle[] = {{16384, 16384}, {49152, 16384}, {32768, 49152}};

octet_frame GreyFrame(uint32_t width, uint32_t height, std::vector<uint8_t>* pixels) {
  octet_frame frame = {};
  frame.size = sizeof(frame);
  frame.format = OCTET_PIXELS_GREY8;
  frame.width = width;
  frame.height = height;
  frame.strides[0] = width + 3;  // what is behind a row stays as it is
  pixels->assign(frame.strides[0] * height, 7);
  frame.planes[0] = pixels->data();
  return frame;
}

// Whether one of 5 x 5 points of the pixel is inside.
bool Touches(const std::vector<octet_zone_point>& points, uint32_t width, uint32_t height,
             uint32_t x, uint32_t y) {
  for (uint32_t p = 0; p < 25; ++p) {
    const octet_zone_point point = {
        static_cast<int32_t>((uint64_t{4} * x + p % 5) * 16384 / width),
        static_cast<int32_t>((uint64_t{4} * y + p / 5) * 16384 / height)};
    if (zones::IsInside(points.data(), static_cast<uint32_t>(points.size()), point)) return true;
  }
  return false;
}

bool HasNear(const std::vector<uint8_t>& touched, uint32_t width, uint32_t height, uint32_t x,
             uint32_t y) {
  constexpr uint32_t kNear = 3;
  for (uint32_t v = y > kNear ? y - kNear : 0; v < std::min(height, y + kNear + 1); ++v) {
    for (uint32_t u = x > kNear ? x - kNear : 0; u < std::min(width, x + kNear + 1); ++u) {
      if (touched[size_t{v} * width + u] != 0) return true;
    }
  }
  return false;
}

TEST(Mask, PaintsWhatAPolygonTouchesAndLittleMore) {
  test::Random random(56);
  for (int round = 0; round < 60; ++round) {
    const uint32_t width = 1 + random.Below(90), height = 1 + random.Below(70);
    std::vector<octet_zone_point> points(3 + random.Below(6));
    for (octet_zone_point& point : points)
      point = {random.Between(-9000, 75000), random.Between(-9000, 75000)};
    std::vector<uint8_t> pixels, touched(size_t{width} * height);
    const octet_frame frame = GreyFrame(width, height, &pixels);
    const octet_polygon polygon = {points.data(), static_cast<uint32_t>(points.size())};
    ASSERT_EQ(octet_mask_paint(&frame, &polygon, 1).code, OCTET_OK);
    for (uint32_t y = 0; y < height; ++y) {
      for (uint32_t x = 0; x < width; ++x)
        touched[size_t{y} * width + x] = Touches(points, width, height, x, y) ? 1 : 0;
    }
    for (uint32_t y = 0; y < height; ++y) {
      for (uint32_t x = 0; x < frame.strides[0]; ++x) {
        const uint8_t pixel = pixels[y * frame.strides[0] + x];
        if (x >= width) {
          ASSERT_EQ(pixel, 7) << "behind row " << y;
        } else if (touched[size_t{y} * width + x] != 0) {
          ASSERT_EQ(pixel, 128) << round << ": " << x << "," << y;
        }
      }
    }
  }
}

TEST(Mask, LeavesWhatIsFarFromAPolygon) {
  std::vector<uint8_t> pixels;
  const octet_frame frame = GreyFrame(80, 60, &pixels);
  const octet_polygon polygon = {kTriangle, 3};
  ASSERT_EQ(octet_mask_paint(&frame, &polygon, 1).code, OCTET_OK);
  const std::vector<octet_zone_point> points(std::begin(kTriangle), std::end(kTriangle));
  std::vector<uint8_t> touched(80 * 60);
  for (uint32_t i = 0; i < touched.size(); ++i)
    touched[i] = Touches(points, 80, 60, i % 80, i / 80) ? 1 : 0;
  for (uint32_t y = 0; y < 60; ++y) {
    for (uint32_t x = 0; x < 80; ++x) {
      if (HasNear(touched, 80, 60, x, y)) continue;
      EXPECT_EQ(pixels[y * frame.strides[0] + x], 7) << x << "," << y;
    }
  }
}

// Of a polygon over the whole picture nothing is left, in any format and at odd sizes.
TEST(Mask, LeavesNothingOfAWholePicture) {
  constexpr octet_zone_point kAll[] = {{0, 0}, {65536, 0}, {65536, 65536}, {0, 65536}};
  const octet_polygon polygon = {kAll, 4};
  struct Format {
    octet_pixel_format format;
    std::vector<size_t> strides, rows;
  };
  const uint32_t width = 15, height = 9;
  const Format formats[] = {{OCTET_PIXELS_RGB24, {45}, {9}},
                            {OCTET_PIXELS_GREY8, {15}, {9}},
                            {OCTET_PIXELS_NV12, {15, 16}, {9, 5}},
                            {OCTET_PIXELS_YUV420P, {15, 8, 8}, {9, 5, 5}},
                            {OCTET_PIXELS_YUYV, {32}, {9}}};
  for (const Format& format : formats) {
    octet_frame frame = {};
    frame.size = sizeof(frame);
    frame.format = format.format;
    frame.width = width;
    frame.height = height;
    std::vector<std::vector<uint8_t>> planes;
    for (size_t p = 0; p < format.strides.size(); ++p)
      planes.emplace_back(format.strides[p] * format.rows[p] + 1, 7);
    for (size_t p = 0; p < planes.size(); ++p) {
      frame.planes[p] = planes[p].data();
      frame.strides[p] = format.strides[p];
    }
    ASSERT_EQ(octet_mask_paint(&frame, &polygon, 1).code, OCTET_OK);
    for (std::vector<uint8_t>& plane : planes) {
      EXPECT_EQ(plane.back(), 7) << "behind the plane of format " << format.format;
      plane.pop_back();
    }
    // YUYV of an odd width has a sample of brightness that belongs to no pixel.
    const auto left = std::count(planes[0].begin(), planes[0].end(), 7);
    EXPECT_EQ(left, format.format == OCTET_PIXELS_YUYV ? height : 0) << "format " << format.format;
    for (size_t p = 1; p < planes.size(); ++p)
      EXPECT_EQ(std::count(planes[p].begin(), planes[p].end(), 128),
                static_cast<long>(planes[p].size()));
  }
}

TEST(Mask, RefusesWhatBreaksARule) {
  std::vector<uint8_t> pixels;
  octet_frame frame = GreyFrame(16, 16, &pixels);
  const std::vector<uint8_t> before = pixels;
  const octet_polygon good = {kTriangle, 3}, line = {kTriangle, 2}, none = {nullptr, 3};
  constexpr octet_zone_point kFar[] = {{0, 0}, {(1 << 20) + 1, 0}, {0, 65536}};
  const octet_polygon far = {kFar, 3};
  const auto refused = [&](const octet_frame* f, const octet_polygon* polygons, uint32_t count) {
    return octet_mask_paint(f, polygons, count).code == OCTET_INVALID_ARGUMENT && pixels == before;
  };
  EXPECT_TRUE(refused(nullptr, &good, 1));
  EXPECT_TRUE(refused(&frame, nullptr, 1));
  EXPECT_TRUE(refused(&frame, &line, 1));
  EXPECT_TRUE(refused(&frame, &none, 1));
  EXPECT_TRUE(refused(&frame, &far, 1));
  const std::vector<octet_polygon> many(OCTET_MOST_POLYGONS + 1, good);
  EXPECT_TRUE(refused(&frame, many.data(), OCTET_MOST_POLYGONS + 1));
  frame.strides[0] = 15;
  EXPECT_TRUE(refused(&frame, &good, 1));
  frame.strides[0] = 16;
  frame.planes[0] = nullptr;
  EXPECT_TRUE(refused(&frame, &good, 1));
}

}  // namespace
}  // namespace octet
