// The C API's checks of what a decoder is given, and which number of the outputs goes where in
// grids that are no squares.
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <vector>

#include "octet/octet.h"
#include "tests/support/mixed_blob.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

// Three classes on a grid of 2 x 5, channels last; x is the output.
Blob MakePlain(blob::Task task) {
  BlobBuilder b;
  b.AddOutput("y", b.AddInput("x", {1, 2, 5, 3}));
  blob::DecodeRecord record{};
  record.class_count = 3;
  record.background = blob::kNone;
  record.score_threshold = -1000;
  blob::DecodeLevel level{};
  const bool map = task == blob::Task::kSegment;
  level.grid_h = map ? 2 : 1, level.grid_w = map ? 5 : 1, level.anchor_count = 1;
  level.scores = {0, 0, 0, 15, 3, 1};
  b.SetDecode(task, record, {level}, {});
  return b.Build();
}

std::vector<float> Scores(const std::vector<uint8_t>& labels) {
  std::vector<float> scores(labels.size() * 3, -5);
  for (size_t i = 0; i < labels.size(); ++i) scores[i * 3 + labels[i]] = 5;
  return scores;
}

TEST(Api, SegmentGivesTheLabelOfEveryPixel) {
  const Blob blob = MakePlain(blob::Task::kSegment);
  TestSession session(blob, {});
  ASSERT_EQ(session.status().code, OCTET_OK);
  const std::vector<uint8_t> wanted = {0, 1, 2, 1, 0, 2, 2, 0, 1, 1};
  session.SetInput(0, Scores(wanted));
  octet_run(session.get());
  uint32_t height = 0, width = 0;
  ASSERT_EQ(octet_segment_size(session.get(), &height, &width).code, OCTET_OK);
  EXPECT_EQ(height, 2u);
  EXPECT_EQ(width, 5u);
  AlignedBytes memory(octet_decode_bytes(session.get()));
  std::vector<uint8_t> labels(11, 99);
  ASSERT_EQ(octet_segment(session.get(), memory.data(), labels.data(), 10).code, OCTET_OK);
  EXPECT_EQ(labels.back(), 99);
  labels.pop_back();
  EXPECT_EQ(labels, wanted);
}

// One class is a mask: its pixels are those from the threshold on.
TEST(Api, OneClassIsAMaskByItsThreshold) {
  BlobBuilder b;
  b.AddOutput("y", b.AddInput("x", {1, 2, 3, 1}));
  blob::DecodeRecord record{};
  record.class_count = 1;
  record.background = blob::kNone;
  record.score_threshold = 1;
  blob::DecodeLevel level{};
  level.grid_h = 2, level.grid_w = 3, level.anchor_count = 1;
  level.scores = {0, 0, 0, 3, 1, 1};
  b.SetDecode(blob::Task::kSegment, record, {level}, {});
  const Blob blob = b.Build();
  TestSession session(blob, {});
  ASSERT_EQ(session.status().code, OCTET_OK);
  session.SetInput(0, {0, 1, 2, 3, -1, 0});
  octet_run(session.get());
  AlignedBytes memory(octet_decode_bytes(session.get()));
  std::vector<uint8_t> labels(6, 99);
  ASSERT_EQ(octet_segment(session.get(), memory.data(), labels.data(), 6).code, OCTET_OK);
  EXPECT_EQ(labels, (std::vector<uint8_t>{0, 1, 1, 1, 0, 0}));
}

TEST(Api, SegmentRefusesWhatDoesNotFit) {
  const Blob blob = MakePlain(blob::Task::kSegment), classes = MakePlain(blob::Task::kClassify);
  const Blob none = MakeConvBlob({}), boxes = MakeMixedBlob();
  TestSession session(blob, {});
  AlignedBytes memory(octet_decode_bytes(session.get()) + 64);
  uint8_t labels[11];
  const auto code = [&](const void* at, uint8_t* to, size_t bytes) {
    return octet_segment(session.get(), const_cast<void*>(at), to, bytes).code;
  };
  EXPECT_EQ(code(memory.data(), labels, 10), OCTET_OK);
  EXPECT_EQ(code(memory.data(), labels, 9), OCTET_SHAPE_MISMATCH);
  EXPECT_EQ(code(memory.data(), labels, 11), OCTET_SHAPE_MISMATCH);
  EXPECT_EQ(code(memory.data(), nullptr, 10), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(code(nullptr, labels, 10), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(code(memory.data() + 32, labels, 10), OCTET_INVALID_ARGUMENT);
  uint32_t size = 7;
  EXPECT_EQ(octet_segment_size(session.get(), nullptr, &size).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_segment_size(session.get(), &size, nullptr).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(size, 7u);
  for (const Blob* other : {&classes, &none, &boxes}) {
    TestSession of_other(*other, {});
    AlignedBytes large(octet_decode_bytes(of_other.get()) + 64);
    uint32_t height = 0, width = 0;
    EXPECT_EQ(octet_segment_size(of_other.get(), &height, &width).code, OCTET_INVALID_ARGUMENT);
    EXPECT_EQ(octet_segment(of_other.get(), large.data(), labels, 1).code, OCTET_INVALID_ARGUMENT);
    EXPECT_EQ(octet_keypoint_count(of_other.get()), 0u);
    EXPECT_EQ(octet_has_masks(of_other.get()), 0);
  }
  TestSession without(none, {});
  EXPECT_EQ(octet_decode_bytes(without.get()), 0u);
  EXPECT_EQ(octet_model_task(without.get()), OCTET_TASK_NONE);
  EXPECT_EQ(octet_model_task(session.get()), OCTET_TASK_SEGMENT);
}

TEST(Api, ClassifyChecksWhatItIsGiven) {
  const Blob blob = MakePlain(blob::Task::kClassify), map = MakePlain(blob::Task::kSegment);
  TestSession session(blob, {}), other(map, {});
  session.SetInput(0, Scores({1, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  octet_run(session.get());
  AlignedBytes memory(octet_decode_bytes(session.get()));
  octet_class_score best[4];
  uint32_t count = 9;
  ASSERT_EQ(octet_classify(session.get(), memory.data(), best, 4, &count).code, OCTET_OK);
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(best[0].label, 1u);
  EXPECT_EQ(best[0].score, 5.0f);
  EXPECT_EQ(octet_classify(session.get(), memory.data(), best, 2, &count).code, OCTET_OK);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(octet_classify(session.get(), memory.data(), nullptr, 0, &count).code, OCTET_OK);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(octet_classify(session.get(), memory.data(), nullptr, 1, &count).code,
            OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_classify(session.get(), memory.data(), best, 1, nullptr).code,
            OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_classify(session.get(), nullptr, best, 1, &count).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_classify(other.get(), memory.data(), best, 1, &count).code,
            OCTET_INVALID_ARGUMENT);
}

TEST(Api, DetectChecksWhatItIsGiven) {
  const Blob blob = MakeMixedBlob();
  TestSession session(blob, {});
  const std::vector<uint8_t> picture(7 * 5 * 3, 200);
  octet_set_input_image(session.get(), 0, picture.data(), 7, 5, 3, 15);
  octet_run(session.get());
  AlignedBytes memory(octet_decode_bytes(session.get()));
  octet_detection boxes[8];
  uint32_t count = 0;
  const auto code = [&](uint32_t width, uint32_t height, octet_detection* to, uint32_t capacity,
                        uint32_t* found) {
    return octet_detect(session.get(), width, height, memory.data(), to, capacity, found).code;
  };
  ASSERT_EQ(code(5, 7, boxes, 8, &count), OCTET_OK);
  EXPECT_GT(count, 1u);
  EXPECT_LE(count, 6u);
  EXPECT_EQ(code(5, 7, boxes, 1, &count), OCTET_OK);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(code(5, 7, nullptr, 0, &count), OCTET_OK);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(code(5, 7, nullptr, 1, &count), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(code(5, 7, boxes, 8, nullptr), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(code(0, 7, boxes, 8, &count), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(code(5, 0, boxes, 8, &count), OCTET_INVALID_ARGUMENT);
}

// Boxes without overlap and their scores, constants of the graph in steps of 1/8: 4 numbers of the
// corners, then one of the score.
Blob MakeScored(uint32_t max_candidates, const std::vector<float>& scores) {
  BlobBuilder b;
  b.AddInput("x", {1, 8, 8, 3}, blob::ElementType::kInt8, 1.0f / 64, -128);
  b.input(0).is_image = 1;
  b.input(0).scale = 1.0f / 64;
  std::vector<int8_t> numbers;
  for (size_t i = 0; i < scores.size(); ++i) {
    const auto x = static_cast<int8_t>(10 * i);
    const auto score = static_cast<int8_t>(scores[i] * 8);
    numbers.insert(numbers.end(), {x, 0, static_cast<int8_t>(x + 8), 8, score});
  }
  const auto count = static_cast<uint32_t>(numbers.size());
  const uint32_t tensor = b.AddTensor({1, 1, 1, count}, blob::ElementType::kInt8, 0.125f, 0);
  b.AddLayer(blob::Op::kConstant, {}, tensor).extra = b.AddTable(numbers);
  b.AddOutput("numbers", tensor);
  blob::DecodeRecord record{};
  record.class_count = 1;
  record.background = blob::kNone;
  record.score_threshold = 0.5f;
  record.iou_threshold = 0.5f;
  record.max_candidates = record.max_detections = max_candidates;
  record.box_form = blob::BoxForm::kCorners;
  record.unit_x = record.unit_y = 1;
  blob::DecodeLevel level{};
  level.grid_h = static_cast<uint32_t>(scores.size()), level.grid_w = level.anchor_count = 1;
  level.box = {0, 0, 0, 5, 0, 1};
  level.scores = {0, 4, 0, 5, 0, 1};
  b.SetDecode(blob::Task::kDetect, record, {level}, {});
  return b.Build();
}

class Above : public testing::Test {
 protected:
  void Run(uint32_t max_candidates, const std::vector<float>& scores) {
    blob_ = MakeScored(max_candidates, scores);
    session_.emplace(blob_, SessionOptions{});
    ASSERT_EQ(session_->status().code, OCTET_OK);
    octet_run(session_->get());
    memory_.emplace(octet_decode_bytes(session_->get()));
  }
  std::vector<float> ScoresAbove(float threshold) {
    octet_detection boxes[8];
    uint32_t count = 0;
    EXPECT_EQ(
        octet_detect_above(session_->get(), threshold, 8, 8, memory_->data(), boxes, 8, &count)
            .code,
        OCTET_OK);
    std::vector<float> scores;
    for (uint32_t i = 0; i < count; ++i) scores.push_back(boxes[i].score);
    return scores;
  }
  octet_code Code(float threshold) {
    octet_detection box;
    uint32_t count = 0;
    return octet_detect_above(session_->get(), threshold, 8, 8, memory_->data(), &box, 1, &count)
        .code;
  }

  Blob blob_;
  std::optional<TestSession> session_;
  std::optional<AlignedBytes> memory_;
};

TEST_F(Above, TheCallersThresholdTakesThePlaceOfTheBlobs) {
  Run(6, {0.125f, 0.75f, 0.25f, 0.5f, 0.875f, 0.0f});
  EXPECT_EQ(ScoresAbove(0.5f), (std::vector<float>{0.875f, 0.75f, 0.5f}));  // as the blob's own
  EXPECT_EQ(ScoresAbove(0.2f), (std::vector<float>{0.875f, 0.75f, 0.5f, 0.25f}));
  EXPECT_EQ(ScoresAbove(0.8f), (std::vector<float>{0.875f}));
  EXPECT_EQ(ScoresAbove(0.0f).size(), 6u);
  EXPECT_EQ(ScoresAbove(2.0f).size(), 0u);
  octet_detection boxes[8];
  uint32_t count = 0;
  ASSERT_EQ(octet_detect(session_->get(), 8, 8, memory_->data(), boxes, 8, &count).code, OCTET_OK);
  EXPECT_EQ(count, 3u);
}

TEST_F(Above, TheBlobsLimitOfCandidatesHolds) {
  Run(2, {0.125f, 0.75f, 0.25f, 0.5f, 0.875f, 0.0f});
  EXPECT_EQ(ScoresAbove(0.0f), (std::vector<float>{0.875f, 0.75f}));
}

TEST_F(Above, RefusesWhatIsNoThresholdAndOtherTasks) {
  Run(6, {0, 0, 0, 0, 0, 0});
  EXPECT_EQ(Code(std::numeric_limits<float>::quiet_NaN()), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(Code(0.5f), OCTET_OK);
  for (const Blob& other : {MakePlain(blob::Task::kClassify), MakeConvBlob({})}) {
    TestSession session(other, {});
    AlignedBytes memory(octet_decode_bytes(session.get()) + 64);
    octet_detection box;
    uint32_t count = 0;
    EXPECT_EQ(octet_detect_above(session.get(), 0.1f, 9, 9, memory.data(), &box, 1, &count).code,
              OCTET_INVALID_ARGUMENT);
    EXPECT_EQ(octet_detect(session.get(), 9, 9, memory.data(), &box, 1, &count).code,
              OCTET_INVALID_ARGUMENT);
  }
}

}  // namespace
}  // namespace octet::test
