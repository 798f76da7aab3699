// Boxes of every form and rule against numbers worked out by hand, selection and suppression
// against straightforward versions of themselves.
#include "runtime/decode/detect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "octet/octet.h"
#include "runtime/decode/scores.h"
#include "tests/support/mixed_blob.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

using blob::Activation;
using blob::BoxForm;
using blob::BoxRule;

// As if the frame were the model's input, and had no end that boxes here reach.
constexpr FramePlace kWide = {
    {{0, 0, 1 << 20, 1 << 20}, {0, 0, 1 << 20, 1 << 20}}, 1 << 20, 1 << 20};

blob::DecodeRecord Record(uint32_t classes) {
  blob::DecodeRecord record{};
  record.level_count = 1;
  record.class_count = classes;
  record.background = blob::kNone;
  record.unit_x = record.unit_y = 1;
  record.score_threshold = 0.25f;
  record.iou_threshold = 0.5f;
  record.max_candidates = 16;
  record.max_detections = 16;
  return record;
}

// One candidate at column 3, row 2 of a 4 x 3 grid: 4 box numbers, then a class score of 1.
Detection OneBox(const blob::DecodeRecord& record, const std::vector<float>& numbers,
                 blob::DecodeAnchor anchor = {}) {
  const uint32_t step = static_cast<uint32_t>(numbers.size()) + 1;
  std::vector<float> output(size_t{12} * step, 0.0f);
  std::copy(numbers.begin(), numbers.end(), output.end() - step);
  output.back() = 1.0f;
  blob::DecodeLevel level{};
  level.grid_h = 3, level.grid_w = 4, level.anchor_count = 1;
  level.stride_x = 8, level.stride_y = 16;
  level.box = {0, 0, 0, 4 * step, step, 1};
  level.scores = {0, step - 1, 0, 4 * step, step, 1};
  const float* outputs[] = {output.data()};
  Candidate candidates[16];
  const DecodeInput in = {&record, &level, &anchor, outputs, nullptr};
  EXPECT_EQ(CollectCandidates(in, kWide, in.record->score_threshold, candidates), 1u);
  return candidates[0].box;
}

void ExpectBox(const Detection& box, float x0, float y0, float x1, float y1) {
  EXPECT_NEAR(box.x0, x0, 1e-3f);
  EXPECT_NEAR(box.y0, y0, 1e-3f);
  EXPECT_NEAR(box.x1, x1, 1e-3f);
  EXPECT_NEAR(box.y1, y1, 1e-3f);
}

TEST(Boxes, Forms) {
  blob::DecodeRecord record = Record(1);
  ExpectBox(OneBox(record, {50, 40, 20, 10}), 40, 35, 60, 45);
  record.box_form = BoxForm::kCornerSize;
  ExpectBox(OneBox(record, {50, 40, 20, 10}), 50, 40, 70, 50);
  record.box_form = BoxForm::kCorners;
  record.unit_x = 100, record.unit_y = 10;
  ExpectBox(OneBox(record, {0.5f, 0.25f, 0.75f, 1}), 50, 2.5f, 75, 10);
  record.box_form = BoxForm::kDistances;
  record.cell_offset = 0.5f;
  // Point (3.5 * 8, 2.5 * 16) = (28, 40).
  ExpectBox(OneBox(record, {1, 0.5f, 2, 0.25f}), 20, 32, 44, 44);
}

TEST(Boxes, Rules) {
  blob::DecodeRecord record = Record(1);
  record.box_rule = BoxRule::kGrid;
  // Centre ((3 + 0.5) * 8, (2 - 0.5) * 16), size (e^0 * 8, 2 * 16).
  ExpectBox(OneBox(record, {0.5f, -0.5f, 0, std::log(2.0f)}), 24, 8, 32, 40);
  record.box_rule = BoxRule::kAnchor;
  record.cell_offset = -0.5f;
  record.box_activation = Activation::kSigmoid;
  // All sigmoids are 1/2: centre (3.5 * 8, 2.5 * 16), size the anchor's.
  ExpectBox(OneBox(record, {0, 0, 0, 0}, {10, 20}), 23, 30, 33, 50);
  record.box_rule = BoxRule::kPrior;
  record.box_activation = Activation::kLinear;
  record.cell_offset = 0.5f;
  record.centre_variance = 0.1f, record.size_variance = 0.2f;
  // Centre (28 + 2 * 0.1 * 10, 40 - 0.1 * 20), size (10 * 2, 20).
  ExpectBox(OneBox(record, {2, -1, std::log(2.0f) / 0.2f, 0}, {10, 20}), 20, 28, 40, 48);
}

TEST(Boxes, OffsetsFromACellsPoint) {
  blob::DecodeRecord record = Record(1);
  record.box_rule = BoxRule::kOffset;
  record.cell_offset = 0.5f;
  record.unit_x = 2;
  // Point (28, 40); centre (28 + 2 * 3, 40 - 4), size (2 * 5, 6).
  ExpectBox(OneBox(record, {3, -4, 5, 6}), 29, 33, 39, 39);
}

// The largest, the first of equals, and nothing that is no number.
TEST(Scores, BestClass) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = INFINITY;
  const struct {
    std::vector<float> values;
    uint32_t label;
    float score;
  } kCases[] = {
      {{0.1f, 0.7f, 0.7f, 0.2f}, 1, 0.7f}, {{0.7f, 0.7f, 0.7f, 0.7f}, 0, 0.7f},
      {{-3, -2, -2.5f, -2}, 1, -2},        {{nan, 0, nan, 0}, 1, 0},
      {{nan, -inf, nan, -inf}, 1, -inf},   {{0, 1, 2, 3}, 3, 3},
  };
  for (const auto& c : kCases) {
    const ClassScore best = BestClass(Record(4), {c.values.data(), 1});
    EXPECT_EQ(best.label, c.label);
    EXPECT_EQ(best.score, c.score);
  }
  const std::vector<float> none(4, nan);
  EXPECT_TRUE(std::isnan(BestClass(Record(4), {none.data(), 1}).score));
  // The background is no class, and is not counted.
  blob::DecodeRecord record = Record(4);
  record.background = 1;
  EXPECT_EQ(BestClass(record, {kCases[0].values.data(), 1}).label, 1u);
}

// Three candidates of a score and the number of a class.
TEST(Scores, ClassByItsNumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  blob::DecodeRecord record = Record(3);
  record.class_form = blob::ClassForm::kIndex;
  const float output[] = {0.5f, 1.9f, 0.75f, 2.6f, 0.9f, -0.6f, 0.9f, nan, 0.6f, 0};
  blob::DecodeLevel level{};
  level.grid_h = 1, level.grid_w = 5, level.anchor_count = 1;
  level.scores = {0, 0, 0, 0, 2, 1};
  const float* outputs[] = {output};
  Candidate candidates[16];
  ASSERT_EQ(CollectCandidates({&record, &level, nullptr, outputs, nullptr}, kWide,
                              record.score_threshold, candidates),
            2u);
  EXPECT_EQ(candidates[0].box.label, 0u);
  EXPECT_EQ(candidates[1].box.label, 2u);  // a little beside 2
  // A model that has suppressed overlaps itself keeps them all.
  record.iou_threshold = 1;
  candidates[1].box = candidates[0].box;
  EXPECT_EQ(SuppressOverlaps(record, candidates, 2, 16), 2u);
}

// Labels and scores in outputs of their own, as transformers of queries give them.
TEST(Scores, ClassByANumberAlone) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  blob::DecodeRecord record = Record(3);
  record.class_form = blob::ClassForm::kNumber;
  record.has_object = 1;
  const float labels[] = {1.9f, 2.6f, -0.6f, nan, 0, 2},
              scores[] = {0.5f, 0.9f, 0.9f, 0.9f, 0.6f, 0};
  blob::DecodeLevel level{};
  level.grid_h = 1, level.grid_w = 6, level.anchor_count = 1;
  level.scores = {0, 0, 0, 0, 1, 1};
  level.object = {1, 0, 0, 0, 1, 1};
  const float* outputs[] = {labels, scores};
  Candidate candidates[16];
  record.score_threshold = 0.1f;
  ASSERT_EQ(CollectCandidates({&record, &level, nullptr, outputs, nullptr}, kWide,
                              record.score_threshold, candidates),
            2u);
  EXPECT_EQ(candidates[0].box.label, 0u);
  EXPECT_EQ(candidates[0].box.score, 0.6f);
  EXPECT_EQ(candidates[1].box.label, 2u);  // a little beside 2
  EXPECT_EQ(candidates[1].box.score, 0.5f);
}

// Both scores count, and a candidate at the threshold is one. Numbers of few bits: no rounding.
TEST(Scores, ThresholdOfTwoScores) {
  const float numbers[] = {0, 0.25f, 0.5f, 0.75f, 1};
  std::vector<float> output;
  for (const float object : numbers) {
    for (const float score : numbers) output.insert(output.end(), {object, score});
  }
  blob::DecodeLevel level{};
  level.grid_h = 1, level.grid_w = 25, level.anchor_count = 1;
  level.object = {0, 0, 0, 0, 2, 1};
  level.scores = {0, 1, 0, 0, 2, 1};
  const float* outputs[] = {output.data()};
  for (const bool root : {false, true}) {
    for (const float threshold : {0.25f, 0.5f, 0.75f, 1.0f}) {
      blob::DecodeRecord record = Record(1);
      record.has_object = 1;
      record.max_candidates = 25;
      record.score_threshold = threshold;
      if (root) record.score_rule = blob::ScoreRule::kRootOfProduct;
      uint32_t expected = 0;
      for (size_t i = 0; i < output.size(); i += 2) {
        const float product = output[i] * output[i + 1];
        expected += (root ? std::sqrt(product) : product) >= threshold ? 1 : 0;
      }
      Candidate candidates[25];
      EXPECT_EQ(CollectCandidates({&record, &level, nullptr, outputs, nullptr}, kWide,
                                  record.score_threshold, candidates),
                expected)
          << root << " " << threshold;
    }
  }
}

TEST(Scores, RootOfTheProduct) {
  blob::DecodeRecord record = Record(1);
  record.has_object = 1;
  record.score_rule = blob::ScoreRule::kRootOfProduct;
  record.score_threshold = 0.59f;
  const float output[] = {0.4f, 0.9f, 0.3f, 1.0f};  // roots 0.6 and 0.55
  blob::DecodeLevel level{};
  level.grid_h = 1, level.grid_w = 2, level.anchor_count = 1;
  level.object = {0, 0, 0, 0, 2, 1};
  level.scores = {0, 1, 0, 0, 2, 1};
  const float* outputs[] = {output};
  Candidate candidates[16];
  ASSERT_EQ(CollectCandidates({&record, &level, nullptr, outputs, nullptr}, kWide,
                              record.score_threshold, candidates),
            1u);
  EXPECT_NEAR(candidates[0].box.score, 0.6f, 1e-6f);
}

TEST(Boxes, DistancesAsDistributions) {
  blob::DecodeRecord record = Record(1);
  record.box_form = BoxForm::kDistances;
  record.bins = 3;
  // All mass on bin 2; evenly over 0..2; half each on 0 and 2; all on 0. Point (24, 32).
  const float none = -100;
  ExpectBox(OneBox(record, {none, none, 0, 1, 1, 1, 0, none, 0, 0, none, none}), 8, 16, 32, 32);
}

TEST(Scores, ActivationAndBackground) {
  blob::DecodeRecord record = Record(3);
  const float values[] = {2, 1, 1.5f};
  EXPECT_EQ(BestClass(record, {values, 1}).label, 0u);
  record.background = 0;
  const ClassScore best = BestClass(record, {values, 1});
  EXPECT_EQ(best.label, 1u);  // channel 2
  EXPECT_EQ(best.score, 1.5f);
  record.class_activation = Activation::kSoftmax;
  const double sum = std::exp(2.0) + std::exp(1.0) + std::exp(1.5);
  EXPECT_NEAR(BestClass(record, {values, 1}).score, std::exp(1.5) / sum, 1e-6);
  ClassScore top[2];
  EXPECT_EQ(BestClasses(record, {values, 1}, top, 2), 2u);
  EXPECT_EQ(top[0].label, 1u);
  EXPECT_EQ(top[1].label, 0u);
  EXPECT_NEAR(top[1].score, std::exp(1.0) / sum, 1e-6);
  EXPECT_EQ(BestClasses(record, {values, 1}, top, 0), 0u);
}

TEST(Scores, NanIsNoCandidate) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  blob::DecodeRecord record = Record(2);
  const float values[] = {nan, 0.5f}, all[] = {nan, nan};
  EXPECT_EQ(BestClass(record, {values, 1}).label, 1u);
  EXPECT_TRUE(std::isnan(BestClass(record, {all, 1}).score));
  blob::DecodeLevel level{};
  level.grid_h = level.grid_w = level.anchor_count = 1;
  level.scores.channel_step = 1;
  const float* outputs[] = {all};
  Candidate candidates[16];
  EXPECT_EQ(CollectCandidates({&record, &level, nullptr, outputs, nullptr}, kWide,
                              record.score_threshold, candidates),
            0u);
}

// The bounded heap keeps what a full sort would.
// Scores that lie class by class are looked at in runs of columns; the candidates are those of the
// other layout.
TEST(Scores, BothLayoutsGiveTheSameCandidates) {
  constexpr uint32_t kHeight = 3, kWidth = 75, kClasses = 5, kCells = kHeight * kWidth;
  constexpr float kInf = std::numeric_limits<float>::infinity();
  std::mt19937 random(7);
  for (uint32_t round = 0; round < 60; ++round) {
    blob::DecodeRecord record = Record(kClasses);
    record.max_candidates = round % 2 == 0 ? 16 : kCells;
    record.background = round % 3 == 0 ? 2 : blob::kNone;
    record.class_activation = round % 5 == 0 ? Activation::kSigmoid : Activation::kLinear;
    std::vector<float> rows(size_t{kCells} * kClasses), planes(rows.size());
    const std::vector<float> boxes(size_t{kCells} * 4, 10.0f);
    for (uint32_t cell = 0; cell < kCells; ++cell) {
      for (uint32_t i = 0; i < kClasses; ++i) {
        const uint32_t draw = static_cast<uint32_t>(random()) % 64;
        float value = static_cast<float>(draw) / 32 - 1;
        if (draw == 0 || cell % 9 == 0) value = std::numeric_limits<float>::quiet_NaN();
        if (draw == 1 || cell % 11 == 0) value = -kInf;
        if (draw == 2) value = kInf;
        rows[cell * kClasses + i] = planes[i * kCells + cell] = value;
      }
    }
    blob::DecodeLevel level{};
    level.grid_h = kHeight, level.grid_w = kWidth, level.anchor_count = 1;
    level.stride_x = level.stride_y = 8;
    level.box = {1, 0, 0, kWidth, 1, kCells};
    for (const float threshold : {0.5f, 0.0f, -1.0f, 1.0f, kInf, -kInf}) {
      std::vector<Candidate> found[2];
      for (uint32_t layout = 0; layout < 2; ++layout) {
        const float* outputs[] = {layout == 0 ? rows.data() : planes.data(), boxes.data()};
        level.scores = {0, 0, 0, kWidth, 1, kCells};
        if (layout == 0) level.scores = {0, 0, 0, kWidth * kClasses, kClasses, 1};
        found[layout].resize(kCells);
        const DecodeInput in = {&record, &level, nullptr, outputs, nullptr};
        found[layout].resize(CollectCandidates(in, kWide, threshold, found[layout].data()));
      }
      ASSERT_EQ(found[0].size(), found[1].size()) << round << " " << threshold;
      for (size_t i = 0; i < found[0].size(); ++i) {
        EXPECT_EQ(found[0][i].order, found[1][i].order) << round << " " << threshold;
        EXPECT_EQ(found[0][i].box.label, found[1][i].box.label);
        EXPECT_EQ(found[0][i].box.score, found[1][i].box.score);
      }
    }
  }
}

TEST(Selection, KeepsTheBestInOrder) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const uint32_t count = 1 + static_cast<uint32_t>(random() % 100);
    std::vector<float> output;
    std::vector<std::pair<float, uint32_t>> expected;
    for (uint32_t i = 0; i < count; ++i) {
      const float score = static_cast<float>(random() % 20) / 20.0f;  // many are equal
      output.insert(output.end(), {static_cast<float>(i), 0, 1, 1, score});
      if (score >= 0.25f) expected.emplace_back(-score, i);
    }
    std::sort(expected.begin(), expected.end());
    blob::DecodeRecord record = Record(1);
    record.box_form = BoxForm::kCorners;
    blob::DecodeLevel level{};
    level.grid_h = 1, level.grid_w = count, level.anchor_count = 1;
    level.box = {0, 0, 0, 0, 5, 1};
    level.scores = {0, 4, 0, 0, 5, 1};
    const float* outputs[] = {output.data()};
    Candidate candidates[16];
    const uint32_t found = CollectCandidates({&record, &level, nullptr, outputs, nullptr}, kWide,
                                             record.score_threshold, candidates);
    ASSERT_EQ(found, std::min<size_t>(16, expected.size()));
    for (uint32_t i = 0; i < found; ++i) {
      EXPECT_EQ(candidates[i].box.x0, static_cast<float>(expected[i].second)) << i;
    }
  }
}

TEST(Suppression, DropsOverlapsOfAClass) {
  blob::DecodeRecord record = Record(2);
  // The second overlaps the first by 0.6; the third is of another class; the fourth only touches.
  const Candidate all[] = {{{0, 0, 10, 10, 0.9f, 0}, 0},
                           {{0, 2.5f, 10, 12.5f, 0.8f, 0}, 1},
                           {{0, 0, 10, 10, 0.7f, 1}, 2},
                           {{10, 0, 20, 10, 0.6f, 0}, 3}};
  EXPECT_NEAR(BoxOverlap(all[0].box, all[1].box), 0.6f, 1e-6f);
  Candidate candidates[4];
  std::copy(std::begin(all), std::end(all), candidates);
  ASSERT_EQ(SuppressOverlaps(record, candidates, 4, 16), 3u);
  EXPECT_EQ(candidates[1].order, 2u);
  EXPECT_EQ(candidates[2].order, 3u);
  record.class_agnostic = 1;
  std::copy(std::begin(all), std::end(all), candidates);
  ASSERT_EQ(SuppressOverlaps(record, candidates, 4, 16), 2u);
  std::copy(std::begin(all), std::end(all), candidates);
  EXPECT_EQ(SuppressOverlaps(record, candidates, 4, 1), 1u);
}

// 1280 x 720 letterboxed into 320 x 320: bars of 70 rows above and below.
TEST(Frame, WhatLiesInThePaddingIsNoCandidate) {
  const FramePlace frame = {PlacePicture(720, 1280, 320, 320, blob::ResizeMode::kLetterbox), 1280,
                            720};
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const struct {
    float x0, y0, x1, y1;
    bool lies;
  } kBoxes[] = {{10, 80, 20, 90, true},
                {10, 0, 20, 60, false},
                {10, 50, 20, 70, false},
                {10, 260, 20, 300, false},
                {10, 50, 20, 71, false},
                {10, 50, 20, 72, true},
                {10, 249, 20, 270, false},
                {10, 248, 20, 270, true},
                {-100, 80, 4, 90, false},
                {-90, 80, 10, 90, true},
                {300, 240, 400, 300, false},  // 0.2 of the width x 0.17
                {-40, -40, 360, 360, true},
                {10, 80, 10, 90, true},
                {10, 20, 10, 20, false},
                {nan, 80, 20, 90, false},
                {10, 80, nan, 90, false},
                {10, 80, infinity, 90, false},
                {-infinity, 80, infinity, 90, false}};
  for (const auto& b : kBoxes) {
    EXPECT_EQ(LiesInFrame({b.x0, b.y0, b.x1, b.y1, 1, 0}, frame), b.lies)
        << b.x0 << " " << b.y0 << " " << b.x1 << " " << b.y1;
  }
}

// Boxes in the padding take no place of those in the picture, and suppress none of them.
TEST(Frame, PaddingIsLeftOutBeforeTheLimit) {
  blob::DecodeRecord record = Record(1);
  record.box_form = BoxForm::kCorners;
  record.max_candidates = record.max_detections = 1;
  blob::DecodeLevel level{};
  level.grid_h = 1, level.grid_w = 2, level.anchor_count = 1;
  level.box = {0, 0, 0, 0, 5, 1};
  level.scores = {0, 4, 0, 0, 5, 1};
  const float output[] = {10, 0, 60, 72, 0.9f, 10, 100, 60, 140, 0.5f};
  const float* outputs[] = {output};
  const FramePlace frame = {PlacePicture(720, 1280, 320, 320, blob::ResizeMode::kLetterbox), 1280,
                            720};
  Candidate candidates[1];
  const DecodeInput in = {&record, &level, nullptr, outputs, nullptr};
  ASSERT_EQ(CollectCandidates(in, frame, in.record->score_threshold, candidates), 1u);
  EXPECT_EQ(candidates[0].box.score, 0.5f);
  ASSERT_EQ(CollectCandidates(in, kWide, in.record->score_threshold, candidates), 1u);
  EXPECT_EQ(candidates[0].box.score, 0.9f);
}

TEST(Frame, ResizeIsUndoneAndClipped) {
  // 1280 x 720 letterboxed into 320 x 320: scale 4, bars of 70 rows.
  const Placement placement = PlacePicture(720, 1280, 320, 320, blob::ResizeMode::kLetterbox);
  ASSERT_EQ(placement.target.y, 70u);
  const Detection box = ToFrame({-5, 80, 100, 400, 0.5f, 3}, {placement, 1280, 720});
  ExpectBox(box, 0, 40, 400, 720);
  EXPECT_EQ(box.label, 3u);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  ExpectBox(ToFrame({nan, nan, nan, nan, 1, 0}, {placement, 1280, 720}), 0, 0, 0, 0);
}

// A part of the frame, cut out below and to the right of its corner.
TEST(Frame, CropIsUndone) {
  Placement place{};
  place.source.x = 10, place.source.y = 20, place.source.width = 80, place.source.height = 60;
  place.target.width = 40, place.target.height = 20;
  ExpectBox(ToFrame({5, 4, 20, 10, 1, 0}, {place, 100, 100}), 20, 32, 50, 50);
}

TEST(Api, SameAnswerOnEveryLevel) {
  const Blob blob = MakeMixedBlob();
  std::vector<octet_detection> first;
  for (const octet_isa isa : RunnableLevels()) {
    SessionOptions options;
    options.isa = isa;
    const TestSession session(blob, options);
    ASSERT_EQ(session.status().code, OCTET_OK);
    const std::vector<uint8_t> picture(7 * 5 * 3, 77);
    ASSERT_EQ(octet_set_input_image(session.get(), 0, picture.data(), 7, 5, 3, 15).code, OCTET_OK);
    octet_run(session.get());
    AlignedBytes memory(octet_decode_bytes(session.get()));
    ASSERT_EQ(octet_model_task(session.get()), OCTET_TASK_DETECT);
    std::vector<octet_detection> boxes(8);
    uint32_t count = 0;
    ASSERT_EQ(octet_detect(session.get(), 5, 7, memory.data(), boxes.data(), 8, &count).code,
              OCTET_OK);
    boxes.resize(count);
    EXPECT_GT(count, 0u);
    if (first.empty()) first = boxes;
    ASSERT_EQ(boxes.size(), first.size());
    for (size_t i = 0; i < boxes.size(); ++i) {
      EXPECT_EQ(boxes[i].x0, first[i].x0);
      EXPECT_EQ(boxes[i].y1, first[i].y1);
      EXPECT_EQ(boxes[i].score, first[i].score);
      EXPECT_EQ(boxes[i].label, first[i].label);
    }
    // Another task, a small capacity, missing memory.
    octet_class_score best;
    EXPECT_EQ(octet_classify(session.get(), memory.data(), &best, 1, &count).code,
              OCTET_INVALID_ARGUMENT);
    EXPECT_EQ(octet_detect(session.get(), 5, 7, memory.data(), boxes.data(), 1, &count).code,
              OCTET_OK);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(octet_detect(session.get(), 5, 7, nullptr, boxes.data(), 1, &count).code,
              OCTET_INVALID_ARGUMENT);
  }
}

}  // namespace
}  // namespace octet::test
