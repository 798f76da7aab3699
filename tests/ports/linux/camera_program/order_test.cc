// Observers in one order and in the other: the loop makes each call for all of them before the
// next.
#include "ports/linux/camera/program/loop.h"
#include "ports/linux/camera/program/observers.h"
#include "tests/ports/linux/camera_program/camera_fixture.h"

namespace octet::test {
namespace {

std::string& Log() {
  static std::string log;
  return log;
}

// Finds every frame bad.
class Judges final : public port::Observer {
 public:
  void AfterRun(octet_session*) override { Log() += "ran\n"; }
  void Judge(const port::Outcome&, port::Verdict* verdict) override { verdict->calm = false; }
};

// Hears what became of the frame.
class Hears final : public port::Observer {
 public:
  void AfterFrame(const port::Outcome& outcome) override {
    Log() += outcome.verdict.calm ? "calm\n" : "bad\n";
  }
};

port::CheckSettings NoOptions(port::CommandLine&, port::CameraOptions&) {
  return [] {};
}
template <typename T>
port::Feature FeatureOf() {
  const auto make = [](const port::CameraOptions&,
                       port::Shared&) -> std::unique_ptr<port::Observer> {
    return std::make_unique<T>();
  };
  return {.describe = NoOptions, .make = make};
}

class ObserverOrder : public Camera {
 protected:
  // What the observers wrote while one picture ran.
  std::string Run(const std::vector<port::Feature>& features) {
    const pid_t child = fork();
    if (child == 0) {
      if (std::freopen(Path("out").c_str(), "w", stdout) == nullptr) _exit(99);
      std::vector<std::string> words = {"octet-camera", Path("m.octet"), "--source",
                                        Path("one.pgm"), "--json"};
      std::vector<char*> arguments;
      for (std::string& word : words) arguments.push_back(word.data());
      port::CameraSettings settings;
      if (!settings.Read(static_cast<int>(arguments.size()), arguments.data())) _exit(98);
      const int status = port::RunCamera(settings, features);
      std::ofstream(Path("log")) << Log();
      _exit(status);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    return Read("log");
  }
};

TEST_F(ObserverOrder, ChangesNothing) {
  std::ofstream(Path("one.pgm")) << "P5 4 4 255\n" + std::string(16, 'x');
  const std::string log = Run({FeatureOf<Judges>(), FeatureOf<Hears>()});
  EXPECT_EQ(Run({FeatureOf<Hears>(), FeatureOf<Judges>()}), log);
  EXPECT_EQ(log, "ran\nbad\n") << "all have judged before anybody hears of it";
}

}  // namespace
}  // namespace octet::test
