// Whether a source that is opened again whenever it ends gives frames.
#ifndef OCTET_PORTS_LINUX_CAPTURE_HEALTH_H_
#define OCTET_PORTS_LINUX_CAPTURE_HEALTH_H_

#include <atomic>
#include <cstdint>

namespace octet::port {

struct SourceHealth {
  std::atomic<bool> away{false};  // it was lost, and no frame has come since
  std::atomic<uint64_t> starts{0}, losses{0};
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAPTURE_HEALTH_H_
