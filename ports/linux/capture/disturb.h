// Damage to frames between capture and inference, for tests: --disturb.
#ifndef OCTET_PORTS_LINUX_CAPTURE_DISTURB_H_
#define OCTET_PORTS_LINUX_CAPTURE_DISTURB_H_

#include <memory>
#include <string>
#include <vector>

#include "ports/linux/capture/source.h"

namespace octet::port {

enum class Damage { kNoise, kBlur, kExposure };

// One kind of damage to frames first to last (numbers in the stream).
struct Disturbance {
  Damage damage;
  // noise: standard deviation in steps of 8 bits; blur: radius of a box in pixels; exposure:
  // factor.
  double amount;
  uint64_t first, last;
};

// "noise:40@300-599,exposure:2.5@900-". Throws InputError.
std::vector<Disturbance> ReadDisturbances(const std::string& text);

// To colours, or to the brightness of YUV frames; the same frame number gives the same damage.
void Disturb(const std::vector<Disturbance>& disturbances, FrameBuffer* frame);

// `source` with its frames damaged.
std::unique_ptr<Source> DisturbedSource(std::unique_ptr<Source> source,
                                        std::vector<Disturbance> disturbances);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAPTURE_DISTURB_H_
