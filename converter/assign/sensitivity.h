// How much the outputs lose when one unit alone runs in int8 and all else is exact, and how
// steeply they follow it.
//
// - loss: what the outputs lose (simulate::MeanLoss), the mean over the samples, with its standard
//   error.
// - gradient: relative change of the outputs over that of the unit's result, along one random
//   direction a sample (finite differences; with random signs d the mean of |J d|^2 is the squared
//   Frobenius norm of the Jacobian: Hutchinson, Communications in Statistics 19, 1990).
// - A unit is sensitive, or steep, whose loss, or gradient, is above twice the mean of all units.
#ifndef OCTET_CONVERTER_ASSIGN_SENSITIVITY_H_
#define OCTET_CONVERTER_ASSIGN_SENSITIVITY_H_

#include <cstdint>
#include <vector>

#include "converter/assign/table.h"
#include "converter/quantize/scheme.h"
#include "converter/simulate/simulator.h"

namespace octet::assign {

inline constexpr double kSensitiveRatio = 2;

struct Mean {
  double value = 0, standard_error = 0;
};
Mean MeanOf(const std::vector<double>& values);

// By picture: what the outputs lose, whatever they mean.
std::vector<double> LossesOf(const simulate::Scores& scores);

// Fills loss, standard_error and answer_loss.
void MeasureLosses(const simulate::Simulator& simulator, const quantize::Scheme& scheme,
                   const std::vector<int64_t>& samples,
                   const simulate::Simulator::Progress& progress, Table* table);

// Fills gradient and both flags, too.
void MeasureUnits(const simulate::Simulator& simulator, const quantize::Scheme& scheme,
                  const std::vector<int64_t>& samples,
                  const simulate::Simulator::Progress& progress, Table* table);

}  // namespace octet::assign

#endif  // OCTET_CONVERTER_ASSIGN_SENSITIVITY_H_
