// Whether a gain on a few pictures is more than luck.
//
// Pictures are compared with themselves, before and after a step: of n differences with mean m and
// standard error e, t = m / e follows Student's distribution with n - 1 degrees of freedom where
// there is nothing to gain (Student, "The Probable Error of a Mean", 1908). A mean above one
// standard error is luck in one case of six, with four pictures in one of five.
#ifndef OCTET_CONVERTER_SIMULATE_CHANCE_H_
#define OCTET_CONVERTER_SIMULATE_CHANCE_H_

#include "converter/simulate/simulator.h"

namespace octet::simulate {

// How often luck alone gives a mean as good as this one or better, 0 to 1. A single picture tells
// nothing: 1. Differences that are all the same are no luck: 0 for a gain, 1 otherwise.
double ChanceOf(const Gain& gain);

}  // namespace octet::simulate

#endif  // OCTET_CONVERTER_SIMULATE_CHANCE_H_
