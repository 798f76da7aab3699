#include "converter/calibrate/observation.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/core/checked.h"
#include "runtime/core/half.h"
#include "runtime/core/log2.h"

namespace octet::calibrate {
namespace {

constexpr size_t kLanes = 16;
constexpr float kLargest = std::numeric_limits<float>::max();

using Extremes = Observation::Extremes;

// Independent lanes, so that the compiler may keep them in vector registers.
Extremes FindExtremes(std::span<const float> values) {
  float low[kLanes], high[kLanes];
  int32_t zeros[kLanes], bad[kLanes];
  std::fill_n(low, kLanes, kLargest);
  std::fill_n(high, kLanes, -kLargest);
  std::fill_n(bad, kLanes, 0);
  Extremes result{kLargest, -kLargest, 0, false};
  const auto observe = [&](size_t lane, float v) {
    const bool finite = std::fabs(v) <= kLargest;
    const float down = finite ? v : kLargest, up = finite ? v : -kLargest;
    low[lane] = down < low[lane] ? down : low[lane];
    high[lane] = up > high[lane] ? up : high[lane];
    zeros[lane] += v == 0.0f;
    bad[lane] |= !finite;
  };
  constexpr size_t kBlock = size_t{1} << 20;  // 32-bit counts of a lane cannot overflow
  for (size_t first = 0; first < values.size(); first += kBlock) {
    const size_t last = std::min(values.size(), first + kBlock);
    std::fill_n(zeros, kLanes, 0);
    size_t i = first;
    for (; i + kLanes <= last; i += kLanes) {
      for (size_t lane = 0; lane < kLanes; ++lane) observe(lane, values[i + lane]);
    }
    for (; i < last; ++i) observe(0, values[i]);
    for (size_t lane = 0; lane < kLanes; ++lane) result.zeros += zeros[lane];
  }
  for (size_t lane = 0; lane < kLanes; ++lane) {
    result.min = std::min(result.min, low[lane]);
    result.max = std::max(result.max, high[lane]);
    result.non_finite |= bad[lane] != 0;
  }
  // -0 and +0 are equal: keep one of them whichever came first.
  result.min += 0.0f;
  result.max += 0.0f;
  return result;
}

bool Holds(int exponent, float min, float max) {
  const double inverse = std::ldexp(1.0, -exponent);
  return std::floor(min * inverse) >= -Observation::kHalf &&
         std::floor(max * inverse) < Observation::kHalf;
}

}  // namespace

void Observation::GrowTo(int exponent) {
  const int shift = exponent - exponent_;
  exponent_ = exponent;
  if (shift <= 0 || bins_.empty()) return;
  std::vector<uint64_t> grown(kBins, 0);
  for (int i = -kHalf; i < kHalf; ++i) {
    const int to = i >> std::min(shift, 30);
    grown[static_cast<size_t>(to + kHalf)] += bins_[static_cast<size_t>(i + kHalf)];
  }
  bins_ = std::move(grown);
}

Observation::Extremes Observation::FindChannels(std::span<const float> values, size_t channels) {
  if (channels <= 1) return FindExtremes(values);
  channels_.resize(channels, Range{kLargest, -kLargest});
  const size_t plane = values.size() / channels;
  Extremes all{kLargest, -kLargest, 0, false};
  for (size_t c = 0; c < channels; ++c) {
    const Extremes one = FindExtremes(values.subspan(c * plane, plane));
    channels_[c] = {std::min(channels_[c].min, one.min), std::max(channels_[c].max, one.max)};
    all.min = std::min(all.min, one.min);
    all.max = std::max(all.max, one.max);
    all.zeros += one.zeros;
    all.non_finite |= one.non_finite;
  }
  return all;
}

void Observation::Add(std::span<const float> values, size_t channels, bool masked) {
  if (values.empty()) return;
  const Extremes extremes = FindChannels(values, channels);
  count_ += static_cast<int64_t>(values.size());
  zeros_ += extremes.zeros;
  non_finite_ |= extremes.non_finite && !masked;
  if (extremes.min > extremes.max) return;
  const float peak = std::max(-extremes.min, extremes.max);
  if (IsNormalPositiveFloat(peak)) {
    const int64_t log = Log2Of(FloatBits(peak));
    ++peaks_;
    peak_sum_ += log;
    peak_squares_ += log * log;
  }
  const bool first = bins_.empty();
  min_ = first ? extremes.min : std::min(min_, extremes.min);
  max_ = first ? extremes.max : std::max(max_, extremes.max);
  int exponent = exponent_;
  while (!Holds(exponent, min_, max_)) ++exponent;
  GrowTo(exponent);
  if (first) bins_.assign(kBins, 0);
  // Scaling by a power of two is exact (values below 2^-126 * 2^100 may round, all to bins -1 and
  // 0), and so is the floor.
  const float inverse = std::ldexp(1.0f, -exponent_);
  uint64_t* const centre = bins_.data() + kHalf;
  const auto bin_of = [inverse](float v) {
    const float scaled = v * inverse;
    const auto truncated = static_cast<int32_t>(scaled);
    return truncated - (static_cast<float>(truncated) > scaled ? 1 : 0);
  };
  if (extremes.non_finite) {
    for (float v : values) {
      if (std::fabs(v) <= kLargest) ++centre[bin_of(v)];
    }
    return;
  }
  constexpr size_t kBlock = 256;
  int32_t index[kBlock];
  size_t i = 0;
  for (; i + kBlock <= values.size(); i += kBlock) {
    for (size_t j = 0; j < kBlock; ++j) index[j] = bin_of(values[i + j]);
    for (size_t j = 0; j < kBlock; ++j) ++centre[index[j]];
  }
  for (; i < values.size(); ++i) ++centre[bin_of(values[i])];
}

bool Observation::IsSound() const {
  constexpr int kMaxExponent = 128;  // +-2^127 has to lie inside
  if (bins_.empty()) return exponent_ == kMinExponent && count_ >= 0;
  return bins_.size() == kBins && exponent_ >= kMinExponent && exponent_ <= kMaxExponent &&
         min_ <= max_ && Holds(exponent_, min_, max_) && count_ > 0 && zeros_ >= 0;
}

void Observation::Merge(const Observation& other) {
  count_ += other.count_;
  zeros_ += other.zeros_;
  non_finite_ |= other.non_finite_;
  channels_.resize(std::max(channels_.size(), other.channels_.size()), Range{kLargest, -kLargest});
  for (size_t c = 0; c < other.channels_.size(); ++c) {
    channels_[c] = {std::min(channels_[c].min, other.channels_[c].min),
                    std::max(channels_[c].max, other.channels_[c].max)};
  }
  peaks_ += other.peaks_;
  peak_sum_ += other.peak_sum_;
  peak_squares_ += other.peak_squares_;
  if (other.bins_.empty()) return;
  if (bins_.empty()) {
    bins_ = other.bins_;
    exponent_ = other.exponent_;
    min_ = other.min_;
    max_ = other.max_;
    return;
  }
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  GrowTo(std::max(exponent_, other.exponent_));
  const int shift = std::min(exponent_ - other.exponent_, 30);
  for (int i = -kHalf; i < kHalf; ++i) {
    bins_[static_cast<size_t>((i >> shift) + kHalf)] += other.bins_[static_cast<size_t>(i + kHalf)];
  }
}

Statistics Observation::Finish() const {
  Statistics result;
  result.count = count_;
  result.zeros = zeros_;
  result.peaks = peaks_;
  result.peak_sum = peak_sum_;
  result.peak_squares = peak_squares_;
  result.min = min_;
  result.max = max_;
  if (non_finite_) result.min = result.max = std::numeric_limits<float>::quiet_NaN();
  for (const Range& channel : channels_) {
    result.channels.push_back(channel.min > channel.max ? Range{} : channel);
  }
  if (bins_.empty()) return result;
  const double width = std::ldexp(1.0, exponent_);
  const int first = static_cast<int>(std::floor(min_ / width));
  const int last = static_cast<int>(std::floor(max_ / width)) + 1;
  // Only the edges +-2^128 are no floats.
  result.histogram_min = static_cast<float>(std::max(first * width, -double{kLargest}));
  result.histogram_max = static_cast<float>(std::min(last * width, double{kLargest}));
  result.histogram.assign(bins_.begin() + first + kHalf, bins_.begin() + last + kHalf);
  double sum = 0, squares = 0, counted = 0;
  for (int i = first; i < last; ++i) {
    auto n = static_cast<double>(bins_[static_cast<size_t>(i + kHalf)]);
    counted += n;
    if (i == 0) n -= static_cast<double>(zeros_);  // those add nothing
    const double middle = (i + 0.5) * width;
    sum += n * middle;
    squares += n * (middle * middle + width * width / 12);
  }
  result.mean = sum / counted;
  result.variance = std::max(0.0, squares / counted - result.mean * result.mean);
  return result;
}

}  // namespace octet::calibrate
