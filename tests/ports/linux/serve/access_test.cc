// Who may speak to the service: tokens, peers, endpoints, and the caller's label map.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "ports/linux/output/error.h"
#include "ports/linux/serve/access/peers.h"
#include "ports/linux/serve/access/token.h"
#include "ports/linux/serve/engine/label_map.h"
#include "ports/linux/serve/zmq/endpoint.h"

namespace octet::port::serve {
namespace {

class File {
 public:
  explicit File(const std::string& text) {
    const int file = mkstemp(path_.data());
    EXPECT_EQ(write(file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(file);
  }
  ~File() { unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/octet-serve-test-XXXXXX";
};

// What is thrown, or "".
template <typename Act>
std::string Refused(Act act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Token, IsAskedForWhereThereIsOne) {
  const Token none;
  EXPECT_TRUE(none.Accepts(""));
  EXPECT_TRUE(none.AcceptsHeader(""));
  const File file("0123456789abcdef\nsecond line\n");
  const Token token(file.path());
  EXPECT_TRUE(token.Accepts("0123456789abcdef"));
  for (const char* wrong : {"", "0", "0123456789abcdeF", "0123456789abcdef0", "0123456789abcde"}) {
    EXPECT_FALSE(token.Accepts(wrong)) << wrong;
  }
  EXPECT_TRUE(token.AcceptsHeader("Bearer 0123456789abcdef"));
  EXPECT_TRUE(token.AcceptsHeader("bearer  0123456789abcdef"));
  for (const char* wrong :
       {"", "Bearer", "Bearer ", "Basic 0123456789abcdef", "0123456789abcdef"}) {
    EXPECT_FALSE(token.AcceptsHeader(wrong)) << wrong;
  }
}

TEST(Token, RefusesWhatIsNotOne) {
  for (const std::string& text :
       {std::string(), std::string("short\n"), std::string("\n0123456789abcdef"),
        std::string("0123456789 abcdef"), std::string(2000, 'x')}) {
    const File file(text);
    EXPECT_NE(Refused([&] { Token{file.path()}; }), "") << text;
  }
  EXPECT_NE(Refused([] { Token{"/nonexistent/token"}; }).find("cannot be opened"),
            std::string::npos);
}

TEST(Peers, AreThisMachineAndTheList) {
  const Peers none;
  const Peers some("--zmq-peers", {"192.168.1.5", "10.1.0.0/17", "fd00:1::/33"});
  for (const Peers* peers : {&none, &some}) {
    for (const char* local :
         {"", "127.0.0.1", "127.5.6.7", "::1", "::ffff:127.0.0.1", "localhost:0:0:17"}) {
      EXPECT_TRUE(peers->Allow(local)) << local;
    }
    for (const char* other :
         {"192.168.1.6", "8.8.8.8", "fe80::1%eth0", "::", "nonsense", "128.0.0.1", "localhost"}) {
      EXPECT_FALSE(peers->Allow(other)) << other;
    }
  }
  for (const char* good : {"192.168.1.5", "::ffff:192.168.1.5", "10.1.0.0", "10.1.127.255",
                           "fd00:1::7", "fd00:1:7fff::"}) {
    EXPECT_TRUE(some.Allow(good)) << good;
    EXPECT_FALSE(none.Allow(good)) << good;
  }
  for (const char* bad : {"10.1.128.0", "10.2.0.1", "fd00:1:8000::", "fd00:2::1"}) {
    EXPECT_FALSE(some.Allow(bad)) << bad;
  }
  for (const char* word :
       {"", "host", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/x", "::1/129", "10.0.0/8", "/8"}) {
    EXPECT_NE(Refused([&] { Peers("--zmq-peers", {word}); }), "") << word;
  }
}

TEST(Endpoint, SaysWhoReachesIt) {
  EXPECT_TRUE(ReadEndpoint("tcp://127.0.0.1:5555").is_loopback);
  EXPECT_TRUE(ReadEndpoint("tcp://[::1]:5555").is_loopback);
  EXPECT_TRUE(ReadEndpoint("ipc:///run/octet-serve/zmq.sock").is_loopback);
  EXPECT_FALSE(ReadEndpoint("tcp://*:5555").is_loopback);
  EXPECT_FALSE(ReadEndpoint("tcp://192.168.1.5:5555").is_loopback);
  EXPECT_EQ(ReadEndpoint("tcp://*:5555").text, "tcp://0.0.0.0:5555");
  EXPECT_EQ(ReadEndpoint("tcp://localhost:*").text, "tcp://127.0.0.1:*");
  for (const char* bad : {"", "5555", "tcp://5555", "tcp://eth0:5555", "udp://127.0.0.1:1",
                          "inproc://x", "ipc://", "ipc://relative", "tcp://127.0.0.1:99999"}) {
    EXPECT_NE(Refused([&] { ReadEndpoint(bad); }), "") << bad;
  }
  EXPECT_NE(Refused([] { ReadEndpoint("ipc:///" + std::string(200, 'x')); }), "");
}

TEST(LabelMap, FindsClassesByTheirNames) {
  const std::vector<std::string> ours = {"person", "motorbike", "kite", "Car"};
  const LabelMap frigate("map",
                         "# classes\n0  person\n1  bicycle\n2  car\n3  motorcycle\n7  "
                         "car\n\nmotorbike = Motorcycle\n");
  const ClassNumbers numbers = frigate.NumbersOf(ours);
  EXPECT_EQ(numbers.numbers, (std::vector<int>{0, 3, ClassNumbers::kNone, 2}));
  EXPECT_EQ(numbers.NameOf(1), "motorcycle");
  EXPECT_EQ(numbers.NameOf(3), "car");
  EXPECT_EQ(numbers.NumberOf(4), ClassNumbers::kNone);
  const LabelMap names("map", "car\r\nperson\r\n3\r\n");
  EXPECT_EQ(names.NumbersOf({"person", "3", "car"}).numbers, (std::vector<int>{1, 2, 0}));
  const ClassNumbers own = OwnNumbers(ours);
  EXPECT_EQ(own.NumberOf(3), 3);
  EXPECT_EQ(own.NameOf(3), "Car");
  EXPECT_EQ(own.NumberOf(90), 90);  // without a name
}

TEST(LabelMap, RefusesWhatIsNotOne) {
  for (const char* text : {"", "# only\n", "0 a\nb\n", "0 a\n0 b\n", "a = \n", " = b",
                           "a = b\na = c\n0 b", "a = b\n", "9999999 a\n"}) {
    EXPECT_NE(Refused([&] { LabelMap("map", text); }), "") << text;
  }
  const LabelMap map("map", "0 person\n");
  EXPECT_NE(Refused([&] { map.NumbersOf({}); }), "");
  EXPECT_NE(Refused([&] { map.NumbersOf({"cat"}); }), "");
}

}  // namespace
}  // namespace octet::port::serve
