// What cameras of a list share, and what they do not: heat, held plans, shadow runs, numbers, page.
#include "ports/linux/camera/program/guard/shadow_budget.h"
#include "tests/ports/linux/camera_list/list_fixture.h"
#include "tests/support/http_client.h"

namespace octet::test {
namespace {

using nlohmann::json;

constexpr const char* kScenes =
    "json: true\ncameras:\n  - {name: a, source: scene, size: 64x64, fps: 30}\n"
    "  - {name: b, source: scene, size: 64x64, fps: 30, seed: 2}\n";

class SharedByCameras : public CameraList {
 protected:
  // The newest value of the key in lines of the camera.
  std::string Newest(const std::string& camera, const char* key) const {
    std::string newest;
    const std::string text = Read("out");
    std::istringstream lines(text.substr(0, text.rfind('\n') + 1));
    for (std::string line; std::getline(lines, line);) {
      const json one = json::parse(line);
      if (one["camera"] == camera && one.contains(key)) newest = one[key];
    }
    return newest;
  }
  void AwaitBoth(const char* key, const std::string& value) const {
    for (int i = 0; i < 1000; ++i) {
      if (Newest("a", key) == value && Newest("b", key) == value) return;
      usleep(10000);
    }
    FAIL() << key << ": " << Newest("a", key) << " and " << Newest("b", key) << Read("err");
  }
};

TEST_F(SharedByCameras, HeatBoundsAll) {
  WriteHeat();
  StartFile("guard-set: policy=raise_precision,shadow_every=0\nthermal-root: " + Path("thermal") +
            "\n" + kScenes);
  AwaitBoth("reason", "heat");
  AwaitBoth("plan", "fp16");
  End();
}

TEST_F(SharedByCameras, AHeldPlanIsHeldByAll) {
  StartFile("guard-set: shadow_every=0\nthermal-root: " + Path("none") + "\n" + kScenes);
  AwaitBoth("reason", "home");
  kill(child_, SIGUSR1);
  AwaitBoth("reason", "held");
  AwaitBoth("plan", "fp16");
  kill(child_, SIGUSR2);
  AwaitBoth("plan", "int8");
  EXPECT_NE(Read("err").find("a: frame "), std::string::npos) << "news have the name";
  End();
}

// SIGHUP: what is outside the list can change, for all of them; the list cannot.
TEST_F(SharedByCameras, SettingsAreReadAgain) {
  const std::string scenes = kScenes;
  StartFile("threads: 1\n" + scenes);
  AwaitFrames("a", 2);
  AwaitFrames("b", 2);
  const auto reload = [&](const std::string& text, const std::string& said) {
    std::ofstream(Path("c.yaml")) << "model: " + Path("m.octet") + "\ndevice: d\n" + text;
    kill(child_, SIGHUP);
    AwaitError(said);
    AwaitFrames("a", 2);
    AwaitFrames("b", 2);
  };
  reload("threads: 2\n" + scenes, "c.yaml: in force now: threads");
  std::string other = scenes;
  other.replace(other.find("name: b"), 7, "name: c");
  reload("threads: 1\n" + other,
         "in force now: threads; cannot change while octet-camera runs: cameras (restart it)");
  reload("threads: 1\njson: true\nsource: scene\n",
         "cannot change while octet-camera runs: source, cameras");
  reload(
      "threads: 1\ncameras:\n  - {name: a, source: scene, sice: 1}\n",
      "c.yaml:5: 'sice' is not a setting; the nearest name is 'size'; the previous settings stay");
  End();
}

TEST(ShadowBudget, WhatOneSpendsIsSpentForAll) {
  port::ShadowBudget all;
  octet_guard_budget budgets[2];
  for (octet_guard_budget& budget : budgets) {
    octet_guard_budget_init(&budget, 0);
    all.Add(&budget);
  }
  octet_guard_frame_time time{};
  time.size = sizeof(time);
  time.waits = 1;
  time.now_us = 1'000'000;
  const auto has_time = [&](int i) {
    return all.TimeFor(&budgets[i], time) == OCTET_GUARD_HAS_TIME;
  };
  EXPECT_TRUE(has_time(0));
  EXPECT_TRUE(has_time(1));
  all.Spend(200'000);  // of one of them: a fifth of the time until now
  EXPECT_FALSE(has_time(0));
  EXPECT_FALSE(has_time(1));
  all.Remove(&budgets[1]);
  time.now_us = 10'000'000;
  EXPECT_TRUE(has_time(0));
}

// Runs of the others take place between two frames too: 10 ms and a shadow run of 15 ms fit 40 ms
// alone, and do not beside another camera.
TEST(ShadowBudget, OthersRunBetweenTwoFrames) {
  port::ShadowBudget all;
  octet_guard_budget budgets[2];
  for (octet_guard_budget& budget : budgets) octet_guard_budget_init(&budget, 0);
  const auto fits = [&] {
    octet_guard_time found = OCTET_GUARD_NO_TIME;
    for (uint64_t frame = 1; frame <= 100; ++frame) {
      octet_guard_frame_time time{};
      time.size = sizeof(time);
      time.number = frame;
      time.captured_us = frame * 40'000;
      time.run_us = 25'000;
      time.now_us = 1'000'000'000 + frame * 40'000;
      found = all.TimeFor(&budgets[0], time);
    }
    return found == OCTET_GUARD_HAS_TIME;
  };
  all.Add(&budgets[0]);
  EXPECT_TRUE(fits());
  all.Add(&budgets[1]);
  octet_guard_budget_init(&budgets[0], 0);
  EXPECT_FALSE(fits());
}

TEST_F(SharedByCameras, NumbersHaveTheName) {
  StartFile("metrics: 0\nguard: true\nthermal-root: " + Path("none") + "\n" + kScenes);
  AwaitFrames("a", 3);
  AwaitFrames("b", 3);
  const std::string text = Get(Port("/metrics"), "/metrics");
  std::map<std::string, int> families, samples;
  std::string family;
  std::istringstream lines(text.substr(text.find("\r\n\r\n") + 4));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("# TYPE ", 0) == 0) {
      family = line.substr(7, line.find(' ', 7) - 7);
      ++families[family];
    }
    if (line.empty() || line[0] == '#') continue;
    EXPECT_EQ(line.rfind(family, 0), 0u) << line << " stands below " << family;
    for (const char* name : {"{camera=\"a\"", "{camera=\"b\""}) {
      if (line.find(name) != std::string::npos) ++samples[family + name];
    }
  }
  for (const auto& [name, count] : families) EXPECT_EQ(count, 1) << name;
  for (const std::string of_camera : {"octet_frames_total", "octet_plan", "octet_rate_divisor",
                                      "octet_result_age_seconds", "octet_last_frame_age_seconds"}) {
    EXPECT_GT(samples[of_camera + "{camera=\"a\""], 0) << of_camera;
    EXPECT_EQ(samples[of_camera + "{camera=\"a\""], samples[of_camera + "{camera=\"b\""]);
  }
  EXPECT_NE(text.find("\noctet_resident_memory_bytes "), std::string::npos) << "of the program";
  EXPECT_EQ(text.find("octet_source_up"), std::string::npos) << "a scene is not opened again";
  End();
}

TEST_F(SharedByCameras, ThePageShowsAll) {
  StartFile("http: 0\n" + std::string(kScenes));
  AwaitFrames("a", 3);
  AwaitFrames("b", 3);
  const uint16_t port = Port("");
  EXPECT_NE(Get(port, "/").find("cameras.json"), std::string::npos);
  EXPECT_NE(Get(port, "/cameras.json").find("[\"a\",\"b\"]"), std::string::npos);
  const std::string status = Get(port, "/status.json");
  const json all = json::parse(status.substr(status.find("\r\n\r\n") + 4));
  ASSERT_EQ(all["cameras"].size(), 2u);
  EXPECT_EQ(all["cameras"][0]["camera"], "a");
  EXPECT_TRUE(all["cameras"][1].contains("since_ms"));
  EXPECT_NE(Get(port, "/b/").find("<img src=stream"), std::string::npos);
  EXPECT_NE(Get(port, "/b/status.json").find("{\"camera\":\"b\""), std::string::npos);
  const auto picture = [&](const std::string& path) {
    const std::string answer = Get(port, path, 1 << 20);
    EXPECT_NE(answer.find("image/jpeg"), std::string::npos) << path;
    return answer.substr(answer.find("\r\n\r\n") + 4);
  };
  EXPECT_NE(picture("/a/frame.jpg"), picture("/b/frame.jpg")) << "each its own";
  EXPECT_NE(Get(port, "/c/status.json").find("404"), std::string::npos);
  EXPECT_NE(Get(port, "/stream").find("404"), std::string::npos);
  End();
}

}  // namespace
}  // namespace octet::test
