#include "ports/linux/camera/program/turns.h"

#include <algorithm>

namespace octet::port {

Turns::Turns(const std::vector<double>& budgets) {
  for (const double budget : budgets) cameras_.push_back({budget});
}

Turns::Next Turns::Choose(const std::vector<bool>& has_frame, uint64_t now_ns) {
  Next next;
  for (size_t i = 0; i < cameras_.size(); ++i) {
    if (!has_frame[i]) continue;
    if (cameras_[i].free_ns > now_ns) {
      next.again_ns = std::min(next.again_ns, cameras_[i].free_ns);
    } else if (!next.camera || cameras_[i].turn < cameras_[*next.camera].turn) {
      next.camera = i;
    }
  }
  return next;
}

// A frame of 20 ms with a budget of a quarter: the next one begins 80 ms after this one.
void Turns::Ran(size_t camera, uint64_t begun_ns, uint64_t done_ns) {
  Camera& own = cameras_[camera];
  own.turn = ++turns_;
  const double used_ns = static_cast<double>(done_ns - begun_ns);
  own.free_ns = begun_ns + static_cast<uint64_t>(used_ns / own.budget);
}

}  // namespace octet::port
