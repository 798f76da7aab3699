// Programs as cameras, in a list: killed, hung, gone, and what becomes of them when the camera
// ends.
#include "tests/ports/linux/camera_list/list_fixture.h"
#include "tests/ports/linux/camera_program/service_socket.h"

namespace octet::test {
namespace {

using nlohmann::json;

class CameraPrograms : public CameraList {
 protected:
  void SetUp() override {
    CameraList::SetUp();
    WriteFilm();
  }
  // timeout_s: short where it is to hang; a busy machine may take longer than a second for a frame.
  std::string Film(const std::string& name, int timeout_s = 30) const {
    return "{name: " + name + ", source: '" + FilmOf(name) +
           "', source-timeout-s: " + std::to_string(timeout_s) + "}";
  }
  pid_t ProcessOf(const std::string& name) const {
    for (int i = 0; i < 500; ++i) {
      const std::string text = Read(name.c_str());
      if (!text.empty() && text.back() == '\n') return std::stoi(text);
      usleep(10000);
    }
    return -1;
  }
  static bool Runs(pid_t process) { return kill(process, 0) == 0; }
  static void AwaitEnd(pid_t process) {
    for (int i = 0; i < 500 && Runs(process); ++i) usleep(10000);
    EXPECT_FALSE(Runs(process));
  }
};

TEST_F(CameraPrograms, OneIsKilledAndOneHangsAndTheOtherGoesOn) {
  StartFile("json: true\ncameras:\n  - " + Film("a", 1) + "\n  - " + Film("b") + "\n");
  AwaitFrames("a", 5);
  AwaitFrames("b", 5);
  const pid_t first = ProcessOf("a");
  kill(first, SIGKILL);
  const int others = Frames()["b"];
  AwaitFrames("a", 5);
  EXPECT_GT(Frames()["b"], others);
  EXPECT_NE(ProcessOf("a"), first);
  const pid_t hung = ProcessOf("a");
  kill(hung, SIGSTOP);
  AwaitError("a: sh: no frame for 1 s; it was ended");
  AwaitEnd(hung);
  AwaitFrames("a", 3);
  kill(child_, SIGTERM);
  EXPECT_EQ(Finish(), 0) << Read("err");
  EXPECT_NE(Said().find("a: sh was killed by signal 9; it is started again"), std::string::npos)
      << Said();
  EXPECT_EQ(Said().find("b: "), std::string::npos) << Said();
  // The other camera has waited for nothing: a frame and a turn, with room for a busy machine.
  EXPECT_LT(SummaryOf("b")["max_age_ms"], 1000);
  EXPECT_LT(SummaryOf("b")["max_pause_ms"], 1000);
  EXPECT_FALSE(Runs(ProcessOf("a")));
  EXPECT_FALSE(Runs(ProcessOf("b")));
}

// Also one that writes nothing more, and so does not learn that its reader has gone.
TEST_F(CameraPrograms, TheyEndWithACameraThatIsKilled) {
  std::ofstream(Path("still.sh")) << "echo $$ > " + Path("a") + "\ncat " + Path("head") + "\ncat " +
                                         Path("frame") + "\nexec sleep 1000\n";
  StartFile("json: true\ncameras:\n  - {name: a, source: 'exec:sh " + Path("still.sh") +
            "'}\n  - " + Film("b") + "\n");
  AwaitFrames("a", 1);
  AwaitFrames("b", 2);
  kill(child_, SIGKILL);
  EXPECT_EQ(Finish(), -SIGKILL);
  AwaitEnd(ProcessOf("a"));
  AwaitEnd(ProcessOf("b"));
}

// What it has started itself ends with it, while the camera goes on.
TEST_F(CameraPrograms, ItsChildrenEndWithIt) {
  std::ofstream(Path("two.sh")) << "sleep 1000 & echo $! > " + Path("grandchild") + "\ncat " +
                                       Path("head") + "\ncat " + Path("frame") + "\nsleep 1000\n";
  StartFile("json: true\ncameras:\n  - {name: a, source: 'exec:sh " + Path("two.sh") +
            "', source-timeout-s: 1}\n  - " + Film("b") + "\n");
  AwaitFrames("a", 1);
  const pid_t grandchild = ProcessOf("grandchild");
  AwaitError("a: sh: no frame for 1 s");
  AwaitEnd(grandchild);
  EXPECT_GT(Frames()["b"], 0);
  kill(child_, SIGTERM);
  EXPECT_EQ(Finish(), 0);
}

// All are away: READY and the watchdog hear of the loop, which is well.
TEST_F(CameraPrograms, ServiceIsReadyWhileAllAreAway) {
  const ServiceSocket service(Path("notify"), true);
  StartFile(
      "json: true\nmetrics: 0\ncameras:\n  - {name: a, source: 'exec:false'}\n"
      "  - {name: b, source: 'exec:sh -c \"echo nothing to see >&2\"'}\n");
  AwaitError("a: false ended with status 1; it is started again");
  AwaitError("b: sh: nothing to see");
  usleep(1500000);
  kill(child_, SIGTERM);
  EXPECT_EQ(Finish(), 0) << Read("err");
  const std::vector<std::string> heard = service.Words();
  ASSERT_GE(heard.size(), 4u);
  EXPECT_EQ(heard.front(), "READY=1");
  EXPECT_EQ(heard[1], "WATCHDOG=1");
  EXPECT_EQ(heard[2], "WATCHDOG=1");
  EXPECT_EQ(heard.back(), "STOPPING=1");
}

TEST_F(CameraPrograms, RefusesWhatCannotRun) {
  const auto camera = [](const std::string& words) {
    return "cameras:\n  - {name: a, " + words + "}\n";
  };
  Refused(camera("source: 'exec:no-such-program x'"),
          "a: --source exec:no-such-program x: no program no-such-program here");
  Refused(camera("source: 'exec:'"), "no program, or a quote that is open");
  Refused(camera("source: 'exec:sh \"'"), "no program, or a quote that is open");
  Refused(camera("source: 'exec:sh', fps: 3"), "--fps: does nothing with a program");
  Refused(camera("source: 'rtsp://h/x', format: nv12"), "--format: does nothing with rtsp://");
  Refused(camera("source: 'rtsp://h/x', rtsp-command: nothing-here"),
          "--rtsp-command: no program nothing-here here");
  Refused(camera("source: 'rtsp://u@h/x', password-file: none"),
          "--password-file none: cannot be read");
  Refused(camera("source: scene, password-file: none"),
          "--password-file: does nothing with the scene");
}

TEST_F(CameraPrograms, PasswordsAreNotPrinted) {
  const std::string text =
      "cameras:\n  - {name: a, source: 'rtsp://me:hush-hush@127.0.0.1/x'}\n"
      "  - {name: b, source: 'exec:sh -c \"echo rtsp://me:hush-hush@h/x >&2\"'}\n";
  ASSERT_EQ(RunFile(text, {"--print-config"}), 0) << Read("err");
  EXPECT_EQ(Read("out").find("hush-hush"), std::string::npos) << Read("out");
  EXPECT_NE(Read("out").find("rtsp://me:***@127.0.0.1/x"), std::string::npos) << Read("out");
  ASSERT_EQ(RunFile(text, {"--support-bundle", Path("s.tar")}), 0) << Read("err");
  EXPECT_EQ(Read("s.tar").find("hush-hush"), std::string::npos);
  // A command that shows what it is given: the camera prints what it says.
  std::ofstream(Path("secret")) << "hush-hush\n";
  StartFile(
      "cameras:\n  - {name: a, source: 'rtsp://me@127.0.0.1/x', password-file: " + Path("secret") +
      ", rtsp-command: 'sh -c \"cat /proc/self/fd/3 >&2\" {input}'}\n"
      "  - {name: b, source: 'exec:sh -c \"echo rtsp://me:hush-hush@h/x >&2\"'}\n");
  AwaitError("a: sh: file 'rtsp://me:***@127.0.0.1/x'");
  AwaitError("b: sh: rtsp://me:***@h/x");
  kill(child_, SIGTERM);
  Finish();
  EXPECT_EQ(Read("err").find("hush-hush"), std::string::npos) << Read("err");
}

}  // namespace
}  // namespace octet::test
