// Plans that may add in FP16 (octet convert --native-fp16) do so on some machines. Golden vectors
// hold for float sums alone, so what runs there is compared with these.
#ifndef OCTET_PORTS_LINUX_HALF_SUMS_H_
#define OCTET_PORTS_LINUX_HALF_SUMS_H_

#include <cstddef>
#include <functional>

#include "octet/octet.h"

namespace octet::port {

// The largest distance of an output from that of float sums, as a share of the output's range
// (docs/same-bits.md).
constexpr double kHalfSumsShare = 0.01;

// Whether a layer of the current plan may. Where the machine cannot, both sums are float.
bool MayAddInHalves(const octet_session* session);

// The current plan on one input, with both sums: the largest distance of all outputs, as a share of
// each output's range. `set` sets the inputs. A status other than OK is that of a call that failed.
octet_status CompareHalfSums(octet_session* session, const std::function<octet_status()>& set,
                             double* share);

// max |halves - floats| / (max - min of floats); infinite where only one of them is not a number,
// or where floats are all equal and halves are not.
double ShareOfRange(const float* floats, const float* halves, size_t count);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_HALF_SUMS_H_
