// What is detected is what the kernel lists, and the best level is the highest that can run.
#include "ports/linux/cpu.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "octet/octet.h"
#include "runtime/core/isa.h"

namespace octet::port {
namespace {

#if defined(__x86_64__)

// Of the first processor in /proc/cpuinfo; empty where an emulator shows another machine's.
std::set<std::string> FlagsOfTheKernel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("flags", 0) != 0) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    std::set<std::string> flags;
    for (std::string word; words >> word;) flags.insert(word);
    return flags;
  }
  return {};
}

TEST(Cpu, LevelsAreThoseThatTheKernelLists) {
  const std::set<std::string> flags = FlagsOfTheKernel();
  if (flags.empty()) GTEST_SKIP() << "/proc/cpuinfo has no flags";
  const auto all = [&flags](const char* words) {
    std::istringstream each(words);
    for (std::string word; each >> word;) {
      if (flags.count(word) == 0) return false;
    }
    return true;
  };
  const CpuWord cpu = DetectCpu();
  CpuWord expected = 0;
  using namespace octet::isa;
#define OCTET_LEVEL(code, Name, NAME, word, Family, parents, boards, detection)        \
  if ((expected & (parents)) == (parents) && all(detection)) expected |= 1u << (code); \
  EXPECT_TRUE(IsaFamily::Family == IsaFamily::kX86 || (code) == 0 || !CpuHas(cpu, code)) << #word;
#include "runtime/core/isa.inc"
#undef OCTET_LEVEL
  // The kernel may refuse the tiles still.
  const CpuWord tiles = 1u << OCTET_ISA_AMX;
  const CpuWord levels = cpu & ~(kCpuShaInstructions | kCpuAvx512Vbmi);
  EXPECT_EQ(levels & ~tiles, expected & ~tiles);
  EXPECT_EQ(levels & tiles & ~expected, 0u);
  EXPECT_EQ((cpu & kCpuShaInstructions) != 0, all("sha_ni ssse3 sse4_1"));
  EXPECT_EQ((cpu & kCpuAvx512Vbmi) != 0,
            CpuHas(expected, OCTET_ISA_AVX512VNNI) && all("avx512vbmi"));
}

#endif

TEST(Cpu, TheBestLevelIsTheHighestBuiltOfThoseThere) {
  EXPECT_EQ(BestIsa(0), OCTET_ISA_REFERENCE);
  CpuWord word = 0;
  octet_isa best = OCTET_ISA_REFERENCE;
  for (const octet_isa isa : kIsasLowestFirst) {
    EXPECT_FALSE(CanRun(word, isa));
    word |= 1u << isa;
    EXPECT_EQ(CanRun(word, isa), octet_isa_built(isa) != 0);
    octet_isa alone = OCTET_ISA_REFERENCE;
    if (octet_isa_built(isa) != 0) alone = best = isa;
    EXPECT_EQ(BestIsa(word), best);
    ASSERT_FALSE(RunnableIsas(word).empty()) << "the reference is built";
    EXPECT_EQ(RunnableIsas(word).back(), best);
    EXPECT_EQ(BestIsa(1u << isa), alone);
  }
  for (const CpuWord levels : {CpuWord{0}, word}) {
    EXPECT_EQ(VerifyMode(levels), OCTET_VERIFY_PORTABLE);
    EXPECT_EQ(VerifyMode(levels | kCpuShaInstructions), OCTET_VERIFY_SHA_INSTRUCTIONS);
    EXPECT_EQ(Features(levels), 0u);
    EXPECT_EQ(Features(levels | kCpuAvx512Vbmi), OCTET_CPU_AVX512_VBMI);
  }
}

}  // namespace
}  // namespace octet::port
