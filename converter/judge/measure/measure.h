// What a plan loses of FP32's answers, by the task: one interface, one file for each task.
//
//   boxes.h    points of mAP50-95 that the plan loses
//   classes.h  percent of samples with another first class
//   masks.h    100 % less the mean IoU of the label maps
//   texts.h    percent of samples with another text
//   numbers.h  dB of the worst output, negative: what no decoder reads
//
// Two measures that were given the same samples in the same order are comparable sample by sample:
// LossOf with equal weights resamples both in the same way, so that the interval of their
// difference is that of paired samples.
#ifndef OCTET_CONVERTER_JUDGE_MEASURE_MEASURE_H_
#define OCTET_CONVERTER_JUDGE_MEASURE_MEASURE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "converter/judge/answer.h"
#include "converter/judge/measure/interval.h"

namespace octet::judge {

// What a plan may lose. docs/verdict.md says what each number means.
struct LossLimits {
  double map_points;
  double class_percent;  // of texts too: answers that are equal or are not
  double mask_percent, minus_db;
  double point_percent;  // of key points, see parts.h
};
// Points: COCO's key points of people count as found at 5 to 21 % of the root of a person's area
// (the constants 2 k of its object keypoint similarity).
inline constexpr LossLimits kInt8Losses{2, 10, 10, -10, 5};
inline constexpr LossLimits kFp16Losses{0.5, 1, 2, -30, 1};

// What a point of mAP, or a hundredth of classes or masks, is worth in time: a larger network of
// the same family takes 20 to 40 % more time for a point (YOLOv8 n to s: 3.3 times the products
// for 7.6 points; YOLO11 n to s: 3.3 times for 7.5). A decibel of numbers that nobody can read is
// worth a hundredth (assign/bargain.h).
inline constexpr double kTimeOfAPoint = 0.2, kTimeOfADecibel = 0.01;

class Measure {
 public:
  virtual ~Measure() = default;

  // One sample. `sample` names it: what is random about it hangs on that number alone.
  virtual void Add(int64_t sample, const Answer& expected, const Answer& actual) = 0;
  virtual size_t size() const = 0;  // samples
  // Whether there is anything to judge by.
  virtual bool Speaks() const = 0;
  // Of the samples weighed, in the order of Add; in the measure's unit, 0: nothing is lost.
  virtual double LossOf(const Weights& weights) const = 0;
  // What a choice between plans weighs: the loss, and what users see beside it.
  virtual double PriceOf(const Weights& weights) const { return LossOf(weights); }
  // What, added to the plan's logits of scores, makes them as high as FP32's; 0 without scores.
  virtual double LogitShift() const { return 0; }
  // What users see beside the loss is beyond its limit.
  virtual bool Shifts() const { return false; }
  // 95 % certain, of all samples.
  virtual Interval Certain() const;
  double Loss() const { return LossOf(Weights(size(), 1)); }

  virtual double LimitOf(const LossLimits& limits) const = 0;
  // Of what belongs to the answers besides the loss: certainly beyond a limit; perhaps.
  virtual bool PartsMiss(const LossLimits& /*limits*/) const { return false; }
  virtual bool PartsAreNear(const LossLimits& /*limits*/) const { return false; }
  // Share of the plan's time that one unit of loss is worth.
  virtual double TimeOfOne() const { return kTimeOfAPoint; }
  // In percent, as --require takes it: of samples, boxes or pixels that agree.
  virtual double Agreement() const = 0;
  // Fewer answers than a word can rest on, whatever the number of samples.
  virtual bool IsFew() const { return false; }

  virtual const char* Figure() const = 0;      // word in JSON
  virtual const char* Unit() const = 0;        // behind a number, with its space
  virtual std::string TableWords() const = 0;  // short, for a column
  virtual std::string Words() const = 0;       // a clause about the plan
  virtual void AddJson(nlohmann::json* row) const = 0;
};

// Null where the task has no answers. sure_score: of boxes.
std::unique_ptr<Measure> MakeMeasure(blob::Task task, double sure_score);

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_MEASURE_MEASURE_H_
