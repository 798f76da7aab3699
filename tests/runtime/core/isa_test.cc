#include "runtime/core/isa.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <map>

namespace octet {
namespace {

TEST(Isa, EveryLevelIncludesTheReferenceAndItself) {
  for (uint32_t i = 0; i < kIsaCount; ++i) {
    EXPECT_TRUE(IsaIncludes(static_cast<Isa>(i), Isa::kReference)) << i;
    EXPECT_TRUE(IsaIncludes(static_cast<Isa>(i), static_cast<Isa>(i))) << i;
  }
}

constexpr uint32_t Levels(std::initializer_list<Isa> levels) {
  uint32_t mask = 0;
  for (const Isa level : levels) mask |= isa::Bit(level);
  return mask;
}

// Written out here, not taken from the parents of isa.inc.
TEST(Isa, ALevelIncludesItsFamilyBelowIt) {
  constexpr Isa kRef = Isa::kReference;
  const std::map<Isa, uint32_t> wanted = {
      {kRef, Levels({kRef})},
      {Isa::kAvx2, Levels({kRef, Isa::kAvx2})},
      {Isa::kAvxVnni, Levels({kRef, Isa::kAvx2, Isa::kAvxVnni})},
      // Its machines may lack the VEX encoding.
      {Isa::kAvx512Vnni, Levels({kRef, Isa::kAvx2, Isa::kAvx512Vnni})},
      {Isa::kAmx, Levels({kRef, Isa::kAvx2, Isa::kAvxVnni, Isa::kAvx512Vnni, Isa::kAmx})},
      {Isa::kNeon, Levels({kRef, Isa::kNeon})},
      {Isa::kDotprod, Levels({kRef, Isa::kNeon, Isa::kDotprod})},
      {Isa::kI8mm, Levels({kRef, Isa::kNeon, Isa::kDotprod, Isa::kI8mm})},
      // Cortex-M has no NEON, whatever the numbers of the levels say.
      {Isa::kCm4, Levels({kRef, Isa::kCm4})},
      {Isa::kHelium, Levels({kRef, Isa::kCm4, Isa::kHelium})},
  };
  for (const auto& [level, included] : wanted) {
    EXPECT_EQ(isa::IncludedIn(level), included) << static_cast<int>(level);
  }
}

TEST(Isa, NoLevelIncludesOneOfAnotherFamily) {
  for (const isa::Line& level : isa::kLines) {
    for (const isa::Line& kernel : isa::kLines) {
      if (level.family == kernel.family || kernel.isa == Isa::kReference) continue;
      EXPECT_FALSE(IsaIncludes(level.isa, kernel.isa)) << static_cast<int>(level.isa);
    }
    EXPECT_EQ(IsaSignByte(level.isa), level.family == IsaFamily::kX86 ? 0x80 : 0);
    EXPECT_EQ(IsaFeatures(level.isa), IsaIncludes(level.isa, Isa::kAmx) ? kFeatureAvx512Vbmi : 0);
  }
}

TEST(Isa, OnlyX86KeepsUnsignedBytes) {
  EXPECT_EQ(IsaSignByte(Isa::kAmx), 0x80);
  EXPECT_EQ(IsaSignByte(Isa::kI8mm), 0);
  EXPECT_EQ(IsaSignByte(Isa::kCm4), 0);
  EXPECT_EQ(IsaSignByte(Isa::kHelium), 0);
}

}  // namespace
}  // namespace octet
