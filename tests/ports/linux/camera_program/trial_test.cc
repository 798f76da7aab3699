// octet-camera --slots: a model on trial answers frames that the model before has answered.
#include <fcntl.h>
#include <sys/file.h>

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

// The store is locked when the verdict comes: the model is left at once, the record follows.
TEST_F(CameraTrial, ARollBackThatCannotBeWrittenIsTriedAgain) {
  StartWith({"--trial-frames", "4"});
  Flash(Useless(1));
  SendUntil("slot B, on trial, boot 1\n");
  const int other = open(Path("store").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  SendUntil("slot B cannot be rolled back yet: ");
  for (int i = 0; i < 100 && SlotOf(sent_ - 1) != "a"; ++i) SendOne();
  EXPECT_EQ(SlotOf(sent_ - 1), "a");
  octet_slots_info info{};
  EXPECT_TRUE(port::SlotStore(Path("store"), {}).Peek(&info));
  EXPECT_EQ(info.pending, OCTET_SLOT_B);
  flock(other, LOCK_UN);
  close(other);
  SendUntil("slot B is rolled back: ");
  EXPECT_EQ(Info().pending, OCTET_SLOT_NONE);
  EXPECT_EQ(Info().last_refusal, OCTET_SLOTS_DIFFERS);
  EXPECT_EQ(Finish(), 0);
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

// A program that starts while a trial is pending has no answers of the model before: it compares
// nothing, and the next trial is compared with what it confirmed.
TEST_F(CameraTrial, AStartWithATrialComparesNothing) {
  Flash(Model(1));
  StartOnStore({"--every-frame", "--trial-frames", "4", "--confirm-after", "3"});
  SendUntil("slot B, on trial, boot 1\n");
  SendUntil("slot B is confirmed\n");
  for (int i = 0; i < 6; ++i) SendOne();
  Flash(Useless(1));
  SendUntil("slot A is rolled back: ");
  EXPECT_EQ(Info().active, OCTET_SLOT_B);
  EXPECT_EQ(Info().last_refusal, OCTET_SLOTS_DIFFERS);
  EXPECT_EQ(Finish(), 0);
  EXPECT_EQ(Summary()["trial_agreement"], 0);
}
TEST_F(CameraTrial, AStartWithATrialAloneSaysNoAgreement) {
  Flash(Useless(1));
  StartOnStore({"--every-frame", "--trial-frames", "4", "--confirm-after", "3"});
  SendUntil("slot B is confirmed\n");
  EXPECT_EQ(Finish(), 0);
  EXPECT_FALSE(Summary().contains("trial_agreement"));
  EXPECT_EQ(Info().active, OCTET_SLOT_B);
  ExpectFacts(Read("err"), {"slot B is not compared"});
}

// A first model has none before it; what is kept of the model before is compared.
TEST_F(CameraTrial, OnlyWhatIsNotComparedIsSaid) {
  fs::remove(Path("store/slot-a.octet"));
  Flash(Model(1));
  StartOnStore({"--every-frame", "--trial-frames", "2", "--confirm-after", "3"});
  SendUntil("slot A is confirmed\n");
  for (int i = 0; i < 4; ++i) SendOne();
  Flash(Model(2));
  SendUntil("slot B is confirmed\n");
  EXPECT_EQ(Finish(), 0);
  EXPECT_EQ(Read("err").find("not compared"), std::string::npos) << Read("err");
}

// A stream that ends before the model is confirmed decides nothing, and says so.
TEST_F(CameraTrial, ACleanEndLeavesTheTrialOpen) {
  StartWith({"--confirm-after", "50"});
  Flash(Model(2));
  SendUntil("slot B, on trial, boot 1\n");
  SendOne();
  EXPECT_EQ(Finish(), 0);
  ExpectFacts(Read("err"), {"slot B stays on trial", " of 50 good frames"});
  EXPECT_EQ(Info().pending, OCTET_SLOT_B);
  EXPECT_EQ(Info().attempts, 0);
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

// Of every kind of answer but boxes.
class TrialOfAnswers : public CameraTrial, public testing::WithParamInterface<blob::Task> {
 protected:
  // A picture four times side by side in channels, through a table: as it is, one code more, or
  // with its sign turned, which makes the best class the worst and points values the other way.
  enum class Table { kSame, kOneMore, kTurned };
  static Blob Answers(Table what) {
    using namespace blob;
    constexpr float kScale = 1.0f / 64;
    BlobBuilder b;
    const uint32_t x = b.AddInput("x", {1, 4, 4, 3}, ElementType::kInt8, kScale, 0);
    InputRecord& input = b.input(0);
    input.is_image = 1;
    input.scale = kScale;
    for (float& mean : input.mean) mean = 100 * kScale;
    for (float& std_dev : input.std_dev) std_dev = 1;
    input.dims[1] = 3, input.dims[2] = 4, input.dims[3] = 4;
    input.strides[0] = 48, input.strides[1] = 4, input.strides[2] = 1, input.strides[3] = 16;
    const uint32_t wide = b.AddTensor({1, 4, 4, 12}, ElementType::kInt8, kScale, 0);
    LayerRecord& concat = b.AddLayer(Op::kConcat, {x, x, x, x}, wide, "concat");
    BlobBuilder::Params<ConcatParams>(concat).axis = 3;
    const uint32_t y = b.AddTensor({1, 4, 4, 12}, ElementType::kInt8, kScale, 0);
    std::vector<int8_t> table(256);
    for (int q = -128; q < 128; ++q) {
      const int to = what == Table::kSame ? q : what == Table::kOneMore ? q + 1 : -q;
      table[static_cast<size_t>(q + 128)] = static_cast<int8_t>(std::clamp(to, -128, 127));
    }
    b.AddLayer(Op::kUnary, {wide}, y, "table").table = b.AddTable(table);
    b.AddOutput("y", y);
    if (GetParam() != Task::kNone) {
      DecodeRecord record{};
      record.class_count = 12;
      record.class_activation = Activation::kSoftmax;
      DecodeLevel level{};
      level.grid_h = level.grid_w = GetParam() == Task::kClassify ? 1 : 4;
      level.anchor_count = 1;
      level.stride_x = level.stride_y = 1;
      level.scores = {0, 0, 0, 48, 12, 1};
      b.SetDecode(GetParam(), record, {level}, {});
    }
    return b.Build();
  }
  void SetUp() override {
    CameraTrial::SetUp();
    Write("store/slot-a.octet", Answers(Table::kSame));
  }
};

TEST_P(TrialOfAnswers, OthersAreRolledBack) {
  StartWith({"--trial-frames", "4"});
  Flash(Answers(Table::kTurned));
  SendUntil("slot B is rolled back: ");
  EXPECT_EQ(Info().last_refusal, OCTET_SLOTS_DIFFERS);
  EXPECT_EQ(Info().active, OCTET_SLOT_A);
  EXPECT_EQ(Finish(), 0);
  EXPECT_LT(Summary()["trial_agreement"], 0.2);
}

TEST_P(TrialOfAnswers, TheSameAreConfirmed) {
  StartWith({"--trial-frames", "4", "--confirm-after", "3"});
  Flash(Answers(Table::kOneMore));
  SendUntil("slot B is confirmed\n");
  EXPECT_EQ(Info().active, OCTET_SLOT_B);
  EXPECT_EQ(Finish(), 0);
  EXPECT_GT(Summary()["trial_agreement"], 0.9);
}

std::string NameOf(const testing::TestParamInfo<blob::Task>& info) {
  constexpr const char* kNames[] = {"None", "Classify", "Detect", "Segment"};
  return kNames[static_cast<size_t>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Kinds, TrialOfAnswers,
                         testing::Values(blob::Task::kClassify, blob::Task::kSegment,
                                         blob::Task::kNone),
                         NameOf);

}  // namespace
}  // namespace octet::test
