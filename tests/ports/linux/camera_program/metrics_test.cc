// --metrics: the numbers of the program as it runs, beside the page.
#include "tests/ports/linux/camera_program/camera_fixture.h"
#include "tests/support/http_client.h"

namespace octet::test {
namespace {

class CameraMetrics : public Camera {
 protected:
  // Of a zone of its own; never half a number.
  void Heat(int millidegrees) const {
    fs::create_directories(folder_ / "thermal/thermal_zone0");
    std::ofstream(Path("thermal/thermal_zone0/type")) << "cpu-thermal\n";
    std::ofstream(Path("thermal/new")) << millidegrees << "\n";
    fs::rename(Path("thermal/new"), Path("thermal/thermal_zone0/temp"));
  }
  uint16_t PortAfter(const std::string& text) const {
    const std::string errors = Read("err");
    const size_t at = errors.find(text);
    EXPECT_NE(at, std::string::npos) << errors;
    return at == std::string::npos
               ? uint16_t{0}
               : static_cast<uint16_t>(std::stoi(errors.substr(at + text.size())));
  }
  // Whether /metrics has the line.
  testing::AssertionResult Shows(uint16_t port, const std::string& line) const {
    const std::string answer = Get(port, "/metrics");
    if (answer.find("\n" + line + "\n") != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "no '" << line << "' in " << answer;
  }
};

TEST_F(CameraMetrics, CountWhatTheLoopDoes) {
  fs::create_directories(folder_ / "thermal/thermal_zone0");
  std::ofstream(Path("thermal/thermal_zone0/type")) << "soc-thermal\n";
  std::ofstream(Path("thermal/thermal_zone0/temp")) << "48500\n";
  Start({"--source", "-", "--json", "--metrics", "0", "--http", "0", "--plan", "fp16",
         "--thermal-root", Path("thermal")});
  for (size_t i = 0; i < 3; ++i) {
    Send(Y4m(8, 8, 1));
    AwaitLines(i + 1);
  }
  const std::string errors = Read("err");
  EXPECT_NE(errors.find("/metrics\n"), std::string::npos) << errors;
  const uint16_t page = PortAfter("octet-camera: http://127.0.0.1:");
  const uint16_t port =
      static_cast<uint16_t>(std::stoi(errors.substr(errors.rfind("127.0.0.1:") + 10)));
  EXPECT_NE(page, port);
  EXPECT_TRUE(Shows(port, "octet_frames_total 3"));
  EXPECT_TRUE(Shows(port, "octet_frames_dropped_total 0"));
  EXPECT_TRUE(Shows(port, "octet_inference_seconds_count 3"));
  EXPECT_TRUE(Shows(port, "octet_result_age_seconds_bucket{le=\"+Inf\"} 3"));
  EXPECT_TRUE(Shows(port, "octet_plan{plan=\"int8\"} 0"));
  EXPECT_TRUE(Shows(port, "octet_plan{plan=\"fp16\"} 1"));
  // Of another thread, which may come later.
  for (int i = 0; i < 1000 && !Shows(port, "octet_temperature_celsius 48.5"); ++i) usleep(10000);
  EXPECT_TRUE(Shows(port, "octet_temperature_celsius 48.5"));
  EXPECT_NE(Get(port, "/metrics").find(",model=\"model\",board=\"\"} 1\n"), std::string::npos);
  // The page and the numbers are two servers.
  EXPECT_NE(Get(page, "/metrics").find("404"), std::string::npos);
  EXPECT_NE(Get(port, "/status.json").find("404"), std::string::npos);
  EXPECT_EQ(Finish(), 0);
  EXPECT_EQ(Connect(port), -1);
}

// Heat that comes and goes: the plan follows, and every number with it.
TEST_F(CameraMetrics, TheGuardFeelsHeat) {
  Heat(50000);
  Start({"--source", "-", "--json", "--format", "rgb24", "--size", "4x4", "--metrics", "0",
         "--thermal-root", Path("thermal"), "--guard-set", "heat_dwell_s=0,shadow_every=0"});
  size_t sent = 0;
  const auto frame = [&] {
    Send(std::string(48, static_cast<char>(sent % 3)));
    AwaitLines(++sent);
    return Lines().back();
  };
  // Frames until one is as it should be, or 10 s.
  const auto await = [&](const std::string& plan, const std::string& reason, double celsius) {
    nlohmann::json line;
    for (int i = 0; i < 500; ++i, usleep(20000)) {
      line = frame();
      if (line["plan"] == plan && line["reason"] == reason && line["temperature_c"] == celsius) {
        return;
      }
    }
    FAIL() << line << Read("err");
  };
  await("int8", "home", 50);
  const uint16_t port = PortAfter("octet-camera: http://127.0.0.1:");
  EXPECT_TRUE(Shows(port, "octet_temperature_celsius 50"));
  EXPECT_TRUE(Shows(port, "octet_plan{plan=\"int8\"} 1"));
  Heat(65000);
  await("fp16", "heat", 65);
  EXPECT_TRUE(Shows(port, "octet_temperature_celsius 65"));
  EXPECT_TRUE(Shows(port, "octet_plan{plan=\"fp16\"} 1"));
  EXPECT_TRUE(Shows(port, "octet_thermal_events_total{event=\"hot\"} 1"));
  EXPECT_TRUE(Shows(port, "octet_plan_switches_total{reason=\"heat\"} 1"));
  Heat(45000);
  await("int8", "home", 45);
  EXPECT_TRUE(Shows(port, "octet_thermal_events_total{event=\"cool\"} 1"));
  EXPECT_TRUE(Shows(port, "octet_plan_switches_total{reason=\"cool\"} 1"));
  fs::remove(Path("thermal/thermal_zone0/temp"));
  nlohmann::json line = frame();
  for (int i = 0; i < 500 && !line["temperature_c"].is_null(); ++i, usleep(20000)) line = frame();
  EXPECT_TRUE(line["temperature_c"].is_null());
  EXPECT_EQ(Get(port, "/metrics").find("octet_temperature_celsius"), std::string::npos);
  EXPECT_EQ(Finish(), 0);
}

// A board that FP16 makes hotter: the plan goes back while it is hot, and says why.
TEST_F(CameraMetrics, AFinerPlanThatHeatsTheBoardIsLeft) {
  Heat(61000);
  Start({"--source", "-", "--json", "--format", "rgb24", "--size", "4x4", "--metrics", "0",
         "--thermal-root", Path("thermal"), "--guard-set", "heat_dwell_s=2,shadow_every=0"});
  const std::string left = "plan fp16 -> int8 (home); a finer plan heats the board too much";
  size_t sent = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 300 && Read("err").find(left) == std::string::npos; ++i, usleep(50000)) {
    Send(std::string(48, static_cast<char>(sent % 3)));
    AwaitLines(++sent);
    if (Lines().back()["plan"] != "fp16") continue;
    // A degree each second by the clock: a busy machine makes the loop slow, not the heat.
    const auto elapsed_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - start);
    Heat(61000 + static_cast<int>(elapsed_ms.count()));
  }
  EXPECT_NE(Read("err").find(left), std::string::npos) << Read("err");
  const uint16_t port = PortAfter("octet-camera: http://127.0.0.1:");
  EXPECT_TRUE(Shows(port, "octet_thermal_events_total{event=\"left\"} 1"));
  EXPECT_TRUE(Shows(port, "octet_thermal_events_total{event=\"cool\"} 0"));
  EXPECT_TRUE(Shows(port, "octet_plan{plan=\"int8\"} 1"));
  EXPECT_EQ(Finish(), 0);
}

TEST_F(CameraMetrics, NoSensorNoTemperature) {
  Start({"--source", "-", "--json", "--metrics", "0", "--thermal-root", Path("nowhere")});
  Send(Y4m(8, 8, 1));
  AwaitLines(1);
  const uint16_t port = PortAfter("octet-camera: http://127.0.0.1:");
  EXPECT_TRUE(Shows(port, "octet_plan{plan=\"int8\"} 1"));
  EXPECT_EQ(Get(port, "/metrics").find("octet_temperature_celsius"), std::string::npos);
  EXPECT_EQ(Finish(), 0);
}

TEST_F(CameraMetrics, APortInUseIsOneLine) {
  const int taken = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof(address);
  ASSERT_EQ(bind(taken, reinterpret_cast<sockaddr*>(&address), bytes), 0);
  ASSERT_EQ(listen(taken, 1), 0);
  getsockname(taken, reinterpret_cast<sockaddr*>(&address), &bytes);
  const std::string port = std::to_string(ntohs(address.sin_port));
  Start({"--source", "-", "--metrics", port});
  EXPECT_EQ(Finish(), 2);
  EXPECT_EQ(Read("err"),
            "octet-camera: --metrics " + port + ": Address already in use; choose another port\n");
  close(taken);
}

}  // namespace
}  // namespace octet::test
