// The HTTP server: libmicrohttpd with epoll in one thread, which reads requests and sends answers.
// Bodies, connections and times are limited; a request waits for its answer without a thread.
#ifndef OCTET_PORTS_LINUX_SERVE_WEB_SERVER_H_
#define OCTET_PORTS_LINUX_SERVE_WEB_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ports/linux/http/address.h"
#include "ports/linux/serve/web/exchange.h"

namespace octet::port::serve {

// What is served; called on the server's thread.
class WebSite {
 public:
  virtual ~WebSite() = default;
  // Before the body is read: an answer that needs none of it, as where the path or the token is
  // wrong.
  virtual std::optional<WebReply> Begin(const WebRequest& request) = 0;
  // The request is whole. Finish may be called here or later.
  virtual void Answer(const std::shared_ptr<Exchange>& exchange) = 0;
};

struct WebLimits {
  size_t body_bytes = size_t{16} << 20;
  // Of all bodies in memory. Above it the connection that has sent most of an unfinished one is
  // closed.
  size_t bodies_bytes = size_t{128} << 20;
  unsigned connections = 1200;
  // Above this many the one whose request has been incomplete for longest is closed.
  unsigned crowded = 1100;
  // From its beginning, or from the answer before, until a request has come whole.
  uint64_t request_ns = 30'000'000'000;
  // From the head of a request until its body has come, and for an answer to be taken.
  uint64_t body_ns = 10'000'000'000;
};

class WebServer {
 public:
  // Listens. Throws InputError that begins with `option`. site has to outlive it.
  WebServer(const std::string& option, const http::Address& address, WebSite* site,
            const WebLimits& limits);
  // Every exchange must be finished.
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  const http::Address& address() const;
  size_t connections() const;
  size_t body_bytes() const;  // in memory
  // Takes no more connections.
  void Quiesce();
  // Closes connections that take too long, and those whose client has gone; to be called a few
  // times a second, from any thread.
  void Sweep(uint64_t now_ns);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_WEB_SERVER_H_
