// What an output has to reach. docs/verdict.md says what each number means.
#ifndef OCTET_CONVERTER_JUDGE_LIMITS_H_
#define OCTET_CONVERTER_JUDGE_LIMITS_H_

#include <cstdint>

#include "converter/judge/measure/measure.h"

namespace octet::judge {

// Of a value, where the root mean square is within one step: nobody tells them apart.
inline constexpr double kMostSteps = 4;
inline constexpr double kFinerThanInt8 = 8;  // FP16's own steps below 1 are 1/2048

// Outputs that no decoder reads: numbers in dB with their cosine; classes, rows and masks in
// percent.
struct Limits {
  double snr_db, cosine, top1, f1, iou;
  LossLimits losses;  // what a decoder reads
};
inline constexpr Limits kInt8Limits{10, 0.99, 90, 90, 90, kInt8Losses};
inline constexpr Limits kFp16Limits{30, 0.999, 99, 98, 98, kFp16Losses};

// Where no decoder says what an output is for, nobody knows what an error costs. Below these an
// int8 plan that agrees is one to check: twice as far from FP32's answers, in percent, and from the
// bound in dB, as it may be at most.
inline constexpr double kGoodPercent = 95, kGoodDb = 20;

// Of fewer samples or rows one is a larger share than any limit allows.
inline constexpr int64_t kFew = 5;
// Misses out of `count` that a share in percent allows: one at least, since of ten samples nine are
// 90 %, but of fewer than kFew none.
int64_t AllowedMisses(int64_t count, double percent);

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_LIMITS_H_
