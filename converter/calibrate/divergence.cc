#include "converter/calibrate/divergence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "converter/calibrate/observation.h"
#include "converter/support/functions.h"

namespace octet::calibrate {
namespace {

constexpr size_t kAsymmetricLevels = 255, kSymmetricLevels = 127;  // of |x|

// What a bin adds to the sum over P log P, times N.
double Term(double count) {
  return count > 0 ? count * math::Log(count) : 0;
}

// Sums over bins [0, edge).
struct Sums {
  double count = 0, terms = 0;
  size_t filled = 0;
};

class Divergence {
 public:
  Divergence(std::vector<double> counts, size_t levels)
      : counts_(std::move(counts)), sums_(counts_.size() + 1), levels_(levels) {
    for (size_t i = 0; i < counts_.size(); ++i) {
      sums_[i + 1] = {sums_[i].count + counts_[i], sums_[i].terms + Term(counts_[i]),
                      sums_[i].filled + (counts_[i] > 0 ? 1 : 0)};
    }
  }

  size_t Bins() const { return counts_.size(); }

  // Of the range [low, high) of bins; infinite where it is no candidate.
  double Of(size_t low, size_t high) const {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    const size_t bins = high - low;
    if (high <= low || bins < levels_) return kNever;
    const double all = sums_.back().count;
    const double below = sums_[low].count, above = all - sums_[high].count;
    const double kept = all - below - above;
    if (!(kept > 0)) return kNever;
    const double first = counts_[low], last = counts_[high - 1];
    double divergence = sums_[high].terms - sums_[low].terms - Term(first) + Term(first + below) -
                        Term(last) + Term(last + above);
    for (size_t level = 0, from = low; level < levels_; ++level) {
      const size_t to = low + (level + 1) * bins / levels_;
      const double mass = sums_[to].count - sums_[from].count;
      const double outside = (level == 0 ? below : 0) + (level + 1 == levels_ ? above : 0);
      size_t filled = sums_[to].filled - sums_[from].filled;
      // The bin that takes what was clipped holds something, even where nothing else fell into it.
      if (level == 0 && below > 0 && first == 0) ++filled;
      if (level + 1 == levels_ && above > 0 && last == 0) ++filled;
      from = to;
      if (mass + outside == 0) continue;
      if (mass == 0) return kNever;
      divergence -= (mass + outside) * math::Log(mass / (static_cast<double>(filled) * kept));
    }
    // sum P log P = sum Term / N - log N, and the P of all levels add up to 1.
    return divergence / all - math::Log(all);
  }

 private:
  std::vector<double> counts_;
  std::vector<Sums> sums_;
  size_t levels_;
};

// The histogram from 0 on to either side, as counts without the values that are exactly 0.
struct Counts {
  std::vector<double> bins;
  size_t zero;  // the edge at 0
  double low, width;

  double Edge(size_t i) const { return low + static_cast<double>(i) * width; }
};

Counts CountsOf(const Statistics& s) {
  const auto size = static_cast<double>(s.histogram.size());
  const double width = (static_cast<double>(s.histogram_max) - s.histogram_min) / size;
  // 0 is an edge, of the histogram or, where all values lie on one side, beyond its end. A bin is
  // no narrower than a 2048th of the largest value: what comes before it is as many bins at most.
  const double zero = std::clamp(std::floor(-static_cast<double>(s.histogram_min) / width + 0.5),
                                 -static_cast<double>(Observation::kHalf),
                                 size + static_cast<double>(Observation::kHalf));
  const auto before = static_cast<size_t>(std::max(0.0, -zero));
  Counts counts{std::vector<double>(before), static_cast<size_t>(std::max(0.0, zero)),
                std::min(0.0, static_cast<double>(s.histogram_min)), width};
  counts.bins.insert(counts.bins.end(), s.histogram.begin(), s.histogram.end());
  counts.bins.resize(std::max(counts.bins.size(), counts.zero));
  if (counts.zero < counts.bins.size()) {
    double& at = counts.bins[counts.zero];
    at = std::max(0.0, at - static_cast<double>(s.zeros));
  }
  return counts;
}

Range Symmetric(const Counts& counts, const Range& full) {
  // Bins as far from 0 on either side are one bin of |x|.
  std::vector<double> folded(std::max(counts.zero, counts.bins.size() - counts.zero));
  for (size_t i = 0; i < counts.bins.size(); ++i) {
    folded[i < counts.zero ? counts.zero - 1 - i : i - counts.zero] += counts.bins[i];
  }
  const Divergence divergence(std::move(folded), kSymmetricLevels);
  size_t best = divergence.Bins();
  double least = divergence.Of(0, best);
  for (size_t high = divergence.Bins(); high >= kSymmetricLevels; --high) {
    const double d = divergence.Of(0, high);
    if (d < least) least = d, best = high;
  }
  if (best == divergence.Bins()) return full;
  const auto a = static_cast<float>(static_cast<double>(best) * counts.width);
  return {-std::min(a, full.max), std::min(a, full.max)};
}

Range Asymmetric(Counts counts, const Range& full) {
  const size_t zero = counts.zero, bins = counts.bins.size();
  const Divergence divergence(std::move(counts.bins), kAsymmetricLevels);
  size_t best_low = 0, best_high = bins;
  double least = divergence.Of(0, bins);
  const auto search = [&](size_t low_from, size_t low_to, size_t high_from, size_t high_to,
                          size_t stride) {
    for (size_t low = low_from; low <= low_to; low += stride) {
      for (size_t back = 0; back <= high_to - high_from; back += stride) {
        const double d = divergence.Of(low, high_to - back);
        if (d < least) least = d, best_low = low, best_high = high_to - back;
      }
    }
  };
  // Both ends on a coarse grid, then every edge around the best point of it.
  constexpr size_t kGrid = 128;
  const size_t stride = std::max<size_t>(1, bins / kGrid);
  search(0, zero, zero, bins, stride);
  const size_t low = best_low, high = best_high;
  search(low > stride ? low - stride : 0, std::min(zero, low + stride),
         std::max(zero, high > stride ? high - stride : 0), std::min(bins, high + stride), 1);
  return {best_low == 0 ? full.min : static_cast<float>(counts.Edge(best_low)),
          best_high == bins ? full.max : static_cast<float>(counts.Edge(best_high))};
}

}  // namespace

Range SmallestDivergence(const Statistics& s, const Range& full, bool symmetric) {
  if (s.histogram.empty()) return full;
  Counts counts = CountsOf(s);
  return symmetric ? Symmetric(counts, full) : Asymmetric(std::move(counts), full);
}

}  // namespace octet::calibrate
