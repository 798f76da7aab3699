// The judge of the simulation where outputs have a meaning: answers of the int8 plan against
// FP32's, read by the blob's own decoder.
#ifndef OCTET_CONVERTER_CONVERT_TASK_LIKENESS_H_
#define OCTET_CONVERTER_CONVERT_TASK_LIKENESS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "converter/judge/measure/boxes.h"
#include "converter/judge/section_decoder.h"
#include "converter/simulate/simulator.h"

namespace octet::convert {

// With boxes down to it no box counts much that is there on one side alone because its score is
// just below what the decoder keeps.
inline constexpr float kFaintScore = judge::kLeastScore;

// Agreement of two answers, without the steps that counts have:
//   detect    2 sum(w q) / (sum(w) + sum(w')): w the scores of FP32's boxes, w' of the plan's, q of
//             those that found one of their class the IoU, if 0.5 or more, times the smaller score
//             over the larger
//   classify  sum(min(p, p')) / sum(max(p, p')) of the probabilities (Ruzicka's similarity)
//   text      the mean over the steps of what classify has for one
//   segment   share of the pixels with the same label
class TaskLikeness : public simulate::Likeness {
 public:
  // least_score: of boxes, where it is below the decoder's own (kFaintScore).
  TaskLikeness(const write::ModelInfo& info, std::vector<const images::Dataset*> inputs,
               std::optional<float> least_score = std::nullopt);

  double Agreement(const std::vector<std::vector<float>>& exact,
                   const std::vector<std::vector<float>>& rounded, int64_t sample) const override;

  blob::Task task() const { return meaning_.decoder().task(); }

 private:
  double OfScores(const std::vector<const float*>& exact,
                  const std::vector<const float*>& rounded) const;
  std::vector<float> Probabilities(const std::vector<const float*>& outputs, uint32_t step) const;

  judge::SectionDecoder meaning_;
  std::vector<const images::Dataset*> inputs_;
};

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_TASK_LIKENESS_H_
