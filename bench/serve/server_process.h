// octet-serve as a process of its own, at ports that are free.
#ifndef OCTET_BENCH_SERVE_SERVER_PROCESS_H_
#define OCTET_BENCH_SERVE_SERVER_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace octet::bench {

class ServerProcess {
 public:
  // words: the program and its options. cpus: that it may use; none: all. Waits until it listens.
  ServerProcess(const std::vector<std::string>& words, const std::vector<uint32_t>& cpus);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // "http://ADDRESS:PORT" or "tcp://ADDRESS:PORT".
  std::string Place(const std::string& scheme) const;
  // VmRSS of /proc.
  long ResidentKb() const;

 private:
  pid_t process_ = -1;
  int errors_ = -1;
  std::string text_;
};

}  // namespace octet::bench

#endif  // OCTET_BENCH_SERVE_SERVER_PROCESS_H_
