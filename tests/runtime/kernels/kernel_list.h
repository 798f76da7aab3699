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
  std::string slot;  // "conv_s8"
  std::string word;  // "avx2"
  Isa isa;
  void (*function)();  // of the slot's type; call through As<>

  template <typename Function>
  Function As() const {
    return reinterpret_cast<Function>(function);
  }
};

// GoogleTest prints parameters with this.
inline std::ostream& operator<<(std::ostream& out, const Kernel& kernel) {
  return out << kernel.slot << '_' << kernel.word;
}

std::vector<Kernel> KernelsOf(const std::string& slot);

// True where this CPU executes the level.
bool CpuHas(Isa isa);

}  // namespace octet::kernels_test

// One test suite a slot, one instance a word; a word this CPU lacks is one skipped line.
#define OCTET_KERNEL_SUITE(Suite, slot)                                                   \
  class Suite : public ::testing::TestWithParam<Kernel> {                                 \
   protected:                                                                             \
    void SetUp() override {                                                               \
      if (!CpuHas(GetParam().isa)) GTEST_SKIP() << "this CPU has no " << GetParam().word; \
    }                                                                                     \
  };                                                                                      \
  INSTANTIATE_TEST_SUITE_P(                                                               \
      Words, Suite, ::testing::ValuesIn(KernelsOf(slot)),                                 \
      [](const ::testing::TestParamInfo<Kernel>& info) { return info.param.word; })

#endif  // OCTET_TESTS_RUNTIME_KERNELS_KERNEL_LIST_H_
