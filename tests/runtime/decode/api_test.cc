// The C API's checks of what a decoder is given, and which number of the outputs goes where in
// grids that are no squares.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace octet::test
