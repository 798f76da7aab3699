// Detectors: points of mAP50-95 that a plan loses, on truths that FP32's scores give (truths.h).
// FP32 and the plan are scored on the same truths (precision.h); the loss is the mean difference
// over draws. Beside it stand the confident boxes of both sides, which a user's threshold sees.
#ifndef OCTET_CONVERTER_JUDGE_MEASURE_BOXES_H_
#define OCTET_CONVERTER_JUDGE_MEASURE_BOXES_H_

#include <array>
#include <string>
#include <vector>

#include "converter/judge/measure/measure.h"
#include "converter/judge/measure/parts.h"
#include "converter/judge/measure/precision.h"
#include "converter/judge/measure/score_pairs.h"
#include "converter/judge/measure/truths.h"

namespace octet::judge {

inline constexpr float kSureScore = 0.5f;    // or the decoder's own threshold, if that is higher
inline constexpr float kFoundIou = 0.75f;    // two grid steps off is not found
inline constexpr float kLeastScore = 0.05f;  // answers hold boxes from here on
// Of fewer confident boxes on both sides no word follows.
inline constexpr int64_t kFewBoxes = 5;
// Scores of one box that differ by so much are the same: four steps of 8 bits.
inline constexpr double kSameScore = 4.0 / 256;
// A threshold sees another number of boxes where one side is confident of fewer than so many
// percent of the other's.
inline constexpr double kSameNumberPercent = 90;
// mAP does not see scores that fall alike. Users' thresholds do: scores of FP32's confident boxes
// that are a tenth lower or higher are weighed like a point of mAP where plans are chosen.
inline constexpr double kPointsOfScores = 0.1;  // for each percent

// A box is confident from the sure score on, or just below it where the other side is confident of
// the same box with the same score. It is found where the other side has it, of its class and with
// kFoundIou, at any score.
struct ConfidentBoxes {
  int64_t boxes = 0, found = 0;            // FP32's; of these found by the plan
  int64_t plan_boxes = 0, plan_found = 0;  // the other way round
  int64_t pairs = 0;                       // of FP32's confident ones and the plan's best there
  double score_shift = 0;                  // sum over pairs, the plan's score less FP32's

  double F1() const;         // percent
  double MeanShift() const;  // of scores
};

class BoxMeasure : public Measure {
 public:
  explicit BoxMeasure(double sure_score) : sure_score_(sure_score) {}

  void Add(int64_t sample, const Answer& expected, const Answer& actual) override;
  size_t size() const override { return samples_; }
  // Where neither side has a box that may be one, there is nothing to lose.
  bool Speaks() const override { return confident_.boxes + confident_.plan_boxes > 0; }
  double LossOf(const Weights& weights) const override;
  double PriceOf(const Weights& weights) const override;
  double LogitShift() const override { return judge::LogitShift(scores_); }
  bool Shifts() const override;
  double LimitOf(const LossLimits& limits) const override { return limits.map_points; }
  bool PartsMiss(const LossLimits& limits) const override {
    return IsAnother() || parts_.Misses(limits.mask_percent, limits.point_percent);
  }
  bool PartsAreNear(const LossLimits& limits) const override {
    return parts_.IsNear(limits.mask_percent, limits.point_percent);
  }
  double Agreement() const override { return confident_.F1(); }
  bool IsFew() const override;
  const char* Figure() const override { return "map_points"; }
  const char* Unit() const override { return " points of mAP"; }
  std::string TableWords() const override;
  std::string Words() const override;
  void AddJson(nlohmann::json* row) const override;

  const ConfidentBoxes& confident() const { return confident_; }

 private:
  // With 95 % certainty less than half of the confident boxes of both sides are found: another
  // detector. Points do not say so where FP32 itself has next to none to lose.
  bool IsAnother() const;

  // Of one side: its boxes of all samples, and what they find in each draw.
  struct Side {
    std::array<std::vector<Scored>, kDraws> draws;
  };
  void AddTo(Side* side, const std::vector<Detection>& boxes, const Truths& truths, size_t draw);

  double sure_score_;
  size_t samples_ = 0;
  ConfidentBoxes confident_;
  std::vector<ScorePair> scores_;
  std::vector<size_t> pairs_end_;  // of scores_, by sample
  PartMeasure parts_;              // of pairs of confident boxes
  Side exact_, plan_;
  std::array<std::vector<double>, kDraws> truths_;  // by sample
};

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_MEASURE_BOXES_H_
