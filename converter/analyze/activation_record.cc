#include "converter/analyze/activation_record.h"

#include <algorithm>
#include <cmath>

#include "converter/support/decibels.h"

namespace octet::analyze {
namespace {

constexpr int kLowestCode = -128;

// NaN counts as below: it compares with nothing.
size_t PlaceOf(float code) {
  if (!(code >= 0)) return 0;
  if (code > kCodes - 1) return kCodes + 1;
  return 1 + static_cast<size_t>(code);
}

Histogram Binned(const CodeCounts& counts) {
  Histogram bins{};
  bins.front() = counts.front();
  bins.back() = counts.back();
  for (size_t code = 0; code < kCodes; ++code) bins[1 + code / kCodesPerBin] += counts[1 + code];
  return bins;
}

// Bins around every fourth code, from the lowest on; counts as shares of a bin's width, so
// integers.
std::array<uint64_t, kCodes / kCodesPerBin + 1> Smoothed(const CodeCounts& counts) {
  std::array<uint64_t, kCodes / kCodesPerBin + 1> bins{};
  for (size_t code = 0; code < kCodes; ++code) {
    const size_t bin = code / kCodesPerBin, past = code % kCodesPerBin;
    bins[bin] += (kCodesPerBin - past) * counts[1 + code];
    bins[bin + 1] += past * counts[1 + code];
  }
  return bins;
}

bool IsBeyond(float code) {
  return !(code >= 0 && code <= kCodes - 1);
}

}  // namespace

void ActivationRecord::Add(std::span<const float> exact, std::span<const float> before,
                           std::span<const float> after) {
  if (scheme_.channels.empty()) {
    return AddRun(scheme_.scale, scheme_.zero_point, exact, before, after);
  }
  const size_t plane = exact.size() / scheme_.channels.size();
  for (size_t c = 0; c < scheme_.channels.size(); ++c) {
    const quantize::ChannelScheme& channel = scheme_.channels[c];
    AddRun(channel.scale, channel.zero_point, exact.subspan(c * plane, plane),
           before.subspan(c * plane, plane), after.subspan(c * plane, plane));
  }
}

void ActivationRecord::AddRun(float scale, int zero_point, std::span<const float> exact,
                              std::span<const float> before, std::span<const float> after) {
  const float inverse = 1 / scale;
  const auto lowest = static_cast<float>(zero_point - kLowestCode);
  const auto code = [&](float x) { return std::floor(x * inverse + 0.5f) + lowest; };
  // Sums of one run first: a total over many pictures would swallow what is small.
  double sum = 0, squares = 0, error_sum = 0, error_squares = 0, product = 0, power = 0,
         rounding = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    const float exact_code = code(exact[i]);
    clipped_ += IsBeyond(exact_code) ? 1 : 0;
    saturated_ += IsBeyond(code(before[i])) ? 1 : 0;
    ++exact_[PlaceOf(exact_code)];
    ++int8_[PlaceOf(code(after[i]))];
    const double e = exact[i], a = after[i], difference = e - a;
    // Where FP32 has no number, as behind a mask, no error is measured.
    if (!std::isfinite(e)) continue;
    sum += e;
    squares += e * e;
    error_sum += difference;
    error_squares += difference * difference;
    product += e * a;
    power += a * a;
    rounding += std::fabs(a - static_cast<double>(before[i]));
  }
  count_ += static_cast<int64_t>(exact.size());
  sum_ += sum;
  squares_ += squares;
  error_sum_ += error_sum;
  error_squares_ += error_squares;
  product_ += product;
  power_ += power;
  rounding_ += rounding;
}

double ActivationRecord::Mse() const {
  return count_ == 0 ? 0 : error_squares_ / static_cast<double>(count_);
}

double ActivationRecord::SnrDb() const {
  return Decibels(squares_, error_squares_);
}

double ActivationRecord::Cosine() const {
  if (error_squares_ == 0) return 1;
  const bool measured = std::isfinite(error_squares_) && squares_ > 0 && power_ > 0;
  return measured ? product_ / std::sqrt(squares_ * power_) : 0;
}

double ActivationRecord::ErrorMean() const {
  return count_ == 0 ? 0 : error_sum_ / static_cast<double>(count_);
}

double ActivationRecord::NoiseSigma() const {
  return std::sqrt(std::max(0.0, Mse() - ErrorMean() * ErrorMean()));
}

double ActivationRecord::NoiseShare() const {
  return LostShare(squares_, error_squares_);
}

double ActivationRecord::Mean() const {
  return count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
}

double ActivationRecord::Sigma() const {
  if (count_ == 0) return 0;
  return std::sqrt(std::max(0.0, squares_ / static_cast<double>(count_) - Mean() * Mean()));
}

double ActivationRecord::ClippedShare() const {
  return count_ == 0 ? 0 : static_cast<double>(clipped_) / static_cast<double>(count_);
}

double ActivationRecord::SaturatedShare() const {
  return count_ == 0 ? 0 : static_cast<double>(saturated_) / static_cast<double>(count_);
}

double ActivationRecord::Overlap() const {
  if (count_ == 0) return 1;
  const auto exact = Smoothed(exact_), int8 = Smoothed(int8_);
  uint64_t both = kCodesPerBin *
                  (std::min(exact_.front(), int8_.front()) + std::min(exact_.back(), int8_.back()));
  for (size_t i = 0; i < exact.size(); ++i) both += std::min(exact[i], int8[i]);
  return static_cast<double>(both) / (kCodesPerBin * static_cast<double>(count_));
}

Histogram ActivationRecord::Exact() const {
  return Binned(exact_);
}

Histogram ActivationRecord::Int8() const {
  return Binned(int8_);
}

}  // namespace octet::analyze
