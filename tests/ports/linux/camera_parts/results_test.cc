// What a model says of a frame, read into memory that was taken before: boxes with their key
// points and the pixels of their objects, and maps.
#include "ports/linux/results/results.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "tests/support/blob_builder.h"

namespace octet::port {
namespace {

namespace fs = std::filesystem;

// Numbers in steps of 1/4 that the graph says whatever the picture is: a box, its score, a key
// point, and how much of the left and the right half of the 8 x 8 input is the object's.
struct Object {
  int x0, y0, x1, y1, score, point_x, point_y, left, right;
};
test::Blob MakeObjects(const std::vector<Object>& objects, bool masks = true, float threshold = 0) {
  test::BlobBuilder b;
  b.AddInput("x", {1, 8, 8, 3}, blob::ElementType::kInt8, 1.0f / 64, -128);
  b.input(0).is_image = 1;
  b.input(0).scale = 1.0f / 64;
  std::vector<int8_t> numbers;
  for (const Object& o : objects) {
    for (const int n : {o.x0, o.y0, o.x1, o.y1}) numbers.push_back(static_cast<int8_t>(4 * n));
    numbers.push_back(static_cast<int8_t>(o.score));
    for (const int n : {o.point_x, o.point_y}) numbers.push_back(static_cast<int8_t>(4 * n));
    for (const int n : {o.left, o.right}) numbers.push_back(static_cast<int8_t>(4 * n));
  }
  const std::vector<int8_t> prototypes = {4, -4, 4, -4, -4, 4, -4, 4};
  for (const std::vector<int8_t>* values : {&std::as_const(numbers), &prototypes}) {
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
  record.iou_threshold = 1;
  record.score_threshold = threshold;
  record.max_candidates = record.max_detections = static_cast<uint32_t>(objects.size());
  record.point_count = 1, record.point_numbers = 2;
  if (masks) record.mask_count = 2, record.prototypes = 1, record.prototype_columns = 2;
  blob::DecodeLevel level{};
  level.grid_h = level.grid_w = 1;
  level.anchor_count = static_cast<uint32_t>(objects.size());
  level.box = {0, 0, 9, 0, 0, 1};
  level.scores = {0, 4, 9, 0, 0, 1};
  blob::DecodeExtra extra = {{0, 5, 9, 0, 0, 1}, {0, 7, 9, 0, 0, 1}};
  if (!masks) extra.mask = {};
  b.SetDecode(blob::Task::kDetect, record, {level}, {}, {extra});
  return b.Build();
}

class ResultsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "octet-results-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }
  // Of a frame of the input's size times `scale`.
  const Results& Read(const test::Blob& blob, uint32_t width = 8, uint32_t height = 8,
                      float least_score = kNoWeakBoxes) {
    const std::string path = (folder_ / "m.octet").string();
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(blob.data()),
               static_cast<std::streamsize>(blob.size()));
    model_.emplace(path, ModelOptions());
    model_->Bind();
    EXPECT_EQ(octet_run(model_->session()).code, OCTET_OK);
    reader_.emplace(*model_, least_score);
    return reader_->Read(model_->session(), width, height);
  }
  std::vector<uint32_t> RunsOf(const Results& results, size_t i) const {
    const ObjectMask& mask = results.masks[i];
    const auto first = results.runs.begin() + mask.first_run;
    return {first, first + mask.run_count};
  }

  fs::path folder_;
  std::optional<Model> model_;
  std::optional<ResultReader> reader_;
};

TEST_F(ResultsTest, EachBoxHasItsPoints) {
  const Results& results = Read(MakeObjects(
      {{0, 0, 3, 4, 9, 1, 2, 0, 1}, {5, 1, 7, 6, 8, 6, 5, 0, 1}, {4, 7, 6, 8, 7, 5, 7, 0, 1}}));
  ASSERT_EQ(results.task, OCTET_TASK_DETECT);
  ASSERT_EQ(results.count, 3u);
  ASSERT_EQ(results.boxes.size(), 3u);
  ASSERT_EQ(results.points.size(), 3u);
  EXPECT_EQ(results.point_count, 1u);
  const float points[][2] = {{1, 2}, {6, 5}, {5, 7}};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(results.points[i].x, points[i][0]) << i;
    EXPECT_EQ(results.points[i].y, points[i][1]) << i;
  }
  EXPECT_EQ(results.boxes[1].x0, 5);
}

// For a tracker: below the blob's threshold, and no results.
TEST_F(ResultsTest, WeakBoxesStandBehindTheOthers) {
  const auto blob = MakeObjects(
      {{0, 0, 3, 4, 9, 1, 2, 0, 1}, {5, 1, 7, 6, 6, 6, 5, 0, 1}, {4, 7, 6, 8, 3, 5, 7, 0, 1}}, true,
      2);
  const Results& alone = Read(blob);
  EXPECT_EQ(alone.count, 1u);
  EXPECT_EQ(alone.BoxCount(), 1u);
  const Results& results = Read(blob, 8, 8, 1);
  EXPECT_EQ(results.count, 1u);
  EXPECT_EQ(results.weak_count, 1u);
  ASSERT_EQ(results.BoxCount(), 2u);
  EXPECT_EQ(results.boxes[0].score, 2.25f);
  EXPECT_EQ(results.boxes[1].score, 1.5f);
  EXPECT_EQ(results.masks.size(), 1u);
}

// Runs of the box's pixels, rows first, outside and inside in turn.
TEST_F(ResultsTest, AMaskIsInRuns) {
  // The right half of the input is the object.
  const Results& results = Read(MakeObjects({{2, 1, 8, 4, 9, 0, 0, -1, 1}}));
  ASSERT_EQ(results.masks.size(), 1u);
  const ObjectMask& mask = results.masks[0];
  EXPECT_EQ(mask.left, 2u);
  EXPECT_EQ(mask.top, 1u);
  EXPECT_EQ(mask.width, 6u);
  EXPECT_EQ(mask.height, 3u);
  EXPECT_EQ(mask.first_run, 0u);
  EXPECT_EQ(RunsOf(results, 0), (std::vector<uint32_t>{2, 4, 2, 4, 2, 4}));
  EXPECT_EQ(mask.pixels, 12u);
}

TEST_F(ResultsTest, MasksFollowEachOther) {
  const Results& results = Read(MakeObjects(
      {{0, 0, 8, 2, 9, 0, 0, 1, -1}, {4, 3, 8, 5, 8, 0, 0, -1, 1}, {0, 6, 2, 8, 7, 0, 0, -1, 1}}));
  ASSERT_EQ(results.masks.size(), 3u);
  EXPECT_EQ(RunsOf(results, 0), (std::vector<uint32_t>{0, 4, 4, 4, 4})) << "it begins inside";
  EXPECT_EQ(RunsOf(results, 1), (std::vector<uint32_t>{0, 8})) << "all of it";
  EXPECT_EQ(RunsOf(results, 2), (std::vector<uint32_t>{4})) << "none of it";
  EXPECT_EQ(results.masks[1].first_run, 5u);
  EXPECT_EQ(results.masks[2].first_run, 7u);
  EXPECT_EQ(results.masks[0].pixels, 8u);
  EXPECT_EQ(results.masks[1].pixels, 8u);
  EXPECT_EQ(results.masks[2].pixels, 0u);
  EXPECT_EQ(reader_->Read(model_->session(), 8, 8).runs.size(), 8u) << "read once more";
}

// Of sides that are crossed or meet, and beyond the frame.
TEST_F(ResultsTest, BoxesWithoutPixels) {
  const Results& results = Read(MakeObjects({{5, 0, 3, 4, 9, 0, 0, 1, 1},
                                             {0, 5, 4, 2, 8, 0, 0, 1, 1},
                                             {6, 6, 6, 8, 7, 0, 0, 1, 1},
                                             {2, 2, 20, 30, 6, 0, 0, 1, 1}}));
  ASSERT_EQ(results.count, 4u);
  ASSERT_EQ(results.masks.size(), 4u);
  EXPECT_EQ(results.masks[0].width, 0u);
  EXPECT_EQ(results.masks[0].height, 4u);
  EXPECT_EQ(results.masks[1].height, 0u);
  EXPECT_EQ(results.masks[1].width, 4u);
  EXPECT_EQ(results.masks[2].width, 0u);
  EXPECT_EQ(results.masks[3].width, 6u);
  EXPECT_EQ(results.masks[3].height, 6u);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(results.masks[i].run_count, 0u);
}

// There is room for so many runs; the object that does not fit has none, and those behind it do.
TEST_F(ResultsTest, MasksWithoutRoomHaveNoRuns) {
  // A frame of 16 x 65538 pixels has two runs a row, the other box has one.
  const Results& results =
      Read(MakeObjects({{0, 0, 8, 7, 9, 0, 0, 1, -1}, {4, 7, 8, 8, 8, 0, 0, -1, 1}}), 8, 131072);
  ASSERT_EQ(results.masks.size(), 2u);
  EXPECT_EQ(results.masks[0].run_count, 0u);
  EXPECT_EQ(results.masks[0].pixels, 0u);
  EXPECT_EQ(RunsOf(results, 1), (std::vector<uint32_t>{0, 4 * 16384}));
  EXPECT_EQ(results.masks[1].first_run, 0u);
}

TEST_F(ResultsTest, TheLongestLineCountsAllOfIt) {
  const auto line_bytes = [&](const std::vector<Object>& objects, bool masks) {
    Read(MakeObjects(objects, masks));
    return reader_->LineBytes();
  };
  const Object one = {0, 0, 3, 4, 9, 1, 2, 0, 1};
  const size_t single = line_bytes({one}, false), both = line_bytes({one, one}, false);
  EXPECT_GE(both - single, 24u) << "a point more";
  EXPECT_LT(both - single, 100u);
  EXPECT_GE(line_bytes({one}, true), single + (size_t{6} << 17)) << "every run";
  EXPECT_GE(line_bytes({one, one}, true), line_bytes({one}, true) + 64 + 24);
}

}  // namespace
}  // namespace octet::port
