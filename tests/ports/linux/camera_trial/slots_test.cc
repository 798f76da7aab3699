// octet-camera --slots frame by frame: the test says what a frame brought and what time it is. The
// store is a folder, its thread is real, and each errand is waited for.
#include "ports/linux/camera/program/slots.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <future>
#include <limits>

#include "tests/ports/linux/slot/models.h"
#include "tests/support/mixed_blob.h"

namespace octet::test {
namespace {

namespace fs = std::filesystem;
using port::CameraSlots;
using port::SlotStore;

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kPatience = 60 * kSecond;

class Slots : public StoreFolder {
 protected:
  void SetUp() override {
    StoreFolder::SetUp();
    // Gray levels that rise, so that no box is like another.
    frame_.Resize(OCTET_PIXELS_RGB24, 4, 4);
    for (size_t i = 0; i < frame_.bytes.size(); ++i) frame_.bytes[i] = static_cast<uint8_t>(4 * i);
  }
  void TearDown() override {
    slots_.reset();
    model_.reset();
    StoreFolder::TearDown();
  }
  // All see boxes; each has its digest.
  static Blob Model(int number) { return MakeMixedBlob(static_cast<size_t>(64 * number)); }
  std::string Store() const { return Path("store"); }
  void Flash(int number, octet_slot expected) const {
    SlotStore store(Store(), {});
    ASSERT_TRUE(Stage(&store, Model(number)));
    ASSERT_TRUE(store.Activate());
    ASSERT_EQ(Info().pending, expected);
  }
  void Install(int number) const {
    SlotStore store(Store(), {});
    StoreFolder::Install(&store, Model(number));
  }
  octet_slots_info Info() const {
    octet_slots_info info{};
    port::StoreOptions options;
    options.board = "raspberry-pi-4";  // whatever the folder's file says
    SlotStore(Store(), options).Peek(&info);
    return info;
  }
  void Start(uint32_t confirm_after = 3, uint32_t frames = 0) {
    comparison_.frames = frames;
    port::StoreOptions options;
    options.lock_patience_ns = kSecond / 10;
    slots_.emplace(Store(), options, confirm_after, comparison_, shared_);
  }
  // Binds what is to run. What the camera says of it.
  std::string Load() {
    if (model_) slots_->Unload();
    model_.emplace(slots_->Path(), port::ModelOptions());
    slots_->Check(*model_);
    model_->Bind();
    reader_.emplace(*model_);
    port::BlobDescription description;
    slots_->Load({*model_, slots_->Path(), description});
    return slots_->News();
  }
  struct Frame {
    bool ran = true, calm = true, stuck = false;
  };
  // What the camera says behind it.
  std::string Run(Frame what = {true, true, false}, const port::Results* results = nullptr) {
    const octet_frame view = frame_.View();
    EXPECT_EQ(octet_set_input_frame(model_->session(), 0, &view).code, OCTET_OK);
    EXPECT_EQ(octet_run(model_->session()).code, OCTET_OK);
    slots_->AfterRun(model_->session());
    const port::Results& own = reader_->Read(model_->session(), 4, 4);
    port::Outcome outcome{.frame = frame_,
                          .results = results != nullptr ? *results : own,
                          .session = model_->session(),
                          .ran = what.ran,
                          .begun_ns = 0,
                          .done_ns = 0,
                          .processed = 0,
                          .dropped = 0,
                          .lines_dropped = 0,
                          .calm = what.calm,
                          .stuck = what.stuck};
    slots_->AfterFrame(outcome);
    return slots_->News();
  }
  void RunTimes(int times, Frame what = {true, true, false}) {
    for (int i = 0; i < times; ++i) Run(what);
  }
  // Hears of an errand that is left, sends the one that is due, waits for it and hears of it. True:
  // another model.
  bool Turn() {
    now_ += kSecond;
    EXPECT_TRUE(shared_.storage.Wait(kPatience));
    if (slots_->Follow(now_)) return true;
    EXPECT_TRUE(shared_.storage.Wait(kPatience));
    return slots_->Follow(now_);
  }
  bool HasSaid(const std::string& text) {
    const std::string news = slots_->News();
    return news.find(text) != std::string::npos;
  }
  std::string Word() {
    port::FrameReport report;
    slots_->AddFields(0, &report);
    return report.slot;
  }
  std::string Summary() {
    port::Line line(256);
    slots_->AddSummary(0, &line);
    return std::string(line.data(), line.length());
  }

  port::StopRequest stop_;
  port::Shared shared_{stop_, "/none", true, {}};
  port::ComparisonSettings comparison_;
  std::optional<CameraSlots> slots_;
  std::optional<port::Model> model_;
  std::optional<port::ResultReader> reader_;
  port::FrameBuffer frame_;
  uint64_t now_ = 1000 * kSecond;
};

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
  EXPECT_EQ(Word(), "b");
  EXPECT_STREQ(slots_->News(), "slot B, on trial, boot 1");
  EXPECT_STREQ(slots_->News(), "");
}

TEST_F(Slots, WithoutATrialTheModelIsChosenAtOnce) {
  Install(1);
  Start();
  EXPECT_FALSE(slots_->WaitsForFrame());
  EXPECT_EQ(Word(), "a");
  EXPECT_STREQ(slots_->News(), "slot A");
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
  RunTimes(20, {.ran = false});
  EXPECT_FALSE(Turn());
  EXPECT_EQ(Info().active, OCTET_SLOT_B);
  slots_->Finish(true);
  EXPECT_STREQ(slots_->News(), "");
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
  } cases[] = {{{.ran = false}, nullptr}, {{.calm = false}, nullptr}, {{}, &infinite}};
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
    EXPECT_EQ(Word(), "a");
    Load();
  }
}

TEST_F(Slots, AStuckGuardRollsBackAtOnce) {
  Install(1);
  Flash(2, OCTET_SLOT_B);
  Start(100);
  slots_->Choose();
  Load();
  Run({.stuck = true});
  Run({.ran = false});  // another verdict does not replace the first
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
  now_ += 100 * kSecond;
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
  now_ += kSecond;
  slots_->Follow(now_);
  shared_.storage.Wait(kPatience);
  slots_->Follow(now_);
  EXPECT_FALSE(HasSaid("no such rule"));
  fs::remove(Path("store/board"));
  // Due again two seconds after the second failure.
  for (const uint64_t early : {uint64_t{0}, 2 * kSecond - 1}) {
    slots_->Follow(now_ + early);
    EXPECT_TRUE(shared_.storage.Wait(kPatience));
    slots_->Follow(now_ + early);
    EXPECT_EQ(Info().pending, OCTET_SLOT_B) << early;
  }
  slots_->Follow(now_ + 2 * kSecond);
  EXPECT_TRUE(shared_.storage.Wait(kPatience));
  slots_->Follow(now_ + 2 * kSecond);
  EXPECT_TRUE(HasSaid("slot B is confirmed"));
}

TEST_F(Slots, TheStoreIsLookedAtOnceASecond) {
  Install(1);
  Start();
  Load();
  slots_->News();
  EXPECT_FALSE(Turn());
  Flash(2, OCTET_SLOT_B);
  const auto look_at = [&](uint64_t time) {
    if (slots_->Follow(time)) return true;
    EXPECT_TRUE(shared_.storage.Wait(kPatience));
    return slots_->Follow(time);
  };
  EXPECT_FALSE(look_at(now_ + kSecond - 1));
  EXPECT_TRUE(look_at(now_ + kSecond));
  EXPECT_EQ(Word(), "b");
}

TEST_F(Slots, AStoreThatHangsIsSaidOnce) {
  Install(1);
  Start();
  Load();
  slots_->News();
  std::promise<void> disk;
  shared_.storage.Post([wait = disk.get_future().share()] { wait.wait(); });
  EXPECT_FALSE(slots_->Follow(now_));
  EXPECT_FALSE(slots_->Follow(now_ + 10 * kSecond));
  EXPECT_STREQ(slots_->News(), "");
  EXPECT_FALSE(slots_->Follow(now_ + 10 * kSecond + 1));
  EXPECT_TRUE(HasSaid("does not answer"));
  EXPECT_FALSE(slots_->Follow(now_ + 30 * kSecond));
  EXPECT_STREQ(slots_->News(), "");
  disk.set_value();
  EXPECT_TRUE(shared_.storage.Wait(kPatience));
  EXPECT_FALSE(slots_->Follow(now_ += 31 * kSecond));
  EXPECT_TRUE(HasSaid("answers again"));
  EXPECT_FALSE(Turn());
  EXPECT_STREQ(slots_->News(), "");
}

// Its verdict is of another model, and that one's trial goes on.
TEST_F(Slots, ATrialThatBeginsWhileAnotherVerdictWaits) {
  Install(1);
  Flash(2, OCTET_SLOT_B);
  Start(2);
  slots_->Choose();
  Load();
  slots_->Follow(now_);
  shared_.storage.Wait(kPatience);
  slots_->Follow(now_);
  std::promise<void> disk;
  shared_.storage.Post([wait = disk.get_future().share()] { wait.wait(); });
  slots_->Follow(now_ + kSecond);  // a look that waits
  ASSERT_TRUE(SlotStore(Store(), {}).RollBack(OCTET_SLOTS_ASKED));
  Flash(3, OCTET_SLOT_B);  // in its place
  RunTimes(2);
  disk.set_value();
  ASSERT_TRUE(shared_.storage.Wait(kPatience));
  ASSERT_TRUE(slots_->Follow(now_ + kSecond));
  Load();
  now_ += 2 * kSecond;
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
  slots_->News();
  RunTimes(20, {.ran = false});
  EXPECT_FALSE(Turn());
  EXPECT_EQ(Info().active, OCTET_SLOT_B);
  slots_->Finish(true);
  EXPECT_STREQ(slots_->News(), "");
  EXPECT_FALSE(slots_->Failed("it stopped"));
}

// There is nothing to go back to: its frames are counted anew.
TEST_F(Slots, AFirstModelIsTriedAnew) {
  Flash(1, OCTET_SLOT_A);
  Start(2);
  slots_->Choose();
  EXPECT_EQ(Load().find("not compared"), std::string::npos);
  RunTimes(5, {.ran = false});
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
  EXPECT_EQ(Word(), "a");
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
  EXPECT_EQ(Word(), "a");
  EXPECT_TRUE(HasSaid("cannot be recorded yet"));
  EXPECT_EQ(Info().pending, OCTET_SLOT_B);
  Load();
  flock(other, LOCK_UN);
  close(other);
  now_ = port::NowNs() + 100 * kSecond;
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
    slots_->News();
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
      slots_->News();
      slots_->Finish(clean);
      EXPECT_STREQ(slots_->News(), "");
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
  slots_->News();
  const uint32_t sequence = Info().sequence;
  slots_->Finish(true);
  EXPECT_STREQ(slots_->News(), "");
  EXPECT_EQ(Info().sequence, sequence);
}

// ---- A trial against the model before.

TEST_F(Slots, ATrialAtTheStartIsNotCompared) {
  Install(1);
  Flash(2, OCTET_SLOT_B);
  Start(3, 2);
  slots_->Choose();
  slots_->News();
  EXPECT_NE(Load().find("slot B is not compared"), std::string::npos);
  EXPECT_EQ(Summary(), "");
}

TEST_F(Slots, AnActiveModelIsNotCompared) {
  Install(1);
  Start(3, 2);
  slots_->News();
  EXPECT_EQ(Load(), "");
  RunTimes(3);
  Flash(2, OCTET_SLOT_B);
  ASSERT_TRUE(Turn());
  EXPECT_EQ(Load().find("not compared"), std::string::npos);
}

// All frames that are kept are compared before a verdict.
TEST_F(Slots, WhatAgreesIsConfirmed) {
  Install(1);
  Start(1, 2);
  Load();
  RunTimes(3);
  Flash(2, OCTET_SLOT_B);
  ASSERT_TRUE(Turn());
  Load();
  Run();
  EXPECT_EQ(Summary(), "") << "one of two";
  Turn();
  EXPECT_EQ(Info().pending, OCTET_SLOT_B) << "enough good frames, and one to be compared";
  Run();
  EXPECT_EQ(Summary(), ",\"trial_agreement\":1.000");
  Turn();
  EXPECT_EQ(Info().active, OCTET_SLOT_B);
}

TEST_F(Slots, WhatDiffersIsRolledBack) {
  Install(1);
  Start(1, 2);
  Load();
  // The answers of the model before were far away.
  port::Results other = reader_->Read(model_->session(), 4, 4);
  other.task = OCTET_TASK_DETECT;
  other.boxes = {{100, 100, 110, 110, 0.9f, 0}};
  other.count = 1;
  RunTimes(1);
  for (int i = 0; i < 2; ++i) Run({}, &other);
  Flash(2, OCTET_SLOT_B);
  ASSERT_TRUE(Turn());
  Load();
  Run();
  const std::string news = Run();
  EXPECT_NE(news.find("slot B agrees with the model before by 0 of 1000 on 2 frames"),
            std::string::npos)
      << news;
  EXPECT_EQ(Summary(), ",\"trial_agreement\":0.000");
  EXPECT_FALSE(Turn());
  EXPECT_EQ(Info().pending, OCTET_SLOT_NONE);
  EXPECT_EQ(Info().last_refusal, OCTET_SLOTS_DIFFERS);
}

// The very limit is enough: half of the answers are the same.
TEST_F(Slots, TheLeastAgreementIsEnough) {
  for (const uint32_t least : {500u, 501u}) {
    comparison_.least_agreement = least;
    for (const char* name : {"slot-a.octet", "slot-b.octet", "state-0", "state-1"}) {
      fs::remove(Path("store/") + name);
    }
    Install(1);
    Start(1, 2);
    Load();
    port::Results other;
    other.task = OCTET_TASK_DETECT;
    other.boxes = {{100, 100, 110, 110, 0.9f, 0}};
    other.count = 1;
    Run({}, &other);
    Run();
    Flash(2, OCTET_SLOT_B);
    ASSERT_TRUE(Turn());
    Load();
    RunTimes(2);
    EXPECT_EQ(Summary(), ",\"trial_agreement\":0.500");
    Run();
    Turn();
    EXPECT_EQ(Info().active, least == 500 ? OCTET_SLOT_B : OCTET_SLOT_A) << least;
    slots_->Unload();
    model_.reset();
  }
}

// A frame that was not good is no measure of the next model.
TEST_F(Slots, BadFramesAreNotKept) {
  Install(1);
  Start(1, 2);
  Load();
  RunTimes(3, {.ran = false});
  Flash(2, OCTET_SLOT_B);
  ASSERT_TRUE(Turn());
  EXPECT_NE(Load().find("slot B is not compared"), std::string::npos);
}

TEST_F(Slots, WhatWasChangedAfterItsCheckDoesNotRun) {
  Install(1);
  Start();
  WriteBlob("store/slot-a.octet", Model(2));
  port::Model model(slots_->Path(), {});
  EXPECT_THROW(slots_->Check(model), port::InputError);
}

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
