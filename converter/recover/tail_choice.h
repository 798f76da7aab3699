// Whether arithmetic behind the last weights (quantize/tail.h) runs in FP16, by what it adds: where
// no decoder reads the outputs, so that no answers decide (convert/search.h).
//
// Its own rounding is weighed against the noise that reaches it from the int8 layers before. Of
// every channel of what outputs are put together from, with e the error of an element:
//
//   gain = 10 log10(typical e^2, the tail in int8 / typical e^2, the tail in FP16)
//
// typical: the median over the elements of a sample, the mean of that over samples. Energies do not
// tell: the few places of a picture where the network is unsure have nearly all of the error, and
// it is those where it is sure that boxes are made of. A value in FP16 is taken to be off by half
// of its last bit (2^-12 of it) besides.
//
// The tail runs in FP16 where in some channel its own rounding is at least as large as all that
// reaches it: gain >= 10 log10 2. What it may cost is bounded before (quantize/tail.h); decibels
// are not weighed against time here, see docs/decisions/0011-heads-in-fp16.md.
#ifndef OCTET_CONVERTER_RECOVER_TAIL_CHOICE_H_
#define OCTET_CONVERTER_RECOVER_TAIL_CHOICE_H_

#include <optional>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/quantize/scheme.h"
#include "converter/simulate/samples.h"
#include "converter/simulate/simulator.h"

namespace octet::recover {

// In dB, 10 log10 2: half of the noise is the tail's own.
inline constexpr double kHalfOfNoiseDb = 3.0103;

// The gain of the channel that gains most, on the first of the accepting samples (where none
// accept, of those that report); nullopt without samples. int8, fp16: schemes that differ in the
// tail alone. Does not depend on the number of threads.
std::optional<double> TailGain(const simulate::Simulator& simulator,
                               const simulate::Samples& samples, const quantize::Scheme& int8,
                               const quantize::Scheme& fp16);

}  // namespace octet::recover

#endif  // OCTET_CONVERTER_RECOVER_TAIL_CHOICE_H_
