// octet/track.h: what begins, goes on and ends.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "octet/track.hpp"
#include "tests/support/copies.h"

namespace octet::test {
namespace {

constexpr uint64_t kFrameUs = 33333;

octet_box BoxAt(int32_t x, int32_t y, double score = 0.9, uint32_t label = 0) {
  return {x * 256,
          y * 256,
          (x + 40) * 256,
          (y + 100) * 256,
          static_cast<uint32_t>(score * OCTET_TRACKS_ONE),
          label};
}

class Tracks : public testing::Test {
 protected:
  void Start(uint32_t capacity, const octet_tracks_config* config = nullptr) {
    octet_tracks_config defaults;
    octet_tracks_defaults(&defaults);
    memory_.assign((octet_tracks_bytes(capacity) + 7) / 8, 0xAAAAAAAAAAAAAAAAu);
    ASSERT_EQ(octet_tracks_init(memory_.data(), octet_tracks_bytes(capacity), capacity,
                                config == nullptr ? &defaults : config, &tracks_)
                  .code,
              OCTET_OK);
    list_.resize(capacity);
    time_us_ = 0;
  }
  void StartOcSort(uint32_t capacity) {
    octet_tracks_config config;
    octet_tracks_defaults(&config);
    config.method = OCTET_TRACKS_OC_SORT;
    Start(capacity, &config);
  }
  // The tracks of a frame.
  std::vector<octet_track> Frame(const std::vector<octet_box>& boxes, uint64_t gap_us = kFrameUs) {
    uint32_t count = 0;
    time_us_ += gap_us;
    EXPECT_EQ(
        octet_tracks_frame(tracks_, time_us_, boxes.data(), static_cast<uint32_t>(boxes.size()),
                           list_.data(), static_cast<uint32_t>(list_.size()), &count)
            .code,
        OCTET_OK);
    return {list_.begin(), list_.begin() + count};
  }
  octet_tracks_info Info() const {
    octet_tracks_info info;
    EXPECT_EQ(octet_tracks_describe(tracks_, &info).code, OCTET_OK);
    return info;
  }
  Copies<octet_tracks> Copied() const {
    return {tracks_, Info().snapshot_bytes, octet_tracks_get, octet_tracks_set};
  }

  std::vector<uint64_t> memory_;
  octet_tracks* tracks_ = nullptr;
  std::vector<octet_track> list_;
  uint64_t time_us_ = 0;
};

TEST_F(Tracks, ATrackOfTheFirstFrameIsShownAtOnceALaterOneInItsSecondFrame) {
  Start(8);
  auto seen = Frame({BoxAt(100, 100)});
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].id, 1u);
  EXPECT_EQ(seen[0].box, 0u);
  seen = Frame({BoxAt(400, 100), BoxAt(102, 100)});
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].box, 1u);
  seen = Frame({BoxAt(400, 100), BoxAt(104, 100)});
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].id, 1u);
  EXPECT_EQ(seen[1].id, 2u);
  EXPECT_EQ(seen[1].begun_us, 2 * kFrameUs);
}

TEST_F(Tracks, AWeakBoxKeepsATrackAndBeginsNone) {
  Start(8);
  Frame({BoxAt(100, 100)});
  auto seen = Frame({BoxAt(101, 100, 0.3), BoxAt(400, 100, 0.3)});
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].state, OCTET_TRACK_SEEN);
  seen = Frame({BoxAt(102, 100, 0.05), BoxAt(400, 100, 0.65)});
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].state, OCTET_TRACK_LOST);
  EXPECT_EQ(Info().begun, 1u);
}

TEST_F(Tracks, ALostTrackIsFoundWithinTheBufferWhereItsVelocityTookIt) {
  Start(8);
  for (int f = 0; f < 20; ++f) Frame({BoxAt(100 + 6 * f, 100)});
  for (int f = 20; f < 45; ++f) {
    const auto lost = Frame({});
    ASSERT_EQ(lost.size(), 1u);
    EXPECT_EQ(lost[0].state, OCTET_TRACK_LOST);
    EXPECT_EQ(lost[0].box, OCTET_TRACKS_NO_BOX);
  }
  const auto found = Frame({BoxAt(100 + 6 * 45, 100)});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, 1u);
  EXPECT_EQ(found[0].state, OCTET_TRACK_SEEN);
}

TEST_F(Tracks, TheBufferIsATimeAndNotACountOfFrames) {
  for (const uint64_t fps : {5u, 15u, 30u, 60u}) {
    Start(8);
    Frame({BoxAt(100, 100)}, 1000000 / fps);
    uint64_t lost_us = 0;
    while (!Frame({}, 1000000 / fps).empty()) lost_us += 1000000 / fps;
    EXPECT_LE(lost_us, 1000000u) << fps;
    EXPECT_GT(lost_us + 1000000 / fps, 1000000u - 30) << fps;
  }
}

TEST_F(Tracks, AllEndAfterAGapLongerThanTwiceTheBuffer) {
  Start(8);
  Frame({BoxAt(100, 100)});
  EXPECT_EQ(Frame({BoxAt(100, 100)}, 2000000).size(), 1u);
  EXPECT_EQ(Frame({BoxAt(100, 100)}, 2000001).size(), 0u);
  const auto seen = Frame({BoxAt(100, 100)});
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].id, 2u);
}

TEST_F(Tracks, LabelsAreApartUnlessTheConfigurationSaysTogether) {
  octet_tracks_config config;
  octet_tracks_defaults(&config);
  for (const octet_tracks_classes classes : {OCTET_TRACKS_APART, OCTET_TRACKS_TOGETHER}) {
    config.classes = classes;
    Start(8, &config);
    Frame({BoxAt(100, 100, 0.9, 2)});
    const auto seen = Frame({BoxAt(100, 100, 0.9, 7)});
    ASSERT_EQ(seen.size(), 1u);
    const bool together = classes == OCTET_TRACKS_TOGETHER;
    EXPECT_EQ(seen[0].state, together ? OCTET_TRACK_SEEN : OCTET_TRACK_LOST);
    EXPECT_EQ(seen[0].label, together ? 7u : 2u);
  }
}

TEST_F(Tracks, FullTracksEndTheLostOnesFirstAndRefuseTheRest) {
  Start(3);
  Frame({BoxAt(100, 100), BoxAt(300, 100), BoxAt(500, 100)});
  Frame({BoxAt(100, 100), BoxAt(300, 100)});
  Frame({BoxAt(100, 100), BoxAt(300, 100), BoxAt(900, 100)});  // in the place of the third
  EXPECT_EQ(Info().refused, 0u);
  EXPECT_EQ(Info().begun, 4u);
  const auto seen = Frame({BoxAt(100, 100), BoxAt(300, 100), BoxAt(900, 100)});
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[2].id, 4u);
  Frame({BoxAt(500, 500), BoxAt(700, 500), BoxAt(900, 500)});  // all three were lost just now
  EXPECT_EQ(Info().begun, 7u);
  EXPECT_EQ(Info().refused, 0u);
}

TEST_F(Tracks, OfTooManyBoxesTheBestCount) {
  Start(4);
  std::vector<octet_box> boxes;
  for (int i = 0; i < 3000; ++i) boxes.push_back(BoxAt(100 * i % 9000, 100 + i, 0.2));
  for (int i = 0; i < 4; ++i) boxes.push_back(BoxAt(100 + 200 * i, 400, 0.9));
  const auto seen = Frame(boxes);
  ASSERT_EQ(seen.size(), 4u);
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(seen[i].box, 3000 + i);
  EXPECT_EQ(Info().left_out, 3000u);
  // Of equal scores the first ones.
  Start(4);
  const auto equal = Frame(std::vector<octet_box>(100, BoxAt(100, 100)));
  ASSERT_EQ(equal.size(), 4u);
  EXPECT_EQ(equal[3].box, 3u);
}

TEST_F(Tracks, EmptyBoxesAreIgnored) {
  Start(4);
  EXPECT_TRUE(Frame({{0, 0, 0, 0, 65536, 0},
                     {100, 100, 50, 200, 65536, 0},
                     {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN, UINT32_MAX, 0},
                     {INT32_MAX - 1, 0, INT32_MAX, 100, 65536, 0}})
                  .empty());
  const octet_box all = {INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX, UINT32_MAX, UINT32_MAX};
  const auto seen = Frame({all});
  EXPECT_TRUE(seen.empty());
  EXPECT_EQ(Frame({all}).size(), 1u);
}

TEST_F(Tracks, AClockThatGoesBackIsNoTime) {
  Start(4);
  Frame({BoxAt(100, 100)}, 5000000);
  time_us_ = 0;
  const auto seen = Frame({BoxAt(100, 100)}, 1000);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].id, 1u);
  EXPECT_EQ(seen[0].seen_us, 5000000u);
}

TEST_F(Tracks, ResetEndsTracksAndKeepsIds) {
  Start(4);
  Frame({BoxAt(100, 100)});
  octet_tracks_reset(tracks_);
  const auto seen = Frame({BoxAt(100, 100)});
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].id, 2u);
}

TEST_F(Tracks, OcSortKeepsATrackThatWasSeenOnceAndShowsItWhenItIsSeenAgain) {
  StartOcSort(8);
  Frame({});
  EXPECT_TRUE(Frame({BoxAt(100, 100, 0.65)}).empty());  // above `high`: `new` is not used
  EXPECT_TRUE(Frame({}).empty());
  const auto seen = Frame({BoxAt(104, 100)});
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].id, 1u);
  EXPECT_EQ(seen[0].begun_us, 2 * kFrameUs);
}

TEST_F(Tracks, OcSortFindsATrackThatStoppedWhereItWasSeenLast) {
  for (const bool oc_sort : {false, true}) {
    oc_sort ? StartOcSort(8) : Start(8);
    for (int f = 0; f < 20; ++f) Frame({BoxAt(100 + 12 * f, 100)});
    for (int f = 0; f < 15; ++f) Frame({});
    const auto seen = Frame({BoxAt(100 + 12 * 20, 100)});
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0].state, oc_sort ? OCTET_TRACK_SEEN : OCTET_TRACK_LOST);
    EXPECT_EQ(Info().begun, oc_sort ? 1u : 2u);
  }
}

TEST_F(Tracks, OcSortGivesALostTrackItsPredictedBox) {
  StartOcSort(8);
  for (int f = 0; f < 20; ++f) Frame({BoxAt(100 + 6 * f, 100)});
  for (int f = 20; f < 30; ++f) {
    const auto lost = Frame({});
    ASSERT_EQ(lost.size(), 1u);
    EXPECT_EQ(lost[0].state, OCTET_TRACK_LOST);
    EXPECT_NEAR(lost[0].x0 / 256.0, 100 + 6 * f, 3);
  }
  EXPECT_EQ(Frame({BoxAt(100 + 6 * 30, 100)})[0].state, OCTET_TRACK_SEEN);
}

// Of two boxes at the side of a track's prediction the one behind overlaps more.
TEST_F(Tracks, OcSortPrefersABoxInTheDirectionOfATrack) {
  octet_tracks_config config;
  octet_tracks_defaults(&config);
  config.method = OCTET_TRACKS_OC_SORT;
  const uint32_t published = config.inertia;
  for (const uint32_t inertia : {0u, published}) {
    config.inertia = inertia;
    Start(8, &config);
    for (int f = 0; f < 20; ++f) Frame({BoxAt(100 + 2 * f, 100)});
    const auto seen = Frame({BoxAt(140 - 9, 100), BoxAt(140 + 10, 100)});
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0].box, inertia == 0 ? 0u : 1u);
  }
}

TEST_F(Tracks, OcSortEndsATrackAfterTheBufferAsByteTrackDoes) {
  StartOcSort(8);
  Frame({BoxAt(100, 100)});
  uint64_t lost_us = 0;
  while (!Frame({}).empty()) lost_us += kFrameUs;
  EXPECT_LE(lost_us, 1000000u);
  EXPECT_GT(lost_us + kFrameUs, 1000000u - 30);
}

TEST_F(Tracks, OcSortEndsTheLongestUnseenWhenAllAreInUse) {
  StartOcSort(2);
  Frame({});
  Frame({BoxAt(100, 100)});  // unconfirmed, and not seen again
  Frame({BoxAt(500, 100)});
  Frame({BoxAt(900, 100)});
  EXPECT_EQ(Info().begun, 3u);
  EXPECT_EQ(Info().refused, 0u);
  const auto seen = Frame({BoxAt(500, 100), BoxAt(900, 100)});
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].id, 2u);
}

std::vector<octet_box> RandomBoxes(Random& random, uint32_t most) {
  std::vector<octet_box> boxes(random.Below(most + 1));
  for (octet_box& box : boxes) {
    // One after another: compilers choose the order of arguments.
    const int x = random.Between(0, 900), y = random.Between(0, 500);
    const double score = random.Between(0, 100) / 100.0;
    box = BoxAt(x, y, score, random.Below(2));
  }
  return boxes;
}

class EachMethod : public Tracks, public testing::WithParamInterface<octet_tracks_method> {
 protected:
  void Start(uint32_t capacity) {
    GetParam() == OCTET_TRACKS_OC_SORT ? StartOcSort(capacity) : Tracks::Start(capacity);
  }
};
INSTANTIATE_TEST_SUITE_P(Tracks, EachMethod,
                         testing::Values(OCTET_TRACKS_BYTE_TRACK, OCTET_TRACKS_OC_SORT));

TEST_P(EachMethod, ACopyGoesOnAsTheOriginal) {
  Start(24);
  Random random(5);
  for (int f = 0; f < 40; ++f) Frame(RandomBoxes(random, 30));
  const std::vector<uint8_t> copy = Copied().Copy();
  std::vector<std::vector<octet_box>> film;
  for (int f = 0; f < 40; ++f) film.push_back(RandomBoxes(random, 30));
  std::vector<uint8_t> ends[2];
  for (auto& end : ends) {
    const uint64_t before_us = time_us_;
    ASSERT_EQ(Copied().Set(copy), OCTET_OK);
    for (const auto& boxes : film) Frame(boxes);
    end = Copied().Copy();
    time_us_ = before_us;
  }
  EXPECT_EQ(ends[0], ends[1]);
  EXPECT_NE(ends[0], copy);
}

TEST_P(EachMethod, ADamagedCopyIsRefusedOrRuns) {
  Start(6);
  Random random(6);
  for (int f = 0; f < 20; ++f) Frame(RandomBoxes(random, 8));
  const uint32_t refused =
      Copied().RefusedOfDamaged(4000, random, [&](uint32_t) { Frame(RandomBoxes(random, 8)); });
  EXPECT_GT(refused, 400u);  // a tenth of either
  EXPECT_LT(refused, 3600u);
  std::vector<uint8_t> shorter = Copied().Copy();
  shorter.pop_back();
  EXPECT_EQ(Copied().Set(shorter), OCTET_INVALID_ARGUMENT);
}

TEST_P(EachMethod, NothingIsWrittenOutsideOfTheMemory) {
  for (const uint32_t capacity : {1u, 3u, 17u}) {
    Start(capacity);
    const size_t bytes = octet_tracks_bytes(capacity);
    std::vector<uint8_t> own(bytes + 64, 0x5C);
    octet_tracks_config config;
    octet_tracks_defaults(&config);
    config.method = GetParam();
    uint8_t* memory = own.data() + (8 - reinterpret_cast<uintptr_t>(own.data()) % 8) % 8;
    ASSERT_EQ(octet_tracks_init(memory, bytes, capacity, &config, &tracks_).code, OCTET_OK);
    Random random(capacity);
    for (int f = 0; f < 100; ++f) Frame(RandomBoxes(random, 40));
    for (const uint8_t* p = own.data(); p < memory; ++p) ASSERT_EQ(*p, 0x5C);
    for (const uint8_t* p = memory + bytes; p < own.data() + own.size(); ++p) ASSERT_EQ(*p, 0x5C);
  }
}

TEST(TracksCalls, MembersInCppAreTheSameCalls) {
  std::vector<uint64_t> memory(octet::Tracks::Bytes(4) / 8);
  octet::Tracks tracks;
  ASSERT_EQ(tracks.Init(memory.data(), memory.size() * 8, 4, octet::Tracks::Defaults()).code,
            OCTET_OK);
  const octet_box box = BoxAt(100, 100);
  octet_track list[4];
  uint32_t count = 0;
  ASSERT_EQ(tracks.Frame(0, &box, 1, list, 4, &count).code, OCTET_OK);
  EXPECT_EQ(count, 1u);
  octet_tracks_info info;
  ASSERT_EQ(tracks.Describe(&info).code, OCTET_OK);
  std::vector<uint8_t> copy(info.snapshot_bytes);
  EXPECT_EQ(tracks.Get(copy.data(), copy.size()).code, OCTET_OK);
  EXPECT_EQ(tracks.Set(copy.data(), copy.size()).code, OCTET_OK);
  tracks.Reset();
  ASSERT_EQ(tracks.Describe(&info).code, OCTET_OK);
  EXPECT_EQ(info.seen, 0u);
}

TEST(TracksCalls, RefuseWhatIsWrong) {
  octet_tracks_config config;
  octet_tracks_defaults(&config);
  EXPECT_EQ(octet_tracks_bytes(0), 0u);
  EXPECT_EQ(octet_tracks_bytes(OCTET_TRACKS_MOST + 1), 0u);
  std::vector<uint64_t> memory(octet_tracks_bytes(4) / 8);
  octet_tracks* tracks = nullptr;
  const auto init = [&](const octet_tracks_config& c, size_t bytes, size_t shift) {
    return octet_tracks_init(reinterpret_cast<uint8_t*>(memory.data()) + shift, bytes, 4, &c,
                             &tracks)
        .code;
  };
  const size_t bytes = octet_tracks_bytes(4);
  EXPECT_EQ(init(config, bytes, 0), OCTET_OK);
  EXPECT_EQ(init(config, bytes - 1, 0), OCTET_ARENA_TOO_SMALL);
  EXPECT_EQ(init(config, bytes, 4), OCTET_MISALIGNED);
  for (uint32_t octet_tracks_config::*field :
       {&octet_tracks_config::high, &octet_tracks_config::new_score, &octet_tracks_config::match,
        &octet_tracks_config::second, &octet_tracks_config::unconfirmed, &octet_tracks_config::iou,
        &octet_tracks_config::inertia}) {
    octet_tracks_config wrong = config;
    wrong.*field = OCTET_TRACKS_ONE + 1;
    EXPECT_EQ(init(wrong, bytes, 0), OCTET_INVALID_ARGUMENT);
  }
  octet_tracks_config wrong = config;
  wrong.low = config.high + 1;
  EXPECT_EQ(init(wrong, bytes, 0), OCTET_INVALID_ARGUMENT);
  wrong = config;
  wrong.buffer_ms = 10001;
  EXPECT_EQ(init(wrong, bytes, 0), OCTET_INVALID_ARGUMENT);
  wrong.buffer_ms = 0;
  EXPECT_EQ(init(wrong, bytes, 0), OCTET_INVALID_ARGUMENT);
  wrong = config;
  wrong.classes = 2;
  EXPECT_EQ(init(wrong, bytes, 0), OCTET_INVALID_ARGUMENT);
  wrong = config;
  wrong.method = 2;
  EXPECT_EQ(init(wrong, bytes, 0), OCTET_INVALID_ARGUMENT);
  octet_track list[3];
  uint32_t count;
  EXPECT_EQ(octet_tracks_frame(tracks, 0, nullptr, 0, list, 3, &count).code,
            OCTET_INVALID_ARGUMENT);
}

TEST(TracksCalls, BoxesOfDetectionsAreRoundedAndBounded) {
  const octet_detection detections[] = {{1.5f, -2.25f, 3.001f, 1e30f, 0.5f, 7},
                                        {NAN, INFINITY, -INFINITY, -1e9f, NAN, 1},
                                        {0, 0, 1, 1, 2.0f, 0}};
  octet_box boxes[3];
  octet_tracks_boxes(detections, 3, boxes);
  EXPECT_EQ(boxes[0].x0, 384);
  EXPECT_EQ(boxes[0].y0, -576);
  EXPECT_EQ(boxes[0].x1, 768);
  EXPECT_EQ(boxes[0].y1, 1 << 24);
  EXPECT_EQ(boxes[0].score, 32768u);
  EXPECT_EQ(boxes[0].label, 7u);
  EXPECT_EQ(boxes[1].x0, 0);
  EXPECT_EQ(boxes[1].y0, 0);
  EXPECT_EQ(boxes[1].y1, -(1 << 24));
  EXPECT_EQ(boxes[1].score, 0u);
  EXPECT_EQ(boxes[2].score, OCTET_TRACKS_ONE);
}

}  // namespace
}  // namespace octet::test
