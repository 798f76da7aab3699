#include "ports/linux/camera/program/score/live_score.h"

#include <algorithm>

namespace octet::port {
namespace {

constexpr float kMatchingIou = 0.5f;

float Overlap(const octet_detection& a, const TruthBox& b) {
  const float width = std::min(a.x1, b.x1) - std::max(a.x0, b.x0);
  const float height = std::min(a.y1, b.y1) - std::max(a.y0, b.y0);
  if (!(width > 0) || !(height > 0)) return 0;
  const float both = width * height;
  return both / ((a.x1 - a.x0) * (a.y1 - a.y0) + (b.x1 - b.x0) * (b.y1 - b.y0) - both);
}

}  // namespace

LiveScore::LiveScore(uint32_t class_count)
    : class_count_(class_count), bins_(size_t{class_count} * kBins), truths_(class_count) {}

void LiveScore::Add(const Results& results, std::span<const TruthBox> truth) {
  truth = truth.first(std::min(truth.size(), kMostBoxes));
  for (const TruthBox& box : truth) {
    if (box.label < class_count_) ++truths_[box.label];
  }
  bool taken[kMostBoxes] = {};
  for (uint32_t i = 0; i < results.count; ++i) {
    const octet_detection& found = results.boxes[i];
    if (found.label >= class_count_) continue;
    size_t best = truth.size();
    float best_overlap = 0;
    for (size_t b = 0; b < truth.size(); ++b) {
      const float overlap = truth[b].label == found.label ? Overlap(found, truth[b]) : 0;
      if (overlap > best_overlap) best_overlap = overlap, best = b;
    }
    const bool right = best_overlap >= kMatchingIou && !taken[best];
    if (right) taken[best] = true;
    const float scaled = std::clamp(found.score, 0.0f, 1.0f) * static_cast<float>(kBins - 1);
    Bin& bin = bins_[size_t{found.label} * kBins + static_cast<size_t>(scaled)];
    ++(right ? bin.right : bin.wrong);
  }
}

double LiveScore::MeanAveragePrecision() const {
  double sum = 0;
  uint32_t classes = 0;
  for (uint32_t label = 0; label < class_count_; ++label) {
    if (truths_[label] == 0) continue;
    ++classes;
    const Bin* bins = bins_.data() + size_t{label} * kBins;
    uint64_t right = 0, all = 0;
    for (uint32_t b = 0; b < kBins; ++b)
      right += bins[b].right, all += bins[b].right + bins[b].wrong;
    // From the lowest score up: the precision at a recall is the best at any larger recall.
    double best = 0, area = 0;
    for (uint32_t b = 0; b < kBins; ++b) {
      if (all != 0) best = std::max(best, static_cast<double>(right) / static_cast<double>(all));
      area += best * bins[b].right;
      right -= bins[b].right;
      all -= bins[b].right + bins[b].wrong;
    }
    sum += area / static_cast<double>(truths_[label]);
  }
  return classes == 0 ? 0 : 100 * sum / classes;
}

}  // namespace octet::port
