#include "ports/linux/cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__) || defined(__arm__)
#include <sys/auxv.h>
#endif

namespace octet::port {
namespace {

constexpr CpuWord Bit(octet_isa isa) {
  return 1u << isa;
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

CpuWord Detect() {
  const Registers leaf1 = Cpuid(1, 0), leaf7 = Cpuid(7, 0), leaf7_1 = Cpuid(7, 1);
  CpuWord word = Bit(OCTET_ISA_REFERENCE);
  const bool sse41 = (leaf1.ecx >> 19 & 1) != 0, ssse3 = (leaf1.ecx >> 9 & 1) != 0;
  if (sse41 && ssse3 && (leaf7.ebx >> 29 & 1) != 0) word |= kCpuShaInstructions;
  const bool osxsave = (leaf1.ecx >> 27 & 1) != 0;
  const uint64_t state = osxsave ? SavedState() : 0;
  constexpr uint64_t kYmm = 0x6;          // SSE and AVX state
  constexpr uint64_t kZmm = kYmm | 0xE0;  // masks and the two parts of the ZMM registers
  constexpr uint64_t kTiles = 3u << 17;   // configuration and data
  // FMA, F16C, AVX; AVX2, BMI1, BMI2.
  const bool avx2 = All(state, kYmm) && All(leaf1.ecx, 1u << 12 | 1u << 29 | 1u << 28) &&
                    All(leaf7.ebx, 1u << 5 | 1u << 3 | 1u << 8);
  if (!avx2) return word;
  word |= Bit(OCTET_ISA_AVX2);
  if ((leaf7_1.eax >> 4 & 1) != 0) word |= Bit(OCTET_ISA_AVXVNNI);
  // F, DQ, BW, VL; VNNI.
  const bool avx512 = All(state, kZmm) &&
                      All(leaf7.ebx, 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31) &&
                      (leaf7.ecx >> 11 & 1) != 0;
  if (!avx512) return word;
  word |= Bit(OCTET_ISA_AVX512VNNI);
  const bool vbmi = (leaf7.ecx >> 1 & 1) != 0;
  if (vbmi) word |= kCpuAvx512Vbmi;
  // AMX-TILE, AMX-INT8; AVX512-VBMI. The level includes the AVX-VNNI kernels.
  const bool amx = CpuHas(word, OCTET_ISA_AVXVNNI) && All(state, kTiles) &&
                   All(leaf7.edx, 1u << 24 | 1u << 25) && vbmi;
  if (amx && TilesGranted()) word |= Bit(OCTET_ISA_AMX);
  return word;
}

#elif defined(__aarch64__)

// <asm/hwcap.h> of the running kernel, by value: old cross headers lack the later names.
CpuWord Detect() {
  const unsigned long caps = getauxval(AT_HWCAP), caps2 = getauxval(AT_HWCAP2);
  CpuWord word = Bit(OCTET_ISA_REFERENCE);
  if ((caps >> 1 & 1) != 0) word |= Bit(OCTET_ISA_NEON);
  if ((caps >> 6 & 1) != 0) word |= kCpuShaInstructions;
  // SDOT; FP16 arithmetic, which every core with the first has brought.
  if ((caps >> 20 & 1) != 0 && (caps >> 10 & 1) != 0) {
    word |= Bit(OCTET_ISA_DOTPROD);
    if ((caps2 >> 13 & 1) != 0) word |= Bit(OCTET_ISA_I8MM);
  }
  return word;
}

#elif defined(__arm__)

CpuWord Detect() {
  const unsigned long caps = getauxval(AT_HWCAP);
  // ARMv7-A has the instructions of cm4.
  CpuWord word = Bit(OCTET_ISA_REFERENCE) | Bit(OCTET_ISA_CM4);
  // NEON and VFPv4.
  if ((caps >> 12 & 1) != 0 && (caps >> 16 & 1) != 0) word |= Bit(OCTET_ISA_NEON);
  return word;
}

#else

CpuWord Detect() {
  return Bit(OCTET_ISA_REFERENCE);
}

#endif

}  // namespace

CpuWord DetectCpu() {
  return Detect();
}

bool CanRun(CpuWord cpu, octet_isa isa) {
  return octet_isa_built(isa) != 0 && CpuHas(cpu, isa);
}

octet_isa BestIsa(CpuWord cpu) {
  octet_isa best = OCTET_ISA_REFERENCE;
  for (const octet_isa isa : kIsasLowestFirst) {
    if (CanRun(cpu, isa)) best = isa;
  }
  return best;
}

std::vector<octet_isa> RunnableIsas(CpuWord cpu) {
  std::vector<octet_isa> runnable;
  for (const octet_isa isa : kIsasLowestFirst) {
    if (CanRun(cpu, isa)) runnable.push_back(isa);
  }
  return runnable;
}

uint32_t VerifyMode(CpuWord cpu) {
  return (cpu & kCpuShaInstructions) != 0 ? OCTET_VERIFY_SHA_INSTRUCTIONS : OCTET_VERIFY_PORTABLE;
}

uint32_t Features(CpuWord cpu) {
  return (cpu & kCpuAvx512Vbmi) != 0 ? OCTET_CPU_AVX512_VBMI : 0;
}

}  // namespace octet::port
