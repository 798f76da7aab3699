#include "ports/linux/http/server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ports/linux/model.h"

namespace octet::port::http {
namespace {

constexpr size_t kMostViewers = 8, kMostClients = 16;
// All of an answer must be taken at this rate, behind the patience: a reader of one byte now and
// then would keep its place for ever.
constexpr uint64_t kLeastBytesPerSecond = 16384;
// If there are no free descriptors, the listening socket stays readable. Waits before the next
// accept.
constexpr uint64_t kAcceptPauseNs = 200'000'000;
constexpr const char* kBusy = "too many connections; try again later\n";
constexpr const char* kBoundary = "octet-frame";
constexpr const char* kCommon =
    "Cache-Control: no-store\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n";

}  // namespace

bool Site::ForAnyHost(std::string_view) const {
  return false;
}
Part Site::NewestPart(uint32_t) {
  return {};
}
void Site::SetWanted(bool) {}

struct Server::Client {
  int descriptor;
  std::string request;
  std::vector<char> out;
  size_t sent = 0;
  bool answered = false;
  bool streams = false;  // wants every part it can take
  uint32_t channel = 0;  // of its parts
  uint64_t seen = 0;     // part last queued
  bool closing = false;  // once everything has been sent
  uint64_t patience_ns, deadline_ns = NowNs() + patience_ns;
  uint64_t last_ns = UINT64_MAX;  // until then all that is queued must be taken

  Client(int fd, uint64_t patience) : descriptor(fd), patience_ns(patience) {}
  ~Client() { close(descriptor); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  bool idle() const { return sent == out.size(); }
  // A client with all parts so far may wait for the next one without a limit.
  bool may_wait() const { return answered && idle() && !closing; }
  void Drop() { closing = true, sent = out.size(); }
  void Move() { deadline_ns = std::min(NowNs() + patience_ns, last_ns); }
};

Server::Server(const std::string& option, const Address& address, Site* site,
               const StopRequest& stop, std::function<void()> begin, uint64_t patience_ns)
    : address_(address), site_(site), stop_(stop), patience_ns_(patience_ns) {
  Listen(option);
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_ < 0) {
    const int error = errno;
    close(listener_);
    throw InputError(option + ": " + ErrorText(error));
  }
  thread_ = std::thread([this, begin = std::move(begin)] {
    begin();
    Serve();
  });
}

Server::~Server() {
  ending_ = true;
  Wake();
  thread_.join();
  clients_.clear();
  close(listener_);
  close(wake_);
}

void Server::Listen(const std::string& option) {
  listener_ = socket(address_.socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int yes = 1;
  if (listener_ < 0) throw InputError(option + ": " + ErrorText(errno));
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  if (bind(listener_, reinterpret_cast<const sockaddr*>(&address_.socket), address_.bytes) != 0 ||
      listen(listener_, kMostClients) != 0) {
    const int error = errno;
    close(listener_);
    const bool foreign = error == EADDRNOTAVAIL || error == EAFNOSUPPORT;
    throw InputError(option + ": " + ErrorText(error) +
                     (foreign ? "; give an address of this machine" : "; choose another port"));
  }
  address_ = AddressOf(listener_);
}

void Server::Wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof(one));
}

void Server::Serve() {
  std::vector<pollfd> waited;
  while (!ending_ && !stop_.raised()) {
    site_->SetWanted(std::any_of(clients_.begin(), clients_.end(),
                                 [](const auto& client) { return client->streams; }));
    const bool accepts = NowNs() >= accept_after_ns_;
    waited.assign({{wake_, POLLIN, 0},
                   {stop_.descriptor(), POLLIN, 0},
                   {listener_, static_cast<short>(accepts ? POLLIN : 0), 0}});
    for (const auto& client : clients_) {
      waited.push_back(
          {client->descriptor, static_cast<short>(client->idle() ? POLLIN : POLLIN | POLLOUT), 0});
    }
    if (poll(waited.data(), waited.size(), MillisecondsLeft()) < 0 && errno != EINTR) return;
    if ((waited[0].revents & POLLIN) != 0) {
      uint64_t count;
      [[maybe_unused]] const ssize_t got = read(wake_, &count, sizeof(count));
    }
    for (size_t i = 0; i < waited.size() - 3; ++i) {
      Client& client = *clients_[i];
      const short events = waited[3 + i].revents;
      const bool gone = (events & (POLLERR | POLLHUP | POLLNVAL)) != 0 ||
                        ((events & POLLIN) != 0 && !Read(client)) ||
                        ((events & POLLOUT) != 0 && !Flush(client));
      if (gone) client.Drop();
    }
    if ((waited[2].revents & POLLIN) != 0) Accept();
    SendParts();
    const uint64_t now = NowNs();
    std::erase_if(clients_, [now](const auto& client) {
      return (client->closing && client->idle()) ||
             (!client->may_wait() && now >= client->deadline_ns);
    });
  }
}

// Until the first deadline; -1: there is none.
int Server::MillisecondsLeft() const {
  const uint64_t now = NowNs();
  uint64_t first = accept_after_ns_ > now ? accept_after_ns_ : UINT64_MAX;
  for (const auto& client : clients_) {
    if (!client->may_wait()) first = std::min(first, client->deadline_ns);
  }
  if (first == UINT64_MAX) return -1;
  return first <= now ? 0 : static_cast<int>((first - now) / 1'000'000 + 1);
}

size_t Server::Viewers() const {
  return static_cast<size_t>(std::count_if(clients_.begin(), clients_.end(),
                                           [](const auto& client) { return client->streams; }));
}

// Closes the oldest connection without a request, to make room for a new one.
bool Server::MakeRoom() {
  if (clients_.size() < kMostClients) return true;
  const auto silent = std::find_if(clients_.begin(), clients_.end(),
                                   [](const auto& client) { return !client->answered; });
  if (silent == clients_.end()) return false;
  clients_.erase(silent);
  return true;
}

void Server::Accept() {
  const int descriptor = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (descriptor >= 0) {
    AcceptOne(descriptor);
  } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
    accept_after_ns_ = NowNs() + kAcceptPauseNs;
  }
}

void Server::AcceptOne(int descriptor) {
  auto client = std::make_unique<Client>(descriptor, patience_ns_);
  if (MakeRoom()) {
    clients_.push_back(std::move(client));
    return;
  }
  // Refused at once. The request is read first, so that the client gets the answer.
  char request[1024];
  [[maybe_unused]] const ssize_t count = recv(descriptor, request, sizeof(request), 0);
  Queue(*client,
        std::string("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\n") + kCommon +
            "Content-Type: text/plain\r\nContent-Length: " + std::to_string(std::strlen(kBusy)) +
            "\r\n\r\n",
        kBusy);
  Flush(*client);
  shutdown(descriptor, SHUT_WR);
}

// False where the peer has gone.
bool Server::Read(Client& client) {
  char bytes[1024];
  const ssize_t count = recv(client.descriptor, bytes, sizeof(bytes), 0);
  if (count == 0) return false;
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (client.answered) return true;
  client.request.append(bytes, static_cast<size_t>(count));
  Request request;
  const Reading reading = ReadRequest(client.request, &request);
  if (reading != Reading::kUnfinished) Answer(client, reading, request);
  return true;
}

Reply Server::ReplyTo(Reading reading, const Request& request) {
  using Kind = Reply::Kind;
  if (reading == Reading::kBad) {
    return {Kind::kWhole, "400 Bad Request", "text/plain", "not a valid request\n"};
  }
  if (reading == Reading::kTooLong) {
    return {Kind::kWhole, "431 Request Header Fields Too Large", "text/plain",
            "the head is longer than 16 KB; delete the cookies of localhost\n"};
  }
  if (!IsLoopback(request.host) && !IsHost(request.host, address_.host) &&
      !site_->ForAnyHost(request.path)) {
    return {Kind::kWhole, "403 Forbidden", "text/plain",
            "only 127.0.0.1 and localhost are allowed; from another machine: ssh -L\n"};
  }
  if (request.method != "GET" && request.method != "HEAD") {
    return {Kind::kWhole, "405 Method Not Allowed\r\nAllow: GET, HEAD", "text/plain",
            "only GET and HEAD are supported\n"};
  }
  const Reply reply = site_->Get(request.path);
  if (reply.kind == Kind::kStream && request.method == "GET" && Viewers() >= kMostViewers) {
    return {Kind::kWhole, "503 Service Unavailable\r\nRetry-After: 5", "text/plain", kBusy};
  }
  return reply;
}

void Server::Answer(Client& client, Reading reading, const Request& request) {
  client.answered = true;
  Reply reply = ReplyTo(reading, request);
  const Part part = reply.kind == Reply::Kind::kNewest ? site_->NewestPart(reply.channel) : Part();
  if (reply.kind == Reply::Kind::kNewest && part.number == 0) {
    reply = {Reply::Kind::kWhole, "503 Service Unavailable\r\nRetry-After: 1", "text/plain",
             "there is no picture yet\n"};
  }
  const bool head_only = reading == Reading::kDone && request.method == "HEAD";
  std::string head = std::string("HTTP/1.1 ") + reply.status + "\r\n" + kCommon;
  if (reply.kind == Reply::Kind::kWhole) {
    head += std::string("Content-Type: ") + reply.type +
            "\r\nContent-Length: " + std::to_string(reply.body.size()) + "\r\n\r\n";
    Queue(client, head, head_only ? std::string_view() : reply.body);
    client.closing = true;
  } else if (reply.kind == Reply::Kind::kStream) {
    head +=
        std::string("Content-Type: multipart/x-mixed-replace; boundary=") + kBoundary + "\r\n\r\n";
    Queue(client, head, {});
    client.streams = !head_only;
    client.channel = reply.channel;
    client.closing = head_only;
  } else {
    Queue(client, head + HeadOf(part), head_only ? std::string_view() : part.jpeg);
    client.closing = true;
  }
  if (!Flush(client)) client.Drop();
}

void Server::Queue(Client& client, std::string_view head, std::string_view body) {
  const uint64_t bytes = head.size() + body.size(), now = NowNs();
  if (client.idle()) {
    client.out.clear(), client.sent = 0;
    client.last_ns = now + client.patience_ns;
  }
  client.last_ns += bytes * 1'000'000'000 / kLeastBytesPerSecond;
  client.deadline_ns = now + client.patience_ns;
  client.out.insert(client.out.end(), head.begin(), head.end());
  client.out.insert(client.out.end(), body.begin(), body.end());
}

std::string Server::HeadOf(const Part& part) {
  return "Content-Type: image/jpeg\r\nContent-Length: " + std::to_string(part.jpeg.size()) +
         "\r\n" + kAgeHeader + std::to_string((NowNs() - part.taken_ns) / 1'000'000) + "\r\n\r\n";
}

// False where the peer has gone.
bool Server::Flush(Client& client) {
  while (!client.idle()) {
    const ssize_t count = send(client.descriptor, client.out.data() + client.sent,
                               client.out.size() - client.sent, MSG_NOSIGNAL);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    client.sent += static_cast<size_t>(count);
    client.Move();
  }
  return true;
}

// To all waiting clients that have read the part before: a slow reader gets fewer parts, not late
// ones.
void Server::SendParts() {
  for (const auto& client : clients_) {
    if (!client->streams || !client->idle()) continue;
    const Part part = site_->NewestPart(client->channel);
    if (part.number == 0 || client->seen == part.number) continue;
    client->seen = part.number;
    Queue(*client, std::string("--") + kBoundary + "\r\n" + HeadOf(part), part.jpeg);
    Queue(*client, "\r\n", {});
    if (!Flush(*client)) client->Drop();
  }
}

}  // namespace octet::port::http
