#include "converter/judge/answer.h"

#include <algorithm>

#include "runtime/decode/scores.h"

namespace octet::judge {

Decoder::Decoder(const BlobView& blob) : blob_(blob), task_(blob.model->task) {
  // Without a decoder there is nothing to score but the largest output.
  if (blob.decode.data == nullptr) task_ = blob::Task::kClassify;
}

float Decoder::score_threshold() const {
  return blob_.decode.data == nullptr ? 0 : DecodeOf(blob_).score_threshold;
}

Answer Decoder::Decode(const std::vector<const float*>& outputs, images::PictureSize picture,
                       float least_score) const {
  Answer answer;
  if (blob_.decode.data == nullptr) {
    const float* first = outputs[0];
    answer.label = std::max_element(first, first + blob_.outputs[0].element_count) - first;
    return answer;
  }
  blob::DecodeRecord record = DecodeOf(blob_);
  // Pixels have a threshold too.
  if (task_ == blob::Task::kDetect) {
    record.score_threshold = std::min(record.score_threshold, least_score);
  }
  const DecodeInput in = {&record, DecodeLevels(blob_), DecodeAnchors(blob_), outputs.data()};
  const blob::DecodeLevel& level = in.levels[0];
  switch (task_) {
    case blob::Task::kDetect:
      answer.boxes = Boxes(in, picture);
      break;
    case blob::Task::kSegment:
      for (uint32_t y = 0; y < level.grid_h; ++y) {
        for (uint32_t x = 0; x < level.grid_w; ++x) {
          answer.map.push_back(PixelLabel(in, y, x));
        }
      }
      break;
    default: {
      const Strided scores = {FieldAt(level.scores, in.outputs, 0, 0, 0),
                              level.scores.channel_step};
      const ClassScore best = BestClass(*in.record, scores);
      answer.label = best.label;
      answer.confidence = best.score;
    }
  }
  return answer;
}

std::vector<Detection> Decoder::Boxes(const DecodeInput& in, images::PictureSize picture) const {
  const blob::InputRecord& input = blob_.inputs[in.record->input];
  // A picture input has 1 or 3 channels, first or last.
  const uint32_t first = input.dims[1] == 1 || input.dims[1] == 3 ? 2 : 1;
  const uint32_t height = input.dims[first], width = input.dims[first + 1];
  if (picture.height == 0) picture = {height, width};
  const FramePlace frame = {
      PlacePicture(picture.height, picture.width, height, width, input.resize), picture.width,
      picture.height};
  std::vector<Candidate> candidates(in.record->max_candidates);
  const uint32_t found = CollectCandidates(in, frame, candidates.data());
  const uint32_t kept =
      SuppressOverlaps(*in.record, candidates.data(), found, in.record->max_detections);
  std::vector<Detection> boxes;
  for (uint32_t i = 0; i < kept; ++i) {
    boxes.push_back(ToFrame(candidates[i].box, frame));
  }
  return boxes;
}

}  // namespace octet::judge
