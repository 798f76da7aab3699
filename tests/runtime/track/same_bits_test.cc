// 10,000 frames of tracks and events: one hash on every machine. tests/ports/cortex_m runs the same
// film without an operating system.
#include <gtest/gtest.h>

#include <memory>

#include "tests/runtime/track/film.h"

namespace octet::film {
namespace {

TEST(TracksAndZones, HaveTheSameBitsOnEveryMachine) {
  const auto memory = std::make_unique<Memory>();
  for (const octet_tracks_method method : kMethods) {
    Result result;
    ASSERT_TRUE(RunFilm(method, kFrames, memory.get(), &result));
    EXPECT_STREQ(result.digest, kDigests[method]);
    EXPECT_GT(result.tracks, 500u);
    EXPECT_GT(result.events, 1000u);
  }
}

}  // namespace
}  // namespace octet::film
