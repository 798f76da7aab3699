#include "tests/support/scores.h"

#include <algorithm>
#include <array>
#include <vector>

namespace octet::test {
namespace {

constexpr int kGrid = 16;
constexpr int kCells = kGrid * kGrid;
constexpr int kClasses = 10;
constexpr int kBoxes = 4;  // per image
constexpr size_t kPlanes = 5 + kClasses;
constexpr float kStride = 8.0f;
constexpr float kMinScore = 0.02f;
constexpr float kIou = 0.5f;

struct Box {
  float x0, y0, x1, y1;
  float Area() const { return (x1 - x0) * (y1 - y0); }
};

struct Detection {
  Box box;
  float score;
  int label;
};

struct Scored {
  float score;
  bool correct;
};

float Iou(const Box& a, const Box& b) {
  const float width = std::max(0.0f, std::min(a.x1, b.x1) - std::max(a.x0, b.x0));
  const float height = std::max(0.0f, std::min(a.y1, b.y1) - std::max(a.y0, b.y0));
  const float common = width * height;
  return common / (a.Area() + b.Area() - common);
}

std::vector<Detection> Decode(const float* output) {
  std::vector<Detection> detections;
  for (int cell = 0; cell < kCells; ++cell) {
    const auto plane = [&](int index) { return output[index * kCells + cell]; };
    Detection detection{};
    detection.score = plane(5) * plane(4);
    for (int label = 1; label < kClasses; ++label) {
      const float score = plane(5 + label) * plane(4);
      if (score > detection.score) {
        detection.score = score;
        detection.label = label;
      }
    }
    if (!(detection.score > kMinScore)) continue;
    const float x = static_cast<float>(cell % kGrid) * kStride + kStride / 2;
    const float y = static_cast<float>(cell / kGrid) * kStride + kStride / 2;
    detection.box = {x - plane(0) * kStride, y - plane(1) * kStride, x + plane(2) * kStride,
                     y + plane(3) * kStride};
    detections.push_back(detection);
  }
  return detections;
}

// Highest score first; a detection that overlaps a kept one of its class goes.
std::vector<Detection> Suppress(std::vector<Detection> detections) {
  std::stable_sort(detections.begin(), detections.end(),
                   [](const Detection& a, const Detection& b) { return a.score > b.score; });
  std::vector<Detection> kept;
  for (const Detection& candidate : detections) {
    const bool covered = std::any_of(kept.begin(), kept.end(), [&](const Detection& other) {
      return other.label == candidate.label && Iou(other.box, candidate.box) > kIou;
    });
    if (!covered) kept.push_back(candidate);
  }
  return kept;
}

double AveragePrecision(std::vector<Scored> detections, int64_t truths) {
  std::stable_sort(detections.begin(), detections.end(), [](const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score > b.score : a.correct && !b.correct;
  });
  const size_t count = detections.size();
  std::vector<double> precision(count), recall(count);
  int64_t hits = 0;
  for (size_t i = 0; i < count; ++i) {
    hits += detections[i].correct ? 1 : 0;
    precision[i] = static_cast<double>(hits) / static_cast<double>(i + 1);
    recall[i] = static_cast<double>(hits) / static_cast<double>(std::max<int64_t>(1, truths));
  }
  for (size_t i = count; i-- > 1;) precision[i - 1] = std::max(precision[i - 1], precision[i]);
  double area = 0;
  for (size_t i = 0; i < count; ++i)
    area += (recall[i] - (i == 0 ? 0 : recall[i - 1])) * precision[i];
  return area;
}

}  // namespace

double Top1(std::span<const float> outputs, std::span<const uint8_t> labels) {
  if (labels.empty()) return 0;
  const size_t classes = outputs.size() / labels.size();
  size_t correct = 0;
  for (size_t n = 0; n < labels.size(); ++n) {
    const auto row = outputs.subspan(n * classes, classes);
    const auto best = std::max_element(row.begin(), row.end()) - row.begin();
    correct += best == labels[n] ? 1 : 0;
  }
  return static_cast<double>(correct) / static_cast<double>(labels.size());
}

double MeanAveragePrecision(std::span<const float> outputs, std::span<const float> boxes,
                            std::span<const int8_t> classes) {
  const size_t images = classes.size() / kBoxes;
  std::array<std::vector<Scored>, kClasses> scored;
  std::array<int64_t, kClasses> truths{};
  for (int8_t label : classes) {
    if (label >= 0) ++truths[static_cast<size_t>(label)];
  }
  for (size_t n = 0; n < images; ++n) {
    std::array<bool, kBoxes> taken{};
    for (const Detection& detection : Suppress(Decode(outputs.data() + n * kPlanes * kCells))) {
      // Boxes of other classes count as an overlap of 0, so that the first of equals wins.
      size_t best = 0;
      float best_iou = -1;
      for (size_t b = 0; b < kBoxes; ++b) {
        const float* box = boxes.data() + (n * kBoxes + b) * 4;
        const bool same = classes[n * kBoxes + b] == detection.label;
        const float iou = same ? Iou(detection.box, {box[0], box[1], box[2], box[3]}) : 0.0f;
        if (iou > best_iou) {
          best_iou = iou;
          best = b;
        }
      }
      const bool correct = best_iou >= kIou && !taken[best];
      if (correct) taken[best] = true;
      scored[static_cast<size_t>(detection.label)].push_back({detection.score, correct});
    }
  }
  double sum = 0;
  for (size_t c = 0; c < kClasses; ++c) sum += AveragePrecision(scored[c], truths[c]);
  return sum / kClasses;
}

}  // namespace octet::test
