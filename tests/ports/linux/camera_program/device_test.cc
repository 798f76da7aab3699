// --device: who it is, in lines and metrics.
#include <sched.h>
#include <sys/mount.h>

#include "tests/ports/linux/camera_program/camera_fixture.h"
#include "tests/support/facts.h"
#include "tests/support/http_client.h"

namespace octet::test {
namespace {

class CameraDevice : public Camera {
 protected:
  uint16_t Port() const {
    const std::string errors = Read("err");
    return static_cast<uint16_t>(std::stoi(errors.substr(errors.rfind("127.0.0.1:") + 10)));
  }
  std::string FirstLineOf(const char* path) const {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
  }
};

TEST_F(CameraDevice, StandsInLinesAndMetrics) {
  Start({"--source", "-", "--json", "--metrics", "0", "--device", "shop \"7\""});
  Send(Y4m(8, 8, 1));
  AwaitLines(1);
  EXPECT_NE(Get(Port(), "/metrics").find("\noctet_device_info{device=\"shop \\\"7\\\"\"} 1\n"),
            std::string::npos);
  EXPECT_EQ(Finish(), 0);
  const auto lines = Lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["device"], "shop \"7\"");
  EXPECT_EQ(lines[1]["summary"]["device"], "shop \"7\"");
}

// One name for all programs' runs on this machine, which is not the machine id.
TEST_F(CameraDevice, FollowsFromTheMachineId) {
  const std::string machine = FirstLineOf("/etc/machine-id");
  std::string name;
  for (int run = 0; run < 2; ++run) {
    Start({"--source", "-", "--json"});
    Send(Y4m(8, 8, 1));
    EXPECT_EQ(Finish(), 0);
    if (machine.size() != 32) {
      EXPECT_EQ(Lines()[0].count("device"), 0u);
      ExpectFacts(Read("err"), {"/etc/machine-id", "--device NAME"});
      continue;
    }
    const std::string found = Lines()[0]["device"];
    EXPECT_EQ(found.size(), 32u);
    EXPECT_NE(found, machine);
    EXPECT_TRUE(name.empty() || found == name);
    name = found;
    EXPECT_EQ(Read("err").find("machine-id"), std::string::npos) << Read("err");
  }
}

TEST_F(CameraDevice, NamesThatAreRefused) {
  for (const std::string& name :
       {std::string(65, 'a'), std::string("a\nb"), std::string("\xC3\xA4")}) {
    Start({"--source", "-", "--device", name});
    EXPECT_EQ(Finish(), 2);
    ExpectFacts(Read("err"), {"--device"});
  }
  Start({"--source", "-", "--json", "--device", std::string(64, 'a')});
  Send(Y4m(8, 8, 1));
  EXPECT_EQ(Finish(), 0);
  EXPECT_EQ(Lines()[0]["device"], std::string(64, 'a'));
}

// An empty file in the place of the machine id, in a view of the files that this test alone has.
TEST_F(CameraDevice, WithoutAMachineIdItSaysSo) {
  const pid_t apart = fork();
  if (apart == 0) {
    const bool hidden = unshare(CLONE_NEWNS) == 0 &&
                        mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                        mount("/dev/null", "/etc/machine-id", nullptr, MS_BIND, nullptr) == 0;
    if (!hidden) _exit(77);
    child_ = 0;
    Start({"--source", "-", "--json"});
    Send(Y4m(8, 8, 1));
    _exit(Finish());
  }
  int status = 0;
  waitpid(apart, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
    GTEST_SKIP() << "needs root's rights to hide it";
  EXPECT_EQ(status, 0);
  ASSERT_EQ(Lines().size(), 2u);
  EXPECT_EQ(Lines()[0].count("device"), 0u);
  EXPECT_EQ(Lines()[1]["summary"].count("device"), 0u);
  ExpectFacts(Read("err"), {"/etc/machine-id", "--device NAME"});
}

}  // namespace
}  // namespace octet::test
