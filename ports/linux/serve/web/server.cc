#include "ports/linux/serve/web/server.h"

#include <microhttpd.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ports/linux/model.h"
#include "ports/linux/output/error.h"

namespace octet::port::serve {
namespace {

// Of a connection: the head of a request has to fit. Above 32 KiB libmicrohttpd maps them, and they
// go back to the system with the connection. Below they come from malloc, and stay: those of 1,200
// connections were 20 to 40 MB behind each crowd.
constexpr size_t kConnectionBytes = size_t{36} << 10;
constexpr int kBacklog = 511;
// Of a body that is not wanted as many times the longest one is read, so that its client sees why.
constexpr size_t kMostSkippedBodies = 4;

// A request on its way.
struct Transfer {
  std::shared_ptr<Exchange> exchange = std::make_shared<Exchange>();
  bool handed = false;
  // An answer that needs none of the body, or no more of it. The body is read all the same: a
  // client that still sends would not see the answer.
  std::optional<WebReply> early;
  size_t skipped_bytes = 0;
};

std::string Header(MHD_Connection* connection, const char* name) {
  const char* const value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value == nullptr ? "" : value;
}

int Listen(const std::string& option, const http::Address& address) {
  const int file = socket(address.socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  if (file >= 0) {
    setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (address.socket.ss_family == AF_INET6) {
      setsockopt(file, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
    }
    if (bind(file, reinterpret_cast<const sockaddr*>(&address.socket), address.bytes) == 0 &&
        listen(file, kBacklog) == 0) {
      return file;
    }
  }
  const int error = errno;
  if (file >= 0) close(file);
  throw InputError(option + ": cannot listen: " + ErrorText(error) +
                   "; use another address or port");
}

}  // namespace

struct WebServer::Inside {
  // Where a connection stands, for its deadline.
  enum class Phase : uint8_t { kWaits, kReads, kWorks, kSends };
  struct Connection {
    uint64_t id = 0;
    int descriptor = -1;
    Phase phase = Phase::kWaits;
    uint64_t since_ns = 0;
    size_t body_bytes = 0;
    bool is_gone = false;  // its client, when it was last looked at

    bool IsIncomplete() const { return phase == Phase::kWaits || phase == Phase::kReads; }
  };

  WebSite* site;
  WebLimits limits;
  http::Address address;
  MHD_Daemon* daemon = nullptr;
  std::atomic<size_t> held_bytes{0};  // of bodies
  mutable std::mutex mutex;           // of what follows
  std::unordered_map<MHD_Connection*, Connection> connections;
  uint64_t last_id = 0;

  uint64_t Enter(MHD_Connection* connection, Phase phase) {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto one = connections.find(connection);
    if (one == connections.end()) return 0;
    one->second.phase = phase;
    one->second.since_ns = NowNs();
    one->second.is_gone = false;
    one->second.body_bytes = 0;
    return one->second.id;
  }

  MHD_Result Send(MHD_Connection* connection, WebReply reply) {
    Enter(connection, Phase::kSends);
    auto body = std::make_unique<std::string>(std::move(reply.body));
    MHD_Response* const response = MHD_create_response_from_buffer_with_free_callback_cls(
        body->size(), body->data(), [](void* text) { delete static_cast<std::string*>(text); },
        body.get());
    if (response == nullptr) return MHD_NO;
    body.release();
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply.type.c_str());
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    if (!reply.inference_header_length.empty()) {
      MHD_add_response_header(response, "Inference-Header-Content-Length",
                              reply.inference_header_length.c_str());
    }
    if (reply.status == MHD_HTTP_SERVICE_UNAVAILABLE) {
      MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, "1");
    }
    if (reply.status == MHD_HTTP_UNAUTHORIZED) {
      MHD_add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
    }
    const MHD_Result queued = MHD_queue_response(connection, reply.status, response);
    MHD_destroy_response(response);
    return queued;
  }

  WebReply TooLong(const std::string& what) const {
    return ErrorReply(413,
                      what + "; at most " + std::to_string(limits.body_bytes) + " bytes are taken");
  }

  // The head has come: the answer where the body is too long to be read, or none.
  std::optional<WebReply> Open(MHD_Connection* connection, const char* url, const char* method,
                               Transfer* transfer) {
    WebRequest& request = transfer->exchange->request;
    request.client = Enter(connection, Phase::kReads);
    request.method = method;
    request.path = url;
    request.host = Header(connection, MHD_HTTP_HEADER_HOST);
    request.authorization = Header(connection, MHD_HTTP_HEADER_AUTHORIZATION);
    request.content_type = Header(connection, MHD_HTTP_HEADER_CONTENT_TYPE);
    request.content_encoding = Header(connection, MHD_HTTP_HEADER_CONTENT_ENCODING);
    request.inference_header_length = Header(connection, "Inference-Header-Content-Length");
    const std::string length = Header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
    const unsigned long long bytes = std::strtoull(length.c_str(), nullptr, 10);
    if (bytes > limits.body_bytes) {
      return TooLong("a body of " + length + " bytes");
    }
    transfer->early = site->Begin(request);
    if (!transfer->early) request.body.reserve(static_cast<size_t>(bytes));
    return std::nullopt;
  }

  MHD_Result Handle(MHD_Connection* connection, const char* url, const char* method,
                    const char* data, size_t* count, void** kept) {
    if (*kept == nullptr) {
      auto transfer = std::make_unique<Transfer>();
      std::optional<WebReply> reply = Open(connection, url, method, transfer.get());
      *kept = transfer.release();
      return reply ? Send(connection, std::move(*reply)) : MHD_YES;
    }
    auto* const transfer = static_cast<Transfer*>(*kept);
    Exchange& exchange = *transfer->exchange;
    if (*count != 0) {
      // Only a body without a length can be longer than Open allowed.
      std::string& body = exchange.request.body;
      if (!transfer->early && body.size() + *count > limits.body_bytes) {
        transfer->early = TooLong("a longer body");
        exchange.DropBody();
      }
      if (!transfer->early && !Hold(connection, &exchange, *count)) {
        transfer->early = ErrorReply(503, "too many long requests come at once; try again later");
        exchange.DropBody();
      }
      if (!transfer->early) {
        body.append(data, *count);
      } else if ((transfer->skipped_bytes += *count) > kMostSkippedBodies * limits.body_bytes) {
        return MHD_NO;
      }
      *count = 0;
      return MHD_YES;
    }
    if (transfer->early) return Send(connection, std::move(*transfer->early));
    if (!transfer->handed) {
      transfer->handed = true;
      Enter(connection, Phase::kWorks);
      site->Answer(transfer->exchange);
    }
    std::optional<WebReply> reply =
        exchange.TakeOr([connection] { MHD_suspend_connection(connection); },
                        [connection] { MHD_resume_connection(connection); });
    return reply ? Send(connection, std::move(*reply)) : MHD_YES;
  }

  // Counts bytes of a body. False: there is no room for them.
  bool Hold(MHD_Connection* connection, Exchange* exchange, size_t count) {
    exchange->Hold(&held_bytes, count);
    const std::lock_guard<std::mutex> lock(mutex);
    Connection& own = connections[connection];
    own.body_bytes += count;
    size_t staying = held_bytes;
    if (staying <= limits.bodies_bytes) return true;
    Connection* most = &own;
    for (auto& [key, one] : connections) {
      if (one.phase != Phase::kReads) continue;
      if (one.descriptor < 0) staying -= std::min(staying, one.body_bytes);  // it ends already
      if (one.descriptor >= 0 && one.body_bytes > most->body_bytes) most = &one;
    }
    if (staying <= limits.bodies_bytes) return true;
    if (most == &own) {
      own.body_bytes = 0;
      return false;
    }
    End(most);
    return true;
  }

  // The one whose request has been incomplete for longest goes, if there are too many.
  void Notify(MHD_Connection* connection, bool started) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!started) {
      connections.erase(connection);
      return;
    }
    const MHD_ConnectionInfo* const info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    connections[connection] = {
        ++last_id, info == nullptr ? -1 : info->connect_fd, Phase::kWaits, NowNs(), 0, false};
    if (connections.size() <= limits.crowded) return;
    Connection* oldest = nullptr;
    for (auto& [key, one] : connections) {
      const bool may_go = key != connection && one.IsIncomplete() && one.descriptor >= 0;
      if (may_go && (oldest == nullptr || one.since_ns < oldest->since_ns)) oldest = &one;
    }
    if (oldest != nullptr) End(oldest);
  }

  // A client that has closed while its request was incomplete: it never will be whole. MHD does not
  // see an end that came with the last bytes.
  void FindGone() {
    std::vector<Connection*> looked_at;
    std::vector<pollfd> ends;
    for (auto& [key, one] : connections) {
      if (!one.IsIncomplete() || one.descriptor < 0) continue;
      looked_at.push_back(&one);
      ends.push_back({one.descriptor, POLLRDHUP, 0});
    }
    if (poll(ends.data(), ends.size(), 0) < 0) return;  // looked at again a moment later
    for (size_t i = 0; i < ends.size(); ++i) {
      char byte;
      const bool is_gone =
          ends[i].revents != 0 && recv(ends[i].fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0;
      // Seen twice: what came before the end has been read meanwhile.
      if (std::exchange(looked_at[i]->is_gone, is_gone) && is_gone) End(looked_at[i]);
    }
  }

  // MHD sees the end of the connection and closes it. The descriptor is its own until Notify.
  static void End(Connection* one) {
    shutdown(one->descriptor, SHUT_RDWR);
    one->descriptor = -1;
  }
};

WebServer::WebServer(const std::string& option, const http::Address& address, WebSite* site,
                     const WebLimits& limits)
    : inside_(std::make_unique<Inside>()) {
  inside_->site = site;
  inside_->limits = limits;
  const int listener = Listen(option, address);
  inside_->address = http::AddressOf(listener);
  const auto handle = [](void* inside, MHD_Connection* connection, const char* url,
                         const char* method, const char*, const char* data, size_t* count,
                         void** kept) -> MHD_Result {
    // The library is C: nothing may be thrown through it.
    try {
      return static_cast<Inside*>(inside)->Handle(connection, url, method, data, count, kept);
    } catch (const std::exception&) {  // no memory: the connection ends
      return MHD_NO;
    }
  };
  const auto completed = [](void* inside, MHD_Connection* connection, void** kept,
                            MHD_RequestTerminationCode) {
    static_cast<Inside*>(inside)->Enter(connection, Inside::Phase::kWaits);
    delete static_cast<Transfer*>(*kept);
    *kept = nullptr;
  };
  const auto notify = [](void* inside, MHD_Connection* connection, void**,
                         MHD_ConnectionNotificationCode code) {
    static_cast<Inside*>(inside)->Notify(connection, code == MHD_CONNECTION_NOTIFY_STARTED);
  };
  inside_->daemon = MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME, 0, nullptr, nullptr,
      static_cast<MHD_AccessHandlerCallback>(handle), inside_.get(), MHD_OPTION_LISTEN_SOCKET,
      listener, MHD_OPTION_CONNECTION_LIMIT, limits.connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      kConnectionBytes, MHD_OPTION_CONNECTION_TIMEOUT,
      static_cast<unsigned>(limits.request_ns / 1'000'000'000), MHD_OPTION_NOTIFY_COMPLETED,
      static_cast<MHD_RequestCompletedCallback>(completed), inside_.get(),
      MHD_OPTION_NOTIFY_CONNECTION, static_cast<MHD_NotifyConnectionCallback>(notify),
      inside_.get(), MHD_OPTION_END);
  if (inside_->daemon == nullptr) {
    const int error = errno;
    close(listener);
    throw InputError(option + ": the HTTP server cannot be started: " + ErrorText(error) +
                     "; raise the limit, or end other programs");
  }
}

WebServer::~WebServer() {
  MHD_stop_daemon(inside_->daemon);
}

const http::Address& WebServer::address() const {
  return inside_->address;
}

size_t WebServer::connections() const {
  const std::lock_guard<std::mutex> lock(inside_->mutex);
  return inside_->connections.size();
}

size_t WebServer::body_bytes() const {
  return inside_->held_bytes;
}

void WebServer::Quiesce() {
  const int listener = MHD_quiesce_daemon(inside_->daemon);
  if (listener >= 0) close(listener);
}

void WebServer::Sweep(uint64_t now_ns) {
  const std::lock_guard<std::mutex> lock(inside_->mutex);
  inside_->FindGone();
  for (auto& [key, one] : inside_->connections) {
    if (one.descriptor < 0 || one.phase == Inside::Phase::kWorks || now_ns < one.since_ns) continue;
    const uint64_t patience =
        one.phase == Inside::Phase::kWaits ? inside_->limits.request_ns : inside_->limits.body_ns;
    if (now_ns - one.since_ns > patience) Inside::End(&one);
  }
}

}  // namespace octet::port::serve
