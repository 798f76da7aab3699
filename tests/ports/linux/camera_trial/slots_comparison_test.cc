// A trial beside the model before it, frame by frame.
#include "tests/ports/linux/camera_trial/slots_fixture.h"

#include <cstring>
#include <filesystem>

namespace octet::test {
namespace {

namespace fs = std::filesystem;
using port::SlotStore;

TEST_F(Slots, ATrialAtTheStartIsNotCompared) {
  Install(1);
  Flash(2, OCTET_SLOT_B);
  Start(3, 2);
  slots_->Choose();
  News();
  EXPECT_NE(Load().find("slot B is not compared"), std::string::npos);
  EXPECT_EQ(Summary(), "");
}

TEST_F(Slots, AnActiveModelIsNotCompared) {
  Install(1);
  Start(3, 2);
  News();
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
  RunTimes(3, {.calm = false});
  Flash(2, OCTET_SLOT_B);
  ASSERT_TRUE(Turn());
  EXPECT_NE(Load().find("slot B is not compared"), std::string::npos);
}

TEST_F(Slots, WhatWasChangedAfterItsCheckDoesNotRun) {
  Install(1);
  Start();
  WriteBlob("store/slot-a.octet", Model(2));
  port::Model model(slots_->Path(), {});
  EXPECT_NE(std::memcmp(slots_->Digest(), model.blob().header->sha256, 32), 0);
}

}  // namespace
}  // namespace octet::test
