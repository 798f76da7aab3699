// Key points and masks: places of candidates, points by every rule against numbers worked out by
// hand, masks by the C API in a blob made for it.
#include "runtime/decode/objects.h"

#include <gtest/gtest.h>

#include <vector>

#include "octet/octet.h"
#include "tests/support/blob_builder.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

using blob::BoxRule;

TEST(Candidates, AreFoundAgainByTheirOrder) {
  blob::DecodeRecord record{};
  record.level_count = 2;
  blob::DecodeLevel levels[2]{};
  levels[0].grid_h = 2, levels[0].grid_w = 3, levels[0].anchor_count = 2;
  levels[1].grid_h = 1, levels[1].grid_w = 2, levels[1].anchor_count = 1;
  const DecodeInput in = {&record, levels, nullptr, nullptr, nullptr};
  uint32_t level = 9;
  Cell cell = {};
  ASSERT_TRUE(FindCandidate(in, 9, &level, &cell));  // 1 * 6 + 1 * 2 + 1
  EXPECT_EQ(level, 0u);
  EXPECT_EQ(cell.row, 1u);
  EXPECT_EQ(cell.column, 1u);
  EXPECT_EQ(cell.anchor, 1u);
  ASSERT_TRUE(FindCandidate(in, 13, &level, &cell));
  EXPECT_EQ(level, 1u);
  EXPECT_EQ(cell.column, 1u);
  EXPECT_FALSE(FindCandidate(in, 14, &level, &cell));
  EXPECT_FALSE(FindCandidate(in, ~uint64_t{0}, &level, &cell));
}

// The point of one candidate at column 3, row 2.
KeyPoint OnePoint(blob::DecodeRecord record, float x, float y, float score) {
  const float output[] = {x, y, score};
  record.level_count = 1;
  record.point_count = 1;
  record.point_numbers = 3;
  blob::DecodeLevel level{};
  level.grid_h = 3, level.grid_w = 4, level.anchor_count = 1;
  level.stride_x = 8, level.stride_y = 16;
  const blob::DecodeExtra extra = {{0, 0, 0, 0, 0, 1}, {}};
  const blob::DecodeAnchor anchor = {10, 20};
  const float* outputs[] = {output};
  KeyPoint point;
  ReadKeyPoints({&record, &level, &anchor, outputs, &extra}, 0, {0, 2, 3}, &point);
  return point;
}

TEST(KeyPoints, ArePlacedAsCentresAre) {
  blob::DecodeRecord record{};
  record.unit_x = 2, record.unit_y = 3;
  record.cell_offset = 0.5f;
  KeyPoint point = OnePoint(record, 5, 7, 0.25f);
  EXPECT_EQ(point.x, 10.0f);
  EXPECT_EQ(point.y, 21.0f);
  EXPECT_EQ(point.score, 0.25f);
  record.box_rule = BoxRule::kGrid;
  point = OnePoint(record, 1, -1, 1);  // (3.5 + 1) * 8, (2.5 - 1) * 16
  EXPECT_EQ(point.x, 36.0f);
  EXPECT_EQ(point.y, 24.0f);
  record.box_rule = BoxRule::kOffset;
  point = OnePoint(record, 1, -1, 1);  // 28 + 2, 40 - 3
  EXPECT_EQ(point.x, 30.0f);
  EXPECT_EQ(point.y, 37.0f);
  record.box_rule = BoxRule::kPrior;
  record.centre_variance = 0.5f;
  point = OnePoint(record, 1, -1, 1);  // 28 + 0.5 * 10, 40 - 0.5 * 20
  EXPECT_EQ(point.x, 33.0f);
  EXPECT_EQ(point.y, 30.0f);
}

// Each anchor of a cell has its own numbers and its own size.
TEST(KeyPoints, OfTheAnchorOfACell) {
  const float output[] = {9, 9, 1, -1, 9, 9};
  blob::DecodeRecord record{};
  record.level_count = 1, record.point_count = 1, record.point_numbers = 2;
  record.box_rule = BoxRule::kPrior;
  record.centre_variance = 0.5f;
  blob::DecodeLevel level{};
  level.grid_h = level.grid_w = 1, level.anchor_count = 3, level.first_anchor = 1;
  const blob::DecodeExtra extra = {{0, 0, 2, 0, 0, 1}, {}};
  const blob::DecodeAnchor anchors[] = {{100, 100}, {200, 200}, {10, 20}, {300, 300}};
  const float* outputs[] = {output};
  KeyPoint point;
  ReadKeyPoints({&record, &level, anchors, outputs, &extra}, 0, {1, 0, 0}, &point);
  EXPECT_EQ(point.x, 5.0f);
  EXPECT_EQ(point.y, -10.0f);
  EXPECT_EQ(point.score, 1.0f);
}

TEST(Masks, AreBilinearBetweenTheMiddlesOfCells) {
  const float sums[] = {1, -1, 1, -3};
  const MaskGrid grid = {2, 2};
  EXPECT_TRUE(InMask(sums, grid, 0.49f, 0.0f));  // halfway between 1 and -1 is the edge
  EXPECT_FALSE(InMask(sums, grid, 0.51f, 0.0f));
  EXPECT_TRUE(InMask(sums, grid, 0.36f, 0.9f));  // a quarter between 1 and -3
  EXPECT_FALSE(InMask(sums, grid, 0.39f, 0.9f));
  // Between rows as between columns; 0 is no part of the object.
  const float rows[] = {1, 1, 3, 3, -1, -1, -1, -1};
  for (const float x : {0.0f, 0.5f, 1.0f}) {
    EXPECT_TRUE(InMask(rows, {4, 2}, x, 0.55f)) << x;
    EXPECT_FALSE(InMask(rows, {4, 2}, x, 0.57f)) << x;
    EXPECT_FALSE(InMask(rows, {4, 2}, x, 1.0f)) << x;
  }
}

// What a record says that MakeObjectBlob would not.
using Change = void (*)(blob::DecodeRecord&, blob::DecodeExtra&);

// One box [0, 0, 8, 8] with a key point (2, 6) and two prototypes: left half, right half. The
// coefficients choose the right half. All numbers are constants of the graph: steps of 1/4.
Blob MakeObjectBlob(Change change = [](blob::DecodeRecord&, blob::DecodeExtra&) {}) {
  BlobBuilder b;
  b.AddInput("x", {1, 8, 8, 3}, blob::ElementType::kInt8, 1.0f / 64, -128);
  b.input(0).is_image = 1;
  b.input(0).scale = 1.0f / 64;
  const std::vector<int8_t> numbers = {0, 0, 32, 32, 4, 8, 24, -4, 4};
  const std::vector<int8_t> prototypes = {4, -4, 4, -4, -4, 4, -4, 4};
  for (const auto* values : {&numbers, &prototypes}) {
    const auto count = static_cast<uint32_t>(values->size());
    const uint32_t tensor = b.AddTensor({1, 1, 1, count}, blob::ElementType::kInt8, 0.25f, 0);
    b.AddLayer(blob::Op::kConstant, {}, tensor).extra = b.AddTable(*values);
    b.AddOutput(values == &numbers ? "numbers" : "prototypes", tensor);
  }
  blob::DecodeRecord record{};
  record.class_count = 1;
  record.background = blob::kNone;
  record.box_form = blob::BoxForm::kCorners;
  record.unit_x = record.unit_y = 1;
  record.max_candidates = record.max_detections = 2;
  record.point_count = 1, record.point_numbers = 2;
  record.mask_count = 2, record.prototypes = 1, record.prototype_columns = 2;
  blob::DecodeLevel level{};
  level.grid_h = level.grid_w = level.anchor_count = 1;
  level.box = {0, 0, 0, 0, 0, 1};
  level.scores = {0, 4, 0, 0, 0, 1};
  blob::DecodeExtra extra = {{0, 5, 0, 0, 0, 1}, {0, 7, 0, 0, 0, 1}};
  change(record, extra);
  b.SetDecode(blob::Task::kDetect, record, {level}, {}, {extra});
  return b.Build();
}

TEST(Api, PointsAndMasksOfADetection) {
  const Blob blob = MakeObjectBlob();
  const TestSession session(blob, {});
  ASSERT_EQ(session.status().code, OCTET_OK);
  octet_run(session.get());
  EXPECT_EQ(octet_keypoint_count(session.get()), 1u);
  EXPECT_EQ(octet_has_masks(session.get()), 1);
  AlignedBytes memory(octet_decode_bytes(session.get()));
  octet_detection box;
  uint32_t count = 0;
  // A frame of twice the size: everything doubles.
  ASSERT_EQ(octet_detect(session.get(), 16, 16, memory.data(), &box, 1, &count).code, OCTET_OK);
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(box.x1, 16.0f);
  octet_keypoint point;
  ASSERT_EQ(octet_keypoints(session.get(), 16, 16, memory.data(), 0, &point, 1).code, OCTET_OK);
  EXPECT_EQ(point.x, 4.0f);
  EXPECT_EQ(point.y, 12.0f);
  EXPECT_EQ(point.score, 1.0f);
  uint8_t mask[4 * 16];
  ASSERT_EQ(octet_mask(session.get(), 16, 16, memory.data(), 0, 6, 0, 4, 16, mask, 64).code,
            OCTET_OK);
  for (int y = 0; y < 16; ++y) {
    for (int x = 0; x < 4; ++x) EXPECT_EQ(mask[y * 4 + x], x >= 2 ? 1 : 0) << y << " " << x;
  }
}

TEST(Api, WrongArgumentsAreRefused) {
  const Blob blob = MakeObjectBlob();
  const TestSession session(blob, {});
  octet_run(session.get());
  AlignedBytes memory(octet_decode_bytes(session.get()));
  octet_detection box;
  uint32_t count = 0;
  octet_detect(session.get(), 16, 16, memory.data(), &box, 1, &count);
  octet_keypoint point;
  uint8_t mask[16];
  const auto points = [&](const void* from, uint32_t index, uint32_t capacity) {
    return octet_keypoints(session.get(), 16, 16, from, index, &point, capacity).code;
  };
  EXPECT_EQ(points(memory.data(), 0, 0), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(points(memory.data(), 2, 1), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(points(nullptr, 0, 1), OCTET_INVALID_ARGUMENT);
  const auto masked = [&](uint32_t left, uint32_t width, size_t bytes) {
    return octet_mask(session.get(), 16, 16, memory.data(), 0, left, 0, width, 1, mask, bytes).code;
  };
  EXPECT_EQ(masked(8, 8, 8), OCTET_OK);
  EXPECT_EQ(masked(8, 9, 9), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(masked(17, 0, 0), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(masked(8, 8, 7), OCTET_SHAPE_MISMATCH);
}

TEST(Validator, RefusesRecordsThatReadOutsideOrMeanNothing) {
  const Change changes[] = {
      [](blob::DecodeRecord& r, blob::DecodeExtra&) {
        r.point_count = 3;
      },  // 6 numbers from 5 on, of 9
      [](blob::DecodeRecord& r, blob::DecodeExtra&) { r.point_count = 257; },
      [](blob::DecodeRecord& r, blob::DecodeExtra&) { r.point_numbers = 1; },
      [](blob::DecodeRecord& r, blob::DecodeExtra&) { r.point_count = 0; },
      [](blob::DecodeRecord& r, blob::DecodeExtra&) { r.mask_count = 3; },
      [](blob::DecodeRecord& r, blob::DecodeExtra&) { r.mask_count = 257; },
      [](blob::DecodeRecord& r, blob::DecodeExtra&) { r.prototypes = 2; },
      [](blob::DecodeRecord& r, blob::DecodeExtra&) { r.prototype_columns = 0; },
      [](blob::DecodeRecord& r, blob::DecodeExtra&) { r.prototype_columns = 3; },
      [](blob::DecodeRecord& r, blob::DecodeExtra&) { r.prototype_columns = 0xFFFFFFFF; },
      [](blob::DecodeRecord& r, blob::DecodeExtra&) {
        r.class_form = static_cast<blob::ClassForm>(3);
      },
      [](blob::DecodeRecord& r, blob::DecodeExtra&) {
        r.class_form = blob::ClassForm::kIndex;
        r.class_activation = blob::Activation::kSoftmax;
      },
      [](blob::DecodeRecord& r, blob::DecodeExtra&) {
        r.score_rule = static_cast<blob::ScoreRule>(2);
      },
      [](blob::DecodeRecord&, blob::DecodeExtra& e) { e.points.base = 8; },
      [](blob::DecodeRecord&, blob::DecodeExtra& e) { e.points.output = 2; },
      [](blob::DecodeRecord&, blob::DecodeExtra& e) { e.mask.channel_step = 2; },
      [](blob::DecodeRecord&, blob::DecodeExtra& e) { e.mask.base = 0xFFFFFFFF; }};
  for (size_t i = 0; i < std::size(changes); ++i) {
    const Blob blob = MakeObjectBlob(changes[i]);
    EXPECT_EQ(octet_validate(blob.data(), blob.size(), 0).code, OCTET_MALFORMED) << i;
  }
}

}  // namespace
}  // namespace octet::test
