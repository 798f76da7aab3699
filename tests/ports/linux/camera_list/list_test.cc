// Several cameras in one settings file: names in lines, numbers and the page; one blob in memory.
#include <map>
#include <set>

#include "octet/octet.h"
#include "tests/ports/linux/camera_list/list_fixture.h"

namespace octet::test {
namespace {

using nlohmann::json;

constexpr const char* kTwo =
    "json: true\nframes: 20\ncameras:\n"
    "  - {name: door, source: scene, size: 96x64, fps: 40, seed: 3}\n"
    "  - {name: yard, source: scene, size: 64x64, fps: 20}\n";

TEST_F(CameraList, LinesBeginWithTheName) {
  ASSERT_EQ(RunFile(kTwo), 0) << Read("err");
  std::map<std::string, uint64_t> frames, summaries;
  std::istringstream text(Read("out"));
  for (std::string line; std::getline(text, line);) {
    ASSERT_EQ(line.rfind("{\"camera\":\"", 0), 0u) << line;
    const json one = json::parse(line);
    if (one.contains("summary")) {
      summaries[one["camera"]] = one["summary"]["frames"];
      EXPECT_TRUE(one["summary"].contains("max_pause_ms")) << line;
      EXPECT_TRUE(one["summary"].contains("max_age_ms")) << line;
    } else {
      EXPECT_GE(one["frame"], frames[one["camera"]]) << "each counts its own";
      ++frames[one["camera"]];
    }
  }
  EXPECT_EQ(frames["door"] + frames["yard"], 20u);
  EXPECT_GT(frames["yard"], 3u);
  EXPECT_EQ(frames, summaries);
}

// The same frames give the same answers, alone and in a list.
TEST_F(CameraList, AnswersAreThoseOfOneCamera) {
  const auto answers = [&](const std::string& name) {
    std::vector<std::string> found;
    for (json line : Lines()) {
      if (!line.contains("frame") || line.value("camera", "") != name) continue;
      for (const char* of_time : {"camera", "time", "age_ms", "ms", "dropped"}) line.erase(of_time);
      found.push_back(line.dump());
    }
    return found;
  };
  const std::string folder = Path("pictures");
  fs::create_directory(folder);
  for (int i = 0; i < 6; ++i) {
    std::string pixels;
    for (int p = 0; p < 64; ++p) pixels += static_cast<char>((p * (i + 3) * 37) % 251);
    std::ofstream(folder + "/" + std::to_string(i) + ".pgm") << "P5 8 8 255\n" + pixels;
  }
  ASSERT_EQ(RunFile("json: true\nsource: " + folder + "\n"), 0) << Read("err");
  const std::vector<std::string> alone = answers("");
  ASSERT_EQ(alone.size(), 6u);
  ASSERT_EQ(RunFile("json: true\ncameras:\n  - {name: a, source: " + folder +
                    "}\n  - {name: b, source: " + folder + "}\n"),
            0)
      << Read("err");
  EXPECT_EQ(answers("a"), alone);
  EXPECT_EQ(answers("b"), alone);
}

TEST_F(CameraList, PlainLinesBeginWithTheName) {
  std::string text = kTwo;
  text.replace(text.find("json: true"), 10, "json: false");
  ASSERT_EQ(RunFile(text), 0) << Read("err");
  std::set<std::string> begins;
  std::istringstream lines(Read("out"));
  for (std::string line; std::getline(lines, line);) begins.insert(line.substr(0, 12));
  EXPECT_EQ(begins, (std::set<std::string>{"door  frame ", "yard  frame "}));
  EXPECT_NE(Read("err").find("door  "), std::string::npos) << "its summary";
}

TEST_F(CameraList, AnOutputThatIsNotWanted) {
  std::string text = kTwo;
  text.replace(text.find("seed: 3"), 7, "outputs: none");
  ASSERT_EQ(RunFile(text), 0) << Read("err");
  for (const json& line : Lines()) {
    EXPECT_TRUE(line.contains("summary") || line["camera"] == "yard") << line.dump();
  }
}

TEST_F(CameraList, WhatIsPrintedReadsBack) {
  ASSERT_EQ(RunFile(kTwo, {"--print-config"}), 0) << Read("err");
  const std::string first = Read("out");
  EXPECT_NE(first.find("cameras:\n  - name: door\n    source: scene\n"), std::string::npos)
      << first;
  std::ofstream(Path("again.yaml")) << first;
  Start({"--config", Path("again.yaml"), "--print-config"});
  ASSERT_EQ(Finish(), 0) << Read("err");
  EXPECT_EQ(Read("out"), first);
}

TEST_F(CameraList, RefusesWhatIsNoList) {
  const std::string one = "{name: a, source: scene}";
  Refused("cameras: scene\n", "c.yaml:3: cameras: expected a list");
  Refused("cameras: []\n", "c.yaml:3: cameras: expected a list");
  Refused("cameras:\n  - scene\n", "c.yaml:4: expected lines of `name: value`");
  Refused("cameras:\n  - {source: scene}\n", "c.yaml:4: a camera of the list has no name");
  Refused("cameras:\n  - {name: a/b, source: scene}\n", "c.yaml:4: name: 'a/b' is not possible");
  Refused("cameras:\n  - " + one + "\n  - " + one + "\n",
          "c.yaml:5: name: 'a' is the name of another");
  Refused("cameras:\n  - {name: a}\n", "no --source given");
  Refused("cameras:\n  - {name: a, source: scene, threads: 2}\n",
          "c.yaml:4: threads: is the same for all cameras; set it outside the list");
  Refused("cameras:\n  - {name: a, sorce: scene}\n",
          "c.yaml:4: 'sorce' is not a setting; the nearest name is 'source'");
  Refused("cameras:\n  - {name: a, source: scene, fps: -1}\n",
          "c.yaml:4: --fps: must be at least 0");
  Refused("cameras:\n  - {name: a, source: scene, budget: 0}\n",
          "c.yaml:4: --budget: must be 0.01 to 1");
  Refused("source: scene\ncameras:\n  - " + one + "\n", "c.yaml:3: --source: ");
  Refused("dump: d\ncameras:\n  - " + one + "\n  - {name: b, source: scene}\n",
          "c.yaml:3: dump: d is that of a and of b; give each camera its own");
  Refused("cameras:\n  - {name: a, source: none}\n", "a: --source none: no such file or folder");
  EXPECT_EQ(RunFile(kTwo, {"--source", "scene"}), 2);
  EXPECT_NE(Said().find("has a list of cameras"), std::string::npos) << Said();
}

// A blob with much spare weight: one camera more takes its arena, its frames and 1 MiB at most.
TEST_F(CameraList, WeightsAreInMemoryOnce) {
  constexpr uint64_t kMiB = 1 << 20;
  const Blob blob = MakeMixedBlob(8 * kMiB);
  std::ofstream(Path("m.octet"), std::ios::binary)
      .write(reinterpret_cast<const char*>(blob.data()), static_cast<std::streamsize>(blob.size()));
  size_t arena_bytes = 0;
  ASSERT_EQ(
      octet_arena_bytes(blob.data(), blob.size(), OCTET_ISA_REFERENCE, 1, 0, &arena_bytes).code,
      OCTET_OK);
  const auto resident = [&](int cameras) {
    std::string text = "json: true\nframes: 40\ncameras:\n";
    for (int i = 0; i < cameras; ++i) {
      text += "  - {name: c" + std::to_string(i) + ", source: scene, size: 96x64}\n";
    }
    EXPECT_EQ(RunFile(text), 0) << Read("err");
    uint64_t most = 0;
    for (const json& line : Lines()) {
      if (line.contains("summary")) most = std::max<uint64_t>(most, line["summary"]["rss_bytes"]);
    }
    return most;
  };
  const uint64_t one = resident(1), four = resident(4);
  constexpr uint64_t kFrames = 3 * 96 * 64 * 3;
  EXPECT_GT(one, 8 * kMiB) << "the weights are resident";
  EXPECT_LE(four, one + 3 * (arena_bytes + kFrames + kMiB));
}

}  // namespace
}  // namespace octet::test
