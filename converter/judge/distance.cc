#include "converter/judge/distance.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "converter/support/decibels.h"

namespace octet::judge {

void Spread::Add(float value) {
  const double x = value;
  if (count == 0) first = x;
  ++count;
  const double difference = x - first;
  sum += difference;
  sum_of_squares += difference * difference;
  squares += x * x;
  low = std::min(low, value);
  high = std::max(high, value);
}

double Spread::AboutMean() const {
  if (count == 0) return 0;
  return std::max(0.0, sum_of_squares - sum * sum / static_cast<double>(count));
}

bool Spread::Varies(double step) const {
  const double size = std::max(std::fabs(static_cast<double>(low)), std::fabs(double{high}));
  return count > 1 && Range() > std::max(step, kFp32Noise * size);
}

void Error::Add(float reference, float plan) {
  if (std::isfinite(plan)) {
    low = std::min(low, plan);
    high = std::max(high, plan);
  }
  if (!std::isfinite(reference)) {
    const bool same =
        std::isnan(reference) || plan == reference ||
        (std::signbit(plan) == std::signbit(reference) && std::fabs(plan) >= kStandsForInfinity);
    changed += same ? 0 : 1;
    return;
  }
  if (!std::isfinite(plan)) {
    ++broken;
    return;
  }
  const double r = reference, y = plan, difference = r - y;
  ++count;
  noise += difference * difference;
  product += r * y;
  power += y * y;
  largest = std::max(largest, std::fabs(difference));
}

double Figures::Db() const {
  return about_elements_db ? std::min(about_mean_db, *about_elements_db) : about_mean_db;
}

Distance::Distance(size_t elements, std::vector<uint16_t> piece_of, std::vector<double> steps,
                   size_t plans)
    : piece_of_(std::move(piece_of)), element_counts_(elements), element_means_(elements) {
  // Of the whole, the finest of its pieces' steps: what varies in one piece varies in the whole.
  double finest = 0;
  if (!steps.empty()) finest = *std::min_element(steps.begin(), steps.end());
  steps_.push_back(finest);
  if (!piece_of_.empty()) steps_.insert(steps_.end(), steps.begin(), steps.end());
  spreads_.resize(steps_.size());
  errors_.assign(plans, std::vector<Error>(steps_.size()));
  noises_.resize(plans);
}

void Distance::AddReference(const std::vector<float>& reference) {
  const double share = 1.0 / static_cast<double>(++samples_);
  const Spread before_it = spreads_[0];
  for (size_t i = 0; i < reference.size(); ++i) {
    const float value = reference[i];
    if (!std::isfinite(value)) continue;
    // Welford's update of the element's mean.
    const int64_t seen = ++element_counts_[i];
    const double before = value - element_means_[i];
    element_means_[i] += before * (seen == samples_ ? share : 1.0 / static_cast<double>(seen));
    const double about_element = before * (value - element_means_[i]);
    spreads_[0].Add(value);
    spreads_[0].about_elements += about_element;
    if (piece_of_.empty()) continue;
    Spread& piece = spreads_[size_t{1} + piece_of_[i]];
    piece.Add(value);
    piece.about_elements += about_element;
  }
  const Spread& with = spreads_[0];
  shares_.push_back({static_cast<double>(with.count - before_it.count), with.sum - before_it.sum,
                     with.sum_of_squares - before_it.sum_of_squares});
}

bool Distance::AddPlan(size_t plan, const std::vector<float>& reference,
                       const std::vector<float>& actual) {
  std::vector<Error>& errors = errors_[plan];
  const int64_t broken = errors[0].broken;
  const double noise = errors[0].noise;
  for (size_t i = 0; i < reference.size(); ++i) {
    errors[0].Add(reference[i], actual[i]);
    if (!piece_of_.empty()) errors[size_t{1} + piece_of_[i]].Add(reference[i], actual[i]);
  }
  noises_[plan].push_back(errors[0].noise - noise);
  return errors[0].broken > broken;
}

Interval Distance::CertainAboutMean(size_t plan) const {
  return Bootstrap(shares_.size(), [&](const Weights& weights) {
    Share all;
    double noise = 0;
    for (size_t i = 0; i < shares_.size(); ++i) {
      all.count += weights[i] * shares_[i].count;
      all.sum += weights[i] * shares_[i].sum;
      all.sum_of_squares += weights[i] * shares_[i].sum_of_squares;
      noise += weights[i] * noises_[plan][i];
    }
    if (!(all.count > 0)) return Decibels(0, noise);
    return Decibels(std::max(0.0, all.sum_of_squares - all.sum * all.sum / all.count), noise);
  });
}

Figures Distance::Whole(size_t plan) const {
  Figures figures = Of(plan, 0);
  figures.certain_db = {figures.Db(), figures.Db()};
  if (figures.broken > 0 || figures.reference_is_constant) return figures;
  // The figure about the elements is as uncertain.
  const Interval about_mean = CertainAboutMean(plan);
  figures.certain_db.low += about_mean.low - figures.about_mean_db;
  figures.certain_db.high += about_mean.high - figures.about_mean_db;
  return figures;
}

Figures Distance::Of(size_t plan, size_t slot) const {
  const Spread& spread = spreads_[slot];
  const Error& error = errors_[plan][slot];
  Figures figures;
  figures.broken = error.broken;
  figures.changed = error.changed;
  figures.largest = error.broken > 0 ? std::numeric_limits<double>::infinity() : error.largest;
  figures.range = spread.Range();
  if (error.count > 0)
    figures.rms_error = std::sqrt(error.noise / static_cast<double>(error.count));
  const double noise = figures.broken > 0 ? figures.largest : error.noise;
  figures.reference_is_constant = !spread.Varies(0);
  figures.about_mean_db =
      Decibels(figures.reference_is_constant ? spread.squares : spread.AboutMean(), noise);
  // Below FP32's rounding elements are the same in all samples, and nothing is measured by that.
  const bool elements_vary = spread.about_elements > kFp32Noise * kFp32Noise * spread.squares;
  if (samples_ >= kFewestForElements && elements_vary) {
    figures.about_elements_db = Decibels(spread.about_elements, noise);
  }
  if (noise > 0) {
    const double power = spread.squares * error.power;
    figures.cosine = power > 0 && figures.broken == 0 ? error.product / std::sqrt(power) : 0;
  }
  figures.lost = spread.Varies(steps_[slot]) && error.IsConstant() && error.broken == 0;
  return figures;
}

}  // namespace octet::judge
