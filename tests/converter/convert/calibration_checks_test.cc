// The numbers at which calibration data begin to look wrong.
#include "converter/convert/calibration_checks.h"

#include <functional>

#include <gtest/gtest.h>

#include "converter/support/error.h"

namespace octet::convert {
namespace {

using Pixel = std::function<int(int64_t sample, size_t i)>;

// Pictures of 2 x 2, or the same numbers as values where they are none.
class Some : public images::Dataset {
 public:
  Some(int64_t size, bool pictures, Pixel pixel)
      : size_(size), pictures_(pictures), pixel_(std::move(pixel)) {}
  int64_t size() const override { return size_; }
  graph::Tensor Load(int64_t i) const override {
    std::vector<float> values;
    for (size_t k = 0; k < 4; ++k) values.push_back(static_cast<float>(pixel_(i, k)));
    return graph::Tensor::Floats({1, 1, 2, 2}, values);
  }
  images::Image Pixels(int64_t i) const override {
    images::Image image;
    if (!pictures_) return image;
    image.height = image.width = 2;
    image.channels = 1;
    for (size_t k = 0; k < 4; ++k) image.pixels.push_back(static_cast<uint8_t>(pixel_(i, k)));
    return image;
  }

 private:
  int64_t size_;
  bool pictures_;
  Pixel pixel_;
};

struct Input {
  bool pictures;
  Pixel pixel;
};

Warnings WarningsOf(int64_t size, const std::vector<Input>& inputs) {
  std::vector<std::unique_ptr<images::Dataset>> data;
  std::vector<std::string> paths;
  for (const Input& input : inputs) {
    data.push_back(std::make_unique<Some>(size, input.pictures, input.pixel));
    paths.push_back("path" + std::to_string(paths.size()));
  }
  Warnings warnings;
  CheckCalibration(data, paths, {}, &warnings);
  return warnings;
}

size_t WarningsOfMean(float scale, float mean) {
  images::Preprocess preprocess;
  preprocess.scale = scale;
  preprocess.mean[1] = mean;
  Warnings warnings;
  CheckCalibration({}, {}, preprocess, &warnings);
  return warnings.size();
}

TEST(CalibrationNumbers, MeansLieWithinOnceTheWidthOfThePixelsBeyondThem) {
  for (const auto& [scale, mean, warned] : {std::tuple{1.0f, 510.0f, 0},
                                            {1.0f, 511.0f, 1},
                                            {1.0f, -255.0f, 0},
                                            {1.0f, -256.0f, 1},
                                            {-1.0f, 255.0f, 0},
                                            {-1.0f, 256.0f, 1},
                                            {-1.0f, -510.0f, 0},
                                            {-1.0f, -511.0f, 1}}) {
    EXPECT_EQ(WarningsOfMean(scale, mean), static_cast<size_t>(warned)) << scale << " " << mean;
  }
}

int Varied(int64_t sample, size_t i) {
  return static_cast<int>(sample) * 7 % 50 + static_cast<int>(i) * 40;
}
int Constant(int64_t sample, size_t) {
  return static_cast<int>(sample) * 40 + 40;
}

TEST(CalibrationNumbers, OneInputMayBeConstant) {
  EXPECT_EQ(WarningsOf(3, {{true, Varied}}).size(), 0u);
  EXPECT_EQ(WarningsOf(3, {{true, Varied}, {false, Constant}}).size(), 0u);
  // Values are warned of, pictures refused; of both together the values decide.
  EXPECT_EQ(WarningsOf(3, {{false, Constant}}).size(), 1u);
  EXPECT_EQ(WarningsOf(3, {{true, Constant}, {false, Constant}}).size(), 1u);
  EXPECT_THROW(WarningsOf(3, {{true, Constant}}), UserError);
  EXPECT_THROW(WarningsOf(3, {{true, Constant}, {true, Constant}}), UserError);
}

TEST(CalibrationNumbers, OneSampleAmongManyThatIsNotAlikeIsFound) {
  constexpr int64_t kMany = 100;
  EXPECT_EQ(WarningsOf(0, {{true, Varied}}).size(), 0u);
  const auto alike = [](int64_t, size_t i) { return static_cast<int>(i) * 40; };
  EXPECT_EQ(WarningsOf(1, {{true, alike}}).size(), 0u);
  EXPECT_EQ(WarningsOf(2, {{true, alike}}).size(), 1u);
  // Both inputs have to be alike.
  EXPECT_EQ(WarningsOf(kMany, {{true, alike}, {true, alike}}).size(), 1u);
  EXPECT_EQ(WarningsOf(kMany, {{true, alike}, {true, Varied}}).size(), 0u);
  for (int64_t other = 0; other < kMany; ++other) {
    const auto pixel = [=](int64_t sample, size_t i) {
      return static_cast<int>(i) * (sample == other ? 41 : 40);
    };
    EXPECT_EQ(WarningsOf(kMany, {{true, pixel}}).size(), 0u) << other;
  }
}

TEST(CalibrationNumbers, PicturesAreDarkUpToAnEighthOfAByte) {
  const auto up_to = [](int brightest) {
    return [=](int64_t sample, size_t i) {
      return sample == 1 && i == 3 ? brightest : static_cast<int>(sample + static_cast<int64_t>(i));
    };
  };
  EXPECT_EQ(WarningsOf(3, {{true, up_to(31)}}).size(), 1u);
  EXPECT_EQ(WarningsOf(3, {{true, up_to(32)}}).size(), 0u);
  EXPECT_EQ(WarningsOf(3, {{false, up_to(31)}}).size(), 0u) << "no pictures";
  // Each input has its own warning, with its path and its brightest pixel.
  const Warnings two = WarningsOf(3, {{true, Varied}, {true, up_to(23)}});
  ASSERT_EQ(two.size(), 1u);
  EXPECT_EQ(two[0].rfind("path1", 0), 0u) << two[0];
  EXPECT_NE(two[0].find("23"), std::string::npos) << two[0];
}

}  // namespace
}  // namespace octet::convert
