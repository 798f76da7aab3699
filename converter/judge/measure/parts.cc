#include "converter/judge/measure/parts.h"
#include "converter/support/functions.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace octet::judge {

void MeanLoss::Add(double loss) {
  ++count;
  sum += loss;
  squares += loss * loss;
}

Interval MeanLoss::Certain() const {
  if (count < 2) return {0, 100};  // one box says nothing
  const auto n = static_cast<double>(count);
  const double mean = sum / n;
  const double variance = std::max(0.0, squares / n - mean * mean) * n / (n - 1);
  const double half = kNormal95 * std::sqrt(variance / n);
  return {mean - half, mean + half};
}

void PartMeasure::Add(const Part& exact, const Part& plan, const Detection& box) {
  if (!exact.mask.empty() && exact.mask.size() == plan.mask.size()) {
    int64_t both = 0, either = 0;
    for (size_t i = 0; i < exact.mask.size(); ++i) {
      both += exact.mask[i] & plan.mask[i];
      either += exact.mask[i] | plan.mask[i];
    }
    if (either > 0) {
      masks_.Add(100 - 100 * static_cast<double>(both) / static_cast<double>(either));
    }
  }
  if (exact.points.empty() || exact.points.size() != plan.points.size()) return;
  double distance = 0;
  for (size_t i = 0; i < exact.points.size(); ++i) {
    distance += math::Hypot(static_cast<double>(exact.points[i].x) - plan.points[i].x,
                            static_cast<double>(exact.points[i].y) - plan.points[i].y);
  }
  const double area =
      (static_cast<double>(box.x1) - box.x0) * (static_cast<double>(box.y1) - box.y0);
  if (area > 0) {
    points_.Add(100 * distance / static_cast<double>(exact.points.size()) / std::sqrt(area));
  }
}

bool PartMeasure::Misses(double mask_percent, double point_percent) const {
  return masks_.Certain().low > mask_percent || points_.Certain().low > point_percent;
}

bool PartMeasure::IsNear(double mask_percent, double point_percent) const {
  return (masks_.count > 0 && masks_.Certain().high > mask_percent) ||
         (points_.count > 0 && points_.Certain().high > point_percent);
}

std::string PartMeasure::Words() const {
  std::string words;
  if (masks_.count > 0) words += fmt::format(", masks overlap by {:.1f} %", 100 - masks_.Mean());
  if (points_.count > 0) {
    words += fmt::format(", points are {:.1f} % of the box's size apart", points_.Mean());
  }
  return words;
}

void PartMeasure::AddJson(nlohmann::json* row) const {
  if (masks_.count > 0) (*row)["mask_loss_percent"] = masks_.Mean();
  if (points_.count > 0) (*row)["point_distance_percent"] = points_.Mean();
}

}  // namespace octet::judge
