// Greedy CTC: which steps are characters, their labels and scores, and what the C API is given.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "octet/octet.h"
#include "tests/support/mixed_blob.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr uint32_t kSteps = 6, kClasses = 4, kBlank = 1;

// Six steps of four classes, of which `blank` is none; x is the output. Steps lie side by side
// where `planes`, else the classes of a step.
Blob MakeText(uint32_t blank = kBlank, bool planes = false) {
  BlobBuilder b;
  b.AddOutput("y", b.AddInput("x", {1, 1, kSteps, kClasses}, blob::ElementType::kFp16));
  blob::DecodeRecord record{};
  record.class_count = kClasses;
  record.background = blank;
  record.class_activation = blob::Activation::kSoftmax;
  blob::DecodeLevel level{};
  level.grid_h = level.anchor_count = 1, level.grid_w = kSteps;
  level.scores = {0, 0, 0, 0, planes ? 1 : kClasses, planes ? kSteps : 1};
  b.SetDecode(blob::Task::kText, record, {level}, {});
  return b.Build();
}

// The class of each step, at 2; all others are 0.
std::vector<float> Steps(const std::vector<uint32_t>& classes) {
  std::vector<float> scores(kSteps * kClasses, 0);
  for (uint32_t step = 0; step < kSteps; ++step) scores[step * kClasses + classes[step]] = 2;
  return scores;
}

class Text : public testing::Test {
 protected:
  std::vector<uint32_t> Read(const std::vector<float>& scores, uint32_t blank = kBlank,
                             bool planes = false, uint32_t capacity = kSteps) {
    const Blob blob = MakeText(blank, planes);
    TestSession session(blob, {});
    EXPECT_EQ(session.status().code, OCTET_OK);
    session.SetInput(0, scores);
    octet_run(session.get());
    AlignedBytes memory(octet_decode_bytes(session.get()));
    found_.assign(kSteps + 1, {99, 99});
    uint32_t count = 99;
    EXPECT_EQ(octet_text(session.get(), memory.data(), found_.data(), capacity, &count).code,
              OCTET_OK);
    EXPECT_LE(count, capacity);
    EXPECT_EQ(found_[count].label, 99u) << "written behind the last";
    found_.resize(count);
    std::vector<uint32_t> labels;
    for (const octet_class_score& one : found_) labels.push_back(one.label);
    return labels;
  }

  std::vector<octet_class_score> found_;
};

using Labels = std::vector<uint32_t>;

TEST_F(Text, EqualStepsAreOneCharacterAndTheBlankIsNone) {
  EXPECT_EQ(Read(Steps({0, 0, 2, 2, 2, 3})), (Labels{0, 1, 2}));
  EXPECT_EQ(Read(Steps({0, 1, 0, 1, 1, 0})), (Labels{0, 0, 0})) << "the blank parts equal ones";
  EXPECT_EQ(Read(Steps({1, 1, 1, 1, 1, 1})), Labels());
  EXPECT_EQ(Read(Steps({3, 2, 3, 2, 3, 2})), (Labels{2, 1, 2, 1, 2, 1})) << "as many as steps";
}

TEST_F(Text, LabelsAreClassesWithoutTheBlank) {
  EXPECT_EQ(Read(Steps({1, 2, 3, 0, 0, 0}), 0), (Labels{0, 1, 2}));
  EXPECT_EQ(Read(Steps({0, 1, 2, 3, 3, 3}), 3), (Labels{0, 1, 2}));
  EXPECT_EQ(Read(Steps({0, 1, 2, 3, 1, 1}), 1), (Labels{0, 1, 2}));
}

TEST_F(Text, ClassesMayStandInPlanes) {
  std::vector<float> planes(kSteps * kClasses, 0);
  const uint32_t classes[kSteps] = {2, 2, 1, 2, 0, 3};
  for (uint32_t step = 0; step < kSteps; ++step) planes[classes[step] * kSteps + step] = 1;
  EXPECT_EQ(Read(planes, kBlank, true), (Labels{1, 1, 0, 2}));
}

// The first of equal scores wins. NaN never does, and a step of NaN alone has the blank.
TEST_F(Text, TiesAndStepsWithoutNumbers) {
  std::vector<float> scores = Steps({0, 2, 2, 2, 1, 1});
  scores[0 * kClasses + 2] = 2;  // 0 and 2: 0 is first
  scores[2 * kClasses + 0] = kNan;
  for (uint32_t i = 0; i < kClasses; ++i) scores[3 * kClasses + i] = kNan;
  scores[4 * kClasses + 1] = kNan;  // all others are 0: class 0
  EXPECT_EQ(Read(scores), (Labels{0, 1, 0}));
  scores = Steps({1, 1, 2, 2, 2, 1});
  for (uint32_t i = 0; i < kClasses; ++i) scores[3 * kClasses + i] = kNan;
  EXPECT_EQ(Read(scores), (Labels{1, 1})) << "the blank parts them";
}

TEST_F(Text, AScoreIsThatOfTheFirstStep) {
  std::vector<float> scores = Steps({0, 0, 1, 3, 1, 1});
  scores[1 * kClasses] = 9;
  Read(scores);
  ASSERT_EQ(found_.size(), 2u);
  const float expected = std::exp(2.0f) / (std::exp(2.0f) + 3);
  EXPECT_NEAR(found_[0].score, expected, 1e-6f);
  EXPECT_NEAR(found_[1].score, expected, 1e-6f);
}

TEST_F(Text, FirstCharactersWhereThereIsNoRoomForAll) {
  EXPECT_EQ(Read(Steps({0, 2, 3, 0, 2, 3}), kBlank, false, 2), (Labels{0, 1}));
  EXPECT_EQ(Read(Steps({0, 2, 3, 0, 2, 3}), kBlank, false, 0), Labels());
}

TEST_F(Text, ChecksWhatItIsGiven) {
  const Blob blob = MakeText(), none = MakeConvBlob({}), boxes = MakeMixedBlob();
  TestSession session(blob, {});
  session.SetInput(0, Steps({0, 2, 3, 0, 2, 3}));
  octet_run(session.get());
  EXPECT_EQ(octet_model_task(session.get()), OCTET_TASK_TEXT);
  AlignedBytes memory(octet_decode_bytes(session.get()) + 64);
  octet_class_score found[kSteps];
  uint32_t count = 9, size = 9;
  const auto code = [&](void* at, octet_class_score* to, uint32_t* number) {
    return octet_text(session.get(), at, to, kSteps, number).code;
  };
  EXPECT_EQ(code(nullptr, found, &count), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(code(memory.data() + 32, found, &count), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(code(memory.data(), nullptr, &count), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(code(memory.data(), found, nullptr), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_text(session.get(), memory.data(), nullptr, 0, &count).code, OCTET_OK);
  EXPECT_EQ(octet_text_size(session.get(), nullptr).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_text_size(session.get(), &size).code, OCTET_OK);
  EXPECT_EQ(size, kSteps);
  EXPECT_EQ(octet_classify(session.get(), memory.data(), found, kSteps, &count).code,
            OCTET_INVALID_ARGUMENT);
  for (const Blob* other : {&none, &boxes}) {
    TestSession of_other(*other, {});
    AlignedBytes large(octet_decode_bytes(of_other.get()) + 64);
    EXPECT_EQ(octet_text_size(of_other.get(), &size).code, OCTET_INVALID_ARGUMENT);
    EXPECT_EQ(octet_text(of_other.get(), large.data(), found, kSteps, &count).code,
              OCTET_INVALID_ARGUMENT);
  }
}

}  // namespace
}  // namespace octet::test
