// The normative resize against an independent one in double precision, and against values pinned by
// hand.
#include "runtime/image/resize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace octet {
namespace {

struct Picture {
  uint32_t height, width, channels;
  std::vector<uint8_t> pixels;
};

void Store(void* context, uint32_t y, uint32_t x, const uint8_t* values) {
  Picture& picture = *static_cast<Picture*>(context);
  for (uint32_t c = 0; c < picture.channels; ++c) {
    picture.pixels[(y * picture.width + x) * picture.channels + c] = values[c];
  }
}

Picture Resize(const Picture& in, uint32_t height, uint32_t width, blob::ResizeMode mode,
               uint8_t bars = 0) {
  Picture out{height, width, in.channels, std::vector<uint8_t>(height * width * in.channels, 0xEE)};
  ResizePicture(in.pixels.data(), in.height, in.width, in.channels, in.width * in.channels, height,
                width, mode, bars, Store, &out);
  return out;
}

Picture Random(uint32_t height, uint32_t width, uint32_t channels, std::mt19937& random) {
  Picture picture{height, width, channels, std::vector<uint8_t>(height * width * channels)};
  for (uint8_t& pixel : picture.pixels) pixel = static_cast<uint8_t>(random());
  return picture;
}

// Weight of every source pixel for output i of one axis, from the textbook definitions.
std::vector<double> Weights(uint32_t in, uint32_t out, uint32_t i) {
  std::vector<double> weights(in);
  const double scale = static_cast<double>(in) / out;
  if (in > 2 * out) {
    for (uint32_t p = 0; p < in; ++p) {
      const double overlap = std::min((i + 1) * scale, p + 1.0) - std::max(i * scale, 1.0 * p);
      weights[p] = std::max(0.0, overlap) / scale;
    }
    return weights;
  }
  const double position = std::min(std::max((i + 0.5) * scale - 0.5, 0.0), in - 1.0);
  const auto low = static_cast<uint32_t>(position);
  const double fraction = position - low;
  weights[low] += 1 - fraction;
  weights[std::min(low + 1, in - 1)] += fraction;
  return weights;
}

double Exact(const Picture& in, const std::vector<double>& rows, const std::vector<double>& columns,
             uint32_t c) {
  double sum = 0;
  for (uint32_t y = 0; y < in.height; ++y) {
    for (uint32_t x = 0; x < in.width; ++x) {
      sum += rows[y] * columns[x] * in.pixels[(y * in.width + x) * in.channels + c];
    }
  }
  return sum;
}

// 11-bit weights move a value by at most 255 * 2 / 2048 an axis, rounding by 1/2.
TEST(Resize, StretchIsCloseToDoublePrecision) {
  const uint32_t seed = 20240607;
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  for (int trial = 0; trial < 60; ++trial) {
    const Picture in =
        Random(1 + random() % 40, 1 + random() % 40, random() % 2 != 0 ? 3 : 1, random);
    const uint32_t height = 1 + random() % 30, width = 1 + random() % 30;
    const Picture out = Resize(in, height, width, blob::ResizeMode::kStretch);
    for (uint32_t y = 0; y < height; ++y) {
      const std::vector<double> rows = Weights(in.height, height, y);
      for (uint32_t x = 0; x < width; ++x) {
        const std::vector<double> columns = Weights(in.width, width, x);
        for (uint32_t c = 0; c < in.channels; ++c) {
          ASSERT_NEAR(out.pixels[(y * width + x) * in.channels + c], Exact(in, rows, columns, c),
                      0.5 + 2 * 255.0 / 2048)
              << in.height << "x" << in.width << " to " << height << "x" << width << " at " << y
              << "," << x;
        }
      }
    }
  }
}

TEST(Resize, EqualSizesCopy) {
  std::mt19937 random(3);
  const Picture in = Random(7, 9, 3, random);
  for (const auto mode :
       {blob::ResizeMode::kStretch, blob::ResizeMode::kLetterbox, blob::ResizeMode::kCrop}) {
    EXPECT_EQ(Resize(in, 7, 9, mode).pixels, in.pixels);
  }
}

TEST(Resize, PinnedValues) {
  const auto stretch = [](std::vector<uint8_t> row, uint32_t width) {
    const auto in_width = static_cast<uint32_t>(row.size());
    return Resize({1, in_width, 1, std::move(row)}, 1, width, blob::ResizeMode::kStretch).pixels;
  };
  using V = std::vector<uint8_t>;
  // Twice as wide: positions -0.25 (clamped), 0.25, 0.75, 1.25 (clamped).
  EXPECT_EQ(stretch({0, 100}, 4), (V{0, 25, 75, 100}));
  // Half: exactly in > 2 * out is not met, so bilinear between the two middle pixels.
  EXPECT_EQ(stretch({0, 101, 200, 11}, 2), (V{51, 106}));
  // A fifth: the area's mean, half up. (0 + 1 + 2 + 3 + 4) / 5; (0 + 0 + 1 + 1 + 1) / 5.
  EXPECT_EQ(stretch({0, 1, 2, 3, 4, 0, 0, 1, 1, 1}, 2), (V{2, 1}));
  // 5 to 2: pixels 0, 1 and half of 2: (10 + 20 + 15) / 2.5 = 18; (15 + 40 + 50) / 2.5 = 42.
  EXPECT_EQ(stretch({10, 20, 30, 40, 50}, 2), (V{18, 42}));
}

TEST(Resize, LetterboxAndCropRegions) {
  const Placement letterbox = PlacePicture(50, 100, 64, 64, blob::ResizeMode::kLetterbox);
  EXPECT_EQ(letterbox.target.x, 0u);
  EXPECT_EQ(letterbox.target.y, 16u);
  EXPECT_EQ(letterbox.target.width, 64u);
  EXPECT_EQ(letterbox.target.height, 32u);
  const Placement crop = PlacePicture(50, 100, 64, 64, blob::ResizeMode::kCrop);
  EXPECT_EQ(crop.source.x, 25u);
  EXPECT_EQ(crop.source.y, 0u);
  EXPECT_EQ(crop.source.width, 50u);
  EXPECT_EQ(crop.source.height, 50u);
  // Extremes stay inside and are never empty.
  for (const auto mode : {blob::ResizeMode::kLetterbox, blob::ResizeMode::kCrop}) {
    for (const auto& [h, w] : {std::pair{1u, 65535u}, std::pair{65535u, 1u}, std::pair{3u, 2u}}) {
      const Placement p = PlacePicture(h, w, 5, 7, mode);
      EXPECT_GE(p.source.width, 1u);
      EXPECT_GE(p.target.height, 1u);
      EXPECT_LE(p.source.x + p.source.width, w);
      EXPECT_LE(p.source.y + p.source.height, h);
      EXPECT_LE(p.target.x + p.target.width, 7u);
      EXPECT_LE(p.target.y + p.target.height, 5u);
    }
  }
}

TEST(Resize, BarsAreGreyAndCropEqualsStretchOfTheCut) {
  std::mt19937 random(5);
  const Picture in = Random(10, 30, 3, random);
  const Picture boxed = Resize(in, 12, 12, blob::ResizeMode::kLetterbox, 114);
  for (uint32_t x = 0; x < 36; ++x) {
    EXPECT_EQ(boxed.pixels[x], 114);
    EXPECT_EQ(boxed.pixels[11 * 36 + x], 114);
  }
  Picture cut{10, 10, 3, {}};
  for (uint32_t y = 0; y < 10; ++y) {
    const auto row = in.pixels.begin() + (y * 30 + 10) * 3;
    cut.pixels.insert(cut.pixels.end(), row, row + 30);
  }
  EXPECT_EQ(Resize(in, 6, 6, blob::ResizeMode::kCrop).pixels,
            Resize(cut, 6, 6, blob::ResizeMode::kStretch).pixels);
}

}  // namespace
}  // namespace octet
