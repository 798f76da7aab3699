#include "ports/linux/camera/program/guard/hold_signals.h"

#include <signal.h>

#include <atomic>

namespace octet::port {
namespace {

// Signals are counted: two in a row move by two plans. A release drops the signals before it. Its
// count stands above that of the steps since, so that both are read at once.
constexpr uint32_t kRelease = 1u << 16;
std::atomic<uint32_t> came{0};
static_assert(std::atomic<uint32_t>::is_always_lock_free, "used in a signal handler");

void OnSignal(int signal) {
  if (signal == SIGUSR1) {
    came.fetch_add(1);
    return;
  }
  uint32_t before = came.load();
  while (!came.compare_exchange_weak(before, (before & ~(kRelease - 1)) + kRelease)) {
  }
}

}  // namespace

void ObeyHoldSignals() {
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
  sigaction(SIGUSR2, &action, nullptr);
}

bool HoldSignals::Take(octet_guard* guard, uint32_t plan, uint32_t plan_count,
                       std::optional<uint32_t>* held) {
  const uint32_t now = came.load();
  const bool release = now / kRelease != seen_ / kRelease;
  const uint32_t forward = now % kRelease - (release ? 0 : seen_ % kRelease);
  seen_ = now;
  if (release) {
    held->reset();
    octet_guard_hold(guard, OCTET_GUARD_NO_PLAN);
  }
  if (forward != 0) {
    *held = (plan + forward) % plan_count;
    octet_guard_hold(guard, **held);
  }
  return release || forward != 0;
}

}  // namespace octet::port
