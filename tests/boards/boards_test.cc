// Every file of boards/ follows the table of boards/README.md.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "converter/boards/board.h"

namespace {

using Words = std::vector<std::string>;

// Levels that a board of the architecture may name, lowest first.
Words LadderOf(const std::string& architecture) {
  Words ladder;
#define OCTET_LEVEL(code, Name, NAME, word, Family, parents, boards, ...)              \
  if (std::string(" " boards " ").find(" " + architecture + " ") != std::string::npos) \
    ladder.push_back(#word);
#include "runtime/core/isa.inc"
#undef OCTET_LEVEL
  return ladder;
}

std::vector<std::filesystem::path> BoardFiles() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(OCTET_SOURCE_DIR "/boards")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::set<std::string> Keys(const YAML::Node& map) {
  std::set<std::string> keys;
  for (const auto& item : map) keys.insert(item.first.as<std::string>());
  return keys;
}

// The list is not empty, names no word twice and no word outside `allowed`.
void ExpectSubset(const YAML::Node& list, const Words& allowed) {
  ASSERT_TRUE(list.IsSequence());
  const auto words = list.as<Words>();
  EXPECT_FALSE(words.empty());
  EXPECT_EQ(std::set<std::string>(words.begin(), words.end()).size(), words.size());
  for (const auto& word : words) {
    EXPECT_NE(std::find(allowed.begin(), allowed.end(), word), allowed.end()) << word;
  }
}

void ExpectRange(const YAML::Node& value, int low, int high) {
  ASSERT_TRUE(value.IsScalar());
  EXPECT_GE(value.as<int>(), low);
  EXPECT_LE(value.as<int>(), high);
}

void CheckThermal(const YAML::Node& thermal) {
  auto keys = Keys(thermal);
  keys.erase("throttle_c");
  EXPECT_EQ(keys, (std::set<std::string>{"zones", "policy", "enter_c", "leave_c", "dwell_s"}));
  EXPECT_TRUE(thermal["zones"].IsSequence());
  const std::set<std::string> policies = {"raise_precision", "lower_precision", "lower_rate"};
  EXPECT_TRUE(policies.count(thermal["policy"].as<std::string>()));
  ExpectRange(thermal["enter_c"], 20, 120);
  EXPECT_LT(thermal["leave_c"].as<int>(), thermal["enter_c"].as<int>());
  ExpectRange(thermal["dwell_s"], 0, 3600);
  if (thermal["throttle_c"]) {
    EXPECT_GT(thermal["throttle_c"].as<int>(), thermal["enter_c"].as<int>());
  }
}

void CheckIsa(const YAML::Node& board) {
  const auto architecture = board["architecture"].as<std::string>();
  const Words ladder = LadderOf(architecture);
  ASSERT_FALSE(ladder.empty()) << architecture;
  // A level includes the lower ones, so the list is the ladder from its foot.
  const auto words = board["isa"].as<Words>();
  ASSERT_FALSE(words.empty());
  ASSERT_LE(words.size(), ladder.size());
  EXPECT_TRUE(std::equal(words.begin(), words.end(), ladder.begin()));
}

TEST(Boards, FollowTheirDescription) {
  const auto files = BoardFiles();
  ASSERT_FALSE(files.empty());
  std::set<std::string> device_trees;
  std::set<std::pair<int, int>> cpu_ids;
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename().string());
    const YAML::Node board = YAML::LoadFile(file.string());
    std::set<std::string>
        keys = Keys(board),
        wanted = {
            "compatible", "name",      "device_tree",     "cpu",       "architecture",     "isa",
            "cores",      "clock_mhz", "fp16_arithmetic", "whitelist", "latency_budget_ms"};
    const auto architecture = board["architecture"].as<std::string>();
    const bool bare_metal = architecture == "armv7e-m" || architecture == "armv8.1-m.main";
    keys.erase("winograd");
    keys.erase("guard");
    if (bare_metal) {
      wanted.insert({"flash_kib", "ram_kib"});
      keys.erase("thermal");
      for (const char* memory : {"flash_kib", "ram_kib"}) ExpectRange(board[memory], 1, 1048576);
      EXPECT_TRUE(board["device_tree"].as<Words>().empty());
    } else {
      wanted.insert({"memory_mib", "thermal"});
      keys.erase("cpu_id");
      keys.erase("video_decoder");
      ExpectRange(board["memory_mib"], 1, 1048576);
    }
    EXPECT_EQ(keys, wanted);
    if (board["video_decoder"]) {
      EXPECT_EQ(board["video_decoder"].as<std::string>().rfind("-c:v ", 0), 0u)
          << "options of ffmpeg";
    }
    if (board["cpu_id"]) {
      const auto id = board["cpu_id"].as<std::vector<int>>();
      ASSERT_EQ(id.size(), 2u);
      EXPECT_TRUE(cpu_ids.emplace(id[0], id[1]).second) << "names two boards";
      ExpectRange(board["cpu_id"][0], 0, 0xFF);
      ExpectRange(board["cpu_id"][1], 0, 0xFFF);
    }
    const auto compatible = board["compatible"].as<std::string>();
    EXPECT_EQ(compatible, file.stem().string());
    EXPECT_LE(compatible.size(), 23u);
    EXPECT_EQ(compatible.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
              std::string::npos);
    EXPECT_FALSE(board["name"].as<std::string>().empty());
    EXPECT_FALSE(board["cpu"].as<std::string>().empty());
    for (const auto& name : board["device_tree"].as<Words>()) {
      EXPECT_NE(name.find(','), std::string::npos) << name << " lacks its vendor";
      EXPECT_TRUE(device_trees.insert(name).second) << name << " names two boards";
    }
    CheckIsa(board);
    ExpectRange(board["cores"], 1, 256);
    ExpectRange(board["clock_mhz"], 1, 10000);
    ExpectSubset(YAML::Load("[" + board["fp16_arithmetic"].as<std::string>() + "]"),
                 {"storage", "native", "winograd"});
    if (board["winograd"]) {
      // For cores without dot product.
      EXPECT_TRUE(board["winograd"].as<bool>());
      const auto highest = board["isa"].as<Words>().back();
      EXPECT_TRUE(highest == "neon" || highest == "avx2") << highest;
    }
    if (board["thermal"]) CheckThermal(board["thermal"]);
    const YAML::Node whitelist = board["whitelist"];
    EXPECT_EQ(Keys(whitelist),
              (std::set<std::string>{"precisions", "weight_schemes", "activation_schemes"}));
    ExpectSubset(whitelist["precisions"], {"int8", "fp16"});
    ExpectSubset(whitelist["weight_schemes"], {"per_tensor", "per_channel", "group"});
    ExpectSubset(whitelist["activation_schemes"], {"symmetric", "asymmetric"});
    EXPECT_NO_THROW(octet::boards::ReadBoard(file.string()));
    const YAML::Node budget = board["latency_budget_ms"];
    EXPECT_TRUE(budget.IsNull() || budget.as<double>() > 0);
  }
}

}  // namespace
