// What could be true of a picture, as far as FP32 tells: boxes drawn from its own scores.
//
// AP against FP32's own boxes is not the mAP that a plan loses: FP32 would be right by definition,
// in place to the pixel, and every shift of a plan would be an error. Detectors are trained so that
// a score is the probability of an object times the overlap with it (TAL, YOLOX, QFL, IoU-aware
// scores). With nothing known of the two factors both are taken to be the root q of the score s:
//
//   P(there is an object) = q,   E(IoU of FP32's box with it) = q,   s = q^2
//
// The IoU u of an object has the distribution on 0 to 1 with that mean and the least to say
// otherwise, P(u < t) = t^(q / (1 - q)); where the object lies then, of all boxes with the overlap
// u to FP32's, is drawn, too. No number here is fitted to a model.
//
// bench/judge/README.md compares the loss that this gives with the loss on labels.
#ifndef OCTET_CONVERTER_JUDGE_MEASURE_TRUTHS_H_
#define OCTET_CONVERTER_JUDGE_MEASURE_TRUTHS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/decode/detect.h"

namespace octet::judge {

// Independent draws of each picture: the mean over them is what counts.
inline constexpr size_t kDraws = 8;
// Below this overlap no threshold of AP finds an object: it is true, and FP32 has not found it.
// Where it lies makes no difference then; it is a miss of both sides.
inline constexpr double kLeastOverlap = 0.3;

struct Truths {
  std::vector<Detection> boxes;  // near enough to be found
  size_t missed = 0;             // true as well, where neither side looks
};

// Draw `draw` of the picture that `sample` names. The same for the same boxes.
Truths DrawTruths(const std::vector<Detection>& boxes, int64_t sample, size_t draw);

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_MEASURE_TRUTHS_H_
