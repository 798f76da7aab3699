#include "runtime/format/validate_decode.h"

#include "runtime/core/checked.h"

namespace octet {
namespace {

using blob::DecodeField;
using blob::DecodeLevel;
using blob::DecodeRecord;

// Decoding needs all outputs as floats and the candidates in one piece of memory, whose size a
// 32-bit board has to be able to tell.
constexpr uint64_t kMaxDecodeFloatBytes =
    kMaxTensorBytes - (uint64_t)blob::kMaxDecodeCandidates * 64;

// Elements of one prototype; 0 where there are no masks.
uint64_t PrototypeElements(const BlobView& view, const DecodeRecord& record) {
  return record.mask_count == 0 ? 0
                                : view.outputs[record.prototypes].element_count / record.mask_count;
}

bool OutputsFit(const BlobView& view, const DecodeRecord& record) {
  // A mask's sums need room for one prototype more.
  const bool detect = view.model->task == blob::Task::kDetect;
  uint64_t bytes = detect ? PrototypeElements(view, record) * sizeof(float) + 63 : 0;
  for (uint32_t i = 0; i < view.model->output_count; ++i) {
    bytes += (uint64_t)view.outputs[i].element_count * sizeof(float) + 63;
  }
  return bytes <= kMaxDecodeFloatBytes;
}

// Every index the field can make lies inside its output, and no two candidates need share a number:
// decoding takes no more steps than there are numbers.
bool FieldFits(const BlobView& view, const DecodeLevel& level, const DecodeField& field,
               uint64_t channels) {
  if (field.output >= view.model->output_count) return false;
  uint64_t last = field.base;
  last = SaturatingAdd(last, SaturatingMul(level.anchor_count - 1, field.anchor_step));
  last = SaturatingAdd(last, SaturatingMul(level.grid_h - 1, field.row_step));
  last = SaturatingAdd(last, SaturatingMul(level.grid_w - 1, field.column_step));
  last = SaturatingAdd(last, SaturatingMul(channels - 1, field.channel_step));
  const uint64_t cells =
      SaturatingMul(SaturatingMul(level.grid_h, level.grid_w), level.anchor_count);
  const uint64_t elements = view.outputs[field.output].element_count;
  return last < elements && SaturatingMul(cells, channels) <= elements;
}

// Numbers of a candidate in `scores`.
uint64_t ScoreChannels(const DecodeRecord& record) {
  if (record.class_form == blob::ClassForm::kNumber) return 1;
  return record.class_form == blob::ClassForm::kIndex ? 2 : record.class_count;
}

bool LevelFits(const BlobView& view, const DecodeRecord& record, const DecodeLevel& level) {
  if (level.grid_h == 0 || level.grid_w == 0 || level.anchor_count == 0) return false;
  const bool detect = view.model->task == blob::Task::kDetect;
  const uint64_t scores = detect ? ScoreChannels(record) : record.class_count;
  if (!FieldFits(view, level, level.scores, scores)) return false;
  if (view.model->task == blob::Task::kText) return level.grid_h == 1 && level.anchor_count == 1;
  if (!detect) return true;
  if (!IsFiniteFloat(level.stride_x) || !IsFiniteFloat(level.stride_y)) return false;
  const bool has_anchors =
      record.box_rule == blob::BoxRule::kAnchor || record.box_rule == blob::BoxRule::kPrior;
  if (has_anchors && !InRange(level.first_anchor, level.anchor_count, 1, record.anchor_count)) {
    return false;
  }
  const uint64_t box_channels = record.bins == 0 ? 4 : 4 * (uint64_t)record.bins;
  return FieldFits(view, level, level.box, box_channels) &&
         (record.has_object == 0 || FieldFits(view, level, level.object, 1));
}

bool ExtraFits(const BlobView& view, const DecodeRecord& record, const DecodeLevel& level,
               const blob::DecodeExtra& extra) {
  const uint64_t numbers = (uint64_t)record.point_count * record.point_numbers;
  return (numbers == 0 || FieldFits(view, level, extra.points, numbers)) &&
         (record.mask_count == 0 || FieldFits(view, level, extra.mask, record.mask_count));
}

// The numbers that say which points and masks there are.
bool ExtrasFit(const BlobView& view, const DecodeRecord& record) {
  if ((uint8_t)record.class_form > (uint8_t)blob::ClassForm::kNumber ||
      (uint8_t)record.score_rule > (uint8_t)blob::ScoreRule::kRootOfProduct) {
    return false;
  }
  // A class by its number has no background and needs no softmax over others.
  if (record.class_form != blob::ClassForm::kScores &&
      (record.background != blob::kNone || record.class_activation == blob::Activation::kSoftmax)) {
    return false;
  }
  if (record.class_form == blob::ClassForm::kNumber &&
      (record.has_object == 0 ||
       (view.header->required_features & blob::kFeatureClassNumbers) == 0)) {
    return false;
  }
  if (record.point_count > blob::kMaxDecodePoints) return false;
  const bool has_points = record.point_count != 0;
  if (has_points ? record.point_numbers != 2 && record.point_numbers != 3
                 : record.point_numbers != 0) {
    return false;
  }
  // No model known gives points by such a rule.
  if (has_points && record.box_rule == blob::BoxRule::kAnchor) return false;
  if (record.mask_count > blob::kMaxMaskCount) return false;
  if (record.mask_count != 0) {
    if (record.prototypes >= view.model->output_count || record.prototype_columns == 0) {
      return false;
    }
    const uint64_t elements = view.outputs[record.prototypes].element_count;
    const uint64_t row = (uint64_t)record.mask_count * record.prototype_columns;
    if (elements < row || elements % row != 0) return false;
  }
  return (record.extras_offset != 0) == (has_points || record.mask_count != 0);
}

bool RecordFits(const BlobView& view, const DecodeRecord& record) {
  if (record.level_count == 0 || record.level_count > blob::kMaxDecodeLevels) return false;
  if (record.class_count == 0 || record.class_count > kMaxTensorBytes) return false;
  if (record.background != blob::kNone && record.background >= record.class_count) return false;
  if ((uint8_t)record.class_activation > (uint8_t)blob::Activation::kSoftmax) return false;
  if (!IsFiniteFloat(record.score_threshold)) return false;
  // Label maps hold a byte a pixel.
  if (view.model->task == blob::Task::kSegment && record.class_count > 256) return false;
  if (view.model->task == blob::Task::kText) {
    return record.background != blob::kNone &&
           (view.header->required_features & blob::kFeatureText) != 0;
  }
  if (view.model->task != blob::Task::kDetect) return true;
  if (record.input >= view.model->input_count || view.inputs[record.input].is_image == 0) {
    return false;
  }
  if ((uint8_t)record.object_activation > (uint8_t)blob::Activation::kSigmoid ||
      (uint8_t)record.box_activation > (uint8_t)blob::Activation::kSigmoid ||
      (uint8_t)record.box_form > (uint8_t)blob::BoxForm::kDistances ||
      (uint8_t)record.box_rule > (uint8_t)blob::BoxRule::kOffset || !ExtrasFit(view, record)) {
    return false;
  }
  if (record.anchor_count > blob::kMaxDecodeAnchors || record.bins > blob::kMaxDecodeBins ||
      record.max_candidates == 0 || record.max_candidates > blob::kMaxDecodeCandidates ||
      record.max_detections == 0 || record.max_detections > record.max_candidates) {
    return false;
  }
  // The other rules speak of centre and size.
  if (record.box_rule != blob::BoxRule::kPlain && record.box_form != blob::BoxForm::kCentreSize) {
    return false;
  }
  if (record.bins != 0 && record.box_form != blob::BoxForm::kDistances) return false;
  const float numbers[] = {record.iou_threshold, record.cell_offset,     record.unit_x,
                           record.unit_y,        record.centre_variance, record.size_variance};
  for (const float number : numbers) {
    if (!IsFiniteFloat(number)) return false;
  }
  return true;
}

}  // namespace

Status ValidateDecode(const BlobView& view) {
  const Bytes& section = view.decode;
  if (section.data == nullptr) return Ok();
  const Status bad = Malformed(section.offset);
  if (view.model->task == blob::Task::kNone || section.bytes < sizeof(DecodeRecord)) return bad;
  const DecodeRecord& record = DecodeOf(view);
  if (!RecordFits(view, record) || !OutputsFit(view, record)) return bad;
  if (record.levels_offset % alignof(DecodeLevel) != 0 ||
      !InRange(record.levels_offset, record.level_count, sizeof(DecodeLevel), section.bytes)) {
    return bad;
  }
  if (record.anchors_offset % alignof(blob::DecodeAnchor) != 0 ||
      !InRange(record.anchors_offset, record.anchor_count, sizeof(blob::DecodeAnchor),
               section.bytes)) {
    return bad;
  }
  const DecodeLevel* levels = DecodeLevels(view);
  const blob::DecodeExtra* extras = DecodeExtras(view);
  const bool has_extras = view.model->task == blob::Task::kDetect && record.extras_offset != 0;
  if (has_extras && (record.extras_offset % alignof(blob::DecodeExtra) != 0 ||
                     !InRange(record.extras_offset, record.level_count, sizeof(blob::DecodeExtra),
                              section.bytes))) {
    return bad;
  }
  for (uint32_t i = 0; i < record.level_count; ++i) {
    if (!LevelFits(view, record, levels[i]) ||
        (has_extras && !ExtraFits(view, record, levels[i], extras[i]))) {
      return Malformed(section.offset + record.levels_offset + i * (uint32_t)sizeof(DecodeLevel));
    }
  }
  const blob::DecodeAnchor* anchors = DecodeAnchors(view);
  for (uint32_t i = 0; i < record.anchor_count; ++i) {
    if (!IsFiniteFloat(anchors[i].width) || !IsFiniteFloat(anchors[i].height)) {
      return Malformed(section.offset + record.anchors_offset);
    }
  }
  return Ok();
}

}  // namespace octet
