// How alike outputs are whose numbers are no amounts: classes, masks, counts and lists.
//
//   classes  share of the elements that are equal
//   mask     intersection over union of what is true, over all samples; the share of equal elements
//            where nothing is true on either side
//   counts   1 - sum |r - y| / sum |r|, at least 0
//   rows     F1 of rows: a row is found where the other side's list of the same sample has an equal
//            one, at any place, that no other row has taken. Outputs of one list are its columns.
//            Integers have to be equal, numbers within 5 % of the range that their column has. Rows
//            behind the last one that differs from its successor are spare on both sides and not
//            counted. Where a column orders the rows (scores of a TopK), a row weighs what its
//            score is above the list's last: which of many equal ones comes last is chance.
#ifndef OCTET_CONVERTER_JUDGE_DISCRETE_H_
#define OCTET_CONVERTER_JUDGE_DISCRETE_H_

#include <cstdint>
#include <vector>

#include "converter/judge/limits.h"
#include "converter/judge/outputs.h"

namespace octet::judge {

inline constexpr double kRowShare = 0.05;

// An output that is a part of a list, on both sides.
struct Column {
  const Output* output;
  const std::vector<float>* reference;
  const std::vector<float>* actual;
};

class Likeness {
 public:
  // One sample of an output that is no list. Nothing is done for kNumbers.
  void Add(const Output& output, const std::vector<float>& reference,
           const std::vector<float>& actual);
  // One sample of the outputs of one list.
  void AddList(const std::vector<Column>& columns);
  double Percent() const;
  bool Agrees(Kind kind, const Limits& limits) const;

 private:
  double same_ = 0, all_ = 0;     // of elements or rows; of kCounts: sums
  bool weighted_ = false;         // rows count by their scores
  double both_ = 0, either_ = 0;  // of kMask
};

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_DISCRETE_H_
