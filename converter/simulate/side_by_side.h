// Pictures side by side through a graph, one node at a time: what corrections are found from, for
// every layer must see inputs that are corrected already.
#ifndef OCTET_CONVERTER_SIMULATE_SIDE_BY_SIDE_H_
#define OCTET_CONVERTER_SIMULATE_SIDE_BY_SIDE_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "converter/images/dataset.h"
#include "converter/quantize/scheme.h"
#include "converter/simulate/steps.h"

namespace octet::simulate {

// Exact values of every picture, and simulated ones, which are rounded but not cut off at the ends
// of their ranges: what large values lose there is no shift of all.
//
// Called where an int8 node n with weights has been run on all pictures, before its activation:
// shifts[i][c] is the mean of exact - rounded in picture i and output channel c. What it returns is
// added to the rounded results by output channel; empty: nothing.
using Decide =
    std::function<std::vector<float>(size_t n, const std::vector<std::vector<double>>& shifts)>;

// Runs the pictures `samples`. Values that memory_bytes do not hold go through a file: one picture
// a thread is in memory anyway. progress: after every node that runs. Returns corrections by node.
std::vector<std::vector<float>> RunSideBySide(const Plan& plan, const quantize::Scheme& scheme,
                                              const std::vector<const images::Dataset*>& inputs,
                                              const std::vector<int64_t>& samples, int threads,
                                              int64_t memory_bytes, const Decide& decide,
                                              const std::function<void()>& progress);

}  // namespace octet::simulate

#endif  // OCTET_CONVERTER_SIMULATE_SIDE_BY_SIDE_H_
