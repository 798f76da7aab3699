// Random data: the same everywhere, different from sample to sample, and as wide as it says.
#include "converter/images/random_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace octet::test {
namespace {

std::unique_ptr<images::Dataset> Make(const graph::Shape& shape, bool is_image, size_t input = 0,
                                      uint64_t seed = 1) {
  images::Preprocess preprocess;
  preprocess.is_image = is_image;
  return images::RandomDataset(shape, preprocess, is_image && shape[3] <= 3, 40, seed, input);
}

TEST(RandomData, PicturesFillTheRangeOfBytesAndDiffer) {
  for (const graph::Shape& shape : {graph::Shape{1, 3, 20, 30}, graph::Shape{1, 20, 30, 1}}) {
    const auto data = Make(shape, true);
    ASSERT_EQ(data->size(), 40);
    EXPECT_EQ(data->SourceChannels(), shape[1] == 3 ? 3 : 1);
    EXPECT_EQ(data->Picture(0).height, 20u);
    EXPECT_EQ(data->Picture(0).width, 30u);
    int low = 255, high = 0;
    for (int64_t i = 0; i < data->size(); ++i) {
      const images::Image picture = data->Pixels(i);
      ASSERT_EQ(picture.height, 20);
      ASSERT_EQ(picture.width, 30);
      const auto [least, most] = std::minmax_element(picture.pixels.begin(), picture.pixels.end());
      EXPECT_LT(*least, *most) << "sample " << i;
      low = std::min<int>(low, *least);
      high = std::max<int>(high, *most);
      EXPECT_EQ(picture.pixels, data->Pixels(i).pixels);
      if (i > 0) {
        EXPECT_NE(picture.pixels, data->Pixels(i - 1).pixels);
      }
      const graph::Tensor tensor = data->Load(i);
      EXPECT_EQ(tensor.shape, shape);
      EXPECT_GE(*std::min_element(tensor.floats.begin(), tensor.floats.end()), 0.0f);
      EXPECT_LE(*std::max_element(tensor.floats.begin(), tensor.floats.end()), 1.0f);
    }
    EXPECT_EQ(low, 0);
    EXPECT_EQ(high, 255);
  }
}

// A mean over many pixels still varies from picture to picture, as that of photographs does.
TEST(RandomData, PicturesDifferInBrightness) {
  const auto data = Make({1, 3, 64, 64}, true);
  double low = 255, high = 0;
  for (int64_t i = 0; i < data->size(); ++i) {
    const images::Image picture = data->Pixels(i);
    double sum = 0;
    for (const uint8_t pixel : picture.pixels) sum += pixel;
    low = std::min(low, sum / static_cast<double>(picture.pixels.size()));
    high = std::max(high, sum / static_cast<double>(picture.pixels.size()));
  }
  EXPECT_LT(low, 64);
  EXPECT_GT(high, 192);
}

TEST(RandomData, NumbersHaveUnitVariance) {
  const auto data = Make({1, 500}, false);
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < data->size(); ++i) {
    for (const float value : data->Load(i).floats) {
      ASSERT_LE(std::abs(value), 6);
      sum += value;
      squares += static_cast<double>(value) * value;
    }
  }
  const double count = 500.0 * 40;
  EXPECT_NEAR(sum / count, 0, 0.05);
  EXPECT_NEAR(squares / count, 1, 0.05);
  EXPECT_EQ(data->SourceChannels(), 0);
  EXPECT_TRUE(data->Pixels(0).pixels.empty());
}

TEST(RandomData, SeedsAndInputsDiffer) {
  const auto values = [](size_t input, uint64_t seed) {
    return Make({1, 50}, false, input, seed)->Load(0).floats;
  };
  EXPECT_EQ(values(0, 1), values(0, 1));
  EXPECT_NE(values(0, 1), values(1, 1));
  EXPECT_NE(values(0, 1), values(0, 2));
}

}  // namespace
}  // namespace octet::test
