// The decoder of a blob that is not made yet: answers of FP32 and of the simulated int8 plan while
// a model is converted.
#ifndef OCTET_CONVERTER_JUDGE_SECTION_DECODER_H_
#define OCTET_CONVERTER_JUDGE_SECTION_DECODER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "converter/judge/score.h"
#include "converter/write/write.h"
#include "runtime/format/view.h"

namespace octet::judge {

class SectionDecoder {
 public:
  // Without a decode section the largest number of the first output is the answer. least_score: of
  // boxes, in place of the section's own.
  explicit SectionDecoder(const write::ModelInfo& info,
                          std::optional<float> least_score = std::nullopt);
  SectionDecoder(const SectionDecoder&) = delete;
  SectionDecoder& operator=(const SectionDecoder&) = delete;

  const Decoder& decoder() const { return *decoder_; }
  // Task, inputs, outputs and decode section alone, for as long as this stays.
  const BlobView& view() const { return view_; }
  uint32_t class_count() const { return classes_; }  // without the background

 private:
  blob::ModelRecord model_{};
  std::vector<blob::InputRecord> inputs_;
  std::vector<blob::OutputRecord> outputs_;
  std::vector<uint64_t> section_;  // aligned as in a blob
  BlobView view_{};
  uint32_t classes_ = 0;
  std::unique_ptr<Decoder> decoder_;
};

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_SECTION_DECODER_H_
