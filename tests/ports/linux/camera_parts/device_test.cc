// The name that follows from a machine id, against systemd's own.
#include "ports/linux/camera/program/device/device.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace octet::port {
namespace {

class Device : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "octet-device-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Of(const std::string& machine_id) const {
    std::ofstream(folder_ / "machine-id") << machine_id;
    return DeviceOfMachine((folder_ / "machine-id").string());
  }
  std::filesystem::path folder_;
};

// Made by hmac and hashlib of Python, after sd_id128_get_machine_app_specific(3).
TEST_F(Device, AsSystemdMakesIt) {
  EXPECT_EQ(Of("0123456789abcdef0123456789abcdef\n"), "82766355b6314954b741404b2ea1ac0c");
  EXPECT_EQ(Of("0123456789ABCDEF0123456789ABCDEF"), "82766355b6314954b741404b2ea1ac0c");
  EXPECT_EQ(Of("fedcba98765432100123456789abcdef\n"), "827654ab4be944139836938509349f81");
}

TEST_F(Device, AsThisMachinesSystemdMakesIt) {
  const std::string command =
      std::string("systemd-id128 machine-id --app-specific=") + kDeviceApplicationId + " 2>&1";
  std::FILE* const pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  char line[128] = {};
  const bool read = std::fgets(line, sizeof(line), pipe) != nullptr;
  if (pclose(pipe) != 0 || !read) GTEST_SKIP() << "no systemd-id128 or machine id here: " << line;
  EXPECT_EQ(DeviceOfMachine() + "\n", line);
}

TEST_F(Device, WithoutAMachineIdThereIsNone) {
  for (const char* text :
       {"", "\n", "uninitialized\n", "0123456789abcdef\n", "00000000000000000000000000000000\n",
        "0123456789abcdef0123456789abcdeg\n", "0123456789abcdef0123456789abcdef0\n"}) {
    EXPECT_EQ(Of(text), "") << text;
  }
  EXPECT_EQ(DeviceOfMachine((folder_ / "absent").string()), "");
  EXPECT_EQ(DeviceOfMachine(folder_.string()), "");
}

TEST(DeviceName, TheGivenOneCounts) {
  EXPECT_EQ(DeviceName("shop-7"), "shop-7");
  EXPECT_EQ(DeviceName(""), DeviceOfMachine());
}

}  // namespace
}  // namespace octet::port
