// octet-camera with a settings file that has a list of cameras.
#ifndef OCTET_TESTS_PORTS_LINUX_CAMERA_LIST_LIST_FIXTURE_H_
#define OCTET_TESTS_PORTS_LINUX_CAMERA_LIST_LIST_FIXTURE_H_

#include <map>
#include <string>
#include <vector>

#include "tests/ports/linux/camera_program/camera_fixture.h"

namespace octet::test {

class CameraList : public Camera {
 protected:
  // Runs with this settings file; m.octet is the model.
  int RunFile(const std::string& text, const std::vector<std::string>& more = {}) {
    StartFile(text, more);
    return Finish();
  }
  void StartFile(const std::string& text, const std::vector<std::string>& more = {}) {
    names_model_ = false;
    std::ofstream(Path("c.yaml")) << "model: " + Path("m.octet") + "\ndevice: d\n" + text;
    std::vector<std::string> words = {"--config", Path("c.yaml")};
    words.insert(words.end(), more.begin(), more.end());
    Start(words);
  }
  // What it says, without the folder.
  std::string Said() const {
    std::string text = Read("err");
    for (size_t at; (at = text.find(folder_.string() + "/")) != std::string::npos;) {
      text.erase(at, folder_.string().size() + 1);
    }
    return text;
  }
  void Refused(const std::string& text, const std::string& words) {
    EXPECT_EQ(RunFile(text), 2) << text;
    const std::string said = Said();
    EXPECT_NE(said.find(words), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  }
  // Frames so far of each camera, from lines that are whole.
  std::map<std::string, int> Frames() const {
    std::map<std::string, int> frames;
    const std::string text = Read("out");
    std::istringstream lines(text.substr(0, text.rfind('\n') + 1));
    for (std::string line; std::getline(lines, line);) {
      const nlohmann::json one = nlohmann::json::parse(line);
      if (one.contains("frame") && !one.contains("event")) ++frames[one.value("camera", "")];
    }
    return frames;
  }
  // Until the camera has so many frames more than now; half a minute at most.
  void AwaitFrames(const std::string& camera, int more) {
    const int before = Frames()[camera];
    for (int i = 0; i < 1500; ++i) {
      if (Frames()[camera] >= before + more) return;
      usleep(20000);
    }
    FAIL() << "no " << more << " frames of " << camera << ": " << Read("err");
  }
  // At the end.
  nlohmann::json SummaryOf(const std::string& camera) const {
    for (const nlohmann::json& line : Lines()) {
      if (line.contains("summary") && line["camera"] == camera) return line["summary"];
    }
    return {};
  }
  // Of the server that stderr names with this path; 0: none.
  uint16_t Port(const std::string& path) const {
    const std::string text = Read("err");
    const std::string begin = "http://127.0.0.1:";
    for (size_t at = 0; (at = text.find(begin, at)) != std::string::npos; ++at) {
      const size_t end = text.find('\n', at);
      const size_t digits = at + begin.size();
      const size_t slash = text.find_first_not_of("0123456789", digits);
      if (text.substr(slash, end - slash) == path) {
        return static_cast<uint16_t>(std::stoi(text.substr(digits)));
      }
    }
    return 0;
  }
  void End() {
    kill(child_, SIGTERM);
    EXPECT_EQ(Finish(), 0) << Read("err");
  }
};

}  // namespace octet::test

#endif  // OCTET_TESTS_PORTS_LINUX_CAMERA_LIST_LIST_FIXTURE_H_
