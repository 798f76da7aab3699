#include "ports/linux/serve/zmq/answer.h"

namespace octet::port::serve {

ZmqRows RowsOf(std::span<const octet_detection> found, const ClassNumbers& numbers, uint32_t width,
               uint32_t height) {
  ZmqRows rows{};
  const auto w = static_cast<float>(width), h = static_cast<float>(height);
  size_t at = 0;
  for (const octet_detection& box : found) {
    const int number = numbers.NumberOf(box.label);
    if (number == ClassNumbers::kNone) continue;
    if (at == rows.size()) break;
    for (const float value :
         {static_cast<float>(number), box.score, box.y0 / h, box.x0 / w, box.y1 / h, box.x1 / w}) {
      rows[at++] = value;
    }
  }
  return rows;
}

}  // namespace octet::port::serve
