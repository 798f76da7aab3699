// A small HTTP/1 server for what a program shows of itself: GET and HEAD, deadlines for each
// client, one thread with poll. What it serves is a Site. Eight clients may wait for parts and
// eight more have anything else: clients that watch do not block the status. Further clients get
// 503.
#ifndef OCTET_PORTS_LINUX_HTTP_SERVER_H_
#define OCTET_PORTS_LINUX_HTTP_SERVER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ports/linux/capture/stop.h"
#include "ports/linux/http/address.h"
#include "ports/linux/http/request.h"

namespace octet::port::http {

// The answer to a GET.
struct Reply {
  enum class Kind : uint8_t {
    kWhole,   // the body
    kNewest,  // the newest part alone, at once; 503 where there is none yet
    kStream,  // every part that the client can take (multipart/x-mixed-replace)
  };
  Kind kind = Kind::kWhole;
  const char* status = "200 OK";
  const char* type = "text/plain; charset=utf-8";  // of kWhole
  std::string_view body = {};                      // of kWhole; valid until the site's next call
  uint32_t channel = 0;                            // of kNewest and kStream: which parts
};

struct Part {
  uint64_t number = 0;         // from 1 on; 0: there is none yet
  std::string_view jpeg = {};  // valid until the site's next call
  uint64_t taken_ns = 0;       // NowNs() of its frame, for kAgeHeader
};

// How old a part is, by the clock of the board, when it is sent: milliseconds.
constexpr const char* kAgeHeader = "X-Age-Ms: ";

// What is served; every function is called on the server's thread.
class Site {
 public:
  virtual ~Site() = default;
  virtual Reply Get(std::string_view path) = 0;
  // Whether clients may ask for the path that came by another name than the server's own: false
  // keeps out pages whose name was made to resolve here (DNS rebinding).
  virtual bool ForAnyHost(std::string_view path) const;
  // The newest part of the channel, for kNewest and kStream.
  virtual Part NewestPart(uint32_t channel);
  // Whether a client waits for parts, told before each wait.
  virtual void SetWanted(bool wanted);
};

class Server {
 public:
  // Listens, and serves `site`, which has to outlive it, until its end or a stop, from a thread
  // that calls `begin` first. Throws InputError that begins with `option`. patience_ns: until a
  // request has come whole, and for the next byte of an answer to be taken.
  static constexpr uint64_t kPatienceNs = 5'000'000'000;
  Server(const std::string& option, const Address& address, Site* site, const StopRequest& stop,
         std::function<void()> begin, uint64_t patience_ns = kPatienceNs);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // With the port that was free, where 0 was asked for.
  const Address& address() const { return address_; }
  // A new part is there. From any thread; never blocks.
  void Wake();

 private:
  struct Client;

  void Listen(const std::string& option);
  void Serve();
  void Accept();
  void AcceptOne(int descriptor);
  int MillisecondsLeft() const;
  bool MakeRoom();
  size_t Viewers() const;
  bool Read(Client& client);
  void Answer(Client& client, Reading reading, const Request& request);
  Reply ReplyTo(Reading reading, const Request& request);
  static void Queue(Client& client, std::string_view head, std::string_view body);
  static std::string HeadOf(const Part& part);
  static bool Flush(Client& client);
  void SendParts();

  Address address_;
  Site* site_;
  const StopRequest& stop_;
  const uint64_t patience_ns_;
  int listener_ = -1;
  int wake_ = -1;  // eventfd: a part has come, or the end
  std::atomic<bool> ending_{false};
  std::vector<std::unique_ptr<Client>> clients_;  // of the serving thread
  uint64_t accept_after_ns_ = 0;                  // where descriptors had run out
  std::thread thread_;
};

}  // namespace octet::port::http

#endif  // OCTET_PORTS_LINUX_HTTP_SERVER_H_
