// The core's peak of a level's multiply-accumulate instruction, measured by a loop of independent
// chains in registers: what a share of peak refers to. Measure it in the run whose times it is set
// against.
#ifndef OCTET_PORTS_LINUX_PEAK_H_
#define OCTET_PORTS_LINUX_PEAK_H_

#include "octet/octet.h"

namespace octet::port {

// 10^9 multiply-accumulates a second of one core at a level this machine can run, best of a few
// turns of 2 ms; 0 where none is known. fp16: of the float instruction FP16 plans are computed
// with.
double PeakGmacs(octet_isa isa, bool fp16);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_PEAK_H_
