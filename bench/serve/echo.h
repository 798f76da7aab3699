// What the transport alone takes: a thread that reads requests of this size and answers at once,
// with as many bytes as octet-serve.
#ifndef OCTET_BENCH_SERVE_ECHO_H_
#define OCTET_BENCH_SERVE_ECHO_H_

#include <string>
#include <thread>

#include "bench/serve/asker.h"

namespace octet::bench {

class Echo {
 public:
  // Of one client. answer_bytes: of the body.
  Echo(const Request& request, size_t answer_bytes);
  ~Echo();
  Echo(const Echo&) = delete;
  Echo& operator=(const Echo&) = delete;
  const std::string& place() const { return place_; }

 private:
  void ServeHttp(size_t request_bytes, const std::string& answer);
  void ServeZmq(size_t answer_bytes);

  std::string place_;
  int listener_ = -1;
  int ending_ = -1;  // an eventfd
  void* context_ = nullptr;
  void* router_ = nullptr;
  std::thread thread_;
};

}  // namespace octet::bench

#endif  // OCTET_BENCH_SERVE_ECHO_H_
