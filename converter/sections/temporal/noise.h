// How much of every int8 tensor is quantization noise, and how far it changes between pictures that
// have nothing to do with each other: what filters from frame to frame are chosen by.
#ifndef OCTET_CONVERTER_SECTIONS_TEMPORAL_NOISE_H_
#define OCTET_CONVERTER_SECTIONS_TEMPORAL_NOISE_H_

#include <cstdint>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/images/dataset.h"
#include "converter/quantize/scheme.h"
#include "converter/simulate/simulator.h"

namespace octet::sections {

struct NoiseFigure {
  double signal = 0, error = 0;  // energies over the pictures, exact and exact less int8
  double change = 0;             // sum of |q - q of the picture before|, in steps
  int64_t changes = 0;           // of so many numbers

  // RMS of the error over that of the signal: of what the next layer reads, so with all that the
  // layers before have added. 0 where there is no signal.
  double Sigma() const;
  // Mean change in steps between two pictures; 0 where there was one alone.
  double MeanChange() const;
};

// By value id; signal 0 for what has no scheme. Simulates the int8 plan on the samples, in order.
std::vector<NoiseFigure> MeasureNoise(const simulate::Simulator& simulator,
                                      const quantize::Scheme& scheme,
                                      const std::vector<int64_t>& samples);

}  // namespace octet::sections

#endif  // OCTET_CONVERTER_SECTIONS_TEMPORAL_NOISE_H_
