// Average precision as COCO has it (Lin and others 2014, Microsoft COCO; cocoeval.py): precision at
// 101 recalls, the mean over IoU 0.50, 0.55, ... 0.95. Classes are pooled: a box can be right for
// its own class alone, but one list of scores serves all, since a few pictures have too few boxes
// of a class.
#ifndef OCTET_CONVERTER_JUDGE_MEASURE_PRECISION_H_
#define OCTET_CONVERTER_JUDGE_MEASURE_PRECISION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/decode/detect.h"

namespace octet::judge {

inline constexpr size_t kOverlaps = 10;  // thresholds of IoU
constexpr double OverlapOf(size_t threshold) {
  return 0.5 + 0.05 * static_cast<double>(threshold);
}

// By box, best first: bit t is set where it finds a truth at threshold t that none before it found.
std::vector<uint16_t> FindTruths(const std::vector<Detection>& boxes,
                                 const std::vector<Detection>& truths);

// A box of one sample, and what it finds.
struct Scored {
  float score;
  uint32_t sample;
  uint16_t found;
};
// In percent; boxes: best first. weights: by sample. truths: how many there are, weighed.
double AveragePrecision(const std::vector<Scored>& boxes, const std::vector<double>& weights,
                        double truths);

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_MEASURE_PRECISION_H_
