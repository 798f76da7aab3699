// Calls of the system that a signal may interrupt.
#ifndef OCTET_PORTS_LINUX_OUTPUT_AGAIN_H_
#define OCTET_PORTS_LINUX_OUTPUT_AGAIN_H_

#include <cerrno>

namespace octet::port {

// What is interrupted is made again.
template <typename Call>
auto Again(Call call) {
  auto status = call();
  while (status < 0 && errno == EINTR) status = call();
  return status;
}

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_OUTPUT_AGAIN_H_
