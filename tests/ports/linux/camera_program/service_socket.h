// What systemd hears of a program that the test starts.
#ifndef OCTET_TESTS_PORTS_LINUX_CAMERA_PROGRAM_SERVICE_SOCKET_H_
#define OCTET_TESTS_PORTS_LINUX_CAMERA_PROGRAM_SERVICE_SOCKET_H_

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

namespace octet::test {

// Programs that start while it lives send their words to it.
class ServiceSocket {
 public:
  // name: of NOTIFY_SOCKET. watched: a watchdog of 30 s is asked for.
  explicit ServiceSocket(const std::string& name, bool watched = false) {
    socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    EXPECT_LT(name.size(), sizeof(address.sun_path));
    std::copy(name.begin(), name.end(), address.sun_path);
    if (name[0] == '@') address.sun_path[0] = 0;
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address),
                   static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size())),
              0);
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
    if (watched) setenv("WATCHDOG_USEC", "30000000", 1);
  }
  ~ServiceSocket() {
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    close(socket_);
  }
  ServiceSocket(const ServiceSocket&) = delete;
  ServiceSocket& operator=(const ServiceSocket&) = delete;

  // Words that have come since the last call.
  std::vector<std::string> Words() const {
    std::vector<std::string> words;
    char bytes[256];
    for (ssize_t count; (count = recv(socket_, bytes, sizeof(bytes), MSG_DONTWAIT)) >= 0;) {
      words.emplace_back(bytes, static_cast<size_t>(count));
    }
    return words;
  }

 private:
  int socket_;
};

}  // namespace octet::test

#endif  // OCTET_TESTS_PORTS_LINUX_CAMERA_PROGRAM_SERVICE_SOCKET_H_
