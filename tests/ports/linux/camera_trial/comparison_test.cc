// What is kept of the model before, and how the next one is measured by it.
#include "ports/linux/camera/program/slots/comparison.h"

#include <algorithm>

#include "runtime/format/product.h"
#include "tests/ports/linux/slot/models.h"

namespace octet::test {
namespace {

using port::Comparison;
using port::ComparisonSettings;

constexpr uint64_t kComparedSecond = 1'000'000'000;

// A picture of 4 x 4, and as outputs the picture, `outputs` times, through a table each: output i
// has `shift[i]` added to each code. Of scores, where a task has them, there are 12 classes.
struct Kind {
  blob::Task task = blob::Task::kNone;
  std::vector<int> shift = {0};
  std::string product = {};
  std::vector<std::string> labels = {};
  uint32_t grid = 4;
};

Blob MakeAnswering(const Kind& kind) {
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
  for (size_t i = 0; i < kind.shift.size(); ++i) {
    const std::string name = "y" + std::to_string(i);
    const uint32_t y = b.AddTensor({1, 4, 4, 12}, ElementType::kInt8, kScale, 0);
    std::vector<int8_t> table(256);
    for (int q = -128; q < 128; ++q) {
      table[static_cast<size_t>(q + 128)] =
          static_cast<int8_t>(std::clamp(q + kind.shift[i], -128, 127));
    }
    b.AddLayer(Op::kUnary, {wide}, y, "table " + name).table = b.AddTable(table);
    b.AddOutput(name, y);
  }
  if (kind.task != Task::kNone) {
    DecodeRecord record{};
    record.class_count = 12;
    record.class_activation = Activation::kSoftmax;
    DecodeLevel level{};
    level.grid_h = level.grid_w = kind.task == Task::kClassify ? 1 : kind.grid;
    level.anchor_count = 1;
    level.stride_x = level.stride_y = 1;
    level.scores = {0, 0, 0, 48, 12, 1};
    b.SetDecode(kind.task, record, {level}, {});
  }
  for (const std::string& label : kind.labels) b.AddLabel(label);
  if (!kind.product.empty()) {
    b.AddSection(kProductSection, {kind.product.begin(), kind.product.end()});
  }
  return b.Build();
}

class Compared : public StoreFolder {
 protected:
  void TearDown() override {
    model_.reset();
    StoreFolder::TearDown();
  }
  void Begin(ComparisonSettings settings) { comparison_.emplace(settings); }
  void Load(const Kind& kind, bool on_trial) {
    WriteBlob("m.octet", MakeAnswering(kind));
    comparison_->Unload();
    model_.emplace(Path("m.octet"), port::ModelOptions());
    model_->Bind();
    reader_.emplace(*model_);
    comparison_->Load(*model_, on_trial);
  }
  // Every picture is another one.
  static port::FrameBuffer Picture(int number) {
    port::FrameBuffer frame;
    frame.Resize(OCTET_PIXELS_RGB24, 4, 4);
    for (size_t i = 0; i < frame.bytes.size(); ++i) {
      frame.bytes[i] = static_cast<uint8_t>((static_cast<size_t>(number) * 37 + i * 29) % 200);
    }
    return frame;
  }
  const port::Results& Answer(const port::FrameBuffer& frame) {
    const octet_frame view = frame.View();
    EXPECT_EQ(octet_set_input_frame(model_->session(), 0, &view).code, OCTET_OK);
    EXPECT_EQ(octet_run(model_->session()).code, OCTET_OK);
    return reader_->Read(model_->session(), frame.width, frame.height);
  }
  // Keeps the answer as it is.
  void Keep(int number) {
    const port::FrameBuffer frame = Picture(number);
    const port::Results& results = Answer(frame);
    comparison_->AfterRun(model_->session(), 0, true);
    comparison_->Keep(frame, results);
  }
  uint32_t Agreement() {
    for (uint32_t i = 1; i < comparison_->frames(); ++i) EXPECT_FALSE(comparison_->AnswerNext());
    EXPECT_TRUE(comparison_->IsDue());
    EXPECT_TRUE(comparison_->AnswerNext());
    EXPECT_FALSE(comparison_->IsDue());
    return comparison_->agreement();
  }

  std::optional<port::Model> model_;
  std::optional<port::ResultReader> reader_;
  std::optional<Comparison> comparison_;
};

TEST_F(Compared, TheSameAnswersAgreeWhateverTheyAre) {
  for (const blob::Task task : {blob::Task::kNone, blob::Task::kClassify, blob::Task::kSegment}) {
    Begin({.frames = 3});
    Load({.task = task}, false);
    EXPECT_FALSE(comparison_->HasNothing()) << "it is not on trial";
    for (int i = 0; i < 3; ++i) Keep(i);
    EXPECT_FALSE(comparison_->IsDue());
    // One code more everywhere: another model with the same best classes.
    Load({.task = task, .shift = {1}}, true);
    EXPECT_FALSE(comparison_->HasNothing());
    EXPECT_EQ(comparison_->frames(), 3u);
    EXPECT_GT(Agreement(), 900u) << static_cast<int>(task);
  }
}

// Where nothing decodes them all outputs count, each in its place.
TEST_F(Compared, ValuesOfEachOutputCount) {
  const struct {
    std::vector<int> shift;
    bool agrees;
  } cases[] = {
      {{0, 0, 1}, true}, {{-100, 0, 0}, false}, {{0, -100, 0}, false}, {{0, 0, -100}, false}};
  for (const auto& c : cases) {
    Begin({.frames = 2});
    Load({.shift = {0, 0, 0}}, false);
    for (int i = 0; i < 2; ++i) Keep(i);
    Load({.shift = c.shift}, true);
    const uint32_t agreement = Agreement();
    EXPECT_EQ(agreement > 990, c.agrees) << agreement;
  }
}

// Of more frames than are compared the last ones stay.
TEST_F(Compared, TheOldestFramesGo) {
  for (int wrong = 0; wrong <= 5; ++wrong) {
    Begin({.frames = 3});
    Load({.task = blob::Task::kClassify}, false);
    for (int i = 0; i < 5; ++i) {
      const port::FrameBuffer frame = Picture(i);
      port::Results results = Answer(frame);
      if (i == wrong) {
        for (auto& one : results.classes) one.label = (one.label + 6) % 12 + 100;
      }
      comparison_->AfterRun(model_->session(), 0, true);
      comparison_->Keep(frame, results);
    }
    Load({.task = blob::Task::kClassify, .shift = {1}}, true);
    EXPECT_EQ(comparison_->frames(), 3u);
    EXPECT_EQ(Agreement() == 1000, wrong < 2 || wrong == 5) << wrong;
  }
}

// A live source: a frame a second, and the first at once.
TEST_F(Compared, AFrameASecondIsKept) {
  Begin({.frames = 8});
  Load({}, false);
  const port::FrameBuffer frame = Picture(0);
  const auto frames_after = [&](uint64_t now, bool waits) {
    comparison_->AfterRun(model_->session(), now, waits);
    comparison_->Keep(frame, {});
    return comparison_->frames();
  };
  EXPECT_EQ(frames_after(5 * kComparedSecond, false), 1u) << "the first";
  EXPECT_EQ(frames_after(5 * kComparedSecond, false), 1u);
  EXPECT_EQ(frames_after(6 * kComparedSecond - 1, false), 1u);
  EXPECT_EQ(frames_after(6 * kComparedSecond, false), 2u);
  EXPECT_EQ(frames_after(7 * kComparedSecond - 1, false), 2u);
  EXPECT_EQ(frames_after(7 * kComparedSecond - 1, true), 3u) << "there is always time";
  EXPECT_EQ(frames_after(8 * kComparedSecond - 2, false), 3u) << "counted from the last one";
  EXPECT_EQ(frames_after(8 * kComparedSecond - 1, false), 4u);
  comparison_->Keep(frame, {});
  EXPECT_EQ(comparison_->frames(), 4u) << "once a run";
}

// A frame without a box or a class says nothing; a map always does.
TEST_F(Compared, WhatSaysNothingIsNotKept) {
  const struct {
    octet_task task;
    uint32_t count;
    size_t bytes;
    bool kept;
  } cases[] = {{OCTET_TASK_DETECT, 0, 48, false},   {OCTET_TASK_DETECT, 1, 48, true},
               {OCTET_TASK_CLASSIFY, 0, 48, false}, {OCTET_TASK_CLASSIFY, 1, 48, true},
               {OCTET_TASK_SEGMENT, 0, 48, true},   {OCTET_TASK_NONE, 0, 48, true},
               {OCTET_TASK_NONE, 0, 0, false}};
  for (const auto& c : cases) {
    Begin({.frames = 2});
    Load({}, false);
    port::Results results;
    results.task = c.task;
    results.count = c.count;
    results.boxes.resize(2);
    port::FrameBuffer frame = Picture(0);
    frame.bytes.resize(c.bytes);
    comparison_->AfterRun(model_->session(), 0, true);
    comparison_->Keep(frame, results);
    EXPECT_EQ(comparison_->frames(), c.kept ? 1u : 0u) << c.task << " " << c.count;
  }
}

// What is there to be compared is as large as memory allows, and one frame at least.
TEST_F(Compared, LargeFramesAreFewer) {
  const auto frames_of = [&](size_t bytes) {
    Begin({.frames = 8});
    Load({}, false);
    port::FrameBuffer frame;
    frame.Resize(OCTET_PIXELS_GREY8, 2048, static_cast<uint32_t>(bytes / 2048));
    for (int i = 0; i < 9; ++i) {
      comparison_->AfterRun(model_->session(), 0, true);
      comparison_->Keep(frame, {});
    }
    return comparison_->frames();
  };
  EXPECT_EQ(frames_of(Comparison::kMostFrameBytes / 8), 8u);
  EXPECT_EQ(frames_of(Comparison::kMostFrameBytes / 4), 4u);
  EXPECT_EQ(frames_of(Comparison::kMostFrameBytes / 4 + 2048), 3u);
}

TEST_F(Compared, AMapOfAnotherGridIsNoMeasure) {
  Begin({.frames = 1});
  Load({.task = blob::Task::kSegment}, false);
  const port::FrameBuffer frame = Picture(0);
  port::Results results = Answer(frame);
  results.map.assign(9, 0);
  comparison_->AfterRun(model_->session(), 0, true);
  comparison_->Keep(frame, results);
  Load({.task = blob::Task::kSegment, .shift = {1}}, true);
  EXPECT_EQ(Agreement(), 1000u);
}
TEST_F(Compared, AMapOfTheSameGridIs) {
  Begin({.frames = 1});
  Load({.task = blob::Task::kSegment}, false);
  const port::FrameBuffer frame = Picture(0);
  port::Results results = Answer(frame);
  for (uint8_t& label : results.map) label = static_cast<uint8_t>((label + 6) % 12);
  comparison_->AfterRun(model_->session(), 0, true);
  comparison_->Keep(frame, results);
  Load({.task = blob::Task::kSegment, .shift = {1}}, true);
  EXPECT_EQ(Agreement(), 0u);
}

// The answers of another kind of model are meant to be others.
TEST_F(Compared, AModelOfAnotherKindIsNotCompared) {
  const std::vector<std::string> labels(12, "dog");
  const Kind before = {.task = blob::Task::kClassify, .product = "door-cam", .labels = labels};
  const struct {
    std::string product;
    std::string label;
    bool compared;
  } cases[] = {{"door-cam", "dog", true}, {"till", "dog", false}, {"door-cam", "cat", false}};
  for (const auto& c : cases) {
    Begin({.frames = 1});
    Load(before, false);
    Keep(0);
    Kind next = before;
    next.shift = {1};
    next.product = c.product;
    next.labels[3] = c.label;
    Load(next, true);
    EXPECT_EQ(comparison_->HasNothing(), !c.compared) << c.product << c.label;
    EXPECT_EQ(comparison_->IsDue(), c.compared);
  }
}

// The same model once more keeps its answers; another one begins anew.
TEST_F(Compared, AnswersAreOfOneModel) {
  Begin({.frames = 4});
  Load({}, false);
  Keep(0);
  Load({}, false);
  EXPECT_EQ(comparison_->frames(), 1u);
  Keep(1);
  EXPECT_EQ(comparison_->frames(), 2u);
  Load({.shift = {1}}, false);
  EXPECT_EQ(comparison_->frames(), 0u);
}

// Confirmed before all of its frames were compared: from then on the answers are its own.
TEST_F(Compared, ATrialThatEndsBeginsAnew) {
  Begin({.frames = 4});
  Load({}, false);
  Keep(0);
  Load({.shift = {1}}, true);
  EXPECT_TRUE(comparison_->IsDue());
  Keep(1);
  EXPECT_FALSE(comparison_->IsDue());
  EXPECT_EQ(comparison_->frames(), 1u) << "of the new one alone";
}

TEST_F(Compared, NoFramesNoComparison) {
  Begin({.frames = 0});
  Load({}, false);
  Keep(0);
  EXPECT_EQ(comparison_->frames(), 0u);
  Load({.shift = {1}}, true);
  EXPECT_FALSE(comparison_->IsDue());
  EXPECT_FALSE(comparison_->HasNothing());
  EXPECT_EQ(comparison_->agreement(), 0u);
}

}  // namespace
}  // namespace octet::test
