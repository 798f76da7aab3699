// Thermal zones and hwmon sensors as folders: which are read, and what becomes of those that go.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "ports/linux/model.h"
#include "ports/linux/thermal/monitor.h"
#include "ports/linux/thermal/sensor.h"

namespace octet::port {
namespace {

namespace fs = std::filesystem;

class Thermal : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "octet-thermal-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    fs::create_directories(Root());
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string Root() const { return (folder_ / "thermal").string(); }
  void Write(const std::string& path, const std::string& text) const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  void Zone(int number, const std::string& type, const std::string& temp) const {
    const std::string zone = "thermal/thermal_zone" + std::to_string(number) + "/";
    Write(zone + "type", type + "\n");
    Write(zone + "temp", temp);
  }
  ThermalSensor Sensor(std::vector<std::string> zones = {}) const {
    return ThermalSensor(Root(), std::move(zones));
  }
  static void Expect(const ThermalReading& reading, ThermalState state, float celsius = 0) {
    EXPECT_EQ(reading.state, state);
    EXPECT_FLOAT_EQ(reading.celsius(), celsius);
  }
  fs::path folder_;
};

TEST_F(Thermal, TheBoardsZoneIsRead) {
  Zone(0, "cpu-thermal", "50000\n");
  Zone(1, "gpu-thermal", "90000\n");
  Zone(2, "soc-thermal", "61234\n");
  const ThermalSensor sensor = Sensor({"package-thermal", "soc-thermal", "cpu-thermal"});
  EXPECT_EQ(sensor.type(), "soc-thermal");
  Expect(sensor.Read(), ThermalState::kOk, 61.234f);
  Zone(2, "soc-thermal", "-5");  // without a newline
  Expect(sensor.Read(), ThermalState::kOk, -0.005f);
}

// Of two zones of one type the lower number, as a number: 2 before 10.
TEST_F(Thermal, ZonesCountByTheirNumbers) {
  Zone(10, "cpu-thermal", "10000\n");
  Zone(2, "cpu-thermal", "20000\n");
  Zone(1, "wifi", "30000\n");
  Write("thermal/thermal_zone0x/type", "cpu-thermal\n");
  Write("thermal/thermal_zone0x/temp", "70000\n");
  Write("thermal/cooling_device0/type", "cpu-thermal\n");
  Expect(Sensor({"cpu-thermal"}).Read(), ThermalState::kOk, 20);
}

TEST_F(Thermal, OtherwiseTheHottestProcessor) {
  Zone(0, "cpu0-thermal", "50000\n");
  Zone(1, "CPU-therm", "58000\n");
  Zone(2, "wifi", "90000\n");
  const ThermalSensor sensor = Sensor({"soc-thermal"});
  EXPECT_EQ(sensor.type(), "cpu0-thermal, CPU-therm");
  Expect(sensor.Read(), ThermalState::kOk, 58);
  Zone(0, "cpu0-thermal", "59000\n");
  Expect(sensor.Read(), ThermalState::kOk, 59);
  // One that fails or lies leaves the others.
  Zone(0, "cpu0-thermal", "999000\n");
  Expect(sensor.Read(), ThermalState::kOk, 58);
  fs::remove(folder_ / "thermal/thermal_zone1/temp");
  Expect(sensor.Read(), ThermalState::kAbsurd, 999);
  fs::remove(folder_ / "thermal/thermal_zone0/temp");
  Expect(sensor.Read(), ThermalState::kLost);
}

TEST_F(Thermal, SensorsOfX86) {
  Write("hwmon/hwmon0/name", "nvme\n");
  Write("hwmon/hwmon0/temp1_input", "80000\n");
  Write("hwmon/hwmon3/name", "coretemp\n");
  Write("hwmon/hwmon3/temp1_input", "41000\n");
  Write("hwmon/hwmon3/temp2_input", "43000\n");
  Write("hwmon/hwmon3/temp2_crit", "99000\n");
  Expect(Sensor().Read(), ThermalState::kOk, 43);
  EXPECT_EQ(Sensor().type(), "coretemp");
  Expect(Sensor({"coretemp"}).Read(), ThermalState::kOk, 41);  // the package is the first
  Zone(0, "x86_pkg_temp", "45000\n");
  Expect(Sensor({"x86_pkg_temp"}).Read(), ThermalState::kOk, 45);
  Expect(Sensor().Read(), ThermalState::kOk, 45);
}

TEST_F(Thermal, BoundsOfWhatIsPossible) {
  const auto read = [&](const std::string& text) {
    Zone(0, "cpu", text);
    return Sensor().Read();
  };
  Expect(read("150000\n"), ThermalState::kOk, 150);
  Expect(read("150001\n"), ThermalState::kAbsurd, 150.001f);
  Expect(read("-40000\n"), ThermalState::kOk, -40);
  Expect(read("-40001\n"), ThermalState::kAbsurd, -40.001f);
  Expect(read("0\n"), ThermalState::kOk, 0);
  for (const char* text : {"", "\n", "hot\n", "50000 C\n", "5e4\n", "99999999999999999999\n",
                           "+1\n", "12345678901234567890123456789012345\n"}) {
    Expect(read(text), ThermalState::kLost);
  }
}

TEST_F(Thermal, NothingThere) {
  Expect(Sensor().Read(), ThermalState::kNone);
  EXPECT_EQ(Sensor({"cpu-thermal"}).type(), "");
  Expect(ThermalSensor("/nowhere", {}).Read(), ThermalState::kNone);
  Zone(0, "battery", "30000\n");
  Expect(Sensor().Read(), ThermalState::kNone);
}

// A pipe that nobody writes to does not hold the reader up.
TEST_F(Thermal, APipeIsLost) {
  Zone(0, "cpu", "");
  fs::remove(folder_ / "thermal/thermal_zone0/temp");
  ASSERT_EQ(mkfifo((folder_ / "thermal/thermal_zone0/temp").c_str(), 0600), 0);
  Expect(Sensor().Read(), ThermalState::kLost);
}

TEST_F(Thermal, TheMonitorFollows) {
  Zone(0, "cpu-thermal", "50000\n");
  std::atomic<bool> begun{false}, began_first{false};
  std::atomic<float> told{0};
  const ThermalMonitor monitor(
      Sensor({"cpu-thermal"}), [&] { begun = true; },
      [&](const ThermalReading& reading) {
        began_first = begun.load();
        told = reading.celsius();
      });
  const auto await = [&](ThermalState state, float celsius) {
    ThermalMonitor::Latest latest;
    for (int i = 0; i < 1000; ++i, usleep(10000)) {
      latest = monitor.At(NowNs());
      if (latest.reading.state == state && latest.reading.celsius() == celsius) break;
    }
    Expect(latest.reading, state, celsius);
  };
  await(ThermalState::kOk, 50);
  EXPECT_TRUE(began_first);
  EXPECT_EQ(told, 50);
  EXPECT_LT(monitor.At(NowNs()).age_ns, 5'000'000'000u);
  EXPECT_GE(monitor.At(NowNs() + 5'000'000'000).age_ns, 5'000'000'000u);
  Zone(0, "cpu-thermal", "-1500\n");
  await(ThermalState::kOk, -1.5f);
  Zone(0, "cpu-thermal", "48877\n");
  await(ThermalState::kOk, 48.877f);  // to the last digit
  Zone(0, "cpu-thermal", "9000000\n");
  await(ThermalState::kAbsurd, 2000);  // as far as it is kept
  // The driver goes, and comes back with another number.
  fs::remove_all(folder_ / "thermal/thermal_zone0");
  await(ThermalState::kLost, 0);
  usleep(1'200'000);
  await(ThermalState::kLost, 0);  // it does not become one that never was
  Zone(7, "cpu-thermal", "51000\n");
  await(ThermalState::kOk, 51);
}

TEST_F(Thermal, TheMonitorEndsAtOnce) {
  // Of many tries one is not kept waiting by other programs.
  uint64_t least_ns = UINT64_MAX;
  for (int i = 0; i < 10 && least_ns >= 900'000'000; ++i) {
    const uint64_t begun = NowNs();
    {
      const ThermalMonitor monitor(
          Sensor(), [] {}, [](const ThermalReading&) {});
      EXPECT_EQ(monitor.At(NowNs()).reading.state, ThermalState::kNone);
    }
    least_ns = std::min(least_ns, NowNs() - begun);
  }
  EXPECT_LT(least_ns, 900'000'000u);  // less than its period
}

}  // namespace
}  // namespace octet::port
