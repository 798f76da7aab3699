// Plans that may add in FP16 (octet convert --native-fp16) do so on some machines. Golden vectors
// hold for float sums alone, so what runs there is compared with these.
#ifndef OCTET_PORTS_LINUX_HALF_SUMS_H_
#define OCTET_PORTS_LINUX_HALF_SUMS_H_

#include <cstddef>
#include <functional>

#include "octet/octet.h"

namespace octet::port {

// The distance of an output from that of float sums, as a share of the output's range
// (docs/same-bits.md), in root mean square. The largest difference is no measure: of a detector's
// thousands of values one is far off in a sound plan too. On photographs of COCO, by an emulation
// of the arithmetic, YOLOv8n is 0.001 off and YOLO11n 0.002, single values 0.05 and 0.16.
constexpr double kHalfSumsShare = 0.01;

// Whether a layer of the current plan may. Where the machine cannot, both sums are float.
bool MayAddInHalves(const octet_session* session);

// The current plan on one input, with both sums: ShareOfRange() of the output where it is largest.
// `set` sets the inputs. A status other than OK is that of a call that failed.
octet_status CompareHalfSums(octet_session* session, const std::function<octet_status()>& set,
                             double* share);

// sqrt(mean (halves - floats)^2) / (max - min of floats), over the values that are finite in both;
// infinite where one of the two alone is not, or where floats are all equal and halves are not.
double ShareOfRange(const float* floats, const float* halves, size_t count);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_HALF_SUMS_H_
