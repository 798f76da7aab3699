// Scores of models on the lab's data, with the definitions its stored scores were made with.
#ifndef OCTET_TESTS_SUPPORT_SCORES_H_
#define OCTET_TESTS_SUPPORT_SCORES_H_

#include <cstdint>
#include <span>

namespace octet::test {

// Share of rows of outputs [n, classes] whose first maximum is at labels[n]; 0 to 1.
double Top1(std::span<const float> outputs, std::span<const uint8_t> labels);

// mAP@0.5 of the mosaic detector; 0 to 1.
//   outputs [n,15,256]: ltrb distances in units of the stride 8 from the cell centre, objectness,
//   ten class
//           probabilities, on a 16x16 grid
//   boxes   [n,4,4]: xyxy in pixels        classes [n,4]: 0 to 9, negative for none
// A cell is a detection of its class of highest objectness x probability when that exceeds 0.02.
// Detections of a class go through greedy non-maximum suppression at IoU 0.5; then, in order of
// score, each matches the box of its class with the largest IoU, if that is at least 0.5 and the
// box is not taken. Average precision is the area under the precision envelope over all points; the
// mean runs over the ten classes.
double MeanAveragePrecision(std::span<const float> outputs, std::span<const float> boxes,
                            std::span<const int8_t> classes);

}  // namespace octet::test

#endif  // OCTET_TESTS_SUPPORT_SCORES_H_
