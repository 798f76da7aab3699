#include "runtime/decode/scores.h"

namespace octet {
namespace {

uint32_t LabelOf(const blob::DecodeRecord& record, uint32_t channel) {
  return record.background != blob::kNone && channel > record.background ? channel - 1 : channel;
}

float ScoreOf(const blob::DecodeRecord& record, float value, const SoftmaxNorm& norm) {
  if (record.class_activation == blob::Activation::kSoftmax) {
    return FloatExp(value - norm.max) / norm.sum;
  }
  return Activate(record.class_activation, value);
}

SoftmaxNorm NormFor(const blob::DecodeRecord& record, const Strided& values) {
  return record.class_activation == blob::Activation::kSoftmax ? NormOf(values, record.class_count)
                                                               : SoftmaxNorm{0.0f, 1.0f};
}

}  // namespace

SoftmaxNorm NormOf(const Strided& values, uint32_t count) {
  SoftmaxNorm norm = {values[0], 0.0f};
  for (uint32_t i = 1; i < count; ++i) {
    if (values[i] > norm.max) norm.max = values[i];
  }
  for (uint32_t i = 0; i < count; ++i) norm.sum += FloatExp(values[i] - norm.max);
  return norm;
}

uint32_t BestChannel(const blob::DecodeRecord& record, const Strided& values) {
  uint32_t best = blob::kNone;
  for (uint32_t i = 0; i < record.class_count; ++i) {
    if (values[i] != values[i]) continue;
    if (best == blob::kNone || values[i] > values[best]) best = i;
  }
  return best;
}

ClassScore ScoreOfChannel(const blob::DecodeRecord& record, const Strided& values,
                          uint32_t channel) {
  return ClassScore{LabelOf(record, channel),
                    ScoreOf(record, values[channel], NormFor(record, values))};
}

// Activations do not change the order, so only the winner goes through one.
ClassScore BestClass(const blob::DecodeRecord& record, const Strided& values) {
  uint32_t best = blob::kNone;
  float most = 0.0f;
  for (uint32_t i = 0; i < record.class_count; ++i) {
    const float value = values[i];
    if (i == record.background || value != value) continue;
    if (best == blob::kNone || value > most) best = i, most = value;
  }
  if (best == blob::kNone) return ClassScore{0, FloatNan()};
  return ScoreOfChannel(record, values, best);
}

uint32_t BestClasses(const blob::DecodeRecord& record, const Strided& values, ClassScore* best,
                     uint32_t capacity) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < record.class_count; ++i) {
    if (i == record.background || values[i] != values[i]) continue;
    if (count == capacity && (count == 0 || values[i] <= best[count - 1].score)) continue;
    uint32_t at = count < capacity ? count++ : count - 1;
    for (; at > 0 && best[at - 1].score < values[i]; --at) best[at] = best[at - 1];
    best[at] = ClassScore{LabelOf(record, i), values[i]};
  }
  const SoftmaxNorm norm = NormFor(record, values);
  for (uint32_t i = 0; i < count; ++i) best[i].score = ScoreOf(record, best[i].score, norm);
  return count;
}

}  // namespace octet
