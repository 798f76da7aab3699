// A plan in closed loop: how its error grows from step to step, and when its decisions part from
// FP32's.
#ifndef OCTET_CONVERTER_JUDGE_OVER_TIME_H_
#define OCTET_CONVERTER_JUDGE_OVER_TIME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "converter/judge/answer.h"

namespace octet::judge {

// Of one plan. A step is counted from the start of its sequence.
class OverTime {
 public:
  struct Parting {
    int64_t sequence = 0, step = 0;  // from 0
    size_t output = 0;
  };

  OverTime() = default;
  // longest: steps of the longest sequence.
  OverTime(size_t outputs, int64_t longest);
  // Steps in order.
  void Add(int64_t sequence, int64_t step, const std::vector<std::vector<float>>& reference,
           const std::vector<std::vector<float>>& actual);

  bool IsEmpty() const { return steps_ == 0; }
  // By part of a sequence, all about equally long: 10 log10 of the variation of the reference over
  // the error, of the worst output. Infinite where there is no error.
  std::vector<double> Db() const;
  // First step of a part.
  int64_t FirstStep(size_t part) const;
  // Outputs of one number decide by 0.5, others of up to kMostClasses by their largest number.
  int64_t decisions() const { return decisions_; }
  int64_t same() const { return same_; }
  // Where a decision is another for the first time in its sequence: of all sequences the one with
  // the least step.
  const std::optional<Parting>& first() const { return first_; }

  // "45.1 dB in steps 0 to 49, ...; decisions: ...". names: of outputs.
  std::string Words(const std::vector<std::string>& names) const;
  nlohmann::json Json(const std::vector<std::string>& names) const;

 private:
  struct Sums {
    double count = 0, sum = 0, squares = 0, error = 0;
  };
  int64_t longest_ = 0;
  std::vector<std::vector<Sums>> parts_;  // by part, output
  int64_t steps_ = 0, decisions_ = 0, same_ = 0;
  std::optional<Parting> first_;
};

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_OVER_TIME_H_
