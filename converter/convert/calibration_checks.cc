#include "converter/convert/calibration_checks.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "converter/support/error.h"

namespace octet::convert {
namespace {

constexpr int64_t kLookedAt = 16;
// An eighth of what a byte holds: the darkest night picture that a camera has exposed goes beyond.
constexpr int kDarkPixel = 31;
// Means lie among the pixels. This far beyond both ends they are of another scale.
constexpr float kFarMean = 1;

// What a sample of one input holds.
struct Content {
  bool is_picture = false;
  bool constant = false;
  int brightest = 255;  // of a picture
  size_t hash = 0;
};

template <typename T>
Content ContentOf(const std::vector<T>& values) {
  Content content;
  if (values.empty()) return content;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  content.constant = *low == *high;
  const std::string_view bytes(reinterpret_cast<const char*>(values.data()),
                               values.size() * sizeof(T));
  content.hash = std::hash<std::string_view>()(bytes);
  return content;
}

Content ContentOf(const images::Dataset& data, int64_t sample) {
  const images::Image image = data.Pixels(sample);
  if (image.pixels.empty()) return ContentOf(data.Load(sample).floats);
  Content content = ContentOf(image.pixels);
  content.is_picture = true;
  content.brightest = *std::max_element(image.pixels.begin(), image.pixels.end());
  return content;
}

// Whether `is` holds of every sample: of a few, and then of all.
bool HoldsOfAll(int64_t count, const std::function<bool(int64_t)>& is) {
  const int64_t few = std::min(count, kLookedAt);
  for (int64_t k = 0; k < few; ++k) {
    if (!is(k * count / few)) return false;
  }
  for (int64_t i = 0; few < count && i < count; ++i) {
    if (!is(i)) return false;
  }
  return true;
}

void CheckPreprocess(const images::Preprocess& preprocess, Warnings* warnings) {
  if (preprocess.scale == 0) {
    Fail("--scale 0: all pixels become the same number; 1/255 maps pixels to 0 to 1, 1 keeps them");
  }
  const float end = 255 * preprocess.scale;
  const float low = std::min(0.0f, end), high = std::max(0.0f, end), width = high - low;
  for (const float mean : preprocess.mean) {
    if (mean <= high + kFarMean * width && mean >= low - kFarMean * width) continue;
    warnings->push_back(
        fmt::format("--mean {:g}: --scale {:.4g} maps pixels to {:g} to {:g}, and a mean must be "
                    "inside; for means of bytes (123.675,116.28,103.53) give --scale 1",
                    mean, preprocess.scale, low, high));
    return;
  }
}

}  // namespace

bool CheckCalibration(const std::vector<std::unique_ptr<images::Dataset>>& datasets,
                      const std::vector<std::string>& paths, const images::Preprocess& preprocess,
                      Warnings* warnings) {
  CheckPreprocess(preprocess, warnings);
  if (datasets.empty() || datasets[0]->size() == 0) return false;
  const int64_t count = datasets[0]->size();
  const auto all_inputs = [&](int64_t sample, const auto& is) {
    return std::all_of(datasets.begin(), datasets.end(),
                       [&](const auto& data) { return is(*data, sample); });
  };
  // One input may well be a constant, as a mask of zeros: never all of them.
  bool pictures = true;
  const bool constant = HoldsOfAll(count, [&](int64_t i) {
    return all_inputs(i, [&](const images::Dataset& data, int64_t sample) {
      const Content content = ContentOf(data, sample);
      pictures = pictures && content.is_picture;
      return content.constant;
    });
  });
  if (constant) {
    const std::string what = fmt::format(
        "{}: every sample is one constant (as black pictures are), so no range can be found; "
        "calibrate with {}",
        fmt::join(paths, ","), pictures ? "pictures from the camera" : "real inputs");
    if (pictures) Fail("{}", what);
    warnings->push_back(what);
  }
  std::vector<size_t> first;
  for (const auto& data : datasets) first.push_back(ContentOf(*data, 0).hash);
  const bool alike = count > 1 && HoldsOfAll(count, [&](int64_t i) {
                       for (size_t k = 0; k < datasets.size(); ++k) {
                         if (ContentOf(*datasets[k], i).hash != first[k]) return false;
                       }
                       return true;
                     });
  if (alike) {
    warnings->push_back(
        fmt::format("{}: all {} samples are equal, so the ranges come from one sample; calibrate "
                    "with different ones",
                    fmt::join(paths, ","), count));
  }
  for (size_t k = 0; k < datasets.size(); ++k) {
    int brightest = 0;
    const bool dark = HoldsOfAll(count, [&](int64_t i) {
      const Content content = ContentOf(*datasets[k], i);
      brightest = std::max(brightest, content.brightest);
      return content.is_picture && content.brightest <= kDarkPixel;
    });
    if (!dark) continue;
    warnings->push_back(
        fmt::format("{}: no pixel is above {} of 255: the pictures are nearly black, or their "
                    "bytes are 0 to 1; try: --calibrate with pictures of 0 to 255",
                    paths[k], brightest));
  }
  return alike;
}

}  // namespace octet::convert
