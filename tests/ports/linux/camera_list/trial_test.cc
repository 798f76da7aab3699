// A model on trial on several cameras, one of which is away: the others confirm it, or roll it
// back.
#include "tests/ports/linux/camera_program/store_fixture.h"

namespace octet::test {
namespace {

class TrialOnCameras : public CameraOnStore {
 protected:
  // The slot in the newest line of each camera.
  std::string SlotsNow() const {
    std::string a, b;
    const std::string text = Read("out");
    std::istringstream lines(text.substr(0, text.rfind('\n') + 1));
    for (std::string line; std::getline(lines, line);) {
      const nlohmann::json one = nlohmann::json::parse(line);
      if (one.contains("slot")) (one["camera"] == "a" ? a : b) = one["slot"];
    }
    return a + b;
  }
  void AwaitSlots(const std::string& slots) const {
    for (int i = 0; i < 1500 && SlotsNow() != slots; ++i) usleep(20000);
    EXPECT_EQ(SlotsNow(), slots) << Read("err");
  }
};

TEST_F(TrialOnCameras, ThoseThatGiveFramesDecide) {
  std::ofstream(Path("c.yaml"))
      << "slots: " + Path("store") +
             "\njson: true\nconfirm-after: 20\ntrial-frames: 4\ncameras:\n"
             "  - {name: a, source: scene, size: 64x64, fps: 30}\n"
             "  - {name: b, source: scene, size: 96x64, fps: 30, seed: 2}\n"
             "  - {name: away, source: 'exec:false'}\n";
  Start({"--config", Path("c.yaml")});
  AwaitSlots("aa");
  Flash(Model(2));
  AwaitError("slot B is confirmed");
  AwaitSlots("bb");
  // One that does not find what the model before found.
  Blob useless = Model(3);
  const auto* header = reinterpret_cast<const blob::Header*>(useless.data());
  for (uint32_t i = 0; i < header->section_count; ++i) {
    const auto* section =
        reinterpret_cast<const blob::Section*>(useless.data() + header->section_table_offset) + i;
    if (section->kind != blob::SectionKind::kDecode) continue;
    reinterpret_cast<blob::DecodeRecord*>(useless.data() + section->offset)->score_threshold = 1000;
  }
  Rehash(useless);
  Flash(useless);
  AwaitError("slot A is rolled back");
  AwaitSlots("bb");
  kill(child_, SIGTERM);
  EXPECT_EQ(Finish(), 0) << Read("err");
  EXPECT_EQ(Info().last_refusal, OCTET_SLOTS_DIFFERS);
  EXPECT_EQ(Info().active, OCTET_SLOT_B);
}

// Nothing moves, and no frame runs until there is a model on trial. Then each does.
TEST_F(TrialOnCameras, TheMotionGateIsOffDuringATrial) {
  WriteFilm();
  std::ofstream(Path("c.yaml"))
      << "slots: " + Path("store") +
             "\njson: true\nconfirm-after: 20\ncameras:\n  - {name: a, source: '" +
             FilmOf("film-a") + "', motion: [on, every=3600]}\n  - {name: b, source: '" +
             FilmOf("film-b") + "', motion: [on, every=3600]}\n";
  Start({"--config", Path("c.yaml")});
  AwaitSlots("aa");
  usleep(500000);
  EXPECT_EQ(Lines().size(), 2u) << "the first frame of each";
  Flash(Model(2));
  AwaitError("slot B is confirmed");
  usleep(300000);  // lines of the last frames
  const size_t confirmed = Lines().size();
  EXPECT_GE(confirmed, 2u + 20);
  std::map<std::string, std::vector<int>> frames, dropped;
  for (const nlohmann::json& line : Lines()) {
    if (line["slot"] != "b") continue;
    frames[line["camera"]].push_back(line["frame"]);
    dropped[line["camera"]].push_back(line["dropped"]);
  }
  for (const char* camera : {"a", "b"}) {
    const auto& numbers = frames[camera];
    ASSERT_FALSE(numbers.empty());
    EXPECT_EQ(numbers.back() - numbers.front() + 1,
              static_cast<int>(numbers.size()) + dropped[camera].back() - dropped[camera].front())
        << camera << ": each that was not dropped has run";
  }
  usleep(500000);
  EXPECT_LE(Lines().size(), confirmed + 2) << "the gate is on again";
  kill(child_, SIGTERM);
  EXPECT_EQ(Finish(), 0) << Read("err");
}

}  // namespace
}  // namespace octet::test
