// Random models through the converter and the runtime: int8 bytes alike on every instruction set,
// values close to FP32. random_networks runs other seeds.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "tests/converter/lower/check_random_graph.h"
#include "tests/converter/lower/random_graph.h"

namespace octet::test {
namespace {

// Under sanitizers a graph takes ten times as long; the native build runs the others.
#ifdef OCTET_SANITIZED
constexpr uint64_t kGraphs = 250, kGraphsOfFamilies = 120, kGraphsOfAttention = 40,
                   kRecurrentGraphs = 40;
#else
constexpr uint64_t kGraphs = 1000, kGraphsOfFamilies = 500, kGraphsOfAttention = 200,
                   kRecurrentGraphs = 200;
#endif
constexpr int kShards = 10;

class RandomGraphs : public testing::TestWithParam<int> {};

TEST_P(RandomGraphs, SameBitsEverywhereAndCloseToFp32) {
  for (const auto& [first, count] :
       {std::pair{uint64_t{0}, kGraphs}, std::pair{RandomGraph::kFamilySeeds, kGraphsOfFamilies},
        std::pair{RandomGraph::kAxisSeeds, kGraphsOfFamilies},
        std::pair{RandomGraph::kAttentionSeeds, kGraphsOfAttention},
        std::pair{RandomGraph::kRecurrentSeeds, kRecurrentGraphs}}) {
    for (uint64_t i = 1; i <= count; ++i) {
      if (i % kShards != static_cast<uint64_t>(GetParam())) continue;
      const GraphReport report = CheckRandomGraph(first + i);
      SCOPED_TRACE("seed " + std::to_string(first + i) + ": " + report.description);
      for (const std::string& line : report.differences) ADD_FAILURE() << line;
      for (const std::string& line : report.distant) ADD_FAILURE() << line;
    }
  }
}

// Further seeds that showed an error: depthwise layers padded by more than their window, so by a
// layer of its own, whose inputs have scales by channel; crops of all of a tensor to its own size.
TEST(RandomGraph, FoundOnce) {
  for (const uint64_t seed :
       {uint64_t{12876}, uint64_t{43521}, uint64_t{43566}, uint64_t{7955}, uint64_t{4294972759}}) {
    const GraphReport report = CheckRandomGraph(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + report.description);
    EXPECT_TRUE(report.differences.empty());
    for (const std::string& line : report.distant) ADD_FAILURE() << line;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphs, testing::Range(0, kShards));

// On both sides of each bound: 1 step of what FP32 gives, 8 of what the plan gives.
TEST(LimitCycle, IsUpToEightStepsOfAStateThatHasDecayed) {
  const float below_one = 0.999f / 127, above_one = 1.001f / 127;
  const float below_eight = 7.999f / 127, above_eight = 8.001f / 127;
  EXPECT_TRUE(IsLimitCycle({0, -below_one}, {-below_eight, below_eight}));
  EXPECT_FALSE(IsLimitCycle({0, -above_one}, {0, 0}));
  EXPECT_FALSE(IsLimitCycle({0, above_one}, {0, 0}));
  EXPECT_FALSE(IsLimitCycle({0, 0}, {0, above_eight}));
  EXPECT_FALSE(IsLimitCycle({0, 0}, {-above_eight, 0}));
  EXPECT_FALSE(IsLimitCycle({0, 0}, {0, NAN}));
}

}  // namespace
}  // namespace octet::test
