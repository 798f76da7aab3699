// octet-camera --slots: a model on trial answers frames that the model before has answered.
#include "ports/linux/slot/slot_store.h"
#include "runtime/format/decode.h"
#include "tests/ports/linux/camera_program/camera_fixture.h"
#include "tests/ports/linux/camera_program/store_fixture.h"
#include "tests/support/facts.h"
#include "tests/support/http_client.h"

namespace octet::test {
namespace {

class CameraTrial : public CameraOnStore {
 protected:
  // Passes every check, runs, and finds nothing.
  static Blob Useless(uint64_t counter) {
    Blob blob = Model(counter);
    const auto* header = reinterpret_cast<const blob::Header*>(blob.data());
    for (uint32_t i = 0; i < header->section_count; ++i) {
      const auto* section =
          reinterpret_cast<const blob::Section*>(blob.data() + header->section_table_offset) + i;
      if (section->kind != blob::SectionKind::kDecode) continue;
      reinterpret_cast<blob::DecodeRecord*>(blob.data() + section->offset)->score_threshold = 1000;
    }
    Rehash(blob);
    return blob;
  }
  void StartWith(std::vector<std::string> more) {
    more.insert(more.begin(), "--every-frame");
    StartOnStore(more);
    SendUntil("slot A\n");
    for (int i = 0; i < 10; ++i) SendOne();
  }
  void SendOne() {
    Send(Y4m(8, 8, 1));
    AwaitLines(++sent_);
  }
  nlohmann::json Summary() const { return Lines().back()["summary"]; }
};

TEST_F(CameraTrial, WhatFindsNothingIsRolledBack) {
  StartWith({"--trial-frames", "4", "--metrics", "0"});
  const std::string errors = Read("err");
  const auto port =
      static_cast<uint16_t>(std::stoi(errors.substr(errors.rfind("127.0.0.1:") + 10)));
  EXPECT_EQ(Get(port, "/metrics").find("octet_trial_agreement "), std::string::npos);
  Flash(Useless(1));
  SendUntil("slot B, on trial, boot 1\n");
  const size_t switched = sent_;
  SendUntil("slot B is rolled back: ");
  for (int i = 0; i < 100 && SlotOf(sent_ - 1) != "a"; ++i) SendOne();
  ExpectFacts(Read("err"), {"slot B", "0 of 1000", "4 frames", "--trial-agreement"});
  EXPECT_NE(Get(port, "/metrics").find("octet_trial_agreement 0\n"), std::string::npos);
  EXPECT_NE(Get(port, "/metrics").find("octet_store_last_refusal{reason=\"differs\"} 1\n"),
            std::string::npos);
  EXPECT_EQ(Info().last_refusal, OCTET_SLOTS_DIFFERS);
  EXPECT_EQ(Info().active, OCTET_SLOT_A);
  EXPECT_EQ(Info().pending, OCTET_SLOT_NONE);
  EXPECT_EQ(Finish(), 0);
  EXPECT_EQ(Summary()["trial_agreement"], 0);
  // Every frame has one line, of the model that answered it.
  const auto lines = Lines();
  ASSERT_EQ(lines.size(), sent_ + 1);
  for (size_t i = 0; i < sent_; ++i) {
    EXPECT_EQ(lines[i]["frame"], i);
    EXPECT_EQ(lines[i]["detections"].empty(), lines[i]["slot"] == "b") << i;
  }
  EXPECT_EQ(lines[switched - 1]["slot"], "b");
  EXPECT_EQ(lines[sent_ - 1]["slot"], "a");
}

TEST_F(CameraTrial, WhatAgreesIsConfirmedBehindTheLastOfItsFrames) {
  StartWith({"--trial-frames", "6", "--confirm-after", "1"});
  Flash(Model(2));
  SendUntil("slot B, on trial, boot 1\n");
  const size_t switched = sent_;
  SendUntil("slot B is confirmed\n");
  EXPECT_GE(sent_, switched + 5) << "the frame of the switch is the first of six";
  // And the next one is compared with this one.
  for (int i = 0; i < 6; ++i) SendOne();
  Flash(Useless(2));
  SendUntil("slot A is rolled back: ");
  EXPECT_EQ(Info().active, OCTET_SLOT_B);
  EXPECT_EQ(Finish(), 0);
  EXPECT_EQ(Summary()["trial_agreement"], 0);
}

TEST_F(CameraTrial, TheSettingsSayHowMuchIsEnough) {
  StartWith({"--trial-agreement", "0", "--confirm-after", "3"});
  Flash(Useless(1));
  SendUntil("slot B is confirmed\n");
  EXPECT_EQ(Finish(), 0);
  EXPECT_EQ(Summary()["trial_agreement"], 0) << "compared, and taken";
}

TEST_F(CameraTrial, NoFramesNoComparison) {
  StartWith({"--trial-frames", "0", "--confirm-after", "3"});
  Flash(Useless(1));
  SendUntil("slot B is confirmed\n");
  EXPECT_EQ(Finish(), 0);
  EXPECT_FALSE(Summary().contains("trial_agreement"));
}

// What the model before has not answered says nothing about the next one.
TEST_F(CameraTrial, AModelThatFoundNothingIsNoMeasure) {
  Write("store/slot-a.octet", Useless(1));
  StartWith({"--confirm-after", "3"});
  Flash(Model(2));
  SendUntil("slot B is confirmed\n");
  EXPECT_EQ(Finish(), 0);
  EXPECT_FALSE(Summary().contains("trial_agreement"));
}

TEST_F(CameraTrial, BadSettings) {
  for (const std::string option : {"--trial-frames", "--trial-agreement"}) {
    StartOnStore({option, "1001"});
    EXPECT_EQ(Finish(), 2);
    EXPECT_NE(Read("err").find(option), std::string::npos) << Read("err");
    names_model_ = true;
    Start({"--source", "-", option, "5"});
    EXPECT_EQ(Finish(), 2);
    ExpectFacts(Read("err"), {option, "--slots"});
    names_model_ = false;
  }
}

}  // namespace
}  // namespace octet::test
