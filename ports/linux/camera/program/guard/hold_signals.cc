#include "ports/linux/camera/program/guard/hold_signals.h"

#include <signal.h>

#include <atomic>

namespace octet::port {
namespace {

// Signals are counted: two in a row move by two plans. A release drops the signals before it.
std::atomic<uint32_t> steps{0};
std::atomic<uint32_t> released{0};
static_assert(std::atomic<uint32_t>::is_always_lock_free, "used in a signal handler");

void OnSignal(int signal) {
  if (signal == SIGUSR1) {
    steps.fetch_add(1);
  } else {
    steps.store(0);
    released.store(1);
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

bool TakeHoldSignals(octet_guard* guard, uint32_t plan, uint32_t plan_count,
                     std::optional<uint32_t>* held) {
  const bool release = released.exchange(0) != 0;
  const uint32_t forward = steps.exchange(0);
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
