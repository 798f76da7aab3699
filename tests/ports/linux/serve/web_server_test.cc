// The HTTP server and clients that are slow, vanish, crowd it or send too much: they are closed at
// their bounds, no connection and no byte of them stays, and others are answered meanwhile.
#include "ports/linux/serve/web/server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "ports/linux/model.h"
#include "tests/support/http_client.h"

namespace octet::port::serve {
namespace {

constexpr int kPatienceMs = 20000;  // of a machine on which much else runs

// Answers the length of a body; /hold waits until it is let go.
class LengthSite final : public WebSite {
 public:
  std::optional<WebReply> Begin(const WebRequest&) override { return std::nullopt; }
  void Answer(const std::shared_ptr<Exchange>& exchange) override {
    if (exchange->request.path != "/hold") return Finish(*exchange);
    const std::lock_guard<std::mutex> lock(mutex_);
    held_.push_back(exchange);
  }
  size_t held() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return held_.size();
  }
  void LetGo() {
    std::vector<std::shared_ptr<Exchange>> held;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      held.swap(held_);
    }
    for (const auto& exchange : held) Finish(*exchange);
  }

 private:
  static void Finish(Exchange& exchange) {
    exchange.Finish({200, "text/plain", std::to_string(exchange.request.body.size())});
  }
  std::mutex mutex_;
  std::vector<std::shared_ptr<Exchange>> held_;
};

std::string Head(const std::string& path, size_t bytes, const std::string& more = "") {
  return "POST " + path +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(bytes) + "\r\n" +
         more + "\r\n";
}
std::string Whole(size_t bytes) {
  return Head("/", bytes, "Connection: close\r\n") + std::string(bytes, 'x');
}

class Client {
 public:
  explicit Client(uint16_t port) : file_(test::Connect(port)) { EXPECT_GE(file_, 0); }
  Client(Client&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  Client& operator=(Client&&) = delete;
  ~Client() { Close(); }

  void Close() {
    if (file_ >= 0) close(std::exchange(file_, -1));
  }
  void Send(const std::string& bytes) const {
    for (size_t sent = 0; sent < bytes.size();) {
      const ssize_t now = send(file_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (now <= 0) return;  // closed by the server
      sent += static_cast<size_t>(now);
    }
  }
  void EndSending() const { shutdown(file_, SHUT_WR); }
  // The status of an answer; 0: the connection is closed; -1: neither within `ms`.
  int Status(int ms = kPatienceMs) const {
    pollfd ready = {file_, POLLIN, 0};
    if (poll(&ready, 1, ms) != 1) return -1;
    char bytes[16] = {};
    return recv(file_, bytes, 12, 0) == 12 ? std::atoi(bytes + 9) : 0;
  }

 private:
  int file_;
};

class WebServerTest : public testing::Test {
 protected:
  void Start(const WebLimits& limits) {
    server_.emplace("--http 0", http::ReadAddress("--http", "0"), &site_, limits);
  }
  ~WebServerTest() override {
    site_.LetGo();
    server_.reset();
  }
  Client Connected(const std::string& bytes) const {
    Client client(server_->address().port);
    client.Send(bytes);
    return client;
  }
  // Somebody else is answered.
  bool Serves() const { return Connected(Whole(1000)).Status() == 200; }
  void SweepAt(uint64_t later_ns) { server_->Sweep(NowNs() + later_ns); }
  template <typename Condition>
  static bool Await(Condition condition) {
    for (int i = 0; i < kPatienceMs / 5 && !condition(); ++i) usleep(5000);
    return condition();
  }
  bool AwaitConnections(size_t count) const {
    return Await([&] { return server_->connections() == count; });
  }

  LengthSite site_;
  std::optional<WebServer> server_;
};

TEST_F(WebServerTest, SlowClientsAreClosedAtTheirBounds) {
  const WebLimits limits;
  Start(limits);
  const Client nothing = Connected(""), head = Connected("POST / HT");
  const Client body = Connected(Head("/", 1000) + "x");
  ASSERT_TRUE(AwaitConnections(3));
  usleep(100000);  // what they sent has been read
  EXPECT_TRUE(Serves());
  SweepAt(limits.body_ns - 1'000'000'000);
  EXPECT_EQ(body.Status(0), -1);
  SweepAt(limits.body_ns + 1'000'000'000);
  EXPECT_EQ(body.Status(), 0);
  EXPECT_TRUE(Serves());
  head.Send("TP/1.1");  // a byte now and then is no whole request
  SweepAt(limits.request_ns - 1'000'000'000);
  EXPECT_EQ(nothing.Status(0), -1);
  EXPECT_EQ(head.Status(0), -1);
  SweepAt(limits.request_ns + 1'000'000'000);
  EXPECT_EQ(nothing.Status(), 0);
  EXPECT_EQ(head.Status(), 0);
  EXPECT_TRUE(AwaitConnections(0));
}

TEST_F(WebServerTest, AClientThatHasGoneLeavesNothing) {
  Start({});
  const std::string head = Head("/", 1000), garbage("\0garbage\r\n\r\n", 12);
  for (const std::string& part :
       {std::string(), std::string("GET"), head, head + "some", Whole(1000), garbage}) {
    for (int i = 0; i < 20; ++i) Connected(part);
  }
  EXPECT_TRUE(Await([&] {
    SweepAt(0);
    return server_->connections() == 0;
  })) << server_->connections();
  EXPECT_TRUE(Serves());
}

TEST_F(WebServerTest, AClientThatHasSentAllIsAnswered) {
  Start({});
  const Client held = Connected(Head("/hold", 4) + "four"), part = Connected(Head("/", 4) + "two");
  held.EndSending();
  part.EndSending();
  ASSERT_TRUE(Await([&] { return site_.held() == 1; }));
  for (int i = 0; i < 5; ++i) {
    SweepAt(0);
    usleep(20000);
  }
  EXPECT_EQ(part.Status(), 0);
  site_.LetGo();
  EXPECT_EQ(held.Status(), 200);
}

// As many as are let in stall within their requests, and more keep coming.
TEST_F(WebServerTest, ACrowdKeepsNobodyOut) {
  WebLimits limits;
  limits.connections = 40, limits.crowded = 30;
  Start(limits);
  std::vector<Client> stalled;
  for (int i = 0; i < 100; ++i) {
    stalled.push_back(Connected(i % 2 == 0 ? Head("/", 1000) : "POST"));
    if (i >= 30 && i % 7 == 0) {
      EXPECT_TRUE(Serves()) << i;
    }
  }
  EXPECT_TRUE(Await([&] { return server_->connections() <= limits.crowded; }));
  EXPECT_EQ(stalled.front().Status(), 0) << "the oldest goes";
  EXPECT_EQ(stalled.back().Status(0), -1) << "the newest stays";
}

TEST_F(WebServerTest, BodiesInMemoryAreBounded) {
  WebLimits limits;
  limits.body_bytes = size_t{1} << 20, limits.bodies_bytes = size_t{4} << 20;
  Start(limits);
  const std::string most(900 << 10, 'x');
  std::vector<Client> unfinished;
  for (int i = 0; i < 12; ++i) unfinished.push_back(Connected(Head("/", 1 << 20) + most));
  size_t held = 0;
  const auto is_steady = [&] {
    return server_->connections() != 0 && held != 0 && server_->body_bytes() == held;
  };
  do {
    held = server_->body_bytes();
    usleep(100000);
  } while (!is_steady());
  EXPECT_LE(held, limits.bodies_bytes);
  EXPECT_GE(held, limits.bodies_bytes / 2);
  EXPECT_TRUE(Serves()) << "a short request finds room";
  unfinished.clear();
  EXPECT_TRUE(Await([&] {
    SweepAt(0);
    return server_->connections() == 0;
  }));
  EXPECT_EQ(server_->body_bytes(), 0u);
  // Of requests that wait none is closed: the next one is refused.
  std::vector<Client> waiting;
  for (size_t i = 1; i <= 4; ++i) {
    waiting.push_back(Connected(Head("/hold", most.size()) + most));
    ASSERT_TRUE(Await([&] { return site_.held() == i; }));
  }
  EXPECT_EQ(Connected(Whole(most.size())).Status(), 503);
  site_.LetGo();
  for (const Client& client : waiting) EXPECT_EQ(client.Status(), 200);
  EXPECT_TRUE(Await([&] { return Connected(Whole(most.size())).Status() == 200; }));
}

}  // namespace
}  // namespace octet::port::serve
