// The ZeroMQ server that Frigate's `zmq` detector connects to: a ROUTER in a thread of its own.
// Every message is answered: with boxes, or with zeros.
#ifndef OCTET_PORTS_LINUX_SERVE_ZMQ_SERVER_H_
#define OCTET_PORTS_LINUX_SERVE_ZMQ_SERVER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ports/linux/serve/access/peers.h"
#include "ports/linux/serve/engine/context.h"
#include "ports/linux/serve/zmq/endpoint.h"
#include "ports/linux/serve/zmq/request.h"

namespace octet::port::serve {

class ZmqServer {
 public:
  // Binds, and serves until its end. Throws InputError. peers: asked for each connection that comes
  // by the network.
  ZmqServer(const std::vector<Endpoint>& endpoints, const Peers& peers, const ZmqPixels& pixels,
            const Context& context);
  ~ZmqServer();
  ZmqServer(const ZmqServer&) = delete;
  ZmqServer& operator=(const ZmqServer&) = delete;

  // With the ports that were free.
  const std::vector<std::string>& endpoints() const { return bound_; }
  // When its thread last went round (NowNs()): at least twice a second.
  uint64_t last_round_ns() const { return round_ns_.load(std::memory_order_relaxed); }

 private:
  struct Inside;
  void Serve();

  std::unique_ptr<Inside> inside_;
  std::vector<std::string> bound_;
  std::atomic<uint64_t> round_ns_{0};
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_ZMQ_SERVER_H_
