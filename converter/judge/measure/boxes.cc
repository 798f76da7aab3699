#include "converter/judge/measure/boxes.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace octet::judge {
namespace {

// How many boxes one side is sure of, and how many of them the other side has as well.
void Count(const std::vector<Detection>& side, const std::vector<Detection>& others,
           double sure_score, int64_t* boxes, int64_t* found) {
  for (const Detection& box : side) {
    bool sure = box.score >= sure_score, has = false;
    for (const Detection& other : others) {
      if (other.label != box.label || BoxOverlap(other, box) < kFoundIou) continue;
      has = true;
      sure |= other.score >= sure_score && other.score - box.score <= kSameScore;
    }
    *boxes += sure;
    *found += sure && has;
  }
}

// The index of the other side's best box there, of the same class; their number: none.
size_t BestAt(const Detection& box, const std::vector<Detection>& others) {
  size_t best = others.size();
  for (size_t i = 0; i < others.size(); ++i) {
    if (others[i].label != box.label || BoxOverlap(others[i], box) < kFoundIou) continue;
    if (best == others.size() || others[i].score > others[best].score) best = i;
  }
  return best;
}

// Best first, so that a bootstrap walks one list.
void Insert(std::vector<Scored>* list, std::vector<Scored> boxes) {
  const auto best_first = [](const Scored& a, const Scored& b) { return a.score > b.score; };
  std::stable_sort(boxes.begin(), boxes.end(), best_first);
  const auto middle = static_cast<std::ptrdiff_t>(list->size());
  list->insert(list->end(), boxes.begin(), boxes.end());
  std::inplace_merge(list->begin(), list->begin() + middle, list->end(), best_first);
}

}  // namespace

double ConfidentBoxes::F1() const {
  const int64_t all = boxes + plan_boxes;
  return all == 0 ? 100 : 100 * static_cast<double>(found + plan_found) / static_cast<double>(all);
}

double ConfidentBoxes::MeanShift() const {
  return pairs == 0 ? 0 : score_shift / static_cast<double>(pairs);
}

void BoxMeasure::AddTo(Side* side, const std::vector<Detection>& boxes, const Truths& truths,
                       size_t draw) {
  const std::vector<uint16_t> found = FindTruths(boxes, truths.boxes);
  std::vector<Scored> scored;
  for (size_t b = 0; b < boxes.size(); ++b) {
    scored.push_back({boxes[b].score, static_cast<uint32_t>(samples_), found[b]});
  }
  Insert(&side->draws[draw], std::move(scored));
}

void BoxMeasure::Add(int64_t sample, const Answer& expected, const Answer& actual) {
  Count(expected.boxes, actual.boxes, sure_score_, &confident_.boxes, &confident_.found);
  Count(actual.boxes, expected.boxes, sure_score_, &confident_.plan_boxes, &confident_.plan_found);
  for (size_t i = 0; i < expected.boxes.size(); ++i) {
    const Detection& box = expected.boxes[i];
    if (box.score < sure_score_) continue;
    const size_t best = BestAt(box, actual.boxes);
    if (best == actual.boxes.size()) continue;
    ++confident_.pairs;
    confident_.score_shift += static_cast<double>(actual.boxes[best].score) - box.score;
    scores_.push_back({box.score, actual.boxes[best].score});
    if (i < expected.parts.size() && best < actual.parts.size()) {
      parts_.Add(expected.parts[i], actual.parts[best], box);
    }
  }
  for (size_t draw = 0; draw < kDraws; ++draw) {
    const Truths truths = DrawTruths(expected.boxes, sample, draw);
    AddTo(&exact_, expected.boxes, truths, draw);
    AddTo(&plan_, actual.boxes, truths, draw);
    truths_[draw].push_back(static_cast<double>(truths.boxes.size() + truths.missed));
  }
  pairs_end_.push_back(scores_.size());
  ++samples_;
}

double BoxMeasure::PriceOf(const Weights& weights) const {
  double exact = 0, plan = 0;
  size_t pair = 0;
  for (size_t i = 0; i < samples_; ++i) {
    for (; pair < pairs_end_[i]; ++pair) {
      exact += weights[i] * static_cast<double>(scores_[pair].exact);
      plan += weights[i] * static_cast<double>(scores_[pair].plan);
    }
  }
  const double apart = exact > 0 ? 100 * std::fabs(plan - exact) / exact : 0;
  return LossOf(weights) + kPointsOfScores * apart;
}

bool BoxMeasure::Shifts() const {
  if (IsFew()) return false;
  const auto [few, many] = std::minmax(confident_.boxes, confident_.plan_boxes);
  return 100 * static_cast<double>(few) < kSameNumberPercent * static_cast<double>(many) ||
         confident_.F1() < kSameNumberPercent;
}

bool BoxMeasure::IsAnother() const {
  const int64_t all = confident_.boxes + confident_.plan_boxes;
  return !IsFew() && Wilson(all - confident_.found - confident_.plan_found, all).low > 50;
}

double BoxMeasure::LossOf(const Weights& weights) const {
  double loss = 0;
  for (size_t draw = 0; draw < kDraws; ++draw) {
    double truths = 0;
    for (size_t i = 0; i < samples_; ++i) truths += weights[i] * truths_[draw][i];
    loss += AveragePrecision(exact_.draws[draw], weights, truths) -
            AveragePrecision(plan_.draws[draw], weights, truths);
  }
  return loss / kDraws;
}

bool BoxMeasure::IsFew() const {
  return std::max(confident_.boxes, confident_.plan_boxes) < kFewBoxes;
}

std::string BoxMeasure::TableWords() const {
  const ConfidentBoxes& c = confident_;
  return fmt::format("boxes {:+.1f} mAP ({} of {} found{})", 0.0 - Loss(), c.found, c.boxes,
                     c.plan_boxes == c.boxes ? ""
                                             : fmt::format("; FP32 finds {} of the plan's {}",
                                                           c.plan_found, c.plan_boxes));
}

std::string BoxMeasure::Words() const {
  const ConfidentBoxes& c = confident_;
  return fmt::format(
      "finds {} of FP32's {} confident boxes, and FP32 finds {} of the plan's {} (F1 {:.1f} %){}",
      c.found, c.boxes, c.plan_found, c.plan_boxes, c.F1(), parts_.Words());
}

void BoxMeasure::AddJson(nlohmann::json* row) const {
  const ConfidentBoxes& c = confident_;
  (*row)["boxes"] = c.boxes;
  (*row)["boxes_found"] = c.found;
  (*row)["plan_boxes"] = c.plan_boxes;
  (*row)["plan_boxes_found"] = c.plan_found;
  (*row)["f1"] = c.F1();
  (*row)["score_shift"] = c.MeanShift();
  parts_.AddJson(row);
}

}  // namespace octet::judge
