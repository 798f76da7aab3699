#include "ports/linux/run/sequences.h"

#include <charconv>
#include <cstddef>
#include <string_view>

#include "ports/linux/output/error.h"

namespace octet::port {

std::vector<bool> StartsOfSequences(const std::string& text, uint64_t samples, bool has_states) {
  std::vector<bool> starts(samples);
  if (samples != 0) starts[0] = true;
  if (text.empty()) return starts;
  if (!has_states) {
    throw InputError(
        "--sequences: the blob has no states, so its samples are in no order; remove it");
  }
  uint64_t at = 0;
  for (std::string_view left = text;; left.remove_prefix(1)) {
    uint64_t length = 0;
    const auto [end, error] = std::from_chars(left.data(), left.data() + left.size(), length);
    left.remove_prefix(static_cast<size_t>(end - left.data()));
    if (error != std::errc() || length == 0 || (!left.empty() && left[0] != ',')) {
      throw InputError("--sequences " + text +
                       ": give the number of samples of each sequence, joined by commas");
    }
    if (length > samples - at) {
      at = samples + 1;
      break;
    }
    starts[at] = true;
    at += length;
    if (left.empty()) break;
    if (at == samples) {
      at = samples + 1;
      break;
    }
  }
  if (at != samples) {
    throw InputError("--sequences " + text + ": the lengths do not add up to the " +
                     std::to_string(samples) + " samples; give the length of each sequence");
  }
  return starts;
}

}  // namespace octet::port
