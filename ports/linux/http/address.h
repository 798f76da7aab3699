// Where a server listens: [ADDRESS:]PORT as an option of a program says it.
#ifndef OCTET_PORTS_LINUX_HTTP_ADDRESS_H_
#define OCTET_PORTS_LINUX_HTTP_ADDRESS_H_

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>

namespace octet::port::http {

struct Address {
  sockaddr_storage socket{};
  socklen_t bytes = 0;
  std::string host;  // in numbers, as in a URL: 127.0.0.1, [::1]
  uint16_t port = 0;

  // Nobody but this machine reaches it.
  bool IsLoopback() const;
  // As in a URL.
  std::string Text() const { return host + ":" + std::to_string(port); }
};

Address LoopbackAt(uint16_t port);
// "9100", "0.0.0.0:9100", "[::]:9100", "localhost:9100"; port 0: any that is free. Addresses are
// numbers, because a static program cannot resolve names. Throws InputError that begins with
// `option`.
Address ReadAddress(const std::string& option, const std::string& text);
// Of a socket that is bound.
Address AddressOf(int descriptor);

}  // namespace octet::port::http

#endif  // OCTET_PORTS_LINUX_HTTP_ADDRESS_H_
