// A function of one variable between two ends as a chain of straight pieces: what a layer's
// activation makes of its sums, and how steeply.
#ifndef OCTET_CONVERTER_RECOVER_CURVE_H_
#define OCTET_CONVERTER_RECOVER_CURVE_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace octet::recover {

class Curve {
 public:
  // Of a function that changes nothing.
  Curve() = default;
  // low <= high; beyond them the outer pieces go on.
  Curve(const std::function<double(double)>& function, float low, float high);

  struct Point {
    float value, slope;
  };
  Point At(float x) const {
    if (values_.empty()) return {x, 1};
    const float at = (x - low_) * inverse_;
    const auto i = static_cast<size_t>(std::clamp(at, 0.0f, static_cast<float>(kPieces - 1)));
    const float rise = values_[i + 1] - values_[i];
    return {values_[i] + (at - static_cast<float>(i)) * rise, rise * inverse_};
  }
  void Apply(std::span<float> values) const {
    for (float& value : values) value = At(value).value;
  }

 private:
  // A sixteenth of the steps that 8 bits have: finer than what is rounded behind it.
  static constexpr size_t kPieces = 4096;
  float low_ = 0, inverse_ = 1;  // 1 / width of a piece
  std::vector<float> values_;    // kPieces + 1
};

}  // namespace octet::recover

#endif  // OCTET_CONVERTER_RECOVER_CURVE_H_
