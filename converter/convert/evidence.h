// The samples that speak for a plan, and what FP32 says of them: made once, asked by the search for
// precisions and by the judge.
//
// FP32 is the graph as imported. Its answers are kept, its tensors only of the few samples whose
// numbers are compared. On these its answers are held against those of the graph that calibration
// ran: where all are the same (judge::IsSame), the latter serve for the other samples.
#ifndef OCTET_CONVERTER_CONVERT_EVIDENCE_H_
#define OCTET_CONVERTER_CONVERT_EVIDENCE_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converter/convert/calibrate.h"
#include "converter/convert/judge_samples.h"
#include "converter/judge/answers.h"
#include "converter/judge/judge.h"
#include "converter/write/write.h"

namespace octet::convert {

class Evidence {
 public:
  explicit Evidence(const Calibrated& calibrated);

  // Whether plans have answers: a decoder reads their outputs.
  bool HasAnswers() const { return !info_.decode.empty(); }
  // That reads them where the user has named none; empty: the user's, or none.
  const std::string& decoder() const { return decoder_; }
  const JudgeSamples& samples() const { return samples_; }
  // Of those that judge, how many neither ranges nor recovery have seen.
  int64_t unseen() const;
  // From here on only those judge that this half did not choose by; half: 0, 1.
  void ExcludeHalf(size_t half);

  // What the int8 plan of a scheme loses, in the runtime, on all samples in their order; null where
  // that plan cannot be made.
  std::shared_ptr<const judge::Measure> Weigh(const write::Plan& plan) const;
  // How much the logits of FP32's confident scores rise where `changed` takes the place of the
  // calibrated graph, on average; nullopt where boxes or classes change besides, or are few.
  std::optional<double> LogitResponse(const graph::Graph& changed) const;
  // All figures of these plans, on the samples that judge.
  judge::Findings Judge(const std::vector<write::Plan>& plans) const;

 private:
  judge::Asked Ask() const;
  const judge::Answers& Fp32() const;
  judge::Answers Run(const graph::Graph& graph, const std::vector<int64_t>& samples,
                     bool keep_outputs) const;

  const Calibrated& calibrated_;
  write::ModelInfo info_;  // of blobs that are judged
  std::string decoder_;
  std::vector<std::unique_ptr<images::Dataset>> data_;  // whatever of it calibrates
  JudgeSamples samples_;
  std::vector<int64_t> judging_;
  mutable std::optional<judge::Answers> fp32_;
  struct Weighed {
    std::vector<uint8_t> blob;
    std::shared_ptr<const judge::Measure> measure;
  };
  mutable std::deque<Weighed> weighed_;  // the last ones
  // FP32's outputs of the samples whose numbers are compared.
  mutable std::map<int64_t, std::vector<std::vector<float>>> outputs_;
};

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_EVIDENCE_H_
