// Which part of a value is constant, by what samples show of it.
//
// A value that lies in [m - h, m + h] needs bits for its place m before it has any for its
// variation h: FP16, whose steps are relative, loses log2(|m| / h) of its 11 bits, and an int8
// range, which holds 0, log2((|m| + h) / 2h) of its 8. At |m| = 8 h FP16 is down to the 8 bits
// that int8 is meant to have, and int8 to less than 6. From there on m is taken out
// (passes/constant_part.h) and added in float.
//
// Where groups of elements lie at places of their own, as logits of classes do, the places are what
// an output says, too: there FP16 has to be down to 5 bits, at |m| = 64 h of a group.
#ifndef OCTET_CONVERTER_CALIBRATE_CONSTANT_PART_H_
#define OCTET_CONVERTER_CALIBRATE_CONSTANT_PART_H_

#include <optional>
#include <vector>

#include "converter/calibrate/calibrate.h"

namespace octet::calibrate {

// |m| / h from which on a constant part is taken out: of all elements together, of a group.
inline constexpr double kLargestRatio = 8, kLargestGroupRatio = 64;
// Fewer values say nothing of how far a value varies.
inline constexpr int64_t kLeastValues = 8;

// A value whose elements have ranges by group: `groups` has its rank, and is 1 along each axis
// whose elements share one.
struct Grouped {
  graph::ValueId value = graph::kNoValue;
  graph::Shape groups;
};

// Of one Grouped.
struct GroupRanges {
  std::vector<Range> ranges;  // by group
  int64_t values = 0;         // of each group, over all samples
  bool is_finite = true;      // no NaN or infinity was seen
};

// Over these samples; in the order of `grouped`. Identical for any thread count.
std::vector<GroupRanges> CollectRanges(const graph::Graph& graph,
                                       const std::vector<const images::Dataset*>& inputs,
                                       const std::vector<int64_t>& samples, int threads,
                                       const std::vector<Grouped>& grouped);

// Whether the value or a group of it has a constant part of more than that, less `slack` times its
// variation. What does not vary has none that costs anything: one number of a plan is as good as
// another.
bool HasConstantPart(const GroupRanges& seen, double slack = 0);

// By group, what to take out of a value with HasConstantPart: its middle, to a few bits, so that
// differences of biases and these are exact, where 0 is out of its range, else 0.
// own: what an Add or Sub adds to the value (else empty). It is taken whole where that leaves no
// group a constant part.
std::vector<float> ConstantPart(const GroupRanges& seen, const std::vector<float>& own);

}  // namespace octet::calibrate

#endif  // OCTET_CONVERTER_CALIBRATE_CONSTANT_PART_H_
