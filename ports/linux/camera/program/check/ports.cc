#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ports/linux/camera/program/check/check.h"
#include "ports/linux/http/address.h"

namespace octet::port {
namespace {

// Binds with the options of the server, then closes.
int BindError(const http::Address& address) {
  const int descriptor = socket(address.socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return errno;
  const int yes = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  const auto* const socket_address = reinterpret_cast<const sockaddr*>(&address.socket);
  int error = 0;
  if (bind(descriptor, socket_address, address.bytes) != 0 || listen(descriptor, 1) != 0) {
    error = errno;
  }
  close(descriptor);
  return error;
}

}  // namespace

Finding PortFinding(const std::string& option, const http::Address& address) {
  const std::string name = "port of " + option;
  if (address.port == 0) return {name, FindingState::kFine, "any that is free", ""};
  const int error = BindError(address);
  if (error == 0) return {name, FindingState::kFine, address.Text() + " is free", ""};
  const std::string port = std::to_string(address.port);
  if (error == EADDRINUSE) {
    return {name, FindingState::kFails, address.Text() + " is in use by another program",
            option + " with another port, or end that program: ss -ltnp sport = :" + port};
  }
  return {
      name, FindingState::kFails, address.Text() + " cannot be used: " + std::strerror(error),
      option + (error == EACCES ? " with a port above 1023" : " with an address of `ip address`")};
}

}  // namespace octet::port
