// What a model says of one sample, read from its outputs by the blob's own decoder: of FP32 and of
// the runtime alike, so that answers differ by the numbers alone.
#ifndef OCTET_CONVERTER_JUDGE_ANSWER_H_
#define OCTET_CONVERTER_JUDGE_ANSWER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/images/dataset.h"
#include "runtime/decode/detect.h"
#include "runtime/decode/objects.h"
#include "runtime/format/view.h"

namespace octet::judge {

// What belongs to a box besides its corners, of a model that gives it.
struct Part {
  std::vector<KeyPoint> points;  // pixels of the model's input
  std::vector<uint8_t> mask;  // by cell of the prototypes' grid, within the box: it is of the mask
};

// What was found in one sample; which field is filled depends on the task. IsSame of answers.h
// compares all of them.
struct Answer {
  int64_t label = -1;
  float confidence = 0;          // of that label
  std::vector<Detection> boxes;  // best first, pixels of the sample's own picture
  std::vector<Part> parts;       // of the first boxes, those that may be confident; may be empty
  std::vector<uint8_t> map;
  std::vector<uint32_t> text;               // labels of its characters
  std::vector<std::vector<float>> numbers;  // the outputs themselves, where no decoder reads them
};

// Whether the decoder of `blob` reads output `index`.
bool DecoderReads(const BlobView& blob, uint32_t index);

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
  // From which on a box is one that users see: kSureScore, or its own threshold where that is
  // above.
  double sure_score() const;
  // The blob's names of classes; none where it has none.
  std::vector<std::string> Labels() const;
  // Index of the input that pictures come in by.
  size_t picture_input() const;

 private:
  void FindBoxes(const DecodeInput& in, images::PictureSize picture, Answer* answer) const;
  Part PartOf(const DecodeInput& in, const Candidate& candidate, uint32_t width,
              uint32_t height) const;

  BlobView blob_;
  blob::Task task_;
};

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_ANSWER_H_
