// Which layers are given other codes by what they compute, and from which pictures: of all that
// round weights.
#ifndef OCTET_CONVERTER_RECOVER_ROUNDED_LAYERS_H_
#define OCTET_CONVERTER_RECOVER_ROUNDED_LAYERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "converter/lower/coded_weights.h"
#include "converter/quantize/scheme.h"
#include "converter/recover/layer_inputs.h"
#include "converter/simulate/samples.h"
#include "converter/simulate/simulator.h"

namespace octet::recover {

// A layer's codes are judged by pictures of their own: those that accept all of it would find what
// was chosen by them better than it is. One of so many, and of the rows that fit as many.
inline constexpr size_t kHeldOut = 8;

struct Candidate {
  LayerShape shape;
  lower::CodedWeights coded;  // under the scheme
};

// Rows that a layer's codes are found from.
size_t RowsFor(const LayerShape& layer);

// Int8 layers whose weights are their own, and which `pictures` at most show enough of.
std::vector<Candidate> CandidatesOf(const simulate::Simulator& simulator,
                                    const quantize::Scheme& scheme, int64_t pictures);

// Calibration samples below `available` that neither accept nor report: those that fit single
// layers, and those that judge them.
struct LayerSamples {
  std::vector<int64_t> fit, judge;
};
LayerSamples SamplesForLayers(const simulate::Samples& samples, int64_t available,
                              size_t most_judges);

// At most so many, evenly spread.
std::vector<int64_t> Spread(const std::vector<int64_t>& samples, int64_t most);
// As many of `free` as the hungriest layer needs for `rows_share` times its rows.
std::vector<int64_t> FittingSamples(const std::vector<Candidate>& candidates,
                                    const std::vector<int64_t>& free, size_t rows_share,
                                    int64_t most);

}  // namespace octet::recover

#endif  // OCTET_CONVERTER_RECOVER_ROUNDED_LAYERS_H_
