// A program with a selection (octet_select_operators): what it has works, the rest is refused.
#include <gtest/gtest.h>

#include "octet/guard.h"
#include "octet/octet.h"
#include "octet/temporal.h"
#include "runtime/kernels/conv/scratch.h"
#include "runtime/kernels/depthwise_conv/scratch.h"
#include "tests/support/mixed_blob.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

octet_code ArenaCode(octet_isa level, uint32_t plan_mask) {
  const Blob blob = MakeConvBlob({});
  size_t bytes = 0;
  return octet_arena_bytes(blob.data(), blob.size(), level, 1, plan_mask, &bytes).code;
}

TEST(Selection, RunsItsOperator) {
  const Blob blob = MakeConvBlob({});
  TestSession session(blob, {});
  ASSERT_EQ(session.status().code, OCTET_OK);
  EXPECT_EQ(octet_run(session.get()).code, OCTET_OK);
  session.ExpectGuardsIntact();
}

TEST(Selection, RefusesOtherOperators) {
  const Blob blob = MakeMixedBlob();
  EXPECT_EQ(TestSession(blob, {}).status().code, OCTET_OPERATOR_UNAVAILABLE);
}

// Of a level without its functions, no size of scratch is known.
TEST(Selection, RefusesOtherLevels) {
  EXPECT_EQ(ArenaCode(OCTET_ISA_REFERENCE, 0), OCTET_OK);
  for (const octet_isa level : {OCTET_ISA_AVX2, OCTET_ISA_NEON, OCTET_ISA_HELIUM}) {
    EXPECT_EQ(ArenaCode(level, 0), OCTET_ISA_UNAVAILABLE) << level;
  }
}

// A blob without filters may be bound with them.
TEST(Selection, RefusesOtherFeatures) {
  EXPECT_EQ(ArenaCode(OCTET_ISA_REFERENCE, OCTET_WITH_TEMPORAL), OCTET_OK);
  EXPECT_EQ(ArenaCode(OCTET_ISA_REFERENCE, OCTET_WITH_GUARD), OCTET_OPERATOR_UNAVAILABLE);
  EXPECT_EQ(ArenaCode(OCTET_ISA_REFERENCE, OCTET_WITH_TEMPORAL | OCTET_WITH_GUARD),
            OCTET_OPERATOR_UNAVAILABLE);
}

TEST(Selection, HasScratchOfWhatItHas) {
  EXPECT_NE(ConvBytesOf(Isa::kReference, true), nullptr);
  EXPECT_EQ(ConvBytesOf(Isa::kReference, false), nullptr);
  EXPECT_EQ(DepthwiseBytesOf(Isa::kReference, true), nullptr);
}

}  // namespace
}  // namespace octet::test
