// Pictures made smaller, and as JPEG that the decoder reads again.
#include "converter/images/encode.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace octet::images {
namespace {

TEST(Shrink, MeansOfWholePixels) {
  // 3 x 4, halved: the last row is a mean of two.
  const Image image{3, 4, 1, {0, 10, 100, 100, 20, 30, 100, 104, 7, 8, 50, 60}};
  const Image small = Shrink(image, 2);
  EXPECT_EQ(small.height, 2);
  EXPECT_EQ(small.width, 2);
  EXPECT_EQ(small.pixels, (std::vector<uint8_t>{15, 101, 8, 55}));
}

TEST(Shrink, ColoursApart) {
  const Image image{1, 2, 3, {0, 100, 200, 10, 110, 210}};
  EXPECT_EQ(Shrink(image, 1).pixels, (std::vector<uint8_t>{5, 105, 205}));
}

TEST(Shrink, WhatFitsStays) {
  const Image image{1, 2, 1, {1, 2}};
  EXPECT_EQ(Shrink(image, 2).pixels, image.pixels);
  EXPECT_EQ(Shrink(image, 480).width, 2);
}

TEST(EncodeJpeg, ReadsBack) {
  for (const int channels : {1, 3}) {
    Image image{16, 24, channels, {}};
    image.pixels.assign(static_cast<size_t>(16 * 24 * channels), 90);
    const std::vector<uint8_t> bytes = EncodeJpeg(image, 80);
    const auto path = std::filesystem::temp_directory_path() /
                      ("octet-encode-" + std::to_string(channels) + "-" +
                       std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + ".jpg");
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    const Image again = DecodePicture(path);
    std::filesystem::remove(path);
    EXPECT_EQ(again.height, 16);
    EXPECT_EQ(again.width, 24);
    EXPECT_EQ(again.channels, channels);
    for (const uint8_t pixel : again.pixels) EXPECT_LE(std::abs(pixel - 90), 2);
  }
}

}  // namespace
}  // namespace octet::images
