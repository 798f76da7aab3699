// Which cores are the big ones, from folders like those of Linux.
#include "ports/linux/affinity.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "ports/linux/file.h"

namespace octet::port {
namespace {

namespace fs = std::filesystem;

class Affinity : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "octet-test-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(root_); }

  void Write(const std::string& file, const std::vector<int>& speeds) const {
    for (size_t cpu = 0; cpu < speeds.size(); ++cpu) {
      const fs::path path = root_ / ("cpu" + std::to_string(cpu)) / file;
      fs::create_directories(path.parent_path());
      std::ofstream(path) << speeds[cpu] << '\n';
    }
  }

  // Of the first `count` cores.
  std::vector<size_t> Big(size_t count) const {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    for (size_t cpu = 0; cpu < count; ++cpu) CPU_SET(cpu, &cpus);
    const cpu_set_t big = BigCpus(cpus, root_.string());
    std::vector<size_t> numbers;
    for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &big)) numbers.push_back(cpu);
    }
    return numbers;
  }

  fs::path root_;
};

TEST_F(Affinity, MixedProcessorByCapacity) {
  Write("cpu_capacity", {414, 414, 414, 414, 1018, 1024, 1024, 1024});
  Write("cpufreq/cpuinfo_max_freq", {2, 2, 2, 2, 1, 1, 1, 1});
  EXPECT_EQ(Big(8), (std::vector<size_t>{4, 5, 6, 7}));
  EXPECT_EQ(Big(6), (std::vector<size_t>{4, 5}));        // those it may run on
  EXPECT_EQ(Big(4), (std::vector<size_t>{0, 1, 2, 3}));  // only small ones are left
}

TEST_F(Affinity, MixedProcessorByFrequency) {
  Write("cpufreq/cpuinfo_max_freq", {1400000, 1400000, 2400000, 2400000});
  EXPECT_EQ(Big(4), (std::vector<size_t>{2, 3}));
}

TEST_F(Affinity, AllWhereNothingIsKnown) {
  EXPECT_EQ(Big(3), (std::vector<size_t>{0, 1, 2}));
}

TEST_F(Affinity, BadListsAreRefused) {
  for (const char* cpus : {"3-1", "x", "1,", "-1", "99999", "bigger"}) {
    EXPECT_THROW(PinTo(cpus), InputError) << cpus;
  }
}

}  // namespace
}  // namespace octet::port
