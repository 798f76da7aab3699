// What is detected is what the kernel lists, and the best level is the highest that can run.
#include "ports/linux/cpu.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "octet/octet.h"

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
  const auto all = [&flags](std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (flags.count(name) == 0) return false;
    }
    return true;
  };
  const CpuWord word = DetectCpu();
  const bool avx2 = all({"avx", "avx2", "fma", "f16c", "bmi1", "bmi2"});
  const bool avx512 = avx2 && all({"avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512_vnni"});
  EXPECT_TRUE(CpuHas(word, OCTET_ISA_REFERENCE));
  EXPECT_EQ(CpuHas(word, OCTET_ISA_AVX2), avx2);
  EXPECT_EQ(CpuHas(word, OCTET_ISA_AVXVNNI), avx2 && all({"avx_vnni"}));
  EXPECT_EQ(CpuHas(word, OCTET_ISA_AVX512VNNI), avx512);
  EXPECT_EQ((word & kCpuShaInstructions) != 0, all({"sha_ni", "ssse3", "sse4_1"}));
  EXPECT_EQ((word & kCpuAvx512Vbmi) != 0, avx512 && all({"avx512vbmi"}));
  // The kernel may refuse the tiles still.
  if (CpuHas(word, OCTET_ISA_AMX)) {
    EXPECT_TRUE(avx512 && all({"amx_tile", "amx_int8", "avx_vnni", "avx512vbmi"}));
  }
  for (const octet_isa isa : {OCTET_ISA_CM4, OCTET_ISA_NEON, OCTET_ISA_DOTPROD, OCTET_ISA_I8MM}) {
    EXPECT_FALSE(CpuHas(word, isa)) << octet_isa_name(isa);
  }
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
