// The page of octet-camera: what it serves, to whom, and what clients cannot do to it.
#include <sys/socket.h>

#include <chrono>
#include <thread>

#include "tests/ports/linux/camera_program/camera_fixture.h"
#include "tests/support/http_client.h"

namespace octet::test {
namespace {

class Page : public Camera {
 protected:
  // One frame has come, and the page is there.
  void Serve(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"--source", "-", "--json", "--http", "0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Start(arguments);
    Send(Y4m(64, 48, 1));
    AwaitLines(1);
    const std::string errors = Read("err");
    const size_t at = errors.find("127.0.0.1:");
    ASSERT_NE(at, std::string::npos) << errors;
    port_ = static_cast<uint16_t>(std::stoi(errors.substr(at + 10)));
  }
  uint16_t port_ = 0;
};

TEST_F(Page, StatusAndPictures) {
  Serve();
  EXPECT_NE(Get(port_, "/").find("<img src=stream"), std::string::npos);
  const std::string status = Get(port_, "/status.json?now");
  EXPECT_EQ(nlohmann::json::parse(status.substr(status.find("\r\n\r\n")))["frame"], 0);
  EXPECT_NE(Get(port_, "/nothing").find("404"), std::string::npos);
  // Frames have stopped: how long ago, by the board's own clock, and the last picture at once.
  usleep(300'000);
  const std::string later = Get(port_, "/status.json");
  EXPECT_GE(nlohmann::json::parse(later.substr(later.find("\r\n\r\n")))["since_ms"], 300.0);
  const std::string picture = Get(port_, "/frame.jpg");
  EXPECT_EQ(picture.rfind("HTTP/1.1 200 OK\r\n", 0), 0u);
  EXPECT_NE(picture.find("\r\nX-Age-Ms: "), std::string::npos);
  EXPECT_NE(picture.find("\r\n\r\n\xFF\xD8\xFF"), std::string::npos);
  std::string stream;
  std::thread viewer([&] { stream = Get(port_, "/stream", 3000); });
  for (int i = 0; i < 50; ++i) {
    Send("FRAME\n" + std::string(64 * 48 * 3 / 2, static_cast<char>(50 + i)));
    usleep(20000);
  }
  EXPECT_EQ(Finish(), 0);
  viewer.join();
  EXPECT_NE(stream.find("multipart/x-mixed-replace"), std::string::npos);
  EXPECT_NE(stream.find("image/jpeg"), std::string::npos);
  EXPECT_NE(stream.find("\xFF\xD8\xFF"), std::string::npos);
}

// A name that somebody else has made resolve to this machine is not ours.
TEST_F(Page, OtherHostsAndMethodsAreRefused) {
  Serve();
  const auto head = [&](const std::string& request) {
    const std::string answer = Ask(port_, request + "\r\n\r\n");
    return answer.substr(0, answer.find("\r\n"));
  };
  const std::string here = "Host: 127.0.0.1:" + std::to_string(port_);
  EXPECT_EQ(head("GET /status.json HTTP/1.1\r\n" + here), "HTTP/1.1 200 OK");
  EXPECT_EQ(head("GET /status.json HTTP/1.1\r\nhOST: [::1]:1"), "HTTP/1.1 200 OK");
  for (const char* host : {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example",
                           "localhost:1x", "192.168.0.7:8080", ""}) {
    EXPECT_EQ(head(std::string("GET /frame.jpg HTTP/1.1\r\nHost: ") + host),
              "HTTP/1.1 403 Forbidden")
        << host;
  }
  EXPECT_EQ(head("GET / HTTP/1.1"), "HTTP/1.1 403 Forbidden");
  EXPECT_EQ(head("GET / HTTP/1.1\r\n" + here + "\r\n" + here), "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(head("POST / HTTP/1.1\r\n" + here), "HTTP/1.1 405 Method Not Allowed");
  EXPECT_EQ(head("GET /"), "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(head("GET / HTTP/1.1\r\n" + here + "\r\nCookie: " + std::string(5000, 'x')),
            "HTTP/1.1 200 OK");
  EXPECT_EQ(head("GET / HTTP/1.1\r\n" + here + "\r\nCookie: " + std::string(20000, 'x')),
            "HTTP/1.1 431 Request Header Fields Too Large");
  EXPECT_EQ(Finish(), 0);
}

// Connections that ask for nothing, or for half of something, keep nobody out, and end.
TEST_F(Page, SilentClientsMakeWay) {
  Serve();
  std::vector<int> silent;
  for (int i = 0; i < 20; ++i) {
    silent.push_back(Connect(port_));
    ASSERT_GE(silent.back(), 0);
    if (i % 2 == 0) send(silent.back(), "GET /", 5, MSG_NOSIGNAL);
  }
  // Though all places are taken by them.
  EXPECT_NE(Get(port_, "/status.json").find("200 OK"), std::string::npos);
  // The last of them is let go once its time is over.
  char byte;
  EXPECT_EQ(recv(silent.back(), &byte, 1, 0), 0);
  for (int descriptor : silent) close(descriptor);
  EXPECT_EQ(Finish(), 0);
}

// A tenth of a second is no reason to let somebody go, neither who asks slowly nor who waits for a
// picture.
TEST_F(Page, SlowClientsAreWaitedFor) {
  Serve();
  const int asks = Connect(port_), waits = Connect(port_);
  const auto say = [](int client, const std::string& text) {
    return send(client, text.data(), text.size(), MSG_NOSIGNAL);
  };
  say(asks, "GET /status.json HT");
  say(waits, "GET /frame.jpg HTTP/1.1\r\nHost: localhost\r\n\r\n");
  usleep(100000);
  // Each of these wakes the server, which looks at all of its clients.
  EXPECT_NE(Get(port_, "/nothing").find("404"), std::string::npos);
  usleep(20000);
  say(asks, "TP/1.1\r\nHost: localhost\r\n\r\n");
  Send("FRAME\n" + std::string(64 * 48 * 3 / 2, 'x'));
  char bytes[4096];
  for (const int client : {asks, waits}) {
    const ssize_t count = recv(client, bytes, sizeof(bytes), 0);
    ASSERT_GT(count, 15);
    EXPECT_EQ(std::string(bytes, 15), "HTTP/1.1 200 OK");
    close(client);
  }
  EXPECT_EQ(Finish(), 0);
}

// A viewer that reads no more is let go; the frames go on.
TEST_F(Page, AViewerThatStopsReadingIsLetGo) {
  Serve();
  const int viewer = Connect(port_);
  const int small = 1;
  setsockopt(viewer, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
  const std::string request = "GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n";
  send(viewer, request.data(), request.size(), MSG_NOSIGNAL);
  for (size_t i = 0; i < 100; ++i) {
    Send("FRAME\n" + std::string(64 * 48 * 3 / 2, static_cast<char>(50 + i)));
    AwaitLines(i + 2);
  }
  EXPECT_NE(Get(port_, "/status.json").find("\"frame\":100"), std::string::npos);
  EXPECT_EQ(Finish(), 0);
  close(viewer);
}

}  // namespace
}  // namespace octet::test
