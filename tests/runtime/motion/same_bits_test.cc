// One hash on every machine. tests/ports/cortex_m runs the same film without an operating system.
#include <gtest/gtest.h>

#include <memory>

#include "tests/runtime/motion/small_film.h"

namespace octet::film {
namespace {

TEST(Motion, HasTheSameBitsOnEveryMachine) {
  const auto memory = std::make_unique<PixelMemory>();
  PixelResult result;
  ASSERT_TRUE(RunPixelFilm(kPixelFrames, memory.get(), &result));
  EXPECT_STREQ(result.digest, kPixelDigest);
  EXPECT_EQ(result.reasons[OCTET_MOTION_START], 1u);
  EXPECT_GT(result.reasons[OCTET_MOTION_CHANGE], 40u);
  EXPECT_GT(result.reasons[OCTET_MOTION_STILL], 100u);
  EXPECT_GE(result.reasons[OCTET_MOTION_ALL], 1u);
  EXPECT_GE(result.reasons[OCTET_MOTION_LONGEST], 1u);
}

}  // namespace
}  // namespace octet::film
