// Frigate's answer: 20 rows of class, score, y1, x1, y2, x2 as float32.
#ifndef OCTET_PORTS_LINUX_SERVE_ZMQ_ANSWER_H_
#define OCTET_PORTS_LINUX_SERVE_ZMQ_ANSWER_H_

#include <array>
#include <cstdint>
#include <span>

#include "octet/octet.h"
#include "ports/linux/serve/engine/context.h"
#include "ports/linux/serve/engine/label_map.h"

namespace octet::port::serve {

// Best first, sides as shares of the picture, zeros behind. Boxes of a class that the caller does
// not have are left out.
using ZmqRows = std::array<float, kMostAnswers * 6>;
ZmqRows RowsOf(std::span<const octet_detection> found, const ClassNumbers& numbers, uint32_t width,
               uint32_t height);

// Frigate reads rows until one is below this.
constexpr float kZmqLeastScore = 0.4f;

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_ZMQ_ANSWER_H_
