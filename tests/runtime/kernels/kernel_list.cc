#include "tests/runtime/kernels/kernel_list.h"

#include "ports/linux/cpu.h"

#if defined(__aarch64__) || defined(__arm__)
#include <sys/auxv.h>
#endif

namespace octet::kernels_test {

std::vector<Kernel> KernelsOf(const std::string& slot) {
  const std::vector<Kernel> all = {
#define OCTET_FEATURE_KERNEL(name, args, word, isa, features) \
  {#name, #word, isa, reinterpret_cast<void (*)()>(&name##_##word), features},
#define OCTET_KERNEL(name, args, word, isa) OCTET_FEATURE_KERNEL(name, args, word, isa, 0)
#include "runtime/kernels/kernels.inc"
#undef OCTET_KERNEL
  };
  std::vector<Kernel> kernels;
  for (const Kernel& kernel : all) {
    if (kernel.slot == slot) kernels.push_back(kernel);
  }
  return kernels;
}

std::vector<ConvPanel> ConvPanelsOf(const std::string& slot) {
  const std::vector<ConvPanel> all = {
#define OCTET_CONV_PANEL(precision, word, isa, rows, blocks)                       \
  {{"conv_" #precision, #word "_" #rows "x" #blocks, isa,                          \
    reinterpret_cast<void (*)()>(&conv_##precision##_##word##_##rows##x##blocks)}, \
   rows,                                                                           \
   blocks},
#include "runtime/kernels/conv/kernels.inc"
#undef OCTET_CONV_PANEL
  };
  std::vector<ConvPanel> panels;
  for (const ConvPanel& panel : all) {
    if (panel.slot == slot) panels.push_back(panel);
  }
  return panels;
}

std::vector<Kernel> WinogradKernels() {
  return {
#define OCTET_CONV_WINOGRAD(word, isa) \
  {"conv_s8", #word "_winograd", isa, reinterpret_cast<void (*)()>(&conv_s8_##word##_winograd)},
#include "runtime/kernels/conv/kernels.inc"
#undef OCTET_CONV_WINOGRAD
  };
}

bool CpuHas(Isa isa) {
  if (isa == Isa::kReference) return true;
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (isa == Isa::kAvx2) return avx2;
  // Clang has no word for these two; tiles are asked of the operating system as well.
  if (isa == Isa::kAvxVnni) return port::CpuHas(port::DetectCpu(), OCTET_ISA_AVXVNNI);
  if (isa == Isa::kAvx512Vnni) {
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vnni");
  }
  if (isa == Isa::kAmx) return port::CpuHas(port::DetectCpu(), OCTET_ISA_AMX);
#elif defined(__aarch64__)
  constexpr unsigned long kAsimdDp = 1ul << 20, kI8mm2 = 1ul << 13;  // HWCAP, HWCAP2 of Linux
  if (isa == Isa::kNeon) return true;
  if (isa == Isa::kDotprod) return (getauxval(AT_HWCAP) & kAsimdDp) != 0;
  if (isa == Isa::kI8mm) {
    return (getauxval(AT_HWCAP) & kAsimdDp) != 0 && (getauxval(AT_HWCAP2) & kI8mm2) != 0;
  }
#elif defined(__arm__)
  if (isa == Isa::kCm4) return true;  // part of ARMv7-A
  constexpr unsigned long kNeonBit = 1ul << 12, kVfpV4 = 1ul << 16;
  if (isa == Isa::kNeon) {
    return (getauxval(AT_HWCAP) & kNeonBit) != 0 && (getauxval(AT_HWCAP) & kVfpV4) != 0;
  }
#endif
  return false;
}

bool CpuHas(const Kernel& kernel) {
  return CpuHas(kernel.isa) && (kernel.features & ~port::Features(port::DetectCpu())) == 0;
}

}  // namespace octet::kernels_test
