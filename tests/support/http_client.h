// A client of the board's HTTP servers: raw requests, whole answers.
#ifndef OCTET_TESTS_SUPPORT_HTTP_CLIENT_H_
#define OCTET_TESTS_SUPPORT_HTTP_CLIENT_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>

namespace octet::test {

// -1: nobody listens.
inline int Connect(uint16_t port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
    return descriptor;
  }
  close(descriptor);
  return -1;
}

// All that is answered, up to `most` bytes.
inline std::string Ask(uint16_t port, const std::string& request, size_t most = 1 << 16) {
  const int descriptor = Connect(port);
  std::string answer;
  if (descriptor < 0) return answer;
  send(descriptor, request.data(), request.size(), MSG_NOSIGNAL);
  char bytes[4096];
  for (ssize_t count;
       answer.size() < most && (count = recv(descriptor, bytes, sizeof(bytes), 0)) > 0;) {
    answer.append(bytes, static_cast<size_t>(count));
  }
  close(descriptor);
  return answer;
}

inline std::string Get(uint16_t port, const std::string& path, size_t most = 1 << 16) {
  return Ask(port, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n", most);
}

}  // namespace octet::test

#endif  // OCTET_TESTS_SUPPORT_HTTP_CLIENT_H_
