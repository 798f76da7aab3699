// What a model says of one sample, read from its outputs by the blob's own decoder: of FP32 and of
// the runtime alike, so that answers differ by the numbers alone.
#ifndef OCTET_CONVERTER_JUDGE_ANSWER_H_
#define OCTET_CONVERTER_JUDGE_ANSWER_H_

#include <cstdint>
#include <vector>

#include "converter/images/dataset.h"
#include "runtime/decode/detect.h"
#include "runtime/format/view.h"

namespace octet::judge {

// What was found in one sample; which field is filled depends on the task.
struct Answer {
  int64_t label = -1;
  float confidence = 0;          // of that label
  std::vector<Detection> boxes;  // best first, pixels of the sample's own picture
  std::vector<uint8_t> map;
};

// Outputs in the model's own layout -> answer, by the blob's decode section. A blob without one is
// scored by the first maximum of output 0.
class Decoder {
 public:
  explicit Decoder(const BlobView& blob);
  blob::Task task() const { return task_; }
  // least_score: of boxes, where it is below the decoder's own threshold.
  Answer Decode(const std::vector<const float*>& outputs, images::PictureSize picture,
                float least_score = 1) const;
  float score_threshold() const;  // of boxes

 private:
  std::vector<Detection> Boxes(const DecodeInput& in, images::PictureSize picture) const;

  BlobView blob_;
  blob::Task task_;
};

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_ANSWER_H_
