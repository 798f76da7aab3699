// Every kernel of every instruction set in this build, from the same kernels.inc that fills the
// dispatch table: a kernel that is declared is tested.
#ifndef OCTET_TESTS_RUNTIME_KERNELS_KERNEL_LIST_H_
#define OCTET_TESTS_RUNTIME_KERNELS_KERNEL_LIST_H_

#include <ostream>
#include <string>
#include <vector>

#include "runtime/kernels/kernel_table.h"

namespace octet::kernels_test {

struct Kernel {
  std::string name;  // "conv_s8"
  std::string word;  // "avx2"
  Isa isa;
  void (*function)();  // of the entry's type; call through As<>
  uint32_t features = 0;

  template <typename Function>
  Function As() const {
    return reinterpret_cast<Function>(function);
  }
};

// GoogleTest prints parameters with this.
inline std::ostream& operator<<(std::ostream& out, const Kernel& kernel) {
  return out << kernel.name << '_' << kernel.word;
}

std::vector<Kernel> KernelsOf(const std::string& name);

// A convolution by panels of at most so many blocks of outputs; word "avx2_10x1".
struct ConvPanel : Kernel {
  uint32_t rows, blocks;
};

// From conv/kernels.inc; name "conv_s8" or "conv_f16".
std::vector<ConvPanel> ConvPanelsOf(const std::string& name);

// From conv/kernels.inc.
std::vector<Kernel> WinogradKernels();

// True where this CPU executes the level, or what the kernel was written for.
bool CpuHas(Isa isa);
bool CpuHas(const Kernel& kernel);

}  // namespace octet::kernels_test

// One test suite an entry of the table, one instance a word; a word this CPU lacks is one skipped
// line.
#define OCTET_KERNEL_SUITE(Suite, name) OCTET_SUITE_OF(Suite, Kernel, KernelsOf(name))
#define OCTET_SUITE_OF(Suite, Type, list)                                             \
  class Suite : public ::testing::TestWithParam<Type> {                               \
   protected:                                                                         \
    void SetUp() override {                                                           \
      if (!CpuHas(GetParam())) GTEST_SKIP() << "this CPU has no " << GetParam().word; \
    }                                                                                 \
  };                                                                                  \
  INSTANTIATE_TEST_SUITE_P(                                                           \
      Words, Suite, ::testing::ValuesIn(list),                                        \
      [](const ::testing::TestParamInfo<Type>& info) { return info.param.word; })

#endif  // OCTET_TESTS_RUNTIME_KERNELS_KERNEL_LIST_H_
