#include "ports/linux/http/address.h"

#include <arpa/inet.h>

#include <charconv>
#include <cstring>

#include "ports/linux/file.h"

namespace octet::port::http {
namespace {

Address FromV4(in_addr numbers, uint16_t port) {
  sockaddr_in in = {};
  in.sin_family = AF_INET;
  in.sin_addr = numbers;
  in.sin_port = htons(port);
  Address address;
  std::memcpy(&address.socket, &in, sizeof(in));
  address.bytes = sizeof(in);
  char text[INET_ADDRSTRLEN] = {};
  inet_ntop(AF_INET, &numbers, text, sizeof(text));
  address.host = text;
  address.port = port;
  return address;
}

Address FromV6(const in6_addr& numbers, uint16_t port) {
  sockaddr_in6 in = {};
  in.sin6_family = AF_INET6;
  in.sin6_addr = numbers;
  in.sin6_port = htons(port);
  Address address;
  std::memcpy(&address.socket, &in, sizeof(in));
  address.bytes = sizeof(in);
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(AF_INET6, &numbers, text, sizeof(text));
  address.host = std::string("[") + text + "]";
  address.port = port;
  return address;
}

}  // namespace

bool Address::IsLoopback() const {
  if (socket.ss_family == AF_INET) {
    sockaddr_in in;
    std::memcpy(&in, &socket, sizeof(in));
    return ntohl(in.sin_addr.s_addr) >> 24 == 127;  // 127.0.0.0/8, RFC 1122
  }
  sockaddr_in6 in;
  std::memcpy(&in, &socket, sizeof(in));
  return IN6_IS_ADDR_LOOPBACK(&in.sin6_addr);
}

Address LoopbackAt(uint16_t port) {
  return FromV4({htonl(INADDR_LOOPBACK)}, port);
}

Address ReadAddress(const std::string& option, const std::string& text) {
  const size_t colon = text.rfind(':');
  const std::string host = colon == std::string::npos ? "127.0.0.1" : text.substr(0, colon);
  const std::string digits = colon == std::string::npos ? text : text.substr(colon + 1);
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    throw InputError(option + " " + text + ": '" + digits +
                     "' is not a port from 0 to 65535; write 9100, 0.0.0.0:9100 or [::]:9100");
  }
  if (host == "localhost") return LoopbackAt(port);
  in_addr v4;
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return FromV4(v4, port);
  in6_addr v6;
  if (host.size() > 2 && host.front() == '[' && host.back() == ']' &&
      inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &v6) == 1) {
    return FromV6(v6, port);
  }
  throw InputError(option + " " + text + ": '" + host +
                   "' is not a numeric address; write 9100, 0.0.0.0:9100 or [::]:9100");
}

Address AddressOf(int descriptor) {
  sockaddr_storage socket = {};
  socklen_t bytes = sizeof(socket);
  getsockname(descriptor, reinterpret_cast<sockaddr*>(&socket), &bytes);
  if (socket.ss_family == AF_INET6) {
    sockaddr_in6 in;
    std::memcpy(&in, &socket, sizeof(in));
    return FromV6(in.sin6_addr, ntohs(in.sin6_port));
  }
  sockaddr_in in;
  std::memcpy(&in, &socket, sizeof(in));
  return FromV4(in.sin_addr, ntohs(in.sin_port));
}

}  // namespace octet::port::http
