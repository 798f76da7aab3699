// Observers in one order and in the other: the loop makes each call for all of them before the
// next.
#include <algorithm>

#include "ports/linux/camera/program/loop.h"
#include "ports/linux/camera/program/observers.h"
#include "tests/ports/linux/camera_program/camera_fixture.h"

namespace octet::test {
namespace {

std::string& Log() {
  static std::string log;
  return log;
}

// Looks at layers, and finds every frame bad.
class Looks final : public port::Observer {
 public:
  bool WantsLayers() const override { return true; }
  void BeforeLayer(uint32_t layer) override { Log() += "look " + std::to_string(layer) + "\n"; }
  void AfterRun(octet_session*) override { Log() += "ran\n"; }
  void Judge(const port::Outcome&, port::Verdict* verdict) override { verdict->calm = false; }
};

// Changes layers, and hears what became of the frame.
class Changes final : public port::Observer {
 public:
  void FilterLayer(uint32_t layer) override { Log() += "filter " + std::to_string(layer) + "\n"; }
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
  const std::string log = Run({FeatureOf<Looks>(), FeatureOf<Changes>()});
  EXPECT_EQ(Run({FeatureOf<Changes>(), FeatureOf<Looks>()}), log);
  // Behind the last layer as well; all have judged before anybody hears of it.
  EXPECT_EQ(log.rfind("look 0\nfilter 0\n", 0), 0u) << log;
  const auto looks = std::count(log.begin(), log.end(), 'k');
  EXPECT_EQ(std::count(log.begin(), log.end(), 'f'), looks + 1) << log;
  EXPECT_TRUE(log.size() > 8 && log.substr(log.size() - 8) == "ran\nbad\n") << log;
}

}  // namespace
}  // namespace octet::test
