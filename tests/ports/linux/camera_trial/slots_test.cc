// Which model of a store runs, and when a trial ends.
#include "tests/ports/linux/camera_trial/slots_fixture.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <limits>

namespace octet::test {
namespace {

namespace fs = std::filesystem;
using port::SlotStore;

TEST_F(Slots, ATrialIsCountedOnce) {
  Install(1);
  Flash(2, OCTET_SLOT_B);
  Start();
  EXPECT_TRUE(slots_->WaitsForFrame());
  EXPECT_EQ(Info().attempts, 0u);
  slots_->Choose();
  slots_->Choose();
  EXPECT_EQ(Info().attempts, 1u);
  EXPECT_FALSE(slots_->WaitsForFrame());
  EXPECT_EQ(Word(), ",\"slot\":\"b\"");
  EXPECT_EQ(News(), "slot B, on trial, boot 1");
  EXPECT_EQ(News(), "");
}

TEST_F(Slots, WithoutATrialTheModelIsChosenAtOnce) {
  Install(1);
  Start();
  EXPECT_FALSE(slots_->WaitsForFrame());
  EXPECT_EQ(Word(), ",\"slot\":\"a\"");
  EXPECT_EQ(News(), "slot A");
}

TEST_F(Slots, SoManyGoodFramesConfirm) {
  Install(1);
  Flash(2, OCTET_SLOT_B);
  Start(3);
  slots_->Choose();
  Load();
  RunTimes(2);
  Turn();
  EXPECT_EQ(Info().pending, OCTET_SLOT_B);
  Run();
  EXPECT_FALSE(Turn());
  EXPECT_TRUE(HasSaid("slot B is confirmed"));
  EXPECT_EQ(Info().active, OCTET_SLOT_B);
  // No trial is left to count bad frames of.
  RunTimes(20, {.calm = false});
  EXPECT_FALSE(Turn());
  EXPECT_EQ(Info().active, OCTET_SLOT_B);
  slots_->Finish(true);
  EXPECT_EQ(News(), "");
  EXPECT_FALSE(slots_->Failed("it stopped")) << "a confirmed model is not left";
}

// Each of what makes a frame good is missing alone.
TEST_F(Slots, FiveBadFramesInARowRollBack) {
  port::Results infinite;
  infinite.task = OCTET_TASK_CLASSIFY;
  infinite.count = 1;
  infinite.classes[0].score = std::numeric_limits<float>::infinity();
  int number = 1;
  Install(number);
  Start(100);
  Load();
  const struct {
    Frame frame;
    const port::Results* results;
  } cases[] = {{{.calm = false}, nullptr}, {{}, &infinite}};
  for (const auto& bad : cases) {
    Flash(++number, OCTET_SLOT_B);
    ASSERT_TRUE(Turn());
    Load();
    for (int i = 0; i < 4; ++i) Run(bad.frame, bad.results);
    Run();  // not in a row
    for (int i = 0; i < 4; ++i) Run(bad.frame, bad.results);
    EXPECT_FALSE(Turn());
    EXPECT_EQ(Info().pending, OCTET_SLOT_B);
    Run(bad.frame, bad.results);
    EXPECT_FALSE(Turn());
    EXPECT_TRUE(HasSaid("slot B is rolled back: bad frames"));
    EXPECT_EQ(Info().last_refusal, OCTET_SLOTS_FRAMES);
    ASSERT_TRUE(Turn()) << "the model before";
    EXPECT_EQ(Word(), ",\"slot\":\"a\"");
    Load();
  }
}

// Good frames of one camera do not hide bad ones of another.
TEST_F(Slots, BadFramesInARowAreThoseOfOneCamera) {
  for (const char* name : {"a", "b", "c"}) shared_.metrics.AddCamera(name);
  Install(1);
  Flash(2, OCTET_SLOT_B);
  Start(100);
  slots_->Choose();
  Load();
  EXPECT_TRUE(shared_.on_trial);
  for (int i = 0; i < 4; ++i) {
    Run({.calm = false, .camera = 1});
    Run({.camera = 0});
  }
  EXPECT_FALSE(Turn());
  EXPECT_EQ(Info().pending, OCTET_SLOT_B);
  Run({.calm = false, .camera = 1});
  EXPECT_FALSE(Turn());
  EXPECT_EQ(Info().last_refusal, OCTET_SLOTS_FRAMES);
  ASSERT_TRUE(Turn()) << "the model before";
  Load();
  EXPECT_FALSE(shared_.on_trial);
}

// Frames of all count together: a camera that is away is not waited for.
TEST_F(Slots, GoodFramesOfAllCamerasConfirm) {
  for (const char* name : {"a", "b", "c"}) shared_.metrics.AddCamera(name);
  Install(1);
  Flash(2, OCTET_SLOT_B);
  Start(6);
  slots_->Choose();
  Load();
  for (int i = 0; i < 3; ++i) Run({.camera = 0});
  Turn();
  EXPECT_EQ(Info().pending, OCTET_SLOT_B);
  for (int i = 0; i < 3; ++i) Run({.camera = 2});
  Turn();
  EXPECT_EQ(Info().pending, OCTET_SLOT_NONE);
  EXPECT_FALSE(shared_.on_trial);
}

TEST_F(Slots, AStuckGuardRollsBackAtOnce) {
  Install(1);
  Flash(2, OCTET_SLOT_B);
  Start(100);
  slots_->Choose();
  Load();
  Run({.stuck = true});
  Run({.calm = false});  // another verdict does not replace the first
  EXPECT_FALSE(Turn());
  EXPECT_EQ(Info().last_refusal, OCTET_SLOTS_GUARD);
  EXPECT_TRUE(Turn());
}

// The guard's word comes while a confirmation waits for the lock: the model goes.
TEST_F(Slots, AVerdictCanTurnWhileItIsNotWritten) {
  Install(1);
  Flash(2, OCTET_SLOT_B);
  Start(1);
  slots_->Choose();
  Load();
  WriteText("store/board", "me\nno such rule\n");
  Run();
  Turn();
  EXPECT_EQ(Info().pending, OCTET_SLOT_B) << "no call works with such a file";
  Run({.stuck = true});
  fs::remove(Path("store/board"));
  now_ += 100 * kSlotSecond;
  EXPECT_FALSE(Turn());
  EXPECT_EQ(Info().pending, OCTET_SLOT_NONE);
  EXPECT_EQ(Info().active, OCTET_SLOT_A);
  EXPECT_EQ(Info().last_refusal, OCTET_SLOTS_GUARD);
}

// After a second, then twice as long; said once.
TEST_F(Slots, WhatFailsIsTriedAgainLater) {
  Install(1);
  Flash(2, OCTET_SLOT_B);
  Start(1);
  slots_->Choose();
  Load();
  WriteText("store/board", "me\nno such rule\n");
  Run();
  EXPECT_FALSE(Turn());
  EXPECT_TRUE(HasSaid("no such rule"));
  now_ += kSlotSecond;
  slots_->Follow(now_);
  shared_.storage.Wait(kSlotPatience);
  slots_->Follow(now_);
  EXPECT_FALSE(HasSaid("no such rule"));
  fs::remove(Path("store/board"));
  // Due again two seconds after the second failure.
  for (const uint64_t early : {uint64_t{0}, 2 * kSlotSecond - 1}) {
    slots_->Follow(now_ + early);
    EXPECT_TRUE(shared_.storage.Wait(kSlotPatience));
    slots_->Follow(now_ + early);
    EXPECT_EQ(Info().pending, OCTET_SLOT_B) << early;
  }
  slots_->Follow(now_ + 2 * kSlotSecond);
  EXPECT_TRUE(shared_.storage.Wait(kSlotPatience));
  slots_->Follow(now_ + 2 * kSlotSecond);
  EXPECT_TRUE(HasSaid("slot B is confirmed"));
}

TEST_F(Slots, TheStoreIsLookedAtOnceASecond) {
  Install(1);
  Start();
  Load();
  News();
  EXPECT_FALSE(Turn());
  Flash(2, OCTET_SLOT_B);
  const auto look_at = [&](uint64_t time) {
    if (slots_->Follow(time)) return true;
    EXPECT_TRUE(shared_.storage.Wait(kSlotPatience));
    return slots_->Follow(time);
  };
  EXPECT_FALSE(look_at(now_ + kSlotSecond - 1));
  EXPECT_TRUE(look_at(now_ + kSlotSecond));
  EXPECT_EQ(Word(), ",\"slot\":\"b\"");
}

TEST_F(Slots, AStoreThatHangsIsSaidOnce) {
  Install(1);
  Start();
  Load();
  News();
  std::promise<void> disk;
  shared_.storage.Post([wait = disk.get_future().share()] { wait.wait(); });
  EXPECT_FALSE(slots_->Follow(now_));
  EXPECT_FALSE(slots_->Follow(now_ + 10 * kSlotSecond));
  EXPECT_EQ(News(), "");
  EXPECT_FALSE(slots_->Follow(now_ + 10 * kSlotSecond + 1));
  EXPECT_TRUE(HasSaid("does not answer"));
  EXPECT_FALSE(slots_->Follow(now_ + 30 * kSlotSecond));
  EXPECT_EQ(News(), "");
  disk.set_value();
  EXPECT_TRUE(shared_.storage.Wait(kSlotPatience));
  EXPECT_FALSE(slots_->Follow(now_ += 31 * kSlotSecond));
  EXPECT_TRUE(HasSaid("answers again"));
  EXPECT_FALSE(Turn());
  EXPECT_EQ(News(), "");
}

// Each try fails with the same words, and what was said before it is no reason to say them again.
TEST_F(Slots, AConfirmationThatFailsIsSaidOnce) {
  Install(1);
  Flash(2, OCTET_SLOT_B);
  Start();
  slots_->Choose();
  Load();
  RunTimes(3);
  std::ofstream(Path("store/key.pub")) << "no key\n";
  int said = 0;
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(Turn());
    const std::string news = News();
    said += news.empty() ? 0 : 1;
    EXPECT_EQ(Run(), "");
  }
  EXPECT_EQ(said, 1);
  std::filesystem::remove(Path("store/key.pub"));
  for (int i = 0; i < 3; ++i) {
    now_ += 100 * kSlotSecond;
    EXPECT_FALSE(Turn());
  }
  EXPECT_EQ(News(), "slot B is confirmed");
  EXPECT_EQ(Info().active, OCTET_SLOT_B);
}

// Its verdict is of another model, and that one's trial goes on.
TEST_F(Slots, ATrialThatBeginsWhileAnotherVerdictWaits) {
  Install(1);
  Flash(2, OCTET_SLOT_B);
  Start(2);
  slots_->Choose();
  Load();
  slots_->Follow(now_);
  shared_.storage.Wait(kSlotPatience);
  slots_->Follow(now_);
  std::promise<void> disk;
  shared_.storage.Post([wait = disk.get_future().share()] { wait.wait(); });
  slots_->Follow(now_ + kSlotSecond);  // a look that waits
  ASSERT_TRUE(SlotStore(Store(), {}).RollBack(OCTET_SLOTS_ASKED));
  Flash(3, OCTET_SLOT_B);  // in its place
  RunTimes(2);
  disk.set_value();
  ASSERT_TRUE(shared_.storage.Wait(kSlotPatience));
  ASSERT_TRUE(slots_->Follow(now_ + kSlotSecond));
  Load();
  now_ += 2 * kSlotSecond;
  Turn();  // what was decided of the model that is gone
  EXPECT_EQ(Info().pending, OCTET_SLOT_B);
  RunTimes(2);
  Turn();
  EXPECT_EQ(Info().active, OCTET_SLOT_B) << "its own two frames";
}

TEST_F(Slots, WhatSomebodyConfirmedIsNotOnTrial) {
  Install(1);
  Flash(2, OCTET_SLOT_B);
  Start(100);
  slots_->Choose();
  Load();
  Run();
  ASSERT_TRUE(SlotStore(Store(), {}).Confirm());
  EXPECT_FALSE(Turn());
  News();
  RunTimes(20, {.calm = false});
  EXPECT_FALSE(Turn());
  EXPECT_EQ(Info().active, OCTET_SLOT_B);
  slots_->Finish(true);
  EXPECT_EQ(News(), "");
  EXPECT_FALSE(slots_->Failed("it stopped"));
}

// There is nothing to go back to: its frames are counted anew.
TEST_F(Slots, AFirstModelIsTriedAnew) {
  Flash(1, OCTET_SLOT_A);
  Start(2);
  slots_->Choose();
  EXPECT_EQ(Load().find("not compared"), std::string::npos);
  RunTimes(5, {.calm = false});
  EXPECT_FALSE(Turn());
  EXPECT_TRUE(HasSaid("no earlier model"));
  RunTimes(1);
  Turn();
  EXPECT_EQ(Info().pending, OCTET_SLOT_A);
  RunTimes(1);
  Turn();
  EXPECT_EQ(Info().active, OCTET_SLOT_A);
}

// The model cannot be loaded.
TEST_F(Slots, AModelThatStopsIsLeft) {
  Install(1);
  Flash(2, OCTET_SLOT_B);
  Start();
  slots_->Choose();
  EXPECT_TRUE(slots_->Failed("it takes no pictures"));
  EXPECT_EQ(Word(), ",\"slot\":\"a\"");
  EXPECT_TRUE(HasSaid("slot B is rolled back: it takes no pictures"));
  EXPECT_EQ(Info().last_refusal, OCTET_SLOTS_FRAMES);
  EXPECT_FALSE(slots_->Failed("it stopped")) << "what is confirmed stays";
}

TEST_F(Slots, AFirstModelThatStopsIsTheEnd) {
  Flash(1, OCTET_SLOT_A);
  Start();
  slots_->Choose();
  EXPECT_FALSE(slots_->Failed("it takes no pictures"));
  EXPECT_EQ(Info().pending, OCTET_SLOT_A);
}

TEST_F(Slots, AModelThatStopsIsLeftWithoutARecordToo) {
  Install(1);
  Flash(2, OCTET_SLOT_B);
  Start(2, 2);
  slots_->Choose();
  const int other = open(Store().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  EXPECT_TRUE(slots_->Failed("it takes no pictures"));
  EXPECT_EQ(Word(), ",\"slot\":\"a\"");
  EXPECT_TRUE(HasSaid("cannot be recorded yet"));
  EXPECT_EQ(Info().pending, OCTET_SLOT_B);
  Load();
  flock(other, LOCK_UN);
  close(other);
  now_ = port::NowNs() + 100 * kSlotSecond;
  EXPECT_FALSE(Turn());
  EXPECT_EQ(Info().pending, OCTET_SLOT_NONE);
  EXPECT_EQ(Info().last_refusal, OCTET_SLOTS_FRAMES);
}

TEST_F(Slots, ACleanEndTakesTheBootBack) {
  Install(1);
  Flash(2, OCTET_SLOT_B);
  for (const bool clean : {false, true}) {
    Start(3);
    slots_->Choose();
    Load();
    RunTimes(2);
    News();
    const uint32_t attempts = Info().attempts;
    slots_->Finish(clean);
    EXPECT_EQ(Info().attempts, attempts - (clean ? 1 : 0));
    EXPECT_EQ(HasSaid("stays on trial: the program ends after 2 of 3 good frames"), clean);
    slots_->Unload();
    model_.reset();
  }
}

// The end comes before the errand.
TEST_F(Slots, AVerdictIsWrittenAtTheEnd) {
  Install(1);
  for (const bool good : {false, true}) {
    for (const bool clean : {false, true}) {
      const octet_slot free = Info().active == OCTET_SLOT_A ? OCTET_SLOT_B : OCTET_SLOT_A;
      Flash(good ? 3 : 2, free);
      Start(1);
      slots_->Choose();
      Load();
      Run({.stuck = !good});
      News();
      slots_->Finish(clean);
      EXPECT_EQ(News(), "");
      EXPECT_EQ(Info().pending, OCTET_SLOT_NONE);
      EXPECT_EQ(Info().active == free, good);
      slots_->Unload();
      model_.reset();
    }
  }
}

TEST_F(Slots, WhatIsConfirmedEndsWithoutAWord) {
  Install(1);
  Start();
  Load();
  Run();
  News();
  const uint32_t sequence = Info().sequence;
  slots_->Finish(true);
  EXPECT_EQ(News(), "");
  EXPECT_EQ(Info().sequence, sequence);
}

// ---- A trial against the model before.

TEST(IsSane, OnlyWhatWasFoundCounts) {
  port::Results results;
  EXPECT_TRUE(port::IsSane(results));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const octet_task task : {OCTET_TASK_DETECT, OCTET_TASK_CLASSIFY}) {
    results.task = task;
    results.boxes = {{0, 0, 1, 1, 0.5f, 0}, {0, 0, 1, 1, nan, 0}};
    results.classes[0].score = 0.5f;
    results.classes[1].score = nan;
    results.count = 1;
    EXPECT_TRUE(port::IsSane(results));
    results.count = 2;
    EXPECT_FALSE(port::IsSane(results));
  }
}

}  // namespace
}  // namespace octet::test
