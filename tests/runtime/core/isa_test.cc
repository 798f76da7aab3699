#include "runtime/core/isa.h"

#include <gtest/gtest.h>

namespace octet {
namespace {

TEST(Isa, EveryLevelIncludesTheReferenceAndItself) {
  for (uint32_t i = 0; i < kIsaCount; ++i) {
    EXPECT_TRUE(IsaIncludes(static_cast<Isa>(i), Isa::kReference)) << i;
    EXPECT_TRUE(IsaIncludes(static_cast<Isa>(i), static_cast<Isa>(i))) << i;
  }
}

TEST(Isa, FamiliesStayApart) {
  for (const Isa x86 : {Isa::kAvx2, Isa::kAvxVnni, Isa::kAvx512Vnni, Isa::kAmx}) {
    for (const Isa other : {Isa::kNeon, Isa::kDotprod, Isa::kI8mm, Isa::kCm4, Isa::kHelium}) {
      EXPECT_FALSE(IsaIncludes(x86, other));
      EXPECT_FALSE(IsaIncludes(other, x86));
    }
  }
  // Cortex-M has no NEON, whatever the numbers of the levels say.
  for (const Isa neon : {Isa::kNeon, Isa::kDotprod, Isa::kI8mm}) {
    EXPECT_FALSE(IsaIncludes(Isa::kCm4, neon));
    EXPECT_FALSE(IsaIncludes(neon, Isa::kCm4));
    EXPECT_FALSE(IsaIncludes(Isa::kHelium, neon));
    EXPECT_FALSE(IsaIncludes(neon, Isa::kHelium));
  }
  EXPECT_TRUE(IsaIncludes(Isa::kHelium, Isa::kCm4));
  EXPECT_FALSE(IsaIncludes(Isa::kCm4, Isa::kHelium));
  EXPECT_TRUE(IsaIncludes(Isa::kI8mm, Isa::kNeon));
  EXPECT_FALSE(IsaIncludes(Isa::kNeon, Isa::kDotprod));
  EXPECT_FALSE(IsaIncludes(Isa::kAvx512Vnni, Isa::kAvxVnni));
}

TEST(Isa, OnlyX86KeepsUnsignedBytes) {
  EXPECT_EQ(IsaSignByte(Isa::kAmx), 0x80);
  EXPECT_EQ(IsaSignByte(Isa::kI8mm), 0);
  EXPECT_EQ(IsaSignByte(Isa::kCm4), 0);
  EXPECT_EQ(IsaSignByte(Isa::kHelium), 0);
}

}  // namespace
}  // namespace octet
