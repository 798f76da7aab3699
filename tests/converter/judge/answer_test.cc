// Answers that a decode section reads from outputs, by cases small enough to tell by hand.
#include "converter/judge/answer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "converter/decode/spec.h"
#include "converter/judge/answers.h"
#include "converter/judge/section_decoder.h"

namespace octet::judge {
namespace {

// A picture of 16 x 16 pixels.
write::ModelInfo InfoOf(blob::Task task, const std::vector<graph::Shape>& outputs,
                        const std::optional<decode::Spec>& spec = std::nullopt) {
  write::ModelInfo info;
  info.task = task;
  info.inputs.push_back({"x", {1, 3, 16, 16}, true});
  decode::Ports ports;
  ports.inputs.push_back({"x", {1, 3, 16, 16}, true});
  for (const graph::Shape& shape : outputs) {
    const std::string name = "y" + std::to_string(info.outputs.size());
    info.outputs.push_back({name, shape, false});
    ports.outputs.push_back({name, shape});
  }
  ports.label_count = spec ? spec->class_count : 0;
  if (task != blob::Task::kNone) info.decode = decode::DecodeSection(task, spec, ports);
  return info;
}

// Two finished boxes of one class, with masks of two prototypes of 4 x 4 cells.
decode::Spec Masks() {
  decode::Spec spec;
  spec.planes = true;
  spec.channels = {decode::Role::kBox, decode::Role::kClass, decode::Role::kMask};
  spec.class_count = 1;
  spec.record.score_threshold = 0.5f;
  return spec;
}
const std::vector<graph::Shape> kMasks = {{1, 7, 2}, {1, 2, 4, 4}};

TEST(Decoder, WithoutASectionTheFirstLargestNumber) {
  const write::ModelInfo info = InfoOf(blob::Task::kNone, {{1, 4}, {1, 2}});
  const SectionDecoder section(info);
  const std::vector<float> first = {1, 5, 2, 5}, second = {0, 9};
  EXPECT_EQ(section.decoder().Decode({first.data(), second.data()}, {}).label, 1);
  EXPECT_FALSE(DecoderReads(section.view(), 0));
  // Of boxes that no section tells, too.
  write::ModelInfo boxes = info;
  boxes.task = blob::Task::kDetect;
  EXPECT_EQ(SectionDecoder(boxes).decoder().picture_input(), 0u);
}

TEST(Decoder, ReadsTheOutputsThatItNeeds) {
  const write::ModelInfo masks = InfoOf(blob::Task::kDetect, kMasks, Masks());
  const SectionDecoder boxes(masks);
  EXPECT_TRUE(DecoderReads(boxes.view(), 0));
  EXPECT_TRUE(DecoderReads(boxes.view(), 1)) << "the prototypes";
  EXPECT_FALSE(DecoderReads(boxes.view(), 2));
  decode::Spec apart;
  apart.planes = true;
  apart.channels = {decode::Role::kBox};
  apart.separate = {decode::Role::kClass};
  const write::ModelInfo two = InfoOf(blob::Task::kDetect, {{1, 4, 6}, {1, 3, 6}}, apart);
  const SectionDecoder separate(two);
  EXPECT_TRUE(DecoderReads(separate.view(), 0));
  EXPECT_TRUE(DecoderReads(separate.view(), 1));
  EXPECT_FALSE(DecoderReads(separate.view(), 2));
  const write::ModelInfo scores = InfoOf(blob::Task::kClassify, {{1, 4}, {1, 2}});
  const SectionDecoder classes(scores);
  EXPECT_TRUE(DecoderReads(classes.view(), 0));
  EXPECT_FALSE(DecoderReads(classes.view(), 1));
}

// A mask is what the prototypes say within the box, by the middle of each cell.
TEST(Decoder, MasksEndAtTheirBoxes) {
  const write::ModelInfo info = InfoOf(blob::Task::kDetect, kMasks, Masks());
  const SectionDecoder section(info);
  // Centre, size, score and coefficients of both: rows 1 and 2 and columns 1 and 2, and one cell
  // whose upper left corner's middle is the box's own.
  const std::vector<float> boxes = {8, 12, 8, 12, 8, 4, 8, 4, 0.9f, 0.8f, 1, 0, 0, 1};
  std::vector<float> prototypes(32);
  for (size_t at = 0; at < 16; ++at) {
    prototypes[at] = at % 4 < 2 ? 1.0f : -1.0f;
    prototypes[16 + at] = 1;
  }
  const Answer answer = section.decoder().Decode({boxes.data(), prototypes.data()}, {});
  ASSERT_EQ(answer.parts.size(), 2u);
  const std::vector<uint8_t> left = {0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0},
                             corner = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0};
  EXPECT_EQ(answer.parts[0].mask, left);
  EXPECT_EQ(answer.parts[1].mask, corner);
}

TEST(IsSame, UpToTheLastStepThatIsNear) {
  Answer answer;
  answer.boxes.push_back({1, 2, 3, 4, 0.5f, 1});
  answer.parts.resize(1);
  answer.parts[0].points = {{1, 2, 0.5f}};
  answer.parts[0].mask.assign(1000, 1);
  EXPECT_TRUE(IsSame(answer, answer));
  const auto same = [&](const auto& change) {
    Answer other = answer;
    change(other);
    return IsSame(answer, other);
  };
  for (const float step : {1.0f, 2.0f}) {
    const bool near = step == 1;
    EXPECT_EQ(same([=](Answer& a) { a.boxes[0].x0 += step / 16; }), near);
    EXPECT_EQ(same([=](Answer& a) { a.boxes[0].y1 -= step / 16; }), near);
    EXPECT_EQ(same([=](Answer& a) { a.boxes[0].score += step / 1024; }), near);
    EXPECT_EQ(same([=](Answer& a) { a.confidence += step / 1024; }), near);
    EXPECT_EQ(same([=](Answer& a) { a.parts[0].points[0].x += step / 16; }), near);
    EXPECT_EQ(same([=](Answer& a) { a.parts[0].points[0].y += step / 16; }), near);
    EXPECT_EQ(same([=](Answer& a) { a.parts[0].points[0].score += step / 1024; }), near);
    EXPECT_EQ(same([=](Answer& a) { std::fill_n(a.parts[0].mask.begin(), int(step), 0); }), near);
  }
  EXPECT_FALSE(same([](Answer& a) { a.boxes[0].label = 2; }));
  EXPECT_FALSE(same([](Answer& a) { a.boxes.clear(); }));
  EXPECT_FALSE(same([](Answer& a) { a.parts[0].mask.pop_back(); }));
  EXPECT_FALSE(same([](Answer& a) { a.text.push_back(3); }));
}

}  // namespace
}  // namespace octet::judge
