#include "ports/linux/metrics/name.h"

#include <algorithm>

namespace octet::port {

void SetName(std::string_view text, MetricName* name) {
  constexpr std::string_view kCut = "...";
  name->fill(0);
  char* at = name->data();
  if (text.size() > name->size() - 1) {
    at = std::copy(kCut.begin(), kCut.end(), at);
    text.remove_prefix(text.size() - (name->size() - 1 - kCut.size()));
  }
  std::transform(text.begin(), text.end(), at,
                 [](char c) { return c >= 0x20 && c < 0x7F ? c : '?'; });
}

}  // namespace octet::port
