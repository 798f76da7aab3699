#include "ports/linux/capture/stop.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "ports/linux/model.h"

namespace octet::port {
namespace {

// Atomic: every request that ends asks whether it is this one, on whatever thread it ends.
std::atomic<StopRequest*> signalled{nullptr};
static_assert(std::atomic<StopRequest*>::is_always_lock_free, "used in a signal handler");

void OnSignal(int) {
  const int kept = errno;
  if (StopRequest* const request = signalled) request->Raise();
  errno = kept;
}

}  // namespace

StopRequest::StopRequest() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

StopRequest::~StopRequest() {
  LeaveSignals();
  close(descriptor_);
}

void StopRequest::LeaveSignals() {
  if (signalled != this) return;
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  if (hang_up_) signal(SIGHUP, SIG_DFL);
  signalled = nullptr;
}

void StopRequest::Raise() {
  raised_.store(true, std::memory_order_relaxed);
  const uint64_t one = 1;
  // It fails only after 2^64 raises.
  [[maybe_unused]] const ssize_t written = write(descriptor_, &one, sizeof(one));
}

void StopRequest::ObeySignals(bool hang_up) {
  signalled = this;
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before = {};
  hang_up_ = hang_up_ ||
             (hang_up && sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN);
  if (hang_up_) sigaction(SIGHUP, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

Waited WaitReadable(int descriptor, const StopRequest& stop, int timeout_ms) {
  for (;;) {
    pollfd both[2] = {{stop.descriptor(), POLLIN, 0}, {descriptor, POLLIN, 0}};
    const int ready = poll(both, descriptor < 0 ? 1 : 2, timeout_ms);
    if (stop.raised()) return Waited::kStopped;
    if (ready < 0 && errno == EINTR) continue;
    return ready == 0 ? Waited::kTimeout : Waited::kReady;
  }
}

bool SleepUntil(uint64_t when_ns, const StopRequest& stop) {
  for (uint64_t now = NowNs(); now < when_ns; now = NowNs()) {
    const uint64_t left = when_ns - now;
    if (left < 1000000) {
      // poll counts in milliseconds. The rest is below one, and a plain sleep.
      const timespec rest = {0, static_cast<long>(left)};
      nanosleep(&rest, nullptr);
    } else if (WaitReadable(-1, stop, static_cast<int>(left / 1000000)) == Waited::kStopped) {
      return false;
    }
  }
  return !stop.raised();
}

}  // namespace octet::port
