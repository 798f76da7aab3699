// Board files with every mistake there is, and machines that are one of them or none.
#include "converter/boards/board.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "converter/boards/machine.h"
#include "converter/support/error.h"

namespace octet::boards {
namespace {

namespace fs = std::filesystem;

const std::string kLinux = R"(compatible: my-board
name: My board
device_tree: ["me,board-2", "me,board"]
cpu: Cortex-A76
architecture: aarch64
isa: [reference, neon]
cores: 4
clock_mhz: 1500
memory_mib: 1024
fp16_arithmetic: native
thermal:
  zones: [cpu-thermal]
  policy: lower_rate
  enter_c: 60
  leave_c: 55
  dwell_s: 10
  throttle_c: 85
whitelist:
  precisions: [int8, fp16]
  weight_schemes: [per_channel]
  activation_schemes: [symmetric]
latency_budget_ms: 33.5
)";
const std::string kBare = R"(compatible: bare
name: Bare metal
device_tree: []
cpu: Cortex-M4
architecture: armv7e-m
isa: [reference]
cores: 1
clock_mhz: 25
flash_kib: 1024
ram_kib: 192
fp16_arithmetic: storage
whitelist:
  precisions: [int8]
  weight_schemes: [per_tensor]
  activation_schemes: [symmetric, asymmetric]
latency_budget_ms: null
)";

class BoardFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "octet-board-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string Write(const std::string& name, const std::string& text) const {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  Board Read(const std::string& text) const { return ReadBoard(Write("b.yaml", text)); }
  // The text with `from` replaced by `to` is refused with this line, less the path.
  void Refused(const std::string& text, const std::string& from, const std::string& to,
               const std::string& line) const {
    std::string changed = text;
    const size_t at = changed.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);
    try {
      Read(changed);
      FAIL() << "taken: " << to;
    } catch (const UserError& error) {
      EXPECT_EQ(std::string(error.what()).find((folder_ / "b.yaml").string() + ":" + line), 0U)
          << error.what();
    }
  }
  fs::path folder_;
};

TEST_F(BoardFile, EveryField) {
  const Board board =
      Read(kLinux +
           "cpu_id: [0x48, 0xd01]\nwinograd: true\nguard: {dwell_s: 30, shadow_every: 9}\n"
           "video_decoder: -c:v h264_v4l2m2m\n");
  EXPECT_EQ(board.guard, (std::vector<Setting>{{"dwell_s", "30", 25}, {"shadow_every", "9", 25}}));
  EXPECT_TRUE(board.is_whole);
  EXPECT_EQ(board.file, (folder_ / "b.yaml").string());
  EXPECT_EQ(board.compatible, "my-board");
  EXPECT_EQ(board.name, "My board");
  EXPECT_EQ(board.cpu, "Cortex-A76");
  EXPECT_EQ(board.architecture, "aarch64");
  EXPECT_EQ(board.fp16_arithmetic, "native");
  EXPECT_EQ(board.device_tree, (std::vector<std::string>{"me,board-2", "me,board"}));
  EXPECT_EQ(board.isa, (std::vector<std::string>{"reference", "neon"}));
  EXPECT_TRUE(board.cpu_id == (CpuId{0x48, 0xd01}));
  EXPECT_EQ(board.video_decoder, "-c:v h264_v4l2m2m");
  EXPECT_EQ(board.cores, 4);
  EXPECT_EQ(board.clock_mhz, 1500);
  EXPECT_EQ(board.memory_mib, 1024);
  EXPECT_EQ(board.flash_kib, 0);
  EXPECT_TRUE(board.winograd);
  ASSERT_TRUE(board.thermal);
  EXPECT_EQ(board.thermal->zones, std::vector<std::string>{"cpu-thermal"});
  EXPECT_EQ(board.thermal->policy, "lower_rate");
  EXPECT_EQ(board.thermal->enter_c, 60);
  EXPECT_EQ(board.thermal->leave_c, 55);
  EXPECT_EQ(board.thermal->dwell_s, 10);
  EXPECT_EQ(board.thermal->throttle_c, 85);
  EXPECT_EQ(board.precisions, (std::vector<std::string>{"int8", "fp16"}));
  EXPECT_EQ(board.weight_schemes, std::vector<std::string>{"per_channel"});
  EXPECT_EQ(board.activation_schemes, std::vector<std::string>{"symmetric"});
  EXPECT_EQ(board.latency_budget_ms, 33.5);
}

TEST_F(BoardFile, WithoutAnOperatingSystem) {
  const Board board = Read(kBare);
  EXPECT_TRUE(IsBareMetal(board.architecture));
  EXPECT_TRUE(IsBareMetal("armv8.1-m.main"));
  EXPECT_FALSE(IsBareMetal("aarch64"));
  EXPECT_EQ(board.flash_kib, 1024);
  EXPECT_EQ(board.ram_kib, 192);
  EXPECT_EQ(board.memory_mib, 0);
  EXPECT_FALSE(board.thermal);
  EXPECT_FALSE(board.cpu_id);
  EXPECT_EQ(board.video_decoder, "") << "the processor decodes";
  EXPECT_FALSE(board.winograd);
  EXPECT_FALSE(board.latency_budget_ms);
  Refused(kBare, "flash_kib: 1024\n", "",
          " flash_kib: is missing for armv7e-m; boards/README.md has the table of fields");
  Refused(kBare, "flash_kib: 1024", "memory_mib: 1\nflash_kib: 1024",
          "9: memory_mib: not allowed for armv7e-m; boards/README.md has the table of fields");
}

TEST_F(BoardFile, MistakesAreNamed) {
  const std::string table = "boards/README.md has the table of fields";
  Refused(kLinux, "cores: 4", "core: 4",
          "7: core: no such field; the nearest name is 'cores'; " + table);
  Refused(kLinux, "cores: 4\n", "", " cores: is missing; " + table);
  Refused(kLinux, "cores: 4", "cores: 4\ncores: 5", "8: cores: is listed twice; remove one");
  Refused(kLinux, "cores: 4", "cores: 0", "7: cores: expected a whole number from 1 to 256");
  Refused(kLinux, "cores: 4", "cores: 257", "7: cores: expected a whole number from 1 to 256");
  Refused(kLinux, "cores: 4", "cores: many", "7: cores: expected a whole number from 1 to 256");
  Refused(
      kLinux, "my-board", "My board",
      "1: compatible: 'My board' is not a board name; use at most 23 characters of a-z, 0-9 and -");
  Refused(kLinux, "my-board", "abcdefghijklmnopqrstuvwx",
          "1: compatible: 'abcdefghijklmnopqrstuvwx' is not a board name; use at most 23 "
          "characters of a-z, 0-9 and -");
  Refused(
      kLinux, "aarch64", "arm64",
      "5: architecture: 'arm64' is not one of aarch64, armv7, armv7e-m, armv8.1-m.main, x86_64");
  Refused(kLinux, "[reference, neon]", "[neon]",
          "6: isa: expected the first words of [reference, neon, dotprod, i8mm], those of aarch64");
  Refused(kLinux, "[reference, neon]", "[reference, dotprod]",
          "6: isa: expected the first words of [reference, neon, dotprod, i8mm], those of aarch64");
  Refused(kLinux, "[reference, neon]", "[]", "6: isa: the list is empty; name at least one word");
  Refused(kLinux, "[reference, neon]", "neon", "6: isa: expected a list, as [a, b]");
  Refused(kLinux, "[int8, fp16]", "[int8, int4]",
          "19: whitelist.precisions: 'int4' is not one of int8, fp16");
  Refused(kLinux, "[int8, fp16]", "[int8, int8]",
          "19: whitelist.precisions: 'int8' is listed twice; remove one");
  Refused(kLinux, "  precisions: [int8, fp16]\n", "",
          " whitelist.precisions: is missing; " + table);
  Refused(kLinux, "leave_c: 55", "leave_c: 60", "15: thermal.leave_c: must be below enter_c");
  Refused(kLinux, "throttle_c: 85", "throttle_c: 60",
          "17: thermal.throttle_c: must be above enter_c");
  Refused(kLinux, "  zones: [cpu-thermal]\n", "", " thermal.zones: is missing; " + table);
  Refused(kLinux, "33.5", "0", "22: latency_budget_ms: must be above 0, or null for no budget");
  Refused(kLinux, "name: My board", "name: ''", "2: name: expected a text");
  Refused(kLinux, "cores: 4", "cores: 4\ncpu_id: [1]", "8: cpu_id: expected [implementer, part]");
  Refused(kLinux, "cores: 4", "cores: 4\ncpu_id: [256, 1]",
          "8: cpu_id: expected a whole number from 0 to 255");
  Refused(kLinux, "memory_mib: 1024", "ram_kib: 1",
          " memory_mib: is missing for aarch64; " + table);
  Refused(kLinux, "memory_mib: 1024", "memory_mib: 1024\nram_kib: 1",
          "10: ram_kib: not allowed for aarch64; " + table);
  Refused(kLinux, "cores: 4", "cores: 4\nguard: {dwell_s: [1]}",
          "8: guard.dwell_s: expected one value");
  Refused("x", "x", "- a\n- b\n",
          " not a board's YAML file; fields such as `compatible: NAME` are expected");
  EXPECT_THROW(Read(""), UserError);
  EXPECT_THROW(Read("a: [b\n"), UserError);
  EXPECT_THROW(ReadBoard((folder_ / "absent.yaml").string()), UserError);
}

// Convert takes what a file says; what nobody knows and what is wrong it refuses as well.
TEST_F(BoardFile, SomeOfTheFields) {
  const auto some = [this](const std::string& text) {
    return ReadBoard(Write("some.yaml", text), Missing::kAllowed);
  };
  const Board board = some("winograd: true\nthermal: {enter_c: 60}\n");
  EXPECT_TRUE(board.winograd);
  EXPECT_FALSE(board.is_whole);
  EXPECT_EQ(board.thermal->enter_c, 60);
  EXPECT_FALSE(board.thermal->leave_c);
  EXPECT_TRUE(Allows(board.weight_schemes, "group"));
  EXPECT_FALSE(
      Allows(some("whitelist: {weight_schemes: [group]}\n").weight_schemes, "per_channel"));
  EXPECT_EQ(some("thermal: {enter_c: 61.5}\n").thermal->enter_c, 61.5);
  EXPECT_THROW(some("thermal: {enter_c: 120.5}\n"), UserError);
  EXPECT_TRUE(some(kLinux).is_whole);
  EXPECT_FALSE(some("").is_whole);
  for (const char* text :
       {"winogard: true\n", "winograd: perhaps\n", "whitelist: {weight_schemes: [per_row]}\n",
        "whitelist: {weights: [group]}\n", "thermal: {enter: 60}\n", "my-board int8 fp16\n",
        "architecture: armv7\nisa: [reference, helium]\n",
        "thermal: {enter_c: 60, leave_c: 60}\n"}) {
    EXPECT_THROW(some(text), UserError) << text;
  }
}

// An empty list of zones: the reader of temperatures looks for itself.
TEST_F(BoardFile, ZonesMayBeNone) {
  std::string text = kLinux;
  text.replace(text.find("[cpu-thermal]"), 13, "[]");
  EXPECT_TRUE(Read(text).thermal->zones.empty());
}

class Machines : public BoardFile {
 protected:
  Machine Here() const { return ReadMachine(folder_.string()); }
};

TEST_F(Machines, ByWhatTheKernelSays) {
  EXPECT_TRUE(Here().device_tree.empty());
  EXPECT_EQ(Here().architecture, "");
  Write("proc/device-tree/compatible", std::string("me,board\0brcm,bcm2711\0", 22));
  EXPECT_EQ(Here().device_tree, (std::vector<std::string>{"me,board", "brcm,bcm2711"}));
  Write("proc/cpuinfo",
        "processor\t: 0\nBogoMIPS\t: 200.00\nFeatures\t: fp asimd lm\nCPU implementer\t: 0x48\n"
        "CPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: 0xd01\nCPU revision\t: 0\n\n"
        "processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd0b\n");
  EXPECT_EQ(Here().architecture, "aarch64");
  EXPECT_TRUE(Here().cpu_id == (CpuId{0x48, 0xd01}));
  Write("proc/cpuinfo", "CPU implementer\t: 0x41\nCPU architecture: 7\nCPU part\t: 0xc07\n");
  EXPECT_EQ(Here().architecture, "armv7");
  Write("proc/cpuinfo", "vendor_id\t: GenuineIntel\nflags\t\t: fpu vme lm avx2 f16c\n");
  EXPECT_EQ(Here().architecture, "x86_64");
  EXPECT_EQ(Here().isa, std::vector<std::string>()) << "no fma";
  Write("proc/cpuinfo",
        "flags\t\t: lm avx fma f16c avx2 bmi1 bmi2 avx512f avx512dq avx512bw avx512vl avx512_vnni "
        "amx_int8_more\n");
  EXPECT_EQ(Here().isa, (std::vector<std::string>{"avx2", "avx512vnni"}));
  Write("proc/cpuinfo", "flags\t\t: lm amx_int8\n");
  EXPECT_EQ(Here().isa, std::vector<std::string>()) << "no avx512vbmi";
  Write("proc/cpuinfo", "flags\t\t: lm amx_tile amx_int8 avx512vbmi\n");
  EXPECT_EQ(Here().isa, std::vector<std::string>()) << "no AVX-512";
  Write("proc/cpuinfo",
        "flags\t\t: lm avx fma f16c avx2 bmi1 bmi2 avx_vnni avx512f avx512dq avx512bw avx512vl "
        "avx512_vnni amx_tile amx_int8 avx512vbmi\n");
  EXPECT_EQ(Here().isa, (std::vector<std::string>{"avx2", "avxvnni", "avx512vnni", "amx"}));
  EXPECT_FALSE(Here().cpu_id);
  Write("proc/cpuinfo", "vendor_id\t: GenuineIntel\nflags\t\t: fpu vme lmx\n");
  EXPECT_EQ(Here().architecture, "");
}

TEST(Recognising, TheMostParticularNameWins) {
  std::vector<Board> boards(5);
  boards[0].device_tree = {"vendor,soc"};
  boards[1].device_tree = {"vendor,other", "vendor,board"};
  boards[2].cpu_id = CpuId{0x48, 0xd01};
  boards[3].architecture = "x86_64";
  boards[4].architecture = "x86_64";
  Machine machine;
  machine.device_tree = {"vendor,board", "vendor,soc"};
  machine.cpu_id = CpuId{0x48, 0xd01};
  auto found = Recognise(boards, machine);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->board, 1u);
  EXPECT_EQ(found->by, "its device tree's vendor,board");
  machine.device_tree = {"vendor,unknown", "vendor,soc"};
  EXPECT_EQ(Recognise(boards, machine)->board, 0u);
  machine.device_tree = {"vendor,unknown"};
  found = Recognise(boards, machine);
  EXPECT_EQ(found->board, 2u);
  EXPECT_EQ(found->by, "its core, 0xd01 of 0x48");
  machine.cpu_id = CpuId{0x41, 0xd01};
  EXPECT_FALSE(Recognise(boards, machine));
  machine = {};
  EXPECT_FALSE(Recognise(boards, machine));  // boards without a core's name are no match for none
  machine.architecture = "x86_64";
  EXPECT_EQ(Recognise(boards, machine)->board, 3u);
  boards[3].isa = {"reference", "avx2", "avxvnni", "avx512vnni"};
  boards[4].isa = {"reference", "avx2"};
  machine.isa = {"avx2"};
  found = Recognise(boards, machine);
  EXPECT_EQ(found->board, 4u);
  EXPECT_EQ(found->by, "its architecture and avx2");
  machine.isa = {"avx2", "avx512vnni"};
  EXPECT_EQ(Recognise(boards, machine)->board, 3u);
  machine.isa.clear();
  EXPECT_EQ(Recognise(boards, machine)->board, 3u);
  machine.architecture = "aarch64";
  EXPECT_FALSE(Recognise(boards, machine));
}

}  // namespace
}  // namespace octet::boards
