#include "ports/linux/cpu.h"

#include <algorithm>
#include <string>

#include "runtime/core/isa.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__) || defined(__arm__)
#include <sys/auxv.h>
#endif

namespace octet::port {
namespace {

// What the machine has, in the words of core/isa.inc, a space before and behind each.
using Words = std::string;

[[maybe_unused]] void AddIf(bool has, const char* word, Words* words) {
  if (has) *words += std::string(word) + " ";
}

#if defined(__x86_64__)

struct Registers {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers Cpuid(uint32_t leaf, uint32_t subleaf) {
  Registers r;
  __get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx);
  return r;
}

// XCR0: which register state the operating system saves.
uint64_t SavedState() {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t{high} << 32) | low;
}

// The kernel grants the 8 KiB of tile registers only on request, for all threads of the process. It
// refuses if the signal stack of a thread is too small to save them.
bool TilesGranted() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM of <asm/prctl.h>
  constexpr long kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

constexpr bool All(uint64_t word, uint64_t bits) {
  return (word & bits) == bits;
}

Words FindWords() {
  const Registers leaf1 = Cpuid(1, 0), leaf7 = Cpuid(7, 0), leaf7_1 = Cpuid(7, 1);
  const bool osxsave = (leaf1.ecx >> 27 & 1) != 0;
  const uint64_t state = osxsave ? SavedState() : 0;
  constexpr uint64_t kYmm = 0x6;          // SSE and AVX state
  constexpr uint64_t kZmm = kYmm | 0xE0;  // masks and the two parts of the ZMM registers
  constexpr uint64_t kTiles = 3u << 17;   // configuration and data
  struct Flag {
    const char* word;
    uint32_t value, bit;
    uint64_t state;  // the registers that it uses
  };
  const Flag flags[] = {
      {"ssse3", leaf1.ecx, 9, 0},           {"fma", leaf1.ecx, 12, kYmm},
      {"sse4_1", leaf1.ecx, 19, 0},         {"avx", leaf1.ecx, 28, kYmm},
      {"f16c", leaf1.ecx, 29, kYmm},        {"bmi1", leaf7.ebx, 3, 0},
      {"avx2", leaf7.ebx, 5, kYmm},         {"bmi2", leaf7.ebx, 8, 0},
      {"avx512f", leaf7.ebx, 16, kZmm},     {"avx512dq", leaf7.ebx, 17, kZmm},
      {"sha_ni", leaf7.ebx, 29, 0},         {"avx512bw", leaf7.ebx, 30, kZmm},
      {"avx512vl", leaf7.ebx, 31, kZmm},    {"avx512vbmi", leaf7.ecx, 1, kZmm},
      {"avx512_vnni", leaf7.ecx, 11, kZmm}, {"avx_vnni", leaf7_1.eax, 4, kYmm},
      {"amx_int8", leaf7.edx, 25, kTiles},
  };
  Words words = " ";
  for (const Flag& flag : flags) {
    AddIf((flag.value >> flag.bit & 1) != 0 && All(state, flag.state), flag.word, &words);
  }
  const bool tiles = (leaf7.edx >> 24 & 1) != 0 && All(state, kTiles);
  AddIf(tiles && TilesGranted(), "amx_tile", &words);
  return words;
}

#elif defined(__aarch64__)

// <asm/hwcap.h> of the running kernel, by value: old cross headers lack the later names.
Words FindWords() {
  const unsigned long caps = getauxval(AT_HWCAP), caps2 = getauxval(AT_HWCAP2);
  Words words = " ";
  AddIf((caps >> 1 & 1) != 0, "neon", &words);
  AddIf((caps >> 6 & 1) != 0, "sha2", &words);
  AddIf((caps >> 10 & 1) != 0, "asimdhp", &words);
  AddIf((caps >> 20 & 1) != 0, "asimddp", &words);
  AddIf((caps2 >> 13 & 1) != 0, "i8mm", &words);
  return words;
}

#elif defined(__arm__)

Words FindWords() {
  const unsigned long caps = getauxval(AT_HWCAP);
  Words words = " edsp ";  // part of ARMv7-A
  // NEON and VFPv4.
  AddIf((caps >> 12 & 1) != 0 && (caps >> 16 & 1) != 0, "neon", &words);
  return words;
}

#else

Words FindWords() {
  return " ";
}

#endif

// wanted: joined by single spaces. No stream of the standard library: liboctet.so would carry its
// locales, and need a newer glibc.
bool HasAll(const Words& words, const std::string& wanted) {
  for (size_t at = 0; at < wanted.size();) {
    const size_t end = std::min(wanted.find(' ', at), wanted.size());
    if (words.find(" " + wanted.substr(at, end - at) + " ") == std::string::npos) return false;
    at = end + 1;
  }
  return true;
}

}  // namespace

CpuWord DetectCpu() {
  const Words words = FindWords();
  CpuWord cpu = 0;
  // Parents first.
  const auto add = [&](octet_isa isa, uint32_t parents, const char* detection) {
    if ((cpu & parents) == parents && HasAll(words, detection)) cpu |= 1u << isa;
  };
  using namespace octet::isa;
#define OCTET_LEVEL(code, Name, NAME, word, Family, parents, boards, detection) \
  add(code, parents, detection);
#include "runtime/core/isa.inc"
#undef OCTET_LEVEL
  if (HasAll(words, "sha_ni ssse3 sse4_1") || HasAll(words, "sha2")) {
    cpu |= kCpuShaInstructions;
  }
  if (HasAll(words, "avx512vbmi") && CpuHas(cpu, OCTET_ISA_AVX512VNNI)) cpu |= kCpuAvx512Vbmi;
  return cpu;
}

bool CanRun(CpuWord cpu, octet_isa isa) {
  return octet_isa_built(isa) != 0 && CpuHas(cpu, isa);
}

std::vector<octet_isa> RunnableIsas(CpuWord cpu) {
  std::vector<octet_isa> runnable;
  for (const octet_isa isa : kIsasLowestFirst) {
    if (CanRun(cpu, isa)) runnable.push_back(isa);
  }
  return runnable;
}

octet_isa BestIsa(CpuWord cpu) {
  octet_isa best = OCTET_ISA_REFERENCE;
  for (const octet_isa isa : RunnableIsas(cpu)) best = isa;
  return best;
}

std::string RunnableWords(CpuWord cpu, const char* separator) {
  std::string words;
  for (const octet_isa isa : RunnableIsas(cpu)) {
    words += (words.empty() ? "" : separator) + std::string(octet_isa_name(isa));
  }
  return words;
}

uint32_t VerifyMode(CpuWord cpu) {
  return (cpu & kCpuShaInstructions) != 0 ? OCTET_VERIFY_SHA_INSTRUCTIONS : OCTET_VERIFY_PORTABLE;
}

uint32_t Features(CpuWord cpu) {
  return (cpu & kCpuAvx512Vbmi) != 0 ? OCTET_CPU_AVX512_VBMI : 0;
}

}  // namespace octet::port
