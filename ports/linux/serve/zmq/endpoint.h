// Where ZeroMQ listens: --zmq ENDPOINT.
#ifndef OCTET_PORTS_LINUX_SERVE_ZMQ_ENDPOINT_H_
#define OCTET_PORTS_LINUX_SERVE_ZMQ_ENDPOINT_H_

#include <string>

namespace octet::port::serve {

inline constexpr const char* kDefaultEndpoint = "tcp://127.0.0.1:5555";

struct Endpoint {
  std::string text;  // as libzmq takes it
  std::string path;  // of ipc://
  bool is_loopback = false;
};

// "tcp://ADDRESS:PORT" or "ipc://PATH"; port *: any that is free. Throws InputError.
Endpoint ReadEndpoint(const std::string& text);

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_ZMQ_ENDPOINT_H_
