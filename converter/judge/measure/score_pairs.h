// Scores of the same boxes in FP32 and in a plan, and the one number that sets them right.
//
// Rounding lowers the scores of objects: the features of a sure detection are larger than those of
// the background, and so is what they lose. A number added to all logits of scores leaves the order
// of boxes, and so mAP, as it is; thresholds of users see as many boxes again.
#ifndef OCTET_CONVERTER_JUDGE_MEASURE_SCORE_PAIRS_H_
#define OCTET_CONVERTER_JUDGE_MEASURE_SCORE_PAIRS_H_

#include <vector>

namespace octet::judge {

// No larger shift is looked for: one of 1 moves a score from 0.5 to 0.73.
inline constexpr double kLargestLogitShift = 1;

// Of one box that FP32 is sure of.
struct ScorePair {
  float exact, plan;
};

double Logit(double score);
// A score whose logit is changed by `shift`.
double ShiftedScore(double score, double shift);

// What has to be added to the plan's logits for the mean difference of the scores to be 0. 0 where
// there are none.
double LogitShift(const std::vector<ScorePair>& pairs);

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_MEASURE_SCORE_PAIRS_H_
