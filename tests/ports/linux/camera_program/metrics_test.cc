// --metrics: the numbers of the program as it runs, beside the page.
#include "tests/ports/linux/camera_program/camera_fixture.h"
#include "tests/support/http_client.h"

namespace octet::test {
namespace {

class CameraMetrics : public Camera {
 protected:
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
  EXPECT_NE(Get(port, "/metrics").find(",model=\"m\",board=\"\"} 1\n"), std::string::npos);
  // The page and the numbers are two servers.
  EXPECT_NE(Get(page, "/metrics").find("404"), std::string::npos);
  EXPECT_NE(Get(port, "/status.json").find("404"), std::string::npos);
  EXPECT_EQ(Finish(), 0);
  EXPECT_EQ(Connect(port), -1);
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
