// Scores of one candidate, pixel or picture.
#ifndef OCTET_DECODE_SCORES_H_
#define OCTET_DECODE_SCORES_H_

#include <stddef.h>
#include <stdint.h>

#include "runtime/core/float_math.h"
#include "runtime/format/decode.h"

namespace octet {

struct ClassScore {
  uint32_t label;  // background left out of the count
  float score;
};

static inline float Activate(blob::Activation activation, float x) {
  return activation == blob::Activation::kSigmoid ? FloatSigmoid(x) : x;
}

// Element of a field; the validator has proved that it lies inside the output.
static inline const float* FieldAt(const blob::DecodeField& field, const float* const* outputs,
                                   uint32_t anchor, uint32_t row, uint32_t column) {
  return outputs[field.output] + field.base + (size_t)anchor * field.anchor_step +
         (size_t)row * field.row_step + (size_t)column * field.column_step;
}

// Numbers that lie `step` apart.
struct Strided {
  const float* first;
  size_t step;
  float operator[](uint32_t i) const { return first[i * step]; }
};

// What softmax divides by: sum over all classes of exp(x - max), in order.
struct SoftmaxNorm {
  float max, sum;
};
SoftmaxNorm NormOf(const Strided& values, uint32_t count);

// The class with the largest score (the first of equals), background left out, and its score after
// the activation. No class at all, or only NaN: label 0 with score NaN.
ClassScore BestClass(const blob::DecodeRecord& record, const Strided& values);

// The channel with the largest value, the first of equals; kNone where all are NaN.
uint32_t BestChannel(const blob::DecodeRecord& record, const Strided& values);

// Label of a channel that is not the background, and its score after the activation.
ClassScore ScoreOfChannel(const blob::DecodeRecord& record, const Strided& values,
                          uint32_t channel);

// The `capacity` best classes, best first, equal ones by label. Returns how many.
uint32_t BestClasses(const blob::DecodeRecord& record, const Strided& values, ClassScore* best,
                     uint32_t capacity);

}  // namespace octet

#endif  // OCTET_DECODE_SCORES_H_
