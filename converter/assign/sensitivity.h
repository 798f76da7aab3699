// How much the outputs lose when one unit alone runs in int8 and all else is exact, and how
// sensitive they are to it at all.
//
// - loss: what the outputs lose (rerun.h), the mean over the samples, with its standard error.
// - gradient: relative change of the outputs over that of the unit's result, along a fixed random
//   direction a sample (finite differences; the mean of |J d| over random signs d estimates the
//   Frobenius norm of the Jacobian: Hutchinson, Communications in Statistics 19, 1990).
// - A unit is sensitive whose loss, or whose gradient, is above twice the mean of all units (C11).
#ifndef OCTET_CONVERTER_ASSIGN_SENSITIVITY_H_
#define OCTET_CONVERTER_ASSIGN_SENSITIVITY_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "converter/assign/table.h"
#include "converter/graph/graph.h"
#include "converter/images/dataset.h"
#include "converter/quantize/scheme.h"

namespace octet::assign {

inline constexpr double kSensitiveRatio = 2;

struct MeasureOptions {
  int threads = 1;
  int64_t memory_bytes = int64_t{1} << 30;  // of samples side by side; one always goes
  std::function<void(int64_t done, int64_t total)> progress;  // may be empty
};

// Fills loss, standard_error, gradient and both flags. Results do not depend on threads or memory.
void MeasureUnits(const graph::Graph& graph, const quantize::Scheme& scheme,
                  const std::vector<const images::Dataset*>& inputs,
                  const std::vector<int64_t>& samples, const MeasureOptions& options, Table* table);

// Loss of whole schemes, simulated: by scheme, by sample. What FP16 computes counts as exact.
std::vector<std::vector<double>> MeasureSchemes(const graph::Graph& graph,
                                                const std::vector<const images::Dataset*>& inputs,
                                                const std::vector<quantize::Scheme>& schemes,
                                                const std::vector<int64_t>& samples,
                                                const MeasureOptions& options);

struct Mean {
  double value = 0, standard_error = 0;
};
Mean MeanOf(const std::vector<double>& values);

}  // namespace octet::assign

#endif  // OCTET_CONVERTER_ASSIGN_SENSITIVITY_H_
