#include "tests/runtime/kernels/kernel_list.h"

#include "ports/linux/cpu.h"

namespace octet::kernels_test {

std::vector<Kernel> KernelsOf(const std::string& name) {
  const std::vector<Kernel> all = {
#define OCTET_FEATURE_KERNEL(name, args, word, isa, features) \
  {#name, #word, isa, reinterpret_cast<void (*)()>(&name##_##word), features},
#define OCTET_KERNEL(name, args, word, isa) OCTET_FEATURE_KERNEL(name, args, word, isa, 0)
#include "runtime/kernels/kernels.inc"
#undef OCTET_KERNEL
  };
  std::vector<Kernel> kernels;
  for (const Kernel& kernel : all) {
    if (kernel.name == name) kernels.push_back(kernel);
  }
  return kernels;
}

std::vector<ConvPanel> ConvPanelsOf(const std::string& name) {
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
    if (panel.name == name) panels.push_back(panel);
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
  return port::CpuHas(port::DetectCpu(), static_cast<octet_isa>(isa));
}

bool CpuHas(const Kernel& kernel) {
  return CpuHas(kernel.isa) && (kernel.features & ~port::Features(port::DetectCpu())) == 0;
}

}  // namespace octet::kernels_test
