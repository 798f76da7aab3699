// Masks and key points of confident boxes: how far those of a plan are from FP32's, box by box.
#ifndef OCTET_CONVERTER_JUDGE_MEASURE_PARTS_H_
#define OCTET_CONVERTER_JUDGE_MEASURE_PARTS_H_

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "converter/judge/answer.h"
#include "converter/judge/measure/interval.h"

namespace octet::judge {

// A mean over boxes with its interval (normal, from the standard error).
struct MeanLoss {
  int64_t count = 0;
  double sum = 0, squares = 0;

  void Add(double loss);
  double Mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
  Interval Certain() const;
};

class PartMeasure {
 public:
  // Of a box of FP32 and the plan's there. `box` has the size in pixels of the model's input.
  void Add(const Part& exact, const Part& plan, const Detection& box);

  // Of any kind: certainly beyond its limit; perhaps.
  bool Misses(double mask_percent, double point_percent) const;
  bool IsNear(double mask_percent, double point_percent) const;
  // Behind a clause about boxes; empty where there are no parts.
  std::string Words() const;
  void AddJson(nlohmann::json* row) const;

 private:
  MeanLoss masks_;   // 100 % less the IoU of the masks
  MeanLoss points_;  // mean distance of the points, in percent of the root of the box's area
};

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_MEASURE_PARTS_H_
