#include <gtest/gtest.h>

#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

#if OCTET_ARCH_X86
TEST(KernelTable, TakesAFeatureKernelOnlyWhereTheMachineHasTheFeature) {
  const auto fill = [](Isa level, uint32_t features) {
    KernelTable table = {};
    EXPECT_TRUE(FillKernelTable(level, features, &table));
    return table;
  };
  EXPECT_EQ(fill(Isa::kAvx512Vnni, 0).table_s8, table_s8_avx512vnni);
  EXPECT_EQ(fill(Isa::kAvx512Vnni, 0).channel_table_s8, channel_table_s8_avx512vnni);
  EXPECT_EQ(fill(Isa::kAvx512Vnni, kFeatureAvx512Vbmi).table_s8, table_s8_avx512vbmi);
  EXPECT_EQ(fill(Isa::kAvx512Vnni, kFeatureAvx512Vbmi).channel_table_s8,
            channel_table_s8_avx512vbmi);
  EXPECT_EQ(fill(Isa::kAmx, 0).table_s8, table_s8_avx512vbmi) << "every machine with AMX has it";
  EXPECT_EQ(fill(Isa::kAvxVnni, kFeatureAvx512Vbmi).table_s8, table_s8_avx2)
      << "a level below stays what it is";
}
#endif

}  // namespace
}  // namespace octet
