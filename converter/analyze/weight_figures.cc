#include "converter/analyze/weight_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "converter/support/decibels.h"
#include "converter/support/functions.h"

namespace octet::analyze {
namespace {

constexpr double kBinsPerWidth = 4, kWidthsEachSide = 4;
constexpr size_t kInner = static_cast<size_t>(2 * kBinsPerWidth * kWidthsEachSide);
constexpr double kPrior = 0.5;
using Counts = std::array<double, kInner + 2>;

size_t BinOf(double value) {
  // Centred on multiples of r / 4, so that what is rounded to 0 stays where it was.
  const double bin = std::floor(value * kBinsPerWidth + 0.5) + kBinsPerWidth * kWidthsEachSide + 1;
  return static_cast<size_t>(std::clamp(bin, 0.0, static_cast<double>(kInner + 1)));
}

// Median |w| of those that are not 0, as a standard deviation.
double WidthOf(std::vector<double>* sizes) {
  constexpr double kMedianOfNormal = 0.6745;  // of |x| in standard deviations
  const auto middle = sizes->begin() + static_cast<std::ptrdiff_t>(sizes->size() / 2);
  std::nth_element(sizes->begin(), middle, sizes->end());
  return *middle / kMedianOfNormal;
}

double Divergence(const Counts& p, const Counts& q) {
  double total = 0;
  for (double count : p) total += count;
  const double mass = total + kPrior * static_cast<double>(p.size());
  double sum = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    sum += (p[i] + kPrior) / mass * math::Log((p[i] + kPrior) / (q[i] + kPrior));
  }
  return std::max(0.0, sum);
}

}  // namespace

WeightFigures CompareWeights(std::span<const float> exact, std::span<const float> rounded,
                             const WeightLayout& layout) {
  WeightFigures figures;
  figures.channels = layout.channels;
  figures.worst_db = Decibels(1, 0);
  Counts p{}, q{};
  double signal = 0, error = 0;
  size_t zeros = 0;
  for (size_t c = 0; c < layout.channels; ++c) {
    double own_signal = 0, own_error = 0;
    std::vector<double> sizes;
    for (size_t k = 0; k < layout.depth; ++k) {
      const size_t at = c * layout.channel_step + k * layout.element_step;
      const double e = exact[at], difference = e - static_cast<double>(rounded[at]);
      own_signal += e * e;
      own_error += difference * difference;
      if (e != 0) sizes.push_back(std::fabs(e));
      zeros += rounded[at] == 0 && exact[at] != 0 ? 1 : 0;
    }
    signal += own_signal;
    error += own_error;
    if (!(own_signal > 0)) continue;  // a channel without weights has nothing to lose
    if (const double db = Decibels(own_signal, own_error); db < figures.worst_db) {
      figures.worst_db = db;
      figures.worst_channel = c;
    }
    const double width = WidthOf(&sizes);
    for (size_t k = 0; k < layout.depth; ++k) {
      const size_t at = c * layout.channel_step + k * layout.element_step;
      ++p[BinOf(exact[at] / width)];
      ++q[BinOf(rounded[at] / width)];
    }
  }
  figures.kl = Divergence(p, q);
  figures.snr_db = Decibels(signal, error);
  const double count = static_cast<double>(layout.channels) * static_cast<double>(layout.depth);
  figures.zeros = count > 0 ? static_cast<double>(zeros) / count : 0;
  return figures;
}

}  // namespace octet::analyze
