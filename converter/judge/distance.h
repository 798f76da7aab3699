// How far an output of a plan is from the reference's, over samples.
//
//   about the mean      10 log10(sum (r - m)^2 / sum (r - y)^2): r the reference, y the plan, m the
//                       mean of r over all elements and samples
//   about the elements  the same with m each element's mean over the samples; from 8 samples on
//
// The lower one counts. A plan that gives one picture's answer for all of them is near the mean of
// each element: the second figure says so, the first does not.
//
// Elements that the reference has no finite number for are not measured. There the plan has to be
// the same infinity, or beyond what FP16 can tell from it.
#ifndef OCTET_CONVERTER_JUDGE_DISTANCE_H_
#define OCTET_CONVERTER_JUDGE_DISTANCE_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "converter/judge/measure/interval.h"

namespace octet::judge {

inline constexpr int64_t kFewestForElements = 8;
// A reference that varies by less than this share of its size may be rounding of FP32 sums.
inline constexpr double kFp32Noise = 1e-5;
// Stands for an infinity of the same sign.
inline constexpr float kStandsForInfinity = 1e4f;

// Of the reference's numbers. Sums are of differences to the first number, so that a large constant
// part does not drown what varies.
struct Spread {
  int64_t count = 0;
  double first = 0, sum = 0, sum_of_squares = 0;
  double about_elements = 0;  // sum of squares about the mean of each element
  double squares = 0;         // of the numbers themselves
  float low = std::numeric_limits<float>::infinity(), high = -low;

  void Add(float value);
  double AboutMean() const;  // sum of squares about the mean
  // By more than rounding, and by more than `step`.
  bool Varies(double step) const;
  double Range() const { return count == 0 ? 0 : static_cast<double>(high) - low; }
};

// Of a plan's numbers against the reference's.
struct Error {
  int64_t count = 0;
  double noise = 0;  // sum of squares
  double product = 0, power = 0;
  double largest = 0;
  float low = std::numeric_limits<float>::infinity(), high = -low;  // of the plan
  int64_t broken = 0;   // no finite number where the reference has one
  int64_t changed = 0;  // the reference is no finite number, and the plan is not the same

  void Add(float reference, float plan);
  bool IsConstant() const { return low == high; }
};

// What both say of an output, or of a piece of one.
struct Figures {
  double about_mean_db = 0;
  std::optional<double> about_elements_db;  // none: too few samples, or elements do not vary
  // The reference is one number but for FP32's rounding: about_mean_db is about zero then.
  bool reference_is_constant = false;
  double cosine = 1, largest = 0, range = 0;
  double rms_error = 0;
  Interval certain_db;  // 95 %, of Db(); of pieces it is not made
  int64_t broken = 0, changed = 0;
  bool lost = false;  // a constant where the reference varies

  double Db() const;  // the lower one
};

// An output over samples: the reference's side once, a plan's side for each plan. Elements belong
// to pieces of different meaning (outputs.h); piece 0 is the output as a whole.
class Distance {
 public:
  // piece_of: by element, from 0; empty: there is one piece, the whole. steps: by piece, what has
  // to vary at least for a constant to be a loss.
  Distance(size_t elements, std::vector<uint16_t> piece_of, std::vector<double> steps,
           size_t plans);
  // Of one sample; samples in order.
  void AddReference(const std::vector<float>& reference);
  // Returns whether the plan has no finite number somewhere where the reference has one.
  bool AddPlan(size_t plan, const std::vector<float>& reference, const std::vector<float>& actual);

  Figures Whole(size_t plan) const;
  size_t piece_count() const { return spreads_.size() - 1; }
  Figures Piece(size_t plan, size_t piece) const { return Of(plan, piece + 1); }

 private:
  Figures Of(size_t plan, size_t slot) const;
  Interval CertainAboutMean(size_t plan) const;

  std::vector<uint16_t> piece_of_;
  std::vector<double> steps_;  // by slot
  int64_t samples_ = 0;
  std::vector<int32_t> element_counts_;
  std::vector<double> element_means_;
  std::vector<Spread> spreads_;             // by slot: the whole, then pieces
  std::vector<std::vector<Error>> errors_;  // by plan and slot
  // Of the whole, by sample: what it adds to the sums, so that samples can be drawn again.
  struct Share {
    double count = 0, sum = 0, sum_of_squares = 0;
  };
  std::vector<Share> shares_;
  std::vector<std::vector<double>> noises_;  // by plan
};

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_DISTANCE_H_
