// Which of the samples given judge the blob.
#ifndef OCTET_CONVERTER_CONVERT_JUDGE_SAMPLES_H_
#define OCTET_CONVERTER_CONVERT_JUDGE_SAMPLES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace octet::convert {

// Answers are compared on as many samples as there are, up to this number: an interval needs them,
// and a plan is many times as fast as FP32, whose answers are made once.
inline constexpr int64_t kMostAnswers = 256;
// Numbers are compared value by value, on a sixteenth as many samples as calibrate, 16 at least and
// 32 at most: that takes a small part of the time that calibration takes, whatever the model.
inline constexpr int64_t kShareOfJudges = 16, kFewestJudges = 16, kMostJudges = 32;

struct JudgeSamples {
  std::vector<int64_t> indices;  // of the data given, rising
  std::vector<int64_t> fresh;    // of these, those that neither ranges nor recovery have seen
  std::vector<int64_t> numbers;  // of these, those whose numbers are compared
};

// At equal distances, as many as there are at most. The last is the last of `samples`.
std::vector<int64_t> Spread(const std::vector<int64_t>& samples, size_t wanted);

// kept: the samples that --sample-labels leaves; calibrated: those of them that ranges and recovery
// are made of. Both by index into what was given. answers: of plans with a decoder. Samples
// that neither ranges nor recovery have seen come first. Without answers none else judge where
// there are kFewestJudges such; otherwise those that calibrate fill up the number. At equal
// distances.
JudgeSamples ChooseJudgeSamples(const std::vector<int64_t>& kept, std::vector<int64_t> calibrated,
                                bool answers);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_JUDGE_SAMPLES_H_
