// octet-camera as a service of systemd, by the words that its socket gets.
#include <chrono>
#include <cstdlib>

#include "tests/ports/linux/camera_program/camera_fixture.h"
#include "tests/ports/linux/camera_program/service_socket.h"

namespace octet::test {
namespace {

using ServiceWords = Camera;

const std::vector<std::string> kGrey = {"--source", "-",   "--json",   "--format", "grey8",
                                        "--size",   "4x4", "--device", "grey"};

TEST_F(ServiceWords, ReadyWithTheFirstResultAndStoppingAtTheEnd) {
  const ServiceSocket service(Path("notify"));
  Start(kGrey);
  usleep(300000);
  EXPECT_EQ(service.Words(), std::vector<std::string>{});  // started, and nothing to show
  Send(std::string(16, 'x'));
  AwaitLines(1);
  EXPECT_EQ(service.Words(), std::vector<std::string>{"READY=1"});
  Send(std::string(16, 'x'));
  AwaitLines(2);
  EXPECT_EQ(service.Words(), std::vector<std::string>{});  // nobody asked for a watchdog
  kill(child_, SIGTERM);
  EXPECT_EQ(Wait(), 0);
  EXPECT_EQ(service.Words(), std::vector<std::string>{"STOPPING=1"});
  close(input_);
}

TEST_F(ServiceWords, TheWatchdogHearsOfResultsAlone) {
  const ServiceSocket service("@octet-camera-test-" + std::to_string(getpid()), true);
  Start(kGrey);
  const auto begun = std::chrono::steady_clock::now();
  for (size_t i = 0; i < 24; ++i) {
    Send(std::string(16, 'x'));
    AwaitLines(i + 1);
    usleep(50000);
  }
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun;
  std::vector<std::string> words = service.Words();
  ASSERT_FALSE(words.empty());
  EXPECT_EQ(words[0], "READY=1");
  words.erase(words.begin());
  // One with the first result, and one each half second from then on.
  EXPECT_GE(words.size(), 2u);
  EXPECT_LE(static_cast<double>(words.size()), 1 + passed.count() / 0.5);
  for (const std::string& word : words) EXPECT_EQ(word, "WATCHDOG=1");
  usleep(700000);
  EXPECT_EQ(service.Words(), std::vector<std::string>{});  // no frame, no word
  EXPECT_EQ(Finish(), 0);
  EXPECT_EQ(service.Words(), std::vector<std::string>{"STOPPING=1"});
}

// Nobody listens, or the name is none: results come all the same.
TEST_F(ServiceWords, NoSocketIsNoMatter) {
  for (const std::string& name :
       {Path("absent"), std::string("vsock:2:1"), std::string(200, '/')}) {
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
    Start(kGrey);
    Send(std::string(16, 'x'));
    EXPECT_EQ(Finish(), 0) << name;
    EXPECT_EQ(Lines().size(), 2u) << name;
    EXPECT_EQ(Read("err"), "");
  }
  unsetenv("NOTIFY_SOCKET");
}

}  // namespace
}  // namespace octet::test
