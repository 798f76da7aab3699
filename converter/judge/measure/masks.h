// Segmenters: 100 % less the mean IoU of the label maps, over the classes that FP32 sees.
#ifndef OCTET_CONVERTER_JUDGE_MEASURE_MASKS_H_
#define OCTET_CONVERTER_JUDGE_MEASURE_MASKS_H_

#include <string>
#include <vector>

#include "converter/judge/measure/measure.h"

namespace octet::judge {

class MaskMeasure : public Measure {
 public:
  void Add(int64_t sample, const Answer& expected, const Answer& actual) override;
  size_t size() const override { return samples_.size(); }
  bool Speaks() const override { return !samples_.empty(); }
  double LossOf(const Weights& weights) const override;
  double LimitOf(const LossLimits& limits) const override { return limits.mask_percent; }
  double Agreement() const override { return 100 - Loss(); }
  const char* Figure() const override { return "mask_loss_percent"; }
  const char* Unit() const override { return " % of mean IoU"; }
  std::string TableWords() const override;
  std::string Words() const override;
  void AddJson(nlohmann::json* row) const override;

 private:
  // Pixels of a class in one sample.
  struct Pixels {
    uint32_t label;
    int64_t both = 0, either = 0, expected = 0;
  };
  std::vector<std::vector<Pixels>> samples_;  // classes that either side sees
  size_t classes_ = 0;
};

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_MEASURE_MASKS_H_
