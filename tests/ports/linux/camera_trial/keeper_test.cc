// What a camera asks of its store, case by case: the records decide, and each of their fields alone
// changes the answer.
#include <filesystem>

#include "ports/linux/camera/program/slots/keeper.h"
#include "tests/ports/linux/slot/models.h"

namespace octet::test {
namespace {

namespace fs = std::filesystem;
using port::SlotChoice;
using port::SlotKeeper;
using port::SlotStore;
using port::StoreAnswer;

constexpr uint64_t kKeeperSecond = 1'000'000'000;

class Keeper : public StoreFolder {
 protected:
  std::string Store() const { return Path("store"); }
  static Blob Model(int id) { return MakeStored({.id = id}); }
  void Flash(int id) const {
    SlotStore store(Store(), {});
    ASSERT_TRUE(Stage(&store, Model(id)));
    ASSERT_TRUE(store.Activate());
  }
  void Install(int id) const {
    SlotStore store(Store(), {});
    StoreFolder::Install(&store, Model(id));
  }
  octet_slots_info Info() const { return SlotStore(Store(), {}).Info(); }
  void BootTimes(uint32_t times) const {
    SlotStore store(Store(), {});
    SlotChoice model;
    for (uint32_t i = 0; i < times; ++i) ASSERT_TRUE(store.Boot(&model));
  }
};

TEST_F(Keeper, ATrialWaitsWhileThereAreTries) {
  EXPECT_FALSE(SlotKeeper(Store(), {}).HasTrial()) << "no records";
  Flash(1);
  const uint32_t tries = Info().tries;
  ASSERT_GT(tries, 1u);
  EXPECT_TRUE(SlotKeeper(Store(), {}).HasTrial());
  BootTimes(tries);
  ASSERT_EQ(Info().attempts, tries);
  EXPECT_TRUE(SlotKeeper(Store(), {}).HasTrial()) << "the only model is tried on and on";
  ASSERT_TRUE(SlotStore(Store(), {}).Confirm());
  EXPECT_FALSE(SlotKeeper(Store(), {}).HasTrial()) << "nothing is pending";
  Flash(2);
  BootTimes(tries - 1);
  EXPECT_TRUE(SlotKeeper(Store(), {}).HasTrial());
  BootTimes(1);
  EXPECT_FALSE(SlotKeeper(Store(), {}).HasTrial()) << "all tries are used";
}

TEST_F(Keeper, ABootSaysWhatItFound) {
  Install(1);
  SlotKeeper keeper(Store(), {});
  EXPECT_EQ(keeper.Boot().news, "slot A");
  Flash(2);
  const StoreAnswer tried = keeper.Boot();
  EXPECT_EQ(tried.news, "slot B, on trial, boot 1");
  EXPECT_TRUE(tried.model.on_trial);
  EXPECT_EQ(tried.state.active, OCTET_SLOT_A);
  EXPECT_EQ(tried.state.pending, OCTET_SLOT_B);
  EXPECT_EQ(tried.state.attempts, 1u);
  BootTimes(Info().tries - 1);
  const StoreAnswer rejected = keeper.Boot();
  EXPECT_NE(rejected.news.find("slot A; "), std::string::npos) << rejected.news;
  EXPECT_NE(rejected.news.find(octet_slots_code_name(OCTET_SLOTS_TRIES)), std::string::npos)
      << rejected.news;
  EXPECT_EQ(rejected.state.refusals, 1u);
  EXPECT_EQ(keeper.Boot().news, "slot A") << "said once";
}

// Slot and digest both say which model runs.
TEST_F(Keeper, AnotherModelIsSeenByItsSlotOrItsDigest) {
  Install(1);
  SlotKeeper keeper(Store(), {});
  SlotChoice running = keeper.Boot().model;
  uint64_t now = kKeeperSecond;
  const auto look = [&] { return keeper.Look(running, now += kKeeperSecond); };
  StoreAnswer answer = look();
  EXPECT_FALSE(answer.another);
  EXPECT_TRUE(answer.confirmed);
  EXPECT_EQ(answer.news, "");
  Flash(2);
  answer = look();
  ASSERT_TRUE(answer.another);
  EXPECT_EQ(answer.model.slot, OCTET_SLOT_B);
  EXPECT_TRUE(answer.confirmed) << "what ran is still the active one";
  running = answer.model;
  EXPECT_FALSE(look().another);
  EXPECT_FALSE(look().confirmed) << "still on trial";
  ASSERT_TRUE(SlotStore(Store(), {}).RollBack(OCTET_SLOTS_ASKED));
  Flash(3);  // into the same slot
  answer = look();
  ASSERT_TRUE(answer.another);
  EXPECT_EQ(answer.model.slot, OCTET_SLOT_B);
  EXPECT_FALSE(answer.model.digest == running.digest);
  running = answer.model;
  ASSERT_TRUE(SlotStore(Store(), {}).Confirm());
  answer = look();
  EXPECT_TRUE(answer.confirmed);
  EXPECT_FALSE(answer.another);
}

TEST_F(Keeper, TheSameBytesInTheOtherSlotAreAnotherModel) {
  Install(1);
  SlotKeeper keeper(Store(), {});
  const SlotChoice running = keeper.Boot().model;
  Flash(1);
  const StoreAnswer answer = keeper.Look(running, kKeeperSecond);
  EXPECT_TRUE(answer.another);
  EXPECT_TRUE(answer.model.digest == running.digest);
  EXPECT_EQ(answer.model.slot, OCTET_SLOT_B);
}

TEST_F(Keeper, AVerdictIsOfTheModelThatRan) {
  Install(1);
  Flash(2);
  SlotKeeper keeper(Store(), {});
  const SlotChoice tried = keeper.Boot().model;
  ASSERT_TRUE(tried.on_trial);
  SlotChoice other_slot = tried, other_digest = tried;
  other_slot.slot = OCTET_SLOT_A;
  other_digest.digest[31] ^= 1;
  for (const SlotChoice& other : {other_slot, other_digest}) {
    for (const bool confirms : {true, false}) {
      const StoreAnswer answer =
          confirms ? keeper.Confirm(other) : keeper.RollBack(other, OCTET_SLOTS_FRAMES);
      EXPECT_TRUE(answer.done) << "somebody else has decided";
      EXPECT_EQ(answer.news, "");
      EXPECT_EQ(Info().pending, OCTET_SLOT_B);
    }
    keeper.TakeBack(other);
    EXPECT_EQ(Info().attempts, 1u);
  }
  keeper.TakeBack(tried);
  EXPECT_EQ(Info().attempts, 0u);
  ASSERT_TRUE(keeper.Boot().model.on_trial);
  const StoreAnswer answer = keeper.Confirm(tried);
  EXPECT_TRUE(answer.done);
  EXPECT_TRUE(answer.confirmed);
  EXPECT_EQ(answer.news, "slot B is confirmed");
  EXPECT_EQ(answer.state.active, OCTET_SLOT_B);
  EXPECT_EQ(Info().pending, OCTET_SLOT_NONE);
}

TEST_F(Keeper, AConfirmationIsOfTheSlotThatIsActive) {
  Install(1);
  Flash(2);
  SlotKeeper keeper(Store(), {});
  const SlotChoice tried = keeper.Boot().model;
  ASSERT_TRUE(SlotStore(Store(), {}).RollBack(OCTET_SLOTS_ASKED));
  const StoreAnswer answer = keeper.Confirm(tried);
  EXPECT_TRUE(answer.done);
  EXPECT_FALSE(answer.confirmed) << "it was rolled back";
  EXPECT_TRUE(keeper.Confirm(keeper.Boot().model).confirmed);
}

TEST_F(Keeper, WithoutRecordsNothingIsConfirmed) {
  Flash(1);
  SlotKeeper keeper(Store(), {});
  const SlotChoice tried = keeper.Boot().model;
  for (const char* name : {"state-0", "state-1"}) fs::remove(Path("store/") + name);
  const StoreAnswer answer = keeper.Confirm(tried);
  EXPECT_FALSE(answer.done) << "nobody knows; to be tried again";
  EXPECT_FALSE(answer.confirmed);
  EXPECT_FALSE(answer.state.has_record);
  EXPECT_NE(answer.news.find("slot A cannot be confirmed yet: "), std::string::npos) << answer.news;
  EXPECT_EQ(keeper.Confirm(tried).news, "") << "said once";
  const StoreAnswer rolled = keeper.RollBack(tried, OCTET_SLOTS_FRAMES);
  EXPECT_FALSE(rolled.done);
  EXPECT_FALSE(rolled.another) << "the model there is the one that runs";
  EXPECT_FALSE(keeper.Look(tried, kKeeperSecond).confirmed);
}

TEST_F(Keeper, ARollBackNeedsAModelBefore) {
  Flash(1);
  SlotKeeper keeper(Store(), {});
  const StoreAnswer first = keeper.RollBack(keeper.Boot().model, OCTET_SLOTS_FRAMES);
  EXPECT_FALSE(first.done);
  EXPECT_FALSE(first.another);
  EXPECT_EQ(first.news, "bad frames, but there is no earlier model");
  EXPECT_EQ(first.state.active, OCTET_SLOT_NONE);
  EXPECT_EQ(Info().pending, OCTET_SLOT_A) << "it is tried on";
  ASSERT_TRUE(SlotStore(Store(), {}).Confirm());
  Flash(2);
  const StoreAnswer second = keeper.RollBack(keeper.Boot().model, OCTET_SLOTS_FRAMES);
  EXPECT_TRUE(second.done);
  EXPECT_EQ(second.news, "slot B is rolled back: bad frames");
  EXPECT_EQ(Info().pending, OCTET_SLOT_NONE);
  EXPECT_EQ(Info().last_refusal, OCTET_SLOTS_FRAMES);
}

// The flasher's program takes what this unit's rules refuse: one line for each such refusal, also
// where the second is like the first, and none at the looks after it.
TEST_F(Keeper, ARefusalWhileAModelRunsIsSaidOnce) {
  Install(1);
  port::StoreOptions options;
  options.least_counter = 2;
  {
    SlotStore store(Store(), {});
    StoreFolder::Install(&store, MakeStored({.id = 2, .counter = 2}));
  }
  SlotKeeper keeper(Store(), options);
  const SlotChoice running = keeper.Boot().model;
  ASSERT_EQ(running.slot, OCTET_SLOT_B);
  uint64_t now = kKeeperSecond;
  const auto look = [&] { return keeper.Look(running, now += kKeeperSecond); };
  WriteText("store/board", "me\n");
  for (const int id : {3, 3, 4}) {
    port::StoreOptions lax;
    lax.board = "other";  // the flasher's own word
    SlotStore store(Store(), lax);
    ASSERT_TRUE(Stage(&store, MakeStored({.id = id, .counter = 2, .board = "other"})));
    ASSERT_TRUE(store.Activate());
    const StoreAnswer answer = look();
    EXPECT_FALSE(answer.another);
    for (const char* fact : {"slot B; ", "rejected", octet_slots_code_name(OCTET_SLOTS_BOARD),
                             "other", "me", "convert it for this board"}) {
      EXPECT_NE(answer.news.find(fact), std::string::npos) << fact << ": " << answer.news;
    }
    EXPECT_EQ(answer.news.find('\n'), std::string::npos);
    for (int i = 0; i < 12; ++i) EXPECT_EQ(look().news, "");
  }
}

// Those who flash can remove the records and the model that runs: what was seen confirmed holds.
TEST_F(Keeper, NoWayBackBelowWhatRunsWhateverTheRecordsSay) {
  Install(1);
  for (const bool by_another : {false, true}) {
    const uint64_t counter = by_another ? 9 : 7;
    {
      SlotStore store(Store(), {});
      ASSERT_TRUE(Stage(&store, MakeStored({.id = 2, .counter = counter})));
      ASSERT_TRUE(store.Activate());
    }
    SlotKeeper keeper(Store(), {});
    const SlotChoice running = keeper.Boot().model;
    ASSERT_TRUE(running.on_trial);
    uint64_t now = kKeeperSecond;
    const auto look = [&] { return keeper.Look(running, now += kKeeperSecond); };
    if (by_another) {
      ASSERT_TRUE(SlotStore(Store(), {}).Confirm());
      ASSERT_TRUE(look().confirmed);
    } else {
      ASSERT_TRUE(keeper.Confirm(running).confirmed);
    }
    for (int i = 0; i < 2; ++i) {
      for (const char* name : port::kAreaFiles) fs::remove(Path("store/") + name);
      SlotStore store(Store(), {});
      ASSERT_TRUE(Stage(&store, MakeStored({.id = 3, .counter = counter - 1})));
      ASSERT_TRUE(store.Activate());
      const StoreAnswer answer = look();
      EXPECT_FALSE(answer.another) << "the model that runs goes on";
      EXPECT_EQ(answer.refusal, "");
      EXPECT_NE(answer.news.find(octet_slots_code_name(OCTET_SLOTS_COUNTER)), std::string::npos)
          << answer.news;
      EXPECT_EQ(look().news, "");
    }
  }
}

// A board that does not take the model ends it at the next look; an update of the list is enough.
TEST_F(Keeper, WhatTheBoardForbidsIsRefusedWhileItRuns) {
  Install(1);
  SlotKeeper keeper(Store(), {});
  const SlotChoice running = keeper.Boot().model;
  EXPECT_EQ(keeper.Look(running, kKeeperSecond).refusal, "");
  WriteText("store/board", "me\nprecisions fp16\n");
  const StoreAnswer refused = keeper.Look(running, 2 * kKeeperSecond);
  EXPECT_NE(refused.refusal.find("slot A"), std::string::npos) << refused.refusal;
  EXPECT_FALSE(refused.another);
  fs::remove(Path("store/board"));
  EXPECT_EQ(keeper.Look(running, 3 * kKeeperSecond).refusal, "");
}

// Another list that still takes the model boots nothing: a boot of a trial would count.
TEST_F(Keeper, AnotherListThatTakesTheModelChangesNothing) {
  Install(1);
  Flash(2);
  SlotKeeper keeper(Store(), {});
  const SlotChoice running = keeper.Boot().model;
  WriteText("store/board", "me\nprecisions int8 fp16\n");
  const StoreAnswer answer = keeper.Look(running, kKeeperSecond);
  EXPECT_FALSE(answer.another);
  EXPECT_EQ(answer.news + answer.refusal, "");
  EXPECT_EQ(Info().attempts, 1u);
}

TEST_F(Keeper, ABoardThatCannotBeReadIsSaidOnce) {
  Install(1);
  SlotKeeper keeper(Store(), {});
  const SlotChoice running = keeper.Boot().model;
  WriteText("store/board", "me\nno such rule\n");
  const StoreAnswer answer = keeper.Look(running, kKeeperSecond);
  EXPECT_NE(answer.news, "");
  EXPECT_EQ(answer.refusal, "") << "the one before holds on";
  EXPECT_TRUE(answer.confirmed);
  EXPECT_EQ(keeper.Look(running, 2 * kKeeperSecond).news, "");
}

// What replaces the model cannot run: the records stay as they are, and it is not read each second.
TEST_F(Keeper, WhatCannotRunIsTriedWithPauses) {
  Install(1);
  SlotKeeper keeper(Store(), {});
  const SlotChoice running = keeper.Boot().model;
  Flash(2);
  for (const char* name : {"slot-a.octet", "slot-b.octet"}) {
    Blob torn = ReadBlob(Path("store/") + name);
    torn.back() ^= 1;
    WriteBlob(std::string("store/") + name, torn);
  }
  const StoreAnswer answer = keeper.Look(running, kKeeperSecond);
  EXPECT_FALSE(answer.another);
  EXPECT_EQ(answer.refusal, "") << "what runs can run on";
  EXPECT_NE(answer.news, "");
  EXPECT_EQ(keeper.Look(running, 2 * kKeeperSecond).news, "");
}

}  // namespace
}  // namespace octet::test
