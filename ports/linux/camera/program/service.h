// Messages to systemd, if it started the program as a service of Type=notify (sd_notify(3)): ready,
// alive, stopping. One datagram each, without libsystemd.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_SERVICE_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_SERVICE_H_

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdint>

namespace octet::port {

class Service {
 public:
  // Reads NOTIFY_SOCKET and WATCHDOG_USEC. Without the first nothing is ever sent.
  Service();
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // The loop does what it is there for: a result stands, or every camera is known to be away. The
  // first is READY=1; each half second one is WATCHDOG=1, where WatchdogSec= asks for it. Never
  // waits: a word that finds no room is not sent.
  void Alive(uint64_t now_ns);
  // STOPPING=1, once.
  void Stopping();

 private:
  void Send(const char* word) const;

  int socket_ = -1;
  sockaddr_un address_{};
  socklen_t address_bytes_ = 0;
  bool watched_ = false, ready_ = false, stopping_ = false;
  uint64_t next_ns_ = 0;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_SERVICE_H_
