#include "ports/linux/serve/engine/sequences.h"

#include <utility>

namespace octet::port::serve {

void Sequences::ExpireLocked(uint64_t now_ns) {
  for (auto at = sequences_.begin(); at != sequences_.end();) {
    const Sequence& one = at->second;
    const bool goes = !one.is_busy && now_ns > one.used_ns && now_ns - one.used_ns > kPatienceNs;
    at = goes ? sequences_.erase(at) : std::next(at);
  }
}

Sequences::Begun Sequences::Begin(const std::string& id, bool is_start, uint64_t now_ns,
                                  std::vector<uint8_t>* states) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ExpireLocked(now_ns);
  const auto found = sequences_.find(id);
  if (found == sequences_.end()) {
    if (!is_start) return Begun::kUnknown;
    if (sequences_.size() >= kMost) return Begun::kFull;
    sequences_[id].is_busy = true;
    return Begun::kFirst;
  }
  if (found->second.is_busy) return Begun::kBusy;
  found->second.is_busy = true;
  if (is_start) return Begun::kFirst;
  *states = std::move(found->second.states);
  return Begun::kGoesOn;
}

void Sequences::Keep(const std::string& id, uint64_t now_ns, std::vector<uint8_t> states) {
  const std::lock_guard<std::mutex> lock(mutex_);
  sequences_[id] = {std::move(states), now_ns, false};
}

void Sequences::End(const std::string& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  sequences_.erase(id);
}

void Sequences::Expire(uint64_t now_ns) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ExpireLocked(now_ns);
}

size_t Sequences::size() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return sequences_.size();
}

}  // namespace octet::port::serve
