// The range that tells most of a histogram's shape: the least Kullback-Leibler divergence of the
// values from their 8-bit codes (S. Migacz, "8-bit Inference with TensorRT", GTC 2017).
//
// For each candidate range, bins [a, b) of N counts n_i:
//   P_i = n_i / N, with what lies outside added to the bins at the ends: that is where clipping
//         puts it;
//   Q_i = the same without what lies outside, as the codes tell it: the bins are cut into levels,
//         and each level's mass m_l spreads evenly over its k_l bins that hold something,
//         q = m_l / (k_l M), M = sum of all m_l;
//   D   = sum of P_i log(P_i / Q_i).
// Within a level q is constant, so that prefix sums of n, of n log n and of filled bins make D one
// term a level instead of one a bin.
//
// Where this departs from the talk, and why:
// - Values that are exactly 0 are taken out. Every scheme represents them exactly, and what a ReLU
//   makes of them, one bin of half the mass, would count as an error of every range but the
//   narrowest (TensorRT leaves the whole first bin out).
// - The talk folds the values to |x| for 128 symmetric codes. So does a symmetric scheme here (127
//   codes a side); an asymmetric one searches both ends, for 255 steps between them.
// - A range of fewer bins than levels is no candidate: within a bin nothing is known.
// - An end in a level without any value is no candidate: Q is 0 there and P is not.
#ifndef OCTET_CONVERTER_CALIBRATE_DIVERGENCE_H_
#define OCTET_CONVERTER_CALIBRATE_DIVERGENCE_H_

#include "converter/calibrate/calibrate.h"

namespace octet::calibrate {

// `full`: the range from the true extremes, with 0, which is also the answer where the histogram
// is too coarse to tell. Of equal candidates the widest, which clips less of what was not seen.
Range SmallestDivergence(const Statistics& statistics, const Range& full, bool symmetric);

}  // namespace octet::calibrate

#endif  // OCTET_CONVERTER_CALIBRATE_DIVERGENCE_H_
