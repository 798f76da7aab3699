#include "converter/graph/coded.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace octet::graph {
namespace {

// How far a product of float may lie from the code it stands for, after a few multiplications.
constexpr double kTolerance = 1e-3;

// Of one element; no scale where it is a 0 that was put between others.
struct ElementCode {
  float scale = kNone;
  int zero_point = 0;
  static constexpr float kNone = -1;
  bool Fits(const ElementCode& other) const {
    return scale == kNone || other.scale == kNone ||
           (scale == other.scale && zero_point == other.zero_point);
  }
};

// Whether the codes of all elements along an axis fit together.
bool IsEvenAlong(const Shape& shape, size_t axis, const std::vector<ElementCode>& elements) {
  const auto dim = static_cast<size_t>(shape[axis]);
  size_t inner = 1;
  for (size_t i = axis + 1; i < shape.size(); ++i) inner *= static_cast<size_t>(shape[i]);
  for (size_t line = 0; line < elements.size() / dim; ++line) {
    const size_t first = line / inner * inner * dim + line % inner;
    ElementCode seen;
    for (size_t k = 0; k < dim; ++k) {
      const ElementCode& own = elements[first + k * inner];
      if (!seen.Fits(own)) return false;
      if (own.scale != ElementCode::kNone) seen = own;
    }
  }
  return true;
}

// Fills scales and zero points of `spread`; false where two elements of one do not fit.
bool Fill(const std::vector<ElementCode>& elements, Codes* codes) {
  codes->scales.assign(static_cast<size_t>(ElementCount(codes->spread)), 0);
  codes->zero_points.assign(codes->scales.size(), 0);
  std::vector<ElementCode> cells(codes->scales.size());
  const std::vector<size_t> of = codes->ScaleOfElements();
  for (size_t i = 0; i < elements.size(); ++i) {
    if (!cells[of[i]].Fits(elements[i])) return false;
    if (elements[i].scale != ElementCode::kNone) cells[of[i]] = elements[i];
  }
  for (size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].scale == ElementCode::kNone) continue;
    codes->scales[i] = cells[i].scale;
    codes->zero_points[i] = cells[i].zero_point;
  }
  return true;
}

// Scales of as few axes as the elements allow.
void Spread(const std::vector<ElementCode>& elements, Codes* codes) {
  const Shape& shape = codes->data.shape;
  codes->spread.assign(shape.size(), 1);
  if (elements.empty()) {
    codes->spread = shape;
  } else {
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (!IsEvenAlong(shape, axis, elements)) codes->spread[axis] = shape[axis];
    }
  }
  if (Fill(elements, codes)) return;
  codes->spread = shape;
  Fill(elements, codes);
}

bool IsCode(float value, float scale, int zero_point) {
  if (!(scale > 0)) return scale == 0;
  const double code = static_cast<double>(value) / static_cast<double>(scale) + zero_point;
  const double whole = std::nearbyint(code);
  // -128 times -1 is 128; lowering quantizes that channel anew.
  return whole >= -128 && whole <= 128 && std::fabs(code - whole) <= kTolerance;
}

bool IsInteger(float value, float scale, int zero_point, int64_t code) {
  const double real = static_cast<double>(scale) * static_cast<double>(code - zero_point);
  return std::fabs(real - static_cast<double>(value)) <= 1e-6 * std::fabs(real);
}

// Index of the first element that is not what its code says; the count where all are.
size_t FirstWrong(const Codes& codes) {
  const auto count = static_cast<size_t>(codes.data.Count());
  const std::vector<size_t> of = codes.ScaleOfElements();
  for (size_t i = 0; i < count; ++i) {
    const float value = codes.data.floats[i], scale = codes.scales[of[i]];
    const int zero_point = codes.zero_points[of[i]];
    if (codes.integers.empty() ? !IsCode(value, scale, zero_point)
                               : !IsInteger(value, scale, zero_point, codes.integers[i])) {
      return i;
    }
  }
  return count;
}

bool HasRightCounts(const Codes& codes) {
  const Shape& shape = codes.data.shape;
  const auto count = static_cast<size_t>(codes.data.Count());
  if (!codes.data.IsFloat() || codes.data.floats.size() != count) return false;
  if (codes.spread.size() != shape.size()) return false;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (codes.spread[axis] != 1 && codes.spread[axis] != shape[axis]) return false;
  }
  return codes.scales.size() == static_cast<size_t>(ElementCount(codes.spread)) &&
         codes.zero_points.size() == codes.scales.size() &&
         (codes.integers.empty() || codes.integers.size() == count);
}

}  // namespace

std::vector<size_t> Codes::ScaleOfElements() const {
  const auto count = static_cast<size_t>(data.Count());
  std::vector<size_t> of(count, 0);
  size_t inner = count, stride = scales.size();
  for (size_t axis = 0; axis < spread.size(); ++axis) {
    const auto dim = static_cast<size_t>(data.shape[axis]);
    inner /= std::max<size_t>(dim, 1);
    if (spread[axis] == 1) continue;
    stride /= dim;
    for (size_t i = 0; i < count; ++i) of[i] += i / inner % dim * stride;
  }
  return of;
}

void Given::Round(std::vector<float>& values) const {
  const auto zero = static_cast<float>(zero_point);
  for (float& value : values) {
    value = std::clamp(std::nearbyint(value / scale), -128 - zero, 127 - zero) * scale;
  }
}

Constant Constant::Real(Tensor data) {
  Constant constant;
  constant.data_ = std::make_shared<const Tensor>(std::move(data));
  return constant;
}

Constant Constant::Uncoded(Tensor data) {
  Constant constant = Real(std::move(data));
  constant.uncoded_ = true;
  return constant;
}

void Constant::RequireCodesOf(const Constant& old, const std::string& name) const {
  if (old.codes() == nullptr || codes() != nullptr || IsUncoded()) return;
  throw std::logic_error("a pass lost the codes of '" + name + "'");
}

Constant Constant::Coded(Codes codes) {
  if (HasRightCounts(codes) && FirstWrong(codes) != static_cast<size_t>(codes.data.Count())) {
    return Uncoded(std::move(codes.data));
  }
  return Of(std::move(codes));
}

// Proved once: constants do not change.
Constant Constant::Of(Codes codes) {
  if (!HasRightCounts(codes) || FirstWrong(codes) != static_cast<size_t>(codes.data.Count())) {
    throw std::logic_error("a constant of shape " + ToString(codes.data.shape) +
                           " is not what its codes say");
  }
  Constant constant;
  constant.codes_ = std::make_shared<const Codes>(std::move(codes));
  constant.data_ = std::shared_ptr<const Tensor>(constant.codes_, &constant.codes_->data);
  return constant;
}

Constant Constant::Gathered(Shape shape, std::span<const int64_t> sources) const {
  const Tensor& from = *data_;
  if (!from.IsFloat()) throw std::logic_error("Gathered: integers have no codes");
  Tensor to = Tensor::Floats(std::move(shape), std::vector<float>(sources.size(), 0.0f));
  for (size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] >= 0) to.floats[i] = from.floats[static_cast<size_t>(sources[i])];
  }
  if (!codes_) return Real(std::move(to));
  Codes moved;
  moved.data = std::move(to);
  const std::vector<size_t> of = codes_->ScaleOfElements();
  std::vector<ElementCode> elements(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] < 0) continue;
    const size_t cell = of[static_cast<size_t>(sources[i])];
    elements[i] = {codes_->scales[cell], codes_->zero_points[cell]};
  }
  Spread(elements, &moved);
  if (!codes_->integers.empty()) {
    const std::vector<size_t> to_cell = moved.ScaleOfElements();
    for (size_t i = 0; i < sources.size(); ++i) {
      moved.integers.push_back(sources[i] < 0 ? moved.zero_points[to_cell[i]]
                                              : codes_->integers[static_cast<size_t>(sources[i])]);
    }
  }
  return Of(std::move(moved));
}

Constant Constant::Reshaped(Shape shape) const {
  std::vector<int64_t> sources(static_cast<size_t>(data_->Count()));
  std::iota(sources.begin(), sources.end(), int64_t{0});
  return Gathered(std::move(shape), sources);
}

Constant Constant::Multiplied(std::span<const float> factors) const {
  Tensor product = *data_;
  for (size_t i = 0; i < factors.size(); ++i) product.floats[i] *= factors[i];
  if (!codes_) return Real(std::move(product));
  if (!codes_->integers.empty()) return Uncoded(std::move(product));
  Codes scaled;
  scaled.data = std::move(product);
  const std::vector<size_t> of = codes_->ScaleOfElements();
  std::vector<ElementCode> elements(factors.size());
  for (size_t i = 0; i < factors.size(); ++i) {
    const int sign = factors[i] < 0 ? -1 : 1;
    elements[i] = {codes_->scales[of[i]] * std::fabs(factors[i]),
                   codes_->zero_points[of[i]] * sign};
  }
  Spread(elements, &scaled);
  // Products may be too small for a float.
  const std::vector<size_t> cells = scaled.ScaleOfElements();
  for (size_t i = 0; i < factors.size(); ++i) {
    float& scale = scaled.scales[cells[i]];
    if (!IsCode(scaled.data.floats[i], scale, scaled.zero_points[cells[i]])) scale = 0;
  }
  return Of(std::move(scaled));
}

}  // namespace octet::graph
