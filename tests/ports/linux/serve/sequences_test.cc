// States of sequences: they go on, begin anew, end, expire, and are bounded in number.
#include "ports/linux/serve/engine/sequences.h"

#include <gtest/gtest.h>

namespace octet::port::serve {
namespace {

using Begun = Sequences::Begun;
using States = std::vector<uint8_t>;

TEST(SequencesTest, GoOnUntilTheyEnd) {
  Sequences sequences;
  States states;
  EXPECT_EQ(sequences.Begin("a", false, 0, &states), Begun::kUnknown);
  EXPECT_EQ(sequences.Begin("a", true, 0, &states), Begun::kFirst);
  EXPECT_EQ(sequences.Begin("a", false, 0, &states), Begun::kBusy);
  sequences.Keep("a", 1, {1, 2});
  EXPECT_EQ(sequences.Begin("a", false, 2, &states), Begun::kGoesOn);
  EXPECT_EQ(states, (States{1, 2}));
  sequences.Keep("a", 3, {3});
  EXPECT_EQ(sequences.Begin("b", true, 3, &states), Begun::kFirst);
  EXPECT_EQ(sequences.Begin("a", true, 4, &states), Begun::kFirst);  // anew
  sequences.End("a");
  EXPECT_EQ(sequences.Begin("a", false, 5, &states), Begun::kUnknown);
  EXPECT_EQ(sequences.size(), 1u);
}

TEST(SequencesTest, ExpireUnlessTheyRun) {
  Sequences sequences;
  States states;
  sequences.Begin("idle", true, 0, &states);
  sequences.Keep("idle", 0, {1});
  sequences.Begin("runs", true, 0, &states);
  EXPECT_EQ(sequences.Begin("idle", false, Sequences::kPatienceNs, &states), Begun::kGoesOn);
  sequences.Keep("idle", 0, {1});
  EXPECT_EQ(sequences.Begin("idle", false, Sequences::kPatienceNs + 1, &states), Begun::kUnknown);
  EXPECT_EQ(sequences.Begin("runs", false, Sequences::kPatienceNs + 1, &states), Begun::kBusy);
  sequences.Keep("runs", 5, {1});
  sequences.Expire(5 + Sequences::kPatienceNs);
  EXPECT_EQ(sequences.size(), 1u);
  sequences.Expire(6 + Sequences::kPatienceNs);  // though nobody asks any more
  EXPECT_EQ(sequences.size(), 0u);
}

TEST(SequencesTest, AreBoundedInNumber) {
  Sequences sequences;
  States states;
  for (size_t i = 0; i < Sequences::kMost; ++i) {
    ASSERT_EQ(sequences.Begin(std::to_string(i), true, 0, &states), Begun::kFirst);
    sequences.Keep(std::to_string(i), 0, {});
  }
  EXPECT_EQ(sequences.Begin("more", true, 0, &states), Begun::kFull);
  EXPECT_EQ(sequences.Begin("7", true, 0, &states), Begun::kFirst);
  sequences.End("7");
  EXPECT_EQ(sequences.Begin("more", true, 0, &states), Begun::kFirst);
}

}  // namespace
}  // namespace octet::port::serve
