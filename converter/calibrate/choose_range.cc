// Range of an activation from its histogram.
//
// Expected squared error of quantizing with step s over [low, high], for values spread evenly
// within a bin: s^2 / 12 for each value inside that is not exactly 0, (x - high)^2 or (low - x)^2
// outside. Prefix sums over the bins make each candidate range O(1).
#include <algorithm>
#include <cmath>
#include <limits>

#include "converter/calibrate/calibrate.h"
#include "converter/calibrate/divergence.h"

namespace octet::calibrate {
namespace {

class ErrorModel {
 public:
  explicit ErrorModel(const Statistics& s)
      : low_(s.histogram_min), zeros_(static_cast<double>(s.zeros)) {
    const size_t bins = s.histogram.size();
    width_ = (static_cast<double>(s.histogram_max) - s.histogram_min) / static_cast<double>(bins);
    sums_.resize(bins + 1);
    for (size_t i = 0; i < bins; ++i) {
      const auto n = static_cast<double>(s.histogram[i]);
      const double middle = Edge(i) + width_ / 2;
      sums_[i + 1] = {sums_[i].count + n, sums_[i].sum + n * middle,
                      sums_[i].squares + n * (middle * middle + width_ * width_ / 12)};
    }
  }

  size_t Bins() const { return sums_.size() - 1; }
  double Edge(size_t i) const { return low_ + static_cast<double>(i) * width_; }
  double Count() const { return sums_.back().count; }
  double CountBelow(size_t edge) const { return sums_[edge].count; }

  // Nearest edge to a value.
  size_t EdgeOf(double value) const {
    const double i = std::floor((value - low_) / width_ + 0.5);
    return static_cast<size_t>(std::clamp(i, 0.0, static_cast<double>(Bins())));
  }

  // Mean squared error with [low, high] in `steps` steps; the edges are those nearest to them.
  double Error(size_t low_edge, size_t high_edge, double low, double high, double steps) const {
    const Sums &below = sums_[low_edge], &end = sums_.back(), &upto = sums_[high_edge];
    const double step = (high - low) / steps;
    const double inside = std::max(0.0, upto.count - below.count - zeros_);
    const double under = below.squares - 2 * low * below.sum + low * low * below.count;
    const Sums above{end.count - upto.count, end.sum - upto.sum, end.squares - upto.squares};
    const double over = above.squares - 2 * high * above.sum + high * high * above.count;
    const double error = inside * step * step / 12 + std::max(0.0, under) + std::max(0.0, over);
    return error / Count();
  }

 private:
  struct Sums {
    double count = 0, sum = 0, squares = 0;
  };
  double low_, width_ = 1, zeros_;
  std::vector<Sums> sums_;
};

constexpr double kAsymmetricSteps = 255, kSymmetricSteps = 254;

double ErrorOf(const ErrorModel& model, const Range& range, bool symmetric) {
  return model.Error(model.EdgeOf(range.min), model.EdgeOf(range.max), range.min, range.max,
                     symmetric ? kSymmetricSteps : kAsymmetricSteps);
}

Range MinMax(const Statistics& s, bool symmetric) {
  const float low = std::min(s.min, 0.0f), high = std::max(s.max, 0.0f);
  const float largest = std::max(-low, high);
  return symmetric ? Range{-largest, largest} : Range{low, high};
}

// Candidate ends of a range: edges of the histogram on their side of 0, the outermost standing for
// the true extreme.
struct Ends {
  const ErrorModel& model;
  Range full;
  size_t zero;

  double Low(size_t edge) const { return edge == 0 ? full.min : std::min(0.0, model.Edge(edge)); }
  double High(size_t edge) const {
    return edge == model.Bins() ? full.max : std::max(0.0, model.Edge(edge));
  }
};

Ends EndsOf(const ErrorModel& model, const Statistics& s) {
  return Ends{model, MinMax(s, false), model.EdgeOf(0)};
}

Range Percentile(const Statistics& s, const ErrorModel& model, double percentile, bool symmetric) {
  const double drop = model.Count() * (1 - percentile / 100);
  if (symmetric) {
    const Range full = MinMax(s, true);
    const double width = model.Edge(1) - model.Edge(0);
    double kept = full.max;
    for (double a = std::floor(kept / width) * width; a > 0; a -= width) {
      const double outside =
          model.CountBelow(model.EdgeOf(-a)) + model.Count() - model.CountBelow(model.EdgeOf(a));
      if (outside > drop) break;
      kept = a;
    }
    return {-static_cast<float>(kept), static_cast<float>(kept)};
  }
  const Ends ends = EndsOf(model, s);
  // Data of one sign lose their mass at one end, others half of it at either.
  const bool two_sided = ends.full.min < 0 && ends.full.max > 0;
  const double each = two_sided ? drop / 2 : drop;
  size_t low = 0, high = model.Bins();
  while (low < ends.zero && model.CountBelow(low + 1) <= each) ++low;
  while (high > ends.zero && model.Count() - model.CountBelow(high - 1) <= each) --high;
  return {static_cast<float>(ends.Low(low)), static_cast<float>(ends.High(high))};
}

Range SmallestErrorSymmetric(const Statistics& s, const ErrorModel& model) {
  const Range full = MinMax(s, true);
  const double width = model.Edge(1) - model.Edge(0);
  double best = full.max, best_error = ErrorOf(model, full, true);
  for (double a = std::floor(best / width) * width; a > 0; a -= width) {
    const double error = model.Error(model.EdgeOf(-a), model.EdgeOf(a), -a, a, kSymmetricSteps);
    if (error < best_error) {
      best = a;
      best_error = error;
    }
  }
  return {-static_cast<float>(best), static_cast<float>(best)};
}

// Both ends at once: a coarse grid, then every edge around its best point.
Range SmallestErrorAsymmetric(const Statistics& s, const ErrorModel& model) {
  const Ends ends = EndsOf(model, s);
  size_t best_low = 0, best_high = model.Bins();
  double best_error = std::numeric_limits<double>::infinity();
  const auto search = [&](size_t low_from, size_t low_to, size_t high_from, size_t high_to,
                          size_t stride) {
    for (size_t low = low_from; low <= low_to; low += stride) {
      // From the outside in: at equal error the wider range clips less of what was not seen.
      for (size_t back = 0; back <= high_to - high_from; back += stride) {
        const size_t high = high_to - back;
        const double error =
            model.Error(low, high, ends.Low(low), ends.High(high), kAsymmetricSteps);
        if (error < best_error) {
          best_error = error;
          best_low = low;
          best_high = high;
        }
      }
    }
  };
  constexpr size_t kGrid = 128;
  const size_t stride = std::max<size_t>(1, model.Bins() / kGrid);
  search(0, ends.zero, ends.zero, model.Bins(), stride);
  const size_t low = best_low, high = best_high;
  search(low > stride ? low - stride : 0, std::min(ends.zero, low + stride),
         std::max(ends.zero, high > stride ? high - stride : 0),
         std::min(model.Bins(), high + stride), 1);
  return {static_cast<float>(ends.Low(best_low)), static_cast<float>(ends.High(best_high))};
}

}  // namespace

std::string_view Name(Method method) {
  switch (method) {
    case Method::kAuto:
      return "auto";
    case Method::kMinMax:
      return "min-max";
    case Method::kPercentile:
      return "percentile";
    case Method::kMse:
      return "mse";
    case Method::kKl:
      return "kl";
  }
  return "";
}

Statistics Clamp(const Statistics& statistics, float low, float high) {
  Statistics result = statistics;
  result.min = std::clamp(statistics.min, low, high);
  result.max = std::clamp(statistics.max, low, high);
  const size_t bins = statistics.histogram.size();
  if (bins == 0) return result;
  // What lies outside moves into the outermost bin that is kept, or into a bin beside 0 where
  // nothing is kept.
  const double width = (static_cast<double>(statistics.histogram_max) - statistics.histogram_min) /
                       static_cast<double>(bins);
  const auto bin_of = [&](double value) {
    const double i = std::floor((value - statistics.histogram_min) / width);
    return static_cast<size_t>(std::clamp(i, 0.0, static_cast<double>(bins - 1)));
  };
  const size_t first = bin_of(result.min), last = bin_of(result.max);
  result.histogram.assign(statistics.histogram.begin() + static_cast<std::ptrdiff_t>(first),
                          statistics.histogram.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  for (size_t i = 0; i < first; ++i) result.histogram.front() += statistics.histogram[i];
  for (size_t i = last + 1; i < bins; ++i) result.histogram.back() += statistics.histogram[i];
  result.histogram_min =
      static_cast<float>(statistics.histogram_min + static_cast<double>(first) * width);
  result.histogram_max =
      static_cast<float>(statistics.histogram_min + static_cast<double>(last + 1) * width);
  return result;
}

Choice ChooseRange(const Statistics& statistics, Method method, double percentile, bool symmetric) {
  Choice choice;
  // Extremes grow with the number of samples and a fixed percentile ignores the tails' size; the
  // expected error weighs both, and scored best on a residual network, an inverted-bottleneck one
  // and a detector alike. Model inputs are the exception, see quantize/ranges.cc.
  choice.method = method == Method::kAuto ? Method::kMse : method;
  choice.range = MinMax(statistics, symmetric);
  if (statistics.histogram.empty() || choice.range.min == choice.range.max) return choice;
  const ErrorModel model(statistics);
  if (choice.method == Method::kPercentile) {
    choice.range = Percentile(statistics, model, percentile, symmetric);
  } else if (choice.method == Method::kMse) {
    choice.range = symmetric ? SmallestErrorSymmetric(statistics, model)
                             : SmallestErrorAsymmetric(statistics, model);
  } else if (choice.method == Method::kKl) {
    choice.range = SmallestDivergence(statistics, choice.range, symmetric);
  }
  choice.expected_mse = ErrorOf(model, choice.range, symmetric);
  return choice;
}

std::vector<Choice> Candidates(const Statistics& statistics, bool symmetric, double percentile) {
  std::vector<Choice> choices;
  for (const Method method : {Method::kMse, Method::kMinMax, Method::kPercentile, Method::kKl}) {
    const Choice choice = ChooseRange(statistics, method, percentile, symmetric);
    const bool known = std::any_of(choices.begin(), choices.end(), [&](const Choice& other) {
      return other.range.min == choice.range.min && other.range.max == choice.range.max;
    });
    if (!known) choices.push_back(choice);
  }
  return choices;
}

}  // namespace octet::calibrate
