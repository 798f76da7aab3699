// The motion gate in the program: what it counts, who hears of it, and what it may not hold back.
// tests/runtime/motion has films.
#include "tests/ports/linux/camera_list/list_fixture.h"
#include "tests/ports/linux/camera_program/service_socket.h"
#include "tests/support/http_client.h"

namespace octet::test {
namespace {

using nlohmann::json;

class CameraMotion : public CameraList {
 protected:
  void SetUp() override {
    CameraList::SetUp();
    WriteFilm();
  }
  std::string Film(const std::string& name, const std::string& more) const {
    return "  - {name: " + name + ", source: '" + FilmOf(name) + "'" + more + "}\n";
  }
  // Of each result so far.
  std::vector<json> ResultsOf(const std::string& camera) const {
    std::vector<json> results;
    const std::string text = Read("out");
    std::istringstream lines(text.substr(0, text.rfind('\n') + 1));
    for (std::string line; std::getline(lines, line);) {
      const json one = json::parse(line);
      if (one["camera"] == camera && one.contains("frame")) results.push_back(one);
    }
    return results;
  }
  // -1: there is no such number.
  double Metric(const std::string& name, const std::string& camera) const {
    const std::string text = Get(Port("/metrics"), "/metrics");
    const std::string begin = "\n" + name + "{camera=\"" + camera + "\"} ";
    const size_t at = text.find(begin);
    return at == std::string::npos ? -1 : std::stod(text.substr(at + begin.size()));
  }
  // Frames that have come to an end, each in one of four ways.
  double Accounted(const std::string& camera) const {
    double frames = 0;
    for (const char* kind : {"", "_dropped", "_still", "_skipped"}) {
      const double count = Metric(std::string("octet_frames") + kind + "_total", camera);
      EXPECT_GE(count, 0) << kind;
      frames += count;
    }
    return frames;
  }
  void End() {
    kill(child_, SIGTERM);
    EXPECT_EQ(Finish(), 0) << Read("err");
  }
};

TEST_F(CameraMotion, StillFramesAreCountedApart) {
  StartFile("json: true\nmetrics: 0\ncameras:\n" + Film("gated", ", motion: [on, every=0.5]") +
            Film("all", ""));
  AwaitFrames("gated", 4);
  const std::vector<json> results = ResultsOf("gated");
  for (size_t i = 1; i < results.size(); ++i) {
    const double gap_s = results[i]["time"].get<double>() - results[i - 1]["time"].get<double>();
    EXPECT_GT(gap_s, 0.49) << i;
    EXPECT_LT(gap_s, 3) << "a busy machine is late, but " << i << " comes";
  }
  const double still = Metric("octet_frames_still_total", "gated");
  EXPECT_GT(still, 10);
  EXPECT_GE(Metric("octet_frames_dropped_total", "gated"), 0);
  EXPECT_EQ(Metric("octet_frames_still_total", "all"), -1);
  EXPECT_GT(Frames()["all"], 2 * Frames()["gated"]);
  End();
  const json gated = SummaryOf("gated"), all = SummaryOf("all");
  EXPECT_GE(gated["still"], still);
  EXPECT_FALSE(all.contains("still"));
  const auto lost = [](const json& of) {
    return of["captured"].get<int>() - of["dropped"].get<int>() - of["frames"].get<int>() -
           of.value("still", 0);
  };
  // One may be in work at the end.
  EXPECT_GE(lost(gated), 0);
  EXPECT_LE(lost(gated), 1);
  EXPECT_GE(lost(all), 0);
  EXPECT_LE(lost(all), 1);
}

TEST_F(CameraMotion, AStillPictureRunsEachFiveSecondsAndFeedsTheWatchdog) {
  const ServiceSocket service(Path("notify"), true);
  StartFile("json: true\ncameras:\n" + Film("a", ", motion: 'on'"));
  AwaitFrames("a", 1);
  while (service.Words().size() < 2) usleep(10000);  // READY, and the first of the watchdog
  AwaitFrames("a", 1);
  const std::vector<json> results = ResultsOf("a");
  const double gap_s = results[1]["time"].get<double>() - results[0]["time"].get<double>();
  EXPECT_GT(gap_s, 4.99);
  EXPECT_LT(gap_s, 8);
  // One each half second, of still frames alone.
  EXPECT_GE(service.Words().size(), 6u);
  End();
}

TEST_F(CameraMotion, WhatMovesIsRunButBehindAMask) {
  StartFile("json: true\ncameras:\n" + Film("open", ", motion: [on, every=3600]") +
            Film("masked", ", motion: [on, every=3600], mask: ['0,0 0.6,0 0.6,1 0,1']"));
  for (int i = 0; i < 1500 && (Frames()["open"] == 0 || Frames()["masked"] == 0); ++i)
    usleep(20000);
  std::ofstream(Path("moved")).close();
  AwaitFrames("open", 1);
  fs::remove(Path("moved"));
  AwaitFrames("open", 1);
  usleep(500000);  // the other camera has seen both too
  EXPECT_EQ(Frames()["masked"], 1);
  End();
  EXPECT_GT(SummaryOf("masked")["still"], 4);
}

// Heat lets one of eight frames run. A frame that is due is not forgotten because it is none of
// them, and a frame that is still and not one of them counts once.
TEST_F(CameraMotion, WhatHeatPassesOverIsStillToBeRun) {
  WriteHeat();
  StartFile(
      "json: true\nmetrics: 0\nguard-set: policy=lower_rate,shadow_every=0,heat_dwell_s=0.1\n"
      "thermal-root: " +
      Path("thermal") + "\ncameras:\n" + Film("a", ", motion: [on, every=0.2]"));
  AwaitFrames("a", 1);
  for (int i = 0; i < 1000 && Metric("octet_rate_divisor", "a") != 8; ++i) usleep(10000);
  ASSERT_EQ(Metric("octet_rate_divisor", "a"), 8);
  const size_t from = ResultsOf("a").size();
  AwaitFrames("a", 8);
  const std::vector<json> results = ResultsOf("a");
  // Five frames until one is due, and seven until one of eight. Without a memory of it 40 on
  // average.
  for (size_t i = from + 1; i < results.size(); ++i) {
    EXPECT_LE(results[i]["frame"].get<int>() - results[i - 1]["frame"].get<int>(), 24) << i;
  }
  const double before = results.back()["frame"], accounted = Accounted("a");
  EXPECT_GT(Metric("octet_frames_skipped_total", "a"), 0);
  EXPECT_GE(accounted, before + 1);
  End();
  EXPECT_LE(accounted, SummaryOf("a")["captured"]);
}

}  // namespace
}  // namespace octet::test
