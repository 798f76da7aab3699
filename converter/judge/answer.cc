#include "converter/judge/answer.h"

#include <algorithm>

#include "converter/judge/measure/boxes.h"
#include "runtime/decode/scores.h"
#include "runtime/decode/text.h"

namespace octet::judge {

bool DecoderReads(const BlobView& blob, uint32_t index) {
  if (blob.decode.data == nullptr) return false;
  const blob::DecodeRecord& record = DecodeOf(blob);
  const blob::DecodeLevel* levels = DecodeLevels(blob);
  const bool detects = blob.model->task == blob::Task::kDetect;
  for (uint32_t i = 0; i < record.level_count; ++i) {
    if (levels[i].scores.output == index) return true;
    if (detects && levels[i].box.output == index) return true;
    if (detects && record.has_object != 0 && levels[i].object.output == index) return true;
    if (!detects || record.extras_offset == 0) continue;
    const blob::DecodeExtra& extra = DecodeExtras(blob)[i];
    if (record.point_count > 0 && extra.points.output == index) return true;
    if (record.mask_count == 0) continue;
    if (extra.mask.output == index || record.prototypes == index) return true;
  }
  return false;
}

Decoder::Decoder(const BlobView& blob) : blob_(blob), task_(blob.model->task) {
  // Without a decoder there is nothing to score but the largest output.
  if (blob.decode.data == nullptr) task_ = blob::Task::kClassify;
}

float Decoder::score_threshold() const {
  return blob_.decode.data == nullptr ? 0 : DecodeOf(blob_).score_threshold;
}

double Decoder::sure_score() const {
  return std::max(kSureScore, score_threshold());
}

std::vector<std::string> Decoder::Labels() const {
  std::vector<std::string> labels;
  const char* at = reinterpret_cast<const char*>(blob_.labels.data);
  for (uint32_t i = 0; i < blob_.model->label_count; ++i) {
    labels.emplace_back(at);
    at += labels.back().size() + 1;
  }
  return labels;
}

size_t Decoder::picture_input() const {
  const bool boxes = blob_.decode.data != nullptr && blob_.model->task == blob::Task::kDetect;
  return boxes ? DecodeOf(blob_).input : 0;
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
  const DecodeInput in = {&record, DecodeLevels(blob_), DecodeAnchors(blob_), outputs.data(),
                          record.extras_offset != 0 ? DecodeExtras(blob_) : nullptr};
  const blob::DecodeLevel& level = in.levels[0];
  switch (task_) {
    case blob::Task::kDetect:
      FindBoxes(in, picture, &answer);
      break;
    case blob::Task::kSegment:
      for (uint32_t y = 0; y < level.grid_h; ++y) {
        for (uint32_t x = 0; x < level.grid_w; ++x) {
          answer.map.push_back(PixelLabel(in, y, x));
        }
      }
      break;
    case blob::Task::kText: {
      std::vector<ClassScore> characters(level.grid_w);
      characters.resize(ReadText(in, characters.data(), level.grid_w));
      for (const ClassScore& character : characters) answer.text.push_back(character.label);
      break;
    }
    case blob::Task::kNone:
    case blob::Task::kClassify: {
      const Strided scores = {FieldAt(level.scores, in.outputs, 0, 0, 0),
                              level.scores.channel_step};
      const ClassScore best = BestClass(*in.record, scores);
      answer.label = best.label;
      answer.confidence = best.score;
    }
  }
  return answer;
}

void Decoder::FindBoxes(const DecodeInput& in, images::PictureSize picture, Answer* answer) const {
  const blob::InputRecord& input = blob_.inputs[in.record->input];
  // A picture input has 1 or 3 channels, first or last.
  const uint32_t first = input.dims[1] == 1 || input.dims[1] == 3 ? 2 : 1;
  const uint32_t height = input.dims[first], width = input.dims[first + 1];
  if (picture.height == 0) picture = {height, width};
  const FramePlace frame = {
      PlacePicture(picture.height, picture.width, height, width, input.resize), picture.width,
      picture.height};
  std::vector<Candidate> candidates(in.record->max_candidates);
  const uint32_t found =
      CollectCandidates(in, frame, in.record->score_threshold, candidates.data());
  const uint32_t kept =
      SuppressOverlaps(*in.record, candidates.data(), found, in.record->max_detections);
  for (uint32_t i = 0; i < kept; ++i) {
    answer->boxes.push_back(ToFrame(candidates[i].box, frame));
    // Of a confident box the other side's may have half the score.
    if (in.extras == nullptr || candidates[i].box.score < sure_score() / 2) continue;
    answer->parts.push_back(PartOf(in, candidates[i], width, height));
  }
}

Part Decoder::PartOf(const DecodeInput& in, const Candidate& candidate, uint32_t width,
                     uint32_t height) const {
  Part part;
  uint32_t level = 0;
  Cell cell{};
  if (!FindCandidate(in, candidate.order, &level, &cell)) return part;
  part.points.resize(in.record->point_count);
  if (!part.points.empty()) ReadKeyPoints(in, level, cell, part.points.data());
  if (in.record->mask_count == 0) return part;
  const blob::OutputRecord& prototypes = blob_.outputs[in.record->prototypes];
  const uint32_t columns = in.record->prototype_columns;
  const MaskGrid grid = {prototypes.element_count / in.record->mask_count / columns, columns};
  std::vector<float> sums(size_t{grid.rows} * grid.columns);
  SumPrototypes(in, grid, level, cell, sums.data());
  part.mask.resize(sums.size());
  const Detection& box = candidate.box;
  for (uint32_t row = 0; row < grid.rows; ++row) {
    const float y = (static_cast<float>(row) + 0.5f) / static_cast<float>(grid.rows) *
                    static_cast<float>(height);
    for (uint32_t column = 0; column < grid.columns; ++column) {
      const float x = (static_cast<float>(column) + 0.5f) / static_cast<float>(grid.columns) *
                      static_cast<float>(width);
      const size_t at = size_t{row} * grid.columns + column;
      part.mask[at] = sums[at] > 0 && x >= box.x0 && x < box.x1 && y >= box.y0 && y < box.y1;
    }
  }
  return part;
}

}  // namespace octet::judge
