#include "ports/linux/camera/program/http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ports/linux/capture/jpeg.h"

namespace octet::port {
namespace {

constexpr size_t kMostClients = 8;
// Until a request has come whole, and for the next byte of an answer to be taken.
constexpr uint64_t kPatienceNs = 5'000'000'000;
constexpr int kJpegQuality = 80;
constexpr const char* kBoundary = "octet-frame";
constexpr const char* kPage =
    "<!doctype html><html lang=en><meta charset=utf-8><title>octet-camera</title>"
    "<style>body{margin:0;background:#111;color:#ddd;font:14px sans-serif}"
    "img{display:block;max-width:100vw;max-height:90vh;margin:auto}"
    "pre{margin:8px;white-space:pre-wrap}</style>"
    "<img src=/stream alt=\"camera\"><pre id=s></pre>"
    "<script>setInterval(async()=>{try{const r=await fetch('/status.json');"
    "const s=await r.json();document.getElementById('s').textContent="
    "`frame ${s.frame}  plan ${s.plan}${s.reason?' ('+s.reason+')':''}`+"
    "`${s.temperature_c!=null?'  '+s.temperature_c+' C':''}${s.slot?'  slot '+s.slot:''}`+"
    "`  ${s.ms.toFixed(2)} ms  age ${s.age_ms.toFixed(1)} ms  "
    "dropped ${s.dropped}`}catch(e){}},500)</script></html>";

void Wake(int descriptor) {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(descriptor, &one, sizeof(one));
}

}  // namespace

struct HttpServer::Client {
  int descriptor;
  std::string request;
  std::vector<uint8_t> out;
  size_t sent = 0;
  bool answered = false;
  bool streams = false;    // wants every picture it can take
  bool wants_one = false;  // wants the next picture, then it is done
  uint64_t seen = 0;       // picture last queued
  bool closing = false;    // once everything has been sent
  uint64_t deadline_ns = NowNs() + kPatienceNs;

  explicit Client(int fd) : descriptor(fd) {}
  ~Client() { close(descriptor); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  bool idle() const { return sent == out.size(); }
  // Who has all that there is may wait for the next picture as long as it takes.
  bool may_wait() const { return answered && idle() && !closing; }
};

HttpServer::HttpServer(uint16_t port, const octet_session* session, const StopRequest& stop,
                       std::function<void()> begin)
    : session_(session), stop_(stop) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int yes = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0 ||
      listen(listener_, kMostClients) != 0) {
    const std::string why = std::strerror(errno);
    close(listener_);
    throw InputError("--http " + std::to_string(port) + ": " + why + "; choose another port");
  }
  socklen_t length = sizeof(address);
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
  port_ = ntohs(address.sin_port);
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  thread_ = std::thread([this, begin = std::move(begin)] {
    begin();
    Serve();
  });
}

HttpServer::~HttpServer() {
  ending_ = true;
  Wake(wake_);
  thread_.join();
  clients_.clear();
  close(listener_);
  close(wake_);
}

void HttpServer::SetStatus(const Line& status) {
  const std::lock_guard lock(mutex_);
  status_.assign(status.data(), status.length());
}

void HttpServer::Show(const FrameBuffer& frame, const Results& results) {
  {
    const std::lock_guard lock(mutex_);
    frame_ = frame;
    results_ = results;
    ++shown_;
  }
  Wake(wake_);
}

void HttpServer::Serve() {
  std::vector<pollfd> waited;
  while (!ending_ && !stop_.raised()) {
    wanted_ = std::any_of(clients_.begin(), clients_.end(),
                          [](const auto& client) { return client->streams || client->wants_one; });
    waited.assign({{wake_, POLLIN, 0},
                   {stop_.descriptor(), POLLIN, 0},
                   {listener_, static_cast<short>(HasRoom() ? POLLIN : 0), 0}});
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
      if (gone) client.closing = true, client.sent = client.out.size();
    }
    if ((waited[2].revents & POLLIN) != 0) Accept();
    SendPictures();
    const uint64_t now = NowNs();
    std::erase_if(clients_, [now](const auto& client) {
      return (client->closing && client->idle()) ||
             (!client->may_wait() && now >= client->deadline_ns);
    });
  }
}

// Until the first deadline; -1: there is none.
int HttpServer::MillisecondsLeft() const {
  uint64_t first = UINT64_MAX;
  for (const auto& client : clients_) {
    if (!client->may_wait()) first = std::min(first, client->deadline_ns);
  }
  if (first == UINT64_MAX) return -1;
  const uint64_t now = NowNs();
  return first <= now ? 0 : static_cast<int>((first - now) / 1'000'000 + 1);
}

// Somebody who has asked for nothing yet makes way for the next.
bool HttpServer::HasRoom() const {
  return clients_.size() < kMostClients ||
         std::any_of(clients_.begin(), clients_.end(), [](const auto& c) { return !c->answered; });
}

void HttpServer::Accept() {
  if (clients_.size() == kMostClients) {
    const auto silent = std::find_if(clients_.begin(), clients_.end(),
                                     [](const auto& client) { return !client->answered; });
    if (silent == clients_.end()) return;
    clients_.erase(silent);  // the one that came first
  }
  const int descriptor = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (descriptor >= 0) clients_.push_back(std::make_unique<Client>(descriptor));
}

// False where the peer has gone.
bool HttpServer::Read(Client& client) {
  char bytes[1024];
  const ssize_t count = recv(client.descriptor, bytes, sizeof(bytes), 0);
  if (count == 0) return false;
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (client.answered) return true;
  client.request.append(bytes, static_cast<size_t>(count));
  http::Request request;
  const http::Reading reading = http::ReadRequest(client.request, &request);
  if (reading != http::Reading::kUnfinished) Answer(client, reading, request);
  return true;
}

void HttpServer::Answer(Client& client, http::Reading reading, const http::Request& request) {
  client.answered = true;
  client.deadline_ns = NowNs() + kPatienceNs;
  const std::string_view path = request.path;
  const std::string common =
      "Cache-Control: no-store\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n";
  const auto whole = [&](const char* status, const char* type, const std::string& body) {
    Queue(client,
          std::string("HTTP/1.1 ") + status + "\r\nContent-Type: " + type +
              "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + common + "\r\n",
          body.data(), body.size());
    client.closing = true;
  };
  if (reading == http::Reading::kBad) {
    whole("400 Bad Request", "text/plain", "that is no request\n");
  } else if (!http::IsLoopback(request.host)) {
    whole("403 Forbidden", "text/plain",
          "this page is for 127.0.0.1 and localhost; from another machine: ssh -L\n");
  } else if (request.method != "GET") {
    whole("405 Method Not Allowed\r\nAllow: GET", "text/plain", "GET is all there is\n");
  } else if (path == "/") {
    whole("200 OK", "text/html; charset=utf-8", kPage);
  } else if (path == "/stream") {
    Queue(client,
          std::string("HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=") +
              kBoundary + "\r\n" + common + "\r\n",
          nullptr, 0);
    client.streams = true;
  } else if (path == "/frame.jpg") {
    client.wants_one = true;
  } else if (path == "/status.json") {
    std::string status;
    {
      const std::lock_guard lock(mutex_);
      status = status_;
    }
    whole("200 OK", "application/json", status.empty() ? "{}\n" : status);
  } else {
    whole("404 Not Found", "text/plain", "here are /, /stream, /frame.jpg and /status.json\n");
  }
  Flush(client);
}

void HttpServer::Queue(Client& client, const std::string& head, const void* body, size_t bytes) {
  if (client.idle()) client.out.clear(), client.sent = 0;
  client.out.insert(client.out.end(), head.begin(), head.end());
  const auto* data = static_cast<const uint8_t*>(body);
  client.out.insert(client.out.end(), data, data + bytes);
}

bool HttpServer::Flush(Client& client) {
  while (!client.idle()) {
    const ssize_t count = send(client.descriptor, client.out.data() + client.sent,
                               client.out.size() - client.sent, MSG_NOSIGNAL);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    client.sent += static_cast<size_t>(count);
    client.deadline_ns = NowNs() + kPatienceNs;
  }
  return true;
}

// False where there is no picture yet.
void HttpServer::SetSession(const octet_session* session) {
  const std::lock_guard drawing(drawing_);
  session_ = session;
}

bool HttpServer::EncodeNewest() {
  const std::lock_guard drawing(drawing_);
  if (session_ == nullptr) return false;
  {
    const std::lock_guard lock(mutex_);
    if (shown_ == 0) return false;
    if (encoded_ == shown_) return true;
    // No more than pointers change hands here: the loop may wait for this lock.
    std::swap(taken_, frame_);
    std::swap(drawn_, results_);
    encoded_ = shown_;
  }
  picture_.SetFrame(taken_);
  picture_.Draw(drawn_, session_);
  jpeg_.clear();
  EncodeJpeg(picture_.rgb.data(), picture_.width, picture_.height, kJpegQuality, &jpeg_);
  return true;
}

// To everybody who waits and has taken the one before: a slow reader gets fewer pictures, not late
// ones.
void HttpServer::SendPictures() {
  for (const auto& client : clients_) {
    if (!(client->streams || client->wants_one) || !client->idle()) continue;
    if (!EncodeNewest() || client->seen == encoded_) continue;
    client->seen = encoded_;
    client->deadline_ns = NowNs() + kPatienceNs;
    std::string head = client->streams ? std::string("--") + kBoundary + "\r\n"
                                       : "HTTP/1.1 200 OK\r\nConnection: close\r\n";
    head +=
        "Content-Type: image/jpeg\r\nContent-Length: " + std::to_string(jpeg_.size()) + "\r\n\r\n";
    Queue(*client, head, jpeg_.data(), jpeg_.size());
    if (client->streams) {
      Queue(*client, "\r\n", nullptr, 0);
    } else {
      client->wants_one = false;
      client->closing = true;
    }
    if (!Flush(*client)) client->closing = true, client->sent = client->out.size();
  }
}

}  // namespace octet::port
