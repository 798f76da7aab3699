// The numbers at which a conversion warns, one more and one less.
#include "converter/convert/warnings.h"

#include <cstring>

#include <gtest/gtest.h>

#include "runtime/format/decode.h"
#include "tests/support/facts.h"

namespace octet::convert {
namespace {

using test::ExpectFacts;

// Pictures of these sizes, in turn; of no size they are no pictures.
class Sizes : public images::Dataset {
 public:
  Sizes(std::vector<images::PictureSize> sizes, int channels)
      : sizes_(std::move(sizes)), channels_(channels) {}
  int64_t size() const override { return static_cast<int64_t>(sizes_.size()); }
  graph::Tensor Load(int64_t) const override { return {}; }
  images::PictureSize Picture(int64_t i) const override { return sizes_[static_cast<size_t>(i)]; }
  int SourceChannels() const override { return channels_; }

 private:
  std::vector<images::PictureSize> sizes_;
  int channels_;
};

// A picture input of 40 rows of 60, and an input that takes none.
struct Inputs {
  graph::Graph graph;
  ConvertOptions options;
  std::vector<std::unique_ptr<images::Dataset>> data;

  Inputs() {
    graph.inputs = {graph.AddValue({"image", {}, graph::Shape{1, 3, 40, 60}, {}, {}}),
                    graph.AddValue({"other", {}, graph::Shape{1, 8}, {}, {}})};
    options.calibration = {"pictures", "values"};
  }
  void Give(const std::vector<images::PictureSize>& sizes, int channels = 3) {
    data.clear();
    data.push_back(std::make_unique<Sizes>(sizes, channels));
    data.push_back(std::make_unique<Sizes>(std::vector<images::PictureSize>(sizes.size()), 0));
  }
  Warnings OfCalibration(int64_t samples) const {
    Warnings warnings;
    WarnOfCalibration(graph, data, options, samples, &warnings);
    return warnings;
  }
  Warnings OfRange(float min, float max) const {
    std::vector<std::optional<calibrate::Statistics>> seen(2);
    seen[0].emplace();
    seen[0]->min = min;
    seen[0]->max = max;
    Warnings warnings;
    WarnOfRange(graph, seen, data, options, &warnings);
    return warnings;
  }
};

TEST(Warnings, ThirtyTwoSamplesAreEnough) {
  Inputs inputs;
  inputs.Give({{100, 100}});
  ASSERT_EQ(inputs.OfCalibration(31).size(), 1u);
  ExpectFacts(inputs.OfCalibration(31)[0], {"31 samples", "pictures", "--calibrate", "100"});
  ExpectFacts(inputs.OfCalibration(1)[0], {"1 sample:"});
  EXPECT_TRUE(inputs.OfCalibration(32).empty());
  inputs.data.clear();
  EXPECT_TRUE(inputs.OfCalibration(1).empty()) << "random data are warned of elsewhere";
  // Without an input that takes pictures they are samples.
  inputs.Give({{100, 100}});
  inputs.graph.inputs.erase(inputs.graph.inputs.begin());
  inputs.data.erase(inputs.data.begin());
  ASSERT_EQ(inputs.OfCalibration(31).size(), 1u);
  EXPECT_EQ(inputs.OfCalibration(31)[0].find("picture"), std::string::npos);
}

TEST(Warnings, PicturesMayBeEnlargedTwice) {
  Inputs inputs;
  const auto warned = [&](uint32_t height, uint32_t width) {
    inputs.Give({{height, width}});
    return inputs.OfCalibration(100).size();
  };
  // By the side that grows more; twice is the limit.
  EXPECT_EQ(warned(20, 30), 0u);
  EXPECT_EQ(warned(19, 30), 1u);
  EXPECT_EQ(warned(20, 29), 1u);
  EXPECT_EQ(warned(1000, 29), 1u);
  // Of a letterbox the side that grows less tells.
  inputs.options.preprocess.resize = blob::ResizeMode::kLetterbox;
  EXPECT_EQ(warned(1000, 29), 0u);
  EXPECT_EQ(warned(19, 29), 1u);
  inputs.options.preprocess.resize = blob::ResizeMode::kCrop;
  EXPECT_EQ(warned(1000, 29), 1u);
  EXPECT_EQ(warned(0, 0), 0u) << "no pictures";
  // The median of all counts, and is told.
  inputs.Give({{10, 15}, {100, 100}, {16, 24}});
  ASSERT_EQ(inputs.OfCalibration(100).size(), 1u);
  ExpectFacts(inputs.OfCalibration(100)[0], {"pictures", "24x16", "2.5 times", "60x40"});
  inputs.Give({{10, 15}, {100, 100}, {160, 240}});
  EXPECT_TRUE(inputs.OfCalibration(100).empty());
  // Rows and columns of an input [1, H, W, C].
  inputs.graph.values[0].shape = graph::Shape{1, 40, 60, 3};
  inputs.Give({{16, 100}});
  ExpectFacts(inputs.OfCalibration(100)[0], {"60x40"});
}

TEST(Warnings, ColourForAGreyInput) {
  const auto warned = [](const graph::Shape& shape, bool last, int channels) {
    Warnings warnings;
    WarnOfColour(shape, last, Sizes({{1, 1}}, channels), "path", &warnings);
    return warnings.size();
  };
  EXPECT_EQ(warned({1, 1, 4, 4}, false, 3), 1u);
  EXPECT_EQ(warned({1, 4, 4, 1}, true, 3), 1u);
  EXPECT_EQ(warned({1, 1, 4, 4}, false, 1), 0u);
  EXPECT_EQ(warned({1, 3, 4, 1}, false, 3), 0u);
  EXPECT_EQ(warned({1, 1, 4, 3}, true, 3), 0u);
}

TEST(Warnings, FloatsWithinEightTimesTheRangeOfPictures) {
  Inputs inputs;
  inputs.Give({{0, 0}}, 0);
  inputs.options.preprocess.scale = 1;  // pictures make 0 to 255
  EXPECT_EQ(inputs.OfRange(0, 2040).size(), 0u);
  EXPECT_EQ(inputs.OfRange(0, 2041).size(), 1u);
  EXPECT_EQ(inputs.OfRange(-2041, 0).size(), 1u);
  EXPECT_EQ(inputs.OfRange(0, 31.875f).size(), 0u);
  EXPECT_EQ(inputs.OfRange(-31, 31).size(), 1u);
  // A mean shifts them: -127.5 to 127.5, by a channel alone too.
  for (float& mean : inputs.options.preprocess.mean) mean = 127.5f;
  EXPECT_EQ(inputs.OfRange(0, 1020).size(), 0u);
  EXPECT_EQ(inputs.OfRange(0, 1021).size(), 1u);
  inputs.options.preprocess.std_dev[2] = 0.5f;
  EXPECT_EQ(inputs.OfRange(0, 2040).size(), 0u);
  ExpectFacts(inputs.OfRange(-1, 9000)[0], {"pictures", "-1", "9000", "-255", "255", "'image'"});
  inputs.Give({{1, 1}}, 3);
  EXPECT_EQ(inputs.OfRange(0, 1e6f).size(), 0u) << "pictures are prepared";
}

// A decoder of two levels: boxes are output 0, scores 1, objects 2.
struct Detector {
  blob::DecodeRecord record{};
  blob::DecodeLevel levels[2] = {};
  write::ModelInfo info;
  graph::Graph graph;
  std::vector<std::optional<calibrate::Statistics>> seen;

  Detector() {
    record.level_count = 2;
    record.levels_offset = sizeof(record);
    record.background = blob::kNone;
    record.unit_x = record.unit_y = 1;
    record.score_threshold = 0.25f;
    for (blob::DecodeLevel& level : levels) {
      level.scores.output = 1;
      level.object.output = 2;
    }
    info.task = blob::Task::kDetect;
    for (const char* name : {"boxes", "scores", "objects"}) {
      graph.outputs.push_back(graph.AddValue({name, {}, graph::Shape{1}, {}, {}}));
      seen.emplace_back(calibrate::Statistics{});
      seen.back()->count = 1;
    }
  }
  void Pack() {
    info.decode.resize(sizeof(record) + sizeof(levels));
    std::memcpy(info.decode.data(), &record, sizeof(record));
    std::memcpy(info.decode.data() + sizeof(record), levels, sizeof(levels));
  }
  Warnings OfBoxes(float largest) {
    Pack();
    seen[0]->max = largest;
    Warnings warnings;
    WarnOfBoxes(graph, seen, info, "preset", &warnings);
    return warnings;
  }
  Warnings OfScores(float score, float object = 1) {
    Pack();
    seen[1]->max = score;
    seen[2]->max = object;
    Warnings warnings;
    WarnOfScores(graph.outputs, seen, info, "preset", &warnings);
    return warnings;
  }
};

TEST(Warnings, BoxesThatAreNoPixels) {
  Detector detector;
  EXPECT_TRUE(detector.OfBoxes(16).empty());
  ASSERT_EQ(detector.OfBoxes(15).size(), 1u);
  ExpectFacts(detector.OfBoxes(15)[0], {"--decode preset", "'boxes'", "15", "yolox", "ssd"});
  detector.record.unit_x = 640;
  EXPECT_TRUE(detector.OfBoxes(16).empty());
  EXPECT_EQ(detector.OfBoxes(17).size(), 1u);
  // Distances are steps of the grid, not pixels.
  detector.record.box_form = blob::BoxForm::kDistances;
  EXPECT_TRUE(detector.OfBoxes(17).empty());
  detector.record.unit_x = 1;
  EXPECT_TRUE(detector.OfBoxes(1).empty());
  detector.record.box_form = blob::BoxForm::kCorners;
  detector.record.box_rule = blob::BoxRule::kGrid;
  EXPECT_TRUE(detector.OfBoxes(1).empty());
  EXPECT_TRUE(detector.OfBoxes(24).empty());
  ASSERT_EQ(detector.OfBoxes(25).size(), 1u);
  ExpectFacts(detector.OfBoxes(25)[0], {"yolov5"});
  detector.seen[0]->count = 0;
  EXPECT_TRUE(detector.OfBoxes(25).empty());
  detector.seen[0]->count = 1;
  detector.info.task = blob::Task::kNone;
  EXPECT_TRUE(detector.OfBoxes(25).empty());
}

TEST(Warnings, ScoresThatNeverPassTheThreshold) {
  Detector detector;
  EXPECT_TRUE(detector.OfScores(0.25f).empty());
  ASSERT_EQ(detector.OfScores(0.125f).size(), 1u);
  ExpectFacts(detector.OfScores(0.125f)[0], {"--decode preset", "0.25", "0.12", "--scale"});
  // By the object's score, where there is one; or the root of both.
  EXPECT_TRUE(detector.OfScores(0.5f, 0.25f).empty());
  detector.record.has_object = 1;
  EXPECT_EQ(detector.OfScores(0.5f, 0.25f).size(), 1u);
  EXPECT_TRUE(detector.OfScores(0.5f, 0.5f).empty());
  detector.record.score_rule = blob::ScoreRule::kRootOfProduct;
  EXPECT_TRUE(detector.OfScores(0.25f, 0.25f).empty());
  EXPECT_EQ(detector.OfScores(0.25f, 0.125f).size(), 1u);
  detector.record.has_object = 0;
  detector.record.score_rule = blob::ScoreRule::kProduct;
  // Behind a sigmoid 0 is a half, and -2 less than an eighth.
  detector.record.class_activation = blob::Activation::kSigmoid;
  EXPECT_TRUE(detector.OfScores(0).empty());
  EXPECT_EQ(detector.OfScores(-2).size(), 1u);
  detector.record.class_activation = blob::Activation::kSoftmax;
  EXPECT_TRUE(detector.OfScores(-2).empty()) << "one of them is always large";
  detector.record.class_activation = blob::Activation::kLinear;
  detector.record.background = 0;
  EXPECT_TRUE(detector.OfScores(0).empty());
  detector.record.background = blob::kNone;
  // One level is enough; beside boxes nothing is known.
  detector.levels[1].scores.output = 2;
  EXPECT_TRUE(detector.OfScores(0, 0.25f).empty());
  EXPECT_EQ(detector.OfScores(0, 0.125f).size(), 1u);
  detector.levels[1].scores.output = 0;
  EXPECT_TRUE(detector.OfScores(0, 0).empty());
  detector.levels[1].scores.output = 2;
  detector.info.task = blob::Task::kClassify;
  EXPECT_TRUE(detector.OfScores(0, 0).empty());
  detector.info.task = blob::Task::kDetect;
  detector.seen[2].reset();
  EXPECT_TRUE(detector.OfScores(0, 0).empty()) << "not measured";
}

TEST(Warnings, LabelsThatFitNoOutput) {
  write::ModelInfo info;
  const auto warned = [&info] {
    Warnings warnings;
    WarnOfMeaning(info, "names.txt", &warnings);
    return warnings;
  };
  info.outputs = {{"a", {1, 5}, false}, {"b", {2, 7}, false}};
  EXPECT_TRUE(warned().empty());
  info.labels.assign(7, "x");
  EXPECT_TRUE(warned().empty());
  info.labels.assign(6, "x");
  ASSERT_EQ(warned().size(), 1u);
  ExpectFacts(warned()[0], {"names.txt", "6 labels", "[1,5], [2,7]", "--task", "--decode"});
  info.task = blob::Task::kDetect;
  EXPECT_EQ(warned().size(), 2u);
  info.labels.clear();
  ASSERT_EQ(warned().size(), 1u);
  ExpectFacts(warned()[0], {"--task detect", "--decode", "yolov8", "YAML"});
  info.decode = {1};
  EXPECT_TRUE(warned().empty());
}

}  // namespace
}  // namespace octet::convert
