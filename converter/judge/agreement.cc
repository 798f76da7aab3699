#include "converter/judge/agreement.h"

#include <algorithm>
#include <cmath>

namespace octet::judge {
namespace {

double Percent(int64_t part, int64_t whole) {
  return whole == 0 ? 100 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

struct Found {
  double sure_score, same_score;

  // How many boxes one side is sure of, and how many of them the other side has as well.
  void Count(const std::vector<Detection>& side, const std::vector<Detection>& others,
             int64_t* boxes, int64_t* found) const {
    for (const Detection& box : side) {
      bool sure = box.score >= sure_score, has = false;
      for (const Detection& other : others) {
        if (other.label != box.label || BoxOverlap(other, box) < kFoundIou) continue;
        has = true;
        sure |= other.score >= sure_score && other.score - box.score <= same_score;
      }
      *boxes += sure;
      *found += sure && has;
    }
  }
};

void Grow(std::vector<int64_t>* counts, size_t size) {
  if (counts->size() < size) counts->resize(size);
}

void AddCounts(const std::vector<int64_t>& from, std::vector<int64_t>* into) {
  Grow(into, from.size());
  for (size_t i = 0; i < from.size(); ++i) (*into)[i] += from[i];
}

}  // namespace

int64_t AllowedMisses(int64_t count, double percent) {
  if (count < kFew) return 0;
  return static_cast<int64_t>(std::ceil(static_cast<double>(count) * (100 - percent) / 100));
}

void AnswerAgreement::Add(blob::Task task, const Answer& expected_answer, const Answer& actual) {
  ++samples;
  switch (task) {
    case blob::Task::kDetect: {
      const Found by{sure_score, same_score};
      by.Count(expected_answer.boxes, actual.boxes, &boxes, &found);
      by.Count(actual.boxes, expected_answer.boxes, &plan_boxes, &plan_found);
      break;
    }
    case blob::Task::kSegment:
      for (size_t i = 0; i < expected_answer.map.size(); ++i) {
        const size_t e = expected_answer.map[i], a = actual.map[i];
        for (auto* counts : {&both, &either, &expected}) Grow(counts, std::max(e, a) + 1);
        ++expected[e];
        ++either[e];
        if (e == a) {
          ++both[e];
        } else {
          ++either[a];
        }
      }
      break;
    case blob::Task::kClassify:
      same_top1 += expected_answer.label == actual.label ? 1 : 0;
      break;
    case blob::Task::kNone:
      break;
  }
}

void AnswerAgreement::Merge(const AnswerAgreement& other) {
  samples += other.samples;
  same_top1 += other.same_top1;
  boxes += other.boxes;
  found += other.found;
  plan_boxes += other.plan_boxes;
  plan_found += other.plan_found;
  AddCounts(other.both, &both);
  AddCounts(other.either, &either);
  AddCounts(other.expected, &expected);
}

bool AnswerAgreement::Speaks(blob::Task task) const {
  if (task == blob::Task::kDetect) return boxes + plan_boxes > 0;
  return task != blob::Task::kNone && samples > 0;
}

double AnswerAgreement::Top1() const {
  return Percent(same_top1, samples);
}

double AnswerAgreement::F1() const {
  return Percent(found + plan_found, boxes + plan_boxes);
}

double AnswerAgreement::MeanIou() const {
  double sum = 0;
  int64_t classes = 0;
  for (size_t c = 0; c < expected.size(); ++c) {
    if (expected[c] == 0) continue;
    sum += Percent(both[c], either[c]);
    ++classes;
  }
  return classes == 0 ? 100 : sum / static_cast<double>(classes);
}

bool AnswerAgreement::Agrees(blob::Task task, const Limits& limits) const {
  switch (task) {
    case blob::Task::kClassify:
      return samples - same_top1 <= AllowedMisses(samples, limits.top1);
    case blob::Task::kDetect: {
      const int64_t all = boxes + plan_boxes;
      // All boxes may be there with other scores, which a threshold sees.
      const int64_t most = std::max(boxes, plan_boxes), unsure = std::abs(boxes - plan_boxes);
      return unsure <= AllowedMisses(most, limits.f1) &&
             all - found - plan_found <= AllowedMisses(all, limits.f1);
    }
    case blob::Task::kSegment:
      return MeanIou() >= limits.iou;
    case blob::Task::kNone:
      break;
  }
  return true;
}

bool AnswerAgreement::AreFew(blob::Task task) const {
  return task == blob::Task::kDetect && Speaks(task) && std::max(boxes, plan_boxes) < kFew;
}

bool AnswerAgreement::MissOneOfFew(blob::Task task) const {
  return AreFew(task) && boxes - found <= 1 && plan_boxes - plan_found <= 1 &&
         std::abs(boxes - plan_boxes) <= 1;
}

bool DecoderReads(const BlobView& blob, uint32_t index) {
  if (blob.decode.data == nullptr) return false;
  const blob::DecodeRecord& record = DecodeOf(blob);
  const blob::DecodeLevel* levels = DecodeLevels(blob);
  const bool detects = blob.model->task == blob::Task::kDetect;
  for (uint32_t i = 0; i < record.level_count; ++i) {
    if (levels[i].scores.output == index) return true;
    if (detects && levels[i].box.output == index) return true;
    if (detects && record.has_object != 0 && levels[i].object.output == index) return true;
  }
  return false;
}

}  // namespace octet::judge
