// The server behind the page and the metrics: to whom it answers what, with a site of its own.
#include "ports/linux/http/server.h"

#include <gtest/gtest.h>

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "ports/linux/file.h"
#include "ports/linux/model.h"
#include "tests/support/http_client.h"

namespace octet::port::http {
namespace {

using test::Ask;

class OneSite : public Site {
 public:
  Reply Get(std::string_view path) override {
    if (path == "/stream") return {Reply::Kind::kStream};
    if (path == "/newest") return {Reply::Kind::kNewest};
    if (path == "/large") return {Reply::Kind::kWhole, "200 OK", "text/x", large};
    if (path == "/open" || path == "/own") return {Reply::Kind::kWhole, "200 OK", "text/x", "body"};
    return {Reply::Kind::kWhole, "404 Not Found", "text/plain", "no\n"};
  }
  bool ForAnyHost(std::string_view path) const override { return path == "/open"; }
  Part NewestPart(uint32_t) override { return {parts, "PART", taken_ns}; }
  void SetWanted(bool now) override { wanted = now; }
  std::string large;
  std::atomic<uint64_t> parts{0}, taken_ns{0};
  std::atomic<bool> wanted{false};
};

class HttpServer : public testing::Test {
 protected:
  void Serve(const std::string& where = "0") {
    server_.emplace(
        "--x " + where, ReadAddress("--x", where), &site_, stop_, [this] { begun_ = true; },
        patience_ns_);
  }
  uint16_t port() const { return server_->address().port; }
  std::string First(const std::string& request) const {
    const std::string answer = Ask(port(), request + "\r\n\r\n");
    return answer.substr(0, answer.find("\r\n"));
  }
  OneSite site_;
  port::StopRequest stop_;
  std::atomic<bool> begun_{false};
  std::optional<Server> server_;
  // No machine is so busy that a test is slower than this.
  uint64_t patience_ns_ = 600'000'000'000;
};

TEST_F(HttpServer, HeadIsGetWithoutItsBody) {
  Serve();
  const std::string get = Ask(port(), "GET /own HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const std::string head = Ask(port(), "HEAD /own HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(get, head + "body");
  EXPECT_NE(head.find("Content-Length: 4\r\n"), std::string::npos) << head;
  EXPECT_NE(head.find("Content-Type: text/x\r\n"), std::string::npos);
  EXPECT_TRUE(begun_);
  // Streams have no end: their head comes, and the connection closes.
  site_.parts = 1;
  for (const std::string path : {"/stream", "/newest"}) {
    const std::string answer = Ask(port(), "HEAD " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(answer.rfind("HTTP/1.1 200 OK\r\n", 0), 0u) << path;
    EXPECT_EQ(answer.substr(answer.size() - 4), "\r\n\r\n") << path;
  }
  const std::string refused = Ask(port(), "POST /own HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(refused.rfind("HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD\r\n", 0), 0u);
}

TEST_F(HttpServer, OtherNamesReachWhatTheSiteOpens) {
  Serve();
  EXPECT_EQ(First("GET /own HTTP/1.1\r\nHost: board.example:9100"), "HTTP/1.1 403 Forbidden");
  EXPECT_EQ(First("GET /open HTTP/1.1\r\nHost: board.example:9100"), "HTTP/1.1 200 OK");
  EXPECT_EQ(First("HEAD /open HTTP/1.1\r\nHost: board.example"), "HTTP/1.1 200 OK");
  EXPECT_EQ(First("GET /open HTTP/1.1"), "HTTP/1.1 200 OK");
}

TEST_F(HttpServer, ItsOwnAddressIsNoOtherName) {
  Serve("127.0.0.2:0");
  const std::string where = "127.0.0.2:" + std::to_string(port());
  EXPECT_EQ(server_->address().Text(), where);
  EXPECT_TRUE(server_->address().IsLoopback());
  server_.reset();
  Serve("0.0.0.0:0");
  EXPECT_FALSE(server_->address().IsLoopback());
  EXPECT_EQ(First("GET /own HTTP/1.1\r\nHost: 127.0.0.1"), "HTTP/1.1 200 OK");
  EXPECT_EQ(First("GET /own HTTP/1.1\r\nHost: 10.0.0.7"), "HTTP/1.1 403 Forbidden");
}

// Whether parts still come or not: the last one is there, and says how old it is.
TEST_F(HttpServer, TheNewestPartComesAtOnce) {
  Serve();
  EXPECT_EQ(First("GET /newest HTTP/1.1\r\nHost: localhost"), "HTTP/1.1 503 Service Unavailable");
  site_.taken_ns = NowNs() - 7'000'000'000;
  site_.parts = 1;
  for (int i = 0; i < 2; ++i) {
    const std::string answer = Ask(port(), "GET /newest HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(answer.substr(answer.find("\r\n\r\n")), "\r\n\r\nPART");
    const size_t age = answer.find(kAgeHeader);
    ASSERT_NE(age, std::string::npos) << answer;
    EXPECT_GE(std::stoul(answer.substr(age + std::strlen(kAgeHeader))), 7000u);
  }
}

TEST_F(HttpServer, HeadsOfSixteenKilobytes) {
  Serve();
  const auto ask = [&](size_t cookie) {
    return First("GET /own HTTP/1.1\r\nHost: localhost\r\nCookie: " + std::string(cookie, 'a'));
  };
  EXPECT_EQ(ask(3900), "HTTP/1.1 200 OK");
  EXPECT_EQ(ask(16000), "HTTP/1.1 200 OK");
  EXPECT_EQ(ask(16384), "HTTP/1.1 431 Request Header Fields Too Large");
}

TEST_F(HttpServer, PartsGoToWhoWaits) {
  Serve();
  const int client = test::Connect(port());
  const std::string request = "GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n";
  send(client, request.data(), request.size(), MSG_NOSIGNAL);
  for (int i = 0; i < 1000 && !site_.wanted; ++i) usleep(5000);
  EXPECT_TRUE(site_.wanted);
  site_.parts = 1;
  server_->Wake();
  std::string answer;
  char bytes[1024];
  while (answer.find("\r\n\r\nPART\r\n") == std::string::npos) {
    const ssize_t count = recv(client, bytes, sizeof(bytes), 0);
    ASSERT_GT(count, 0) << answer;
    answer.append(bytes, static_cast<size_t>(count));
  }
  close(client);
  EXPECT_NE(answer.find(kAgeHeader), std::string::npos) << answer;
  for (int i = 0; i < 1000 && site_.wanted; ++i) usleep(5000);
  EXPECT_FALSE(site_.wanted);
}

// A connection that stays.
class Connection {
 public:
  Connection(uint16_t port, const std::string& request) {
    descriptor_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int bytes = 2048;
    setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(descriptor_, reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
    EXPECT_EQ(send(descriptor_, request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
  }
  ~Connection() { close(descriptor_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  // Up to `most` bytes; empty at the end.
  std::string Read(size_t most) const {
    std::string bytes(most, 0);
    const ssize_t count = recv(descriptor_, bytes.data(), most, 0);
    bytes.resize(count > 0 ? static_cast<size_t>(count) : 0);
    return bytes;
  }

 private:
  int descriptor_;
};
constexpr const char* kStream = "GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n";
constexpr const char* kOwn = "GET /own HTTP/1.1\r\nHost: localhost\r\n\r\n";

TEST_F(HttpServer, WhoWatchesKeepsNobodyFromTheStatus) {
  Serve();
  std::vector<std::unique_ptr<Connection>> viewers;
  for (int i = 0; i < 8; ++i) {
    viewers.push_back(std::make_unique<Connection>(port(), kStream));
    EXPECT_NE(viewers.back()->Read(300).find("200 OK"), std::string::npos);
  }
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(First("GET /own HTTP/1.1\r\nHost: localhost"), "HTTP/1.1 200 OK");
  }
  EXPECT_EQ(First("GET /stream HTTP/1.1\r\nHost: localhost"), "HTTP/1.1 503 Service Unavailable");
  site_.parts = 1;
  EXPECT_EQ(First("GET /newest HTTP/1.1\r\nHost: localhost"), "HTTP/1.1 200 OK");
  viewers.pop_back();
  std::string first;
  for (int i = 0; i < 100 && first.empty(); ++i) {
    const Connection next(port(), kStream);
    first = next.Read(12);
    if (first != "HTTP/1.1 200") first.clear();
  }
  EXPECT_EQ(first, "HTTP/1.1 200") << "a place that was left is free again";
}

// There are 16 places. Who has asked for nothing yet makes way; who is being answered does not.
TEST_F(HttpServer, WhoHasAskedKeepsItsPlace) {
  site_.large.assign(size_t{8} << 20, 'x');
  Serve();
  std::vector<std::unique_ptr<Connection>> readers;
  const auto add = [&] {
    readers.push_back(
        std::make_unique<Connection>(port(), "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    EXPECT_EQ(readers.back()->Read(12), "HTTP/1.1 200");
  };
  while (readers.size() < 15) add();
  const Connection silent(port(), "");
  EXPECT_EQ(First("GET /own HTTP/1.1\r\nHost: localhost"), "HTTP/1.1 200 OK");
  EXPECT_EQ(silent.Read(12), "") << "it made way";
  add();
  EXPECT_EQ(First("GET /own HTTP/1.1\r\nHost: localhost"), "HTTP/1.1 503 Service Unavailable");
  EXPECT_EQ(readers.front()->Read(12).size(), 12u) << "the first is still answered";
  readers.pop_back();
  std::string first;
  for (int i = 0; i < 100 && first != "HTTP/1.1 200 OK"; ++i) {
    first = First("GET /own HTTP/1.1\r\nHost: localhost");
  }
  EXPECT_EQ(first, "HTTP/1.1 200 OK") << "a place that was left is free again";
}

// A reader that takes a little now and then has the time of its answer, no more.
TEST_F(HttpServer, SlowReadersLoseTheirPlace) {
  site_.large.assign(size_t{8} << 20, 'x');
  patience_ns_ = 500'000'000;
  Serve();
  const Connection slow(port(), "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
  // Nothing taken: gone after the patience.
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  size_t taken = 0, count = 0;
  while ((count = slow.Read(65536).size()) > 0) taken += count;
  EXPECT_LT(taken, site_.large.size());
}

TEST_F(HttpServer, WithoutDescriptorsItPauses) {
  Serve();
  EXPECT_EQ(First("GET /own HTTP/1.1\r\nHost: localhost"), "HTTP/1.1 200 OK");
  std::vector<int> taken;
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 64;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  for (int copy = 0; (copy = dup(client)) >= 0;) taken.push_back(copy);
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(port());
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(connect(client, reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
  const clock_t begun = clock();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_LT(static_cast<double>(clock() - begun) / CLOCKS_PER_SEC, 0.3) << "no spin";
  for (const int copy : taken) close(copy);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_GT(send(client, kOwn, std::strlen(kOwn), MSG_NOSIGNAL), 0);
  char bytes[16] = {};
  EXPECT_EQ(recv(client, bytes, 15, MSG_WAITALL), 15) << "served once there are some again";
  EXPECT_EQ(std::string(bytes), "HTTP/1.1 200 OK");
  close(client);
}

TEST_F(HttpServer, WhoWaitsIsLetGoAtTheEnd) {
  Serve();
  const uint16_t where = port();
  const int client = test::Connect(where);
  const std::string request = "GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n";
  send(client, request.data(), request.size(), MSG_NOSIGNAL);
  for (int i = 0; i < 1000 && !site_.wanted; ++i) usleep(5000);
  stop_.Raise();
  server_.reset();
  char bytes[1024];
  ssize_t count = 1;
  while (count > 0) count = recv(client, bytes, sizeof(bytes), 0);
  EXPECT_EQ(count, 0);
  close(client);
  EXPECT_EQ(test::Connect(where), -1);
}

TEST_F(HttpServer, APortInUseIsOneLine) {
  Serve();
  const std::string where = std::to_string(port());
  try {
    const Server second("--x " + where, ReadAddress("--x", where), &site_, stop_, [] {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), "--x " + where + ": Address already in use; choose another port");
  }
  try {
    // TEST-NET-1 (RFC 5737): no machine has it.
    const Server second("--x 192.0.2.1:0", ReadAddress("--x", "192.0.2.1:0"), &site_, stop_, [] {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "--x 192.0.2.1:0: Cannot assign requested address; give an address of this "
                 "machine");
  }
}

TEST(HttpAddress, AsTyped) {
  const auto text = [](const std::string& typed) { return ReadAddress("--m", typed).Text(); };
  EXPECT_EQ(text("9100"), "127.0.0.1:9100");
  EXPECT_EQ(text("localhost:1"), "127.0.0.1:1");
  EXPECT_EQ(text("0.0.0.0:65535"), "0.0.0.0:65535");
  EXPECT_EQ(text("[::1]:0"), "[::1]:0");
  EXPECT_EQ(text("[2001:db8::7]:9100"), "[2001:db8::7]:9100");
  EXPECT_TRUE(ReadAddress("--m", "9100").IsLoopback());
  EXPECT_TRUE(ReadAddress("--m", "127.9.9.9:1").IsLoopback());
  EXPECT_TRUE(ReadAddress("--m", "[::1]:1").IsLoopback());
  EXPECT_FALSE(ReadAddress("--m", "[::]:1").IsLoopback());
  EXPECT_FALSE(ReadAddress("--m", "128.0.0.1:1").IsLoopback());
  for (const std::string typed :
       {"", "x", "65536", "-1", "1 ", "127.0.0.1:", "127.0.0.1:1x", ":"}) {
    EXPECT_THROW(ReadAddress("--m", typed), InputError) << typed;
  }
  for (const std::string typed :
       {":1", "board:1", "::1:1", "[::1:1", "[]:1", "1.2.3:1", "[1.2.3.4]:1"}) {
    try {
      ReadAddress("--m", typed);
      FAIL() << typed;
    } catch (const InputError& error) {
      const std::string host = typed.substr(0, typed.rfind(':'));
      EXPECT_EQ(error.what(),
                "--m " + typed + ": '" + host +
                    "' is not a numeric address; write 9100, 0.0.0.0:9100 or [::]:9100");
    }
  }
}

TEST(HttpHost, ANameWithAnyPort) {
  for (const char* host : {"board", "Board:9100", "board:"}) EXPECT_TRUE(IsHost(host, "board"));
  for (const char* host : {"boards", "board:x", "board:123456", "", "boar", "board 1"}) {
    EXPECT_FALSE(IsHost(host, "board")) << host;
  }
}

}  // namespace
}  // namespace octet::port::http
