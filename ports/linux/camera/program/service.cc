#include "ports/linux/camera/program/service.h"

#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace octet::port {
namespace {

// Much shorter than a sensible WatchdogSec, and cheap beside a frame.
constexpr uint64_t kWatchdogPeriodNs = 500'000'000;

}  // namespace

Service::Service() {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  // "@": an abstract name, which begins with a zero byte; other kinds (vsock) are for machines.
  if (path == nullptr || (path[0] != '/' && path[0] != '@')) return;
  const size_t length = std::strlen(path);
  if (length >= sizeof(address_.sun_path)) return;
  address_.sun_family = AF_UNIX;
  std::memcpy(address_.sun_path, path, length);
  if (path[0] == '@') address_.sun_path[0] = 0;
  address_bytes_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  watched_ = std::getenv("WATCHDOG_USEC") != nullptr;
}

Service::~Service() {
  if (socket_ >= 0) close(socket_);
}

void Service::Send(const char* word) const {
  if (socket_ < 0) return;
  sendto(socket_, word, std::strlen(word), MSG_NOSIGNAL,
         reinterpret_cast<const sockaddr*>(&address_), address_bytes_);
}

void Service::Alive(uint64_t now_ns) {
  if (!ready_) Send("READY=1");
  ready_ = true;
  if (!watched_ || now_ns < next_ns_) return;
  next_ns_ = now_ns + kWatchdogPeriodNs;
  Send("WATCHDOG=1");
}

void Service::Stopping() {
  if (!stopping_) Send("STOPPING=1");
  stopping_ = true;
}

}  // namespace octet::port
