#include "converter/convert/task_likeness.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "converter/judge/score.h"
#include "converter/support/functions.h"
#include "runtime/decode/scores.h"

namespace octet::convert {
namespace {

// Boxes best first. Each takes the best of the other side that nobody took before.
double OfBoxes(const std::vector<Detection>& exact, const std::vector<Detection>& rounded) {
  double all = 0, found = 0;
  for (const auto* boxes : {&exact, &rounded}) {
    for (const Detection& box : *boxes) all += static_cast<double>(box.score);
  }
  if (all == 0) return 1;
  std::vector<bool> taken(rounded.size());
  for (const Detection& box : exact) {
    size_t best = rounded.size();
    float best_iou = judge::kMatchingIou;
    for (size_t i = 0; i < rounded.size(); ++i) {
      if (taken[i] || rounded[i].label != box.label) continue;
      const float iou = BoxOverlap(box, rounded[i]);
      if (iou >= best_iou) {
        best = i;
        best_iou = iou;
      }
    }
    if (best == rounded.size()) continue;
    taken[best] = true;
    const double a = box.score, b = rounded[best].score;
    // Of w and w' each, so that equal boxes give all of both.
    found += static_cast<double>(best_iou) * std::min(a, b) / std::max(a, b) * (a + b);
  }
  return found / all;
}

double OfProbabilities(const std::vector<float>& exact, const std::vector<float>& rounded) {
  double smaller = 0, larger = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    smaller += std::min(exact[i], rounded[i]);
    larger += std::max(exact[i], rounded[i]);
  }
  return larger > 0 ? smaller / larger : 1;
}

double OfMaps(const std::vector<uint8_t>& exact, const std::vector<uint8_t>& rounded) {
  size_t same = 0;
  for (size_t i = 0; i < exact.size(); ++i) same += exact[i] == rounded[i];
  return exact.empty() ? 1 : static_cast<double>(same) / static_cast<double>(exact.size());
}

// Logits to probabilities; what are probabilities already stays.
void ToProbabilities(blob::Activation activation, std::vector<float>* scores) {
  if (activation == blob::Activation::kSigmoid) {
    for (float& score : *scores) score = FloatSigmoid(score);
    return;
  }
  double sum = 0;
  bool shares = true;
  for (const float score : *scores) {
    sum += score;
    shares = shares && score >= 0;
  }
  if (activation == blob::Activation::kLinear && shares && std::fabs(sum - 1) < 1e-2) return;
  const float most = *std::max_element(scores->begin(), scores->end());
  sum = 0;
  for (float& score : *scores) {
    score = math::Exp(score - most);
    sum += score;
  }
  for (float& score : *scores) score = static_cast<float>(score / sum);
}

std::vector<const float*> Pointers(const std::vector<std::vector<float>>& outputs) {
  std::vector<const float*> pointers;
  pointers.reserve(outputs.size());
  for (const auto& output : outputs) pointers.push_back(output.data());
  return pointers;
}

}  // namespace

TaskLikeness::TaskLikeness(const write::ModelInfo& info, std::vector<const images::Dataset*> inputs,
                           std::optional<float> least_score)
    : meaning_(info, least_score), inputs_(std::move(inputs)) {}

double TaskLikeness::Agreement(const std::vector<std::vector<float>>& exact,
                               const std::vector<std::vector<float>>& rounded,
                               int64_t sample) const {
  const std::vector<const float*> e = Pointers(exact), r = Pointers(rounded);
  const images::PictureSize picture = inputs_[meaning_.decoder().picture_input()]->Picture(sample);
  const judge::Answer expected = meaning_.decoder().Decode(e, picture),
                      actual = meaning_.decoder().Decode(r, picture);
  switch (task()) {
    case blob::Task::kDetect:
      return OfBoxes(expected.boxes, actual.boxes);
    case blob::Task::kSegment:
      return OfMaps(expected.map, actual.map);
    case blob::Task::kNone:
    case blob::Task::kClassify:
    case blob::Task::kText:
      break;
  }
  return OfScores(e, r);
}

double TaskLikeness::OfScores(const std::vector<const float*>& exact,
                              const std::vector<const float*>& rounded) const {
  const BlobView& view = meaning_.view();
  const uint32_t steps = task() == blob::Task::kText ? DecodeLevels(view)[0].grid_w : 1;
  double sum = 0;
  for (uint32_t step = 0; step < steps; ++step) {
    sum += OfProbabilities(Probabilities(exact, step), Probabilities(rounded, step));
  }
  return sum / steps;
}

std::vector<float> TaskLikeness::Probabilities(const std::vector<const float*>& outputs,
                                               uint32_t step) const {
  std::vector<float> scores;
  const BlobView& view = meaning_.view();
  if (view.decode.data == nullptr) {
    scores.assign(outputs[0], outputs[0] + view.outputs[0].element_count);
    ToProbabilities(blob::Activation::kLinear, &scores);
    return scores;
  }
  const blob::DecodeRecord& record = DecodeOf(view);
  const blob::DecodeField& field = DecodeLevels(view)[0].scores;
  const float* first = FieldAt(field, outputs.data(), 0, 0, step);
  for (uint32_t c = 0; c < record.class_count; ++c) scores.push_back(first[c * field.channel_step]);
  ToProbabilities(record.class_activation, &scores);
  return scores;
}

}  // namespace octet::convert
