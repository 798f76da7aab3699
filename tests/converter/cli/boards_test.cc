// octet boards: the files of the sources, this machine, and files of one's own.
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/converter/cli/cli_support.h"

namespace octet::test {
namespace {

using nlohmann::json;

class Boards : public Cli {
 protected:
  // A machine's /proc with this device tree.
  std::string Root(const std::string& device_tree) const {
    std::filesystem::create_directories(Path("root/proc/device-tree"));
    WriteText("root/proc/device-tree/compatible", device_tree);
    return Path("root");
  }
  static json Marked(const json& list) {
    json marked = json::array();
    for (const json& board : list["boards"]) {
      if (board["this_machine"].get<bool>()) marked.push_back(board["compatible"]);
    }
    return marked;
  }
};

TEST_F(Boards, OfTheSourcesWithThisMachine) {
  const std::string pi4 = Root(std::string("raspberrypi,4-model-b\0brcm,bcm2711\0", 35));
  const Result table = Octet({"boards", "--root", pi4});
  EXPECT_EQ(table.status, 0) << table.err;
  for (const char* line : {"\n* raspberry-pi-4 ", "\n  kunpeng-920 ", "\n  mps2-an386 ",
                           "\n* this machine, by its device tree's raspberrypi,4-model-b: octet "
                           "convert --board "}) {
    EXPECT_NE(table.out.find(line), std::string::npos) << line << table.out;
  }
  const Result listed = Octet({"boards", "--json", "--root", pi4});
  ASSERT_EQ(listed.status, 0);
  const json all = json::parse(listed.out);
  EXPECT_EQ(Marked(all), json({"raspberry-pi-4"}));
  EXPECT_EQ(all["machine"]["device_tree"], json({"raspberrypi,4-model-b", "brcm,bcm2711"}));
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(OCTET_SOURCE_DIR "/boards")) {
    files += entry.path().extension() == ".yaml";
  }
  EXPECT_EQ(all["boards"].size(), files);
  for (const json& board : all["boards"]) {
    EXPECT_EQ(board.contains("memory_mib"), !board.contains("flash_kib")) << board;
    EXPECT_TRUE(std::filesystem::is_regular_file(board["file"].get<std::string>()));
  }
}

TEST_F(Boards, AMachineThatIsNone) {
  const std::string root = Root(std::string("me,board\0me,soc\0", 16));
  const Result table = Octet({"boards", "--root", root});
  EXPECT_EQ(table.status, 0);
  EXPECT_EQ(table.out.find('*'), std::string::npos);
  EXPECT_NE(table.out.find("this machine is none of them; its device tree: me,board, me,soc\n"),
            std::string::npos);
  const json all = json::parse(Octet({"boards", "--root", root, "--json"}).out);
  EXPECT_EQ(Marked(all), json::array());
  EXPECT_TRUE(all["machine"]["recognised_by"].is_null());
}

TEST_F(Boards, FilesOfOnesOwn) {
  const std::string board = OCTET_SOURCE_DIR "/boards/rk3588.yaml";
  const json one = json::parse(Octet({"boards", board, "--json"}).out);
  ASSERT_EQ(one["boards"].size(), 1u);
  EXPECT_EQ(one["boards"][0]["file"], board);
  EXPECT_EQ(one["boards"][0]["thermal"]["enter_c"], 60);
  EXPECT_TRUE(one["boards"][0]["latency_budget_ms"].is_null());
  ExpectRefused(Octet({"boards", Path("absent.yaml")}),
                "absent.yaml: no such file or folder; name board files");
  std::filesystem::create_directory(Path("empty"));
  ExpectRefused(Octet({"boards", Path("empty")}), "empty: no .yaml file in it");
  ExpectRefused(Octet({"boards", "--root", Path("absent")}), "--root");
  WriteText("broken.yaml", "compatible: x\nbrand: y\n");
  ExpectRefused(Octet({"boards", Path("broken.yaml")}), "broken.yaml:2: brand: no such field");
  // What convert would say of its guard.
  std::ifstream original(board);
  const std::string text{std::istreambuf_iterator<char>(original), {}};
  WriteText("guard.yaml", text + "guard: {trip_frames: no}\n");
  ExpectRefused(Octet({"boards", Path("guard.yaml")}),
                "guard.trip_frames: 'no' is no value for it");
  WriteText("guard.yaml", text + "guard: {trip_frames: 7}\n");
  EXPECT_EQ(json::parse(Octet({"boards", Path("guard.yaml"), "--json"}).out)["boards"][0]["guard"],
            json({{"trip_frames", "7"}}));
  // A broken one hides no other.
  const Result both = Octet({"boards", Path("broken.yaml"), board});
  EXPECT_EQ(both.status, 2);
  EXPECT_NE(both.err.find("broken.yaml:2: brand: no such field"), std::string::npos);
  EXPECT_EQ(std::count(both.err.begin(), both.err.end(), '\n'), 1);
  EXPECT_NE(both.out.find("  rk3588 "), std::string::npos);
}

}  // namespace
}  // namespace octet::test
