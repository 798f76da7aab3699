// Presets and YAML files against shapes of real exports: where each number is looked for, and what
// is refused.
#include "converter/decode/spec.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "converter/support/error.h"
#include "tests/support/facts.h"

namespace octet::decode {
namespace {

struct Decoded {
  blob::DecodeRecord record;
  std::vector<blob::DecodeLevel> levels;
  std::vector<blob::DecodeExtra> extras;
};

Decoded Resolve(const Spec& spec, const Ports& ports) {
  const std::vector<uint8_t> bytes = DecodeSection(blob::Task::kDetect, spec, ports);
  Decoded decoded;
  std::memcpy(&decoded.record, bytes.data(), sizeof(decoded.record));
  decoded.levels.resize(decoded.record.level_count);
  std::memcpy(decoded.levels.data(), bytes.data() + decoded.record.levels_offset,
              decoded.levels.size() * sizeof(blob::DecodeLevel));
  if (decoded.record.extras_offset != 0) {
    decoded.extras.resize(decoded.levels.size());
    std::memcpy(decoded.extras.data(), bytes.data() + decoded.record.extras_offset,
                decoded.extras.size() * sizeof(blob::DecodeExtra));
  }
  return decoded;
}

Ports PortsOf(int64_t size, const std::vector<Port>& outputs) {
  Port input{"images", {1, 3, size, size}};
  input.is_image = true;
  return {{input}, outputs};
}

Spec FromText(const std::string& text) {
  const std::string path = testing::TempDir() + "decode_spec.yaml";
  std::ofstream(path) << text;
  return ReadSpec(path);
}

std::string Refusal(const std::string& text, const Ports& ports) {
  try {
    DecodeSection(blob::Task::kDetect, FromText(text), ports);
  } catch (const UserError& error) {
    return error.what();
  }
  return "nothing was refused";
}

void ExpectField(const blob::DecodeField& field, std::vector<uint32_t> expected) {
  EXPECT_EQ((std::vector<uint32_t>{field.output, field.base, field.anchor_step, field.row_step,
                                   field.column_step, field.channel_step}),
            expected);
}

TEST(Presets, YoloxGridsOneAfterAnother) {
  const Decoded d = Resolve(ReadSpec("yolox"), PortsOf(416, {{"output", {1, 3549, 85}}}));
  ASSERT_EQ(d.levels.size(), 3u);
  EXPECT_EQ(d.record.class_count, 80u);
  EXPECT_EQ(d.record.has_object, 1);
  EXPECT_EQ(d.levels[1].grid_h, 26u);
  ExpectField(d.levels[1].box, {0, 52 * 52 * 85, 85, 26 * 85, 85, 1});
  ExpectField(d.levels[1].object, {0, 52 * 52 * 85 + 4, 85, 26 * 85, 85, 1});
  ExpectField(d.levels[2].scores, {0, (52 * 52 + 26 * 26) * 85 + 5, 85, 13 * 85, 85, 1});
}

TEST(Presets, Yolov8Planes) {
  const Decoded d = Resolve(ReadSpec("yolov8"), PortsOf(640, {{"output0", {1, 84, 8400}}}));
  ASSERT_EQ(d.levels.size(), 1u);
  EXPECT_EQ(d.record.class_count, 80u);
  EXPECT_EQ(d.levels[0].grid_w, 8400u);
  ExpectField(d.levels[0].box, {0, 0, 1, 8400, 1, 8400});
  ExpectField(d.levels[0].scores, {0, 4 * 8400, 1, 8400, 1, 8400});
}

TEST(Presets, NanodetDistributionsBehindClasses) {
  const Decoded d = Resolve(ReadSpec("nanodet"), PortsOf(320, {{"out", {1, 2125, 112}}}));
  ASSERT_EQ(d.levels.size(), 4u);
  EXPECT_EQ(d.record.bins, 8u);
  EXPECT_EQ(d.record.class_count, 80u);
  EXPECT_EQ(d.levels[3].grid_h, 5u);
  ExpectField(d.levels[0].box, {0, 80, 112, 40 * 112, 112, 1});
}

TEST(Presets, UltrafaceTwoOutputs) {
  const Decoded d = Resolve(ReadSpec("ultraface"),
                            PortsOf(320, {{"scores", {1, 4420, 2}}, {"boxes", {1, 4420, 4}}}));
  EXPECT_EQ(d.record.background, 0u);
  EXPECT_EQ(d.record.unit_x, 320.0f);
  ExpectField(d.levels[0].box, {1, 0, 4, 4420 * 4, 4, 1});
  ExpectField(d.levels[0].scores, {0, 0, 2, 4420 * 2, 2, 1});
}

TEST(Presets, Yolo26FinishedBoxes) {
  Ports ports = PortsOf(640, {{"output0", {1, 300, 6}}});
  Decoded d = Resolve(ReadSpec("yolo26"), ports);
  EXPECT_EQ(d.record.class_form, blob::ClassForm::kIndex);
  EXPECT_EQ(d.record.class_count, 65536u);  // nobody says how many there are
  EXPECT_EQ(d.record.max_detections, 300u);
  ExpectField(d.levels[0].scores, {0, 4, 6, 1800, 6, 1});
  ports.label_count = 80;
  EXPECT_EQ(Resolve(ReadSpec("yolo26"), ports).record.class_count, 80u);
}

TEST(Presets, QueriesAsThePostprocessorGivesThem) {
  const Ports ports =
      PortsOf(320, {{"labels", {1, 300}}, {"boxes", {1, 300, 4}}, {"scores", {1, 300}}});
  for (const char* name : {"rtdetr", "dfine", "deim"}) {
    const Decoded d = Resolve(ReadSpec(name), ports);
    EXPECT_EQ(d.record.class_form, blob::ClassForm::kNumber);
    EXPECT_EQ(d.record.has_object, 1);
    EXPECT_EQ(d.record.unit_x, 1.0f);  // pixels
    ExpectField(d.levels[0].scores, {0, 0, 1, 300, 1, 1});
    ExpectField(d.levels[0].box, {1, 0, 4, 1200, 4, 1});
    ExpectField(d.levels[0].object, {2, 0, 1, 300, 1, 1});
  }
}

TEST(Presets, QueriesInFrontOfThePostprocessor) {
  const Ports ports = PortsOf(320, {{"pred_logits", {1, 300, 80}}, {"pred_boxes", {1, 300, 4}}});
  const Decoded d = Resolve(ReadSpec("dfine"), ports);
  EXPECT_EQ(d.record.class_form, blob::ClassForm::kScores);
  EXPECT_EQ(d.record.class_activation, blob::Activation::kSigmoid);
  EXPECT_EQ(d.record.unit_x, 320.0f);  // shares of the input
  EXPECT_EQ(d.record.class_count, 80u);
  ExpectField(d.levels[0].scores, {0, 0, 80, 24000, 80, 1});
}

TEST(Presets, MasksBehindClasses) {
  const Ports ports = PortsOf(320, {{"output0", {1, 116, 2100}}, {"output1", {1, 32, 80, 80}}});
  for (const char* name : {"yolov8-seg", "yolo11-seg"}) {
    const Decoded d = Resolve(ReadSpec(name), ports);
    EXPECT_EQ(d.record.class_count, 80u);
    EXPECT_EQ(d.record.mask_count, 32u);
    EXPECT_EQ(d.record.prototypes, 1u);
    EXPECT_EQ(d.record.prototype_columns, 80u);
    ExpectField(d.extras[0].mask, {0, 84 * 2100, 1, 2100, 1, 2100});
  }
}

TEST(Presets, KeyPointsBehindOneClass) {
  const Decoded d = Resolve(ReadSpec("yolov8-pose"), PortsOf(640, {{"out", {1, 56, 8400}}}));
  EXPECT_EQ(d.record.class_count, 1u);
  EXPECT_EQ(d.record.point_count, 17u);
  EXPECT_EQ(d.record.point_numbers, 3u);
  ExpectField(d.extras[0].points, {0, 5 * 8400, 1, 8400, 1, 8400});
  // Four points of x and y.
  const Decoded flat = Resolve(ReadSpec("yolo11-pose"), PortsOf(640, {{"out", {1, 13, 8400}}}));
  EXPECT_EQ(flat.record.point_count, 4u);
  EXPECT_EQ(flat.record.point_numbers, 2u);
  const Decoded finished = Resolve(ReadSpec("yolo26-pose"), PortsOf(640, {{"out", {1, 300, 57}}}));
  EXPECT_EQ(finished.record.point_count, 17u);
}

TEST(Presets, NanodetAnOutputALevelAndRole) {
  const Decoded d = Resolve(ReadSpec("nanodet"), PortsOf(320, {{"c8", {1, 1600, 80}},
                                                               {"c16", {1, 400, 80}},
                                                               {"c32", {1, 100, 80}},
                                                               {"d8", {1, 1600, 32}},
                                                               {"d16", {1, 400, 32}},
                                                               {"d32", {1, 100, 32}}}));
  ASSERT_EQ(d.levels.size(), 3u);
  EXPECT_EQ(d.record.class_count, 80u);
  EXPECT_EQ(d.record.cell_offset, 0.5f);
  ExpectField(d.levels[1].box, {4, 0, 32, 20 * 32, 32, 1});
  ExpectField(d.levels[2].scores, {2, 0, 80, 10 * 80, 80, 1});
}

TEST(Presets, YunetFourOutputsALevelInAnyOrder) {
  const std::vector<Port> in_order = {
      {"cls_8", {1, 1600, 1}},  {"cls_16", {1, 400, 1}},  {"cls_32", {1, 100, 1}},
      {"obj_8", {1, 1600, 1}},  {"obj_16", {1, 400, 1}},  {"obj_32", {1, 100, 1}},
      {"bbox_8", {1, 1600, 4}}, {"bbox_16", {1, 400, 4}}, {"bbox_32", {1, 100, 4}},
      {"kps_8", {1, 1600, 10}}, {"kps_16", {1, 400, 10}}, {"kps_32", {1, 100, 10}}};
  const Decoded d = Resolve(ReadSpec("yunet"), PortsOf(320, in_order));
  EXPECT_EQ(d.record.point_count, 5u);
  EXPECT_EQ(d.record.score_rule, blob::ScoreRule::kRootOfProduct);
  EXPECT_EQ(d.levels[2].scores.output, 2u);
  EXPECT_EQ(d.levels[2].object.output, 5u);
  EXPECT_EQ(d.levels[2].box.output, 8u);
  EXPECT_EQ(d.extras[2].points.output, 11u);
  const Decoded other =
      Resolve(ReadSpec("yunet"), PortsOf(320, {in_order.rbegin(), in_order.rend()}));
  EXPECT_EQ(other.levels[2].box.output, 3u);
  EXPECT_EQ(other.extras[2].points.output, 0u);
}

TEST(Presets, BlazefaceAnchorsOfACellFromTheCounts) {
  const std::vector<Port> outputs = {
      {"a", {1, 512, 1}}, {"b", {1, 384, 1}}, {"c", {1, 512, 16}}, {"d", {1, 384, 16}}};
  const Decoded d = Resolve(ReadSpec("blazeface"), PortsOf(128, outputs));
  ASSERT_EQ(d.levels.size(), 2u);
  EXPECT_EQ(d.levels[0].anchor_count, 2u);
  EXPECT_EQ(d.levels[1].anchor_count, 6u);
  EXPECT_EQ(d.record.point_count, 6u);
  ExpectField(d.levels[1].box, {3, 0, 16, 8 * 6 * 16, 6 * 16, 1});
  ExpectField(d.extras[0].points, {2, 4, 16, 16 * 2 * 16, 2 * 16, 1});
  // The larger model looks at the same grids of a larger picture.
  EXPECT_EQ(Resolve(ReadSpec("blazeface"), PortsOf(256, outputs)).levels[0].stride_x, 16.0f);
}

std::string PresetRefusal(const std::string& name, const Ports& ports) {
  try {
    DecodeSection(blob::Task::kDetect, ReadSpec(name), ports);
  } catch (const UserError& error) {
    return error.what();
  }
  return "nothing was refused";
}

void ExpectNames(const std::string& message, const std::string& preset) {
  EXPECT_NE(message.find("--decode " + preset), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST(Presets, TheWrongOneIsToldFromTheRightOne) {
  const Ports finished = PortsOf(640, {{"output0", {1, 300, 6}}});
  ExpectNames(PresetRefusal("yolov8", finished), "yolo26");
  ExpectNames(PresetRefusal("yolov5", finished), "yolo26");
  // As the export joins them: boxes, scores and numbers of classes are three parts.
  Ports joined = finished;
  joined.outputs[0].join_axis = 2;
  joined.outputs[0].joined = {4, 1, 1};
  ExpectNames(PresetRefusal("yolov8", joined), "yolo26");
  Ports pose = PortsOf(640, {{"output0", {1, 56, 8400}}});
  // 52 classes, or a person with 17 points: what the model joins tells.
  EXPECT_EQ(PresetRefusal("yolov8", pose), "nothing was refused");
  pose.outputs[0].join_axis = 1;
  pose.outputs[0].joined = {4, 1, 51};
  ExpectNames(PresetRefusal("yolov8", pose), "yolov8-pose or yolo11-pose");
  pose.outputs[0].joined = {4, 52};
  EXPECT_EQ(PresetRefusal("yolov8", pose), "nothing was refused");
  ExpectNames(PresetRefusal("yolov8-pose", pose), "yolov8 or yolo11");
  const Ports segments = PortsOf(320, {{"output0", {1, 116, 2100}}, {"output1", {1, 32, 80, 80}}});
  ExpectNames(PresetRefusal("yolo11", segments), "yolov8-seg or yolo11-seg");
  ExpectNames(PresetRefusal("yolov8-seg", PortsOf(320, {{"o", {1, 84, 2100}}})),
              "yolov8 or yolo11");
  const Ports grids = PortsOf(416, {{"output", {1, 3549, 85}}});
  ExpectNames(PresetRefusal("yolov5", grids), "yolox");
  ExpectNames(PresetRefusal("yolox", PortsOf(416, {{"output", {1, 10647, 85}}})), "yolov5");
  ExpectNames(
      PresetRefusal("yolov8", PortsOf(320, {{"scores", {1, 4420, 2}}, {"boxes", {1, 4420, 4}}})),
      "ssd or ultraface");
}

// YOLOv5's heads without the export's decoding: [1, 3 * 85, H, W] a level.
TEST(Files, HeadsOfALevelWithAnchorsOutside) {
  const Decoded d = Resolve(FromText("layout: planes\n"
                                     "channels: [box, object, class]\n"
                                     "strides: [8, 16]\n"
                                     "anchors: [[[10, 13], [16, 30], [33, 23]],\n"
                                     "          [[30, 61], [62, 45], [59, 119]]]\n"
                                     "anchor_order: outer\n"
                                     "box: {rule: anchor, activation: sigmoid, cell_offset: -0.5}\n"
                                     "object: {activation: sigmoid}\n"
                                     "class: {activation: sigmoid}\n"),
                            PortsOf(64, {{"p3", {1, 255, 8, 8}}, {"p4", {1, 255, 4, 4}}}));
  ASSERT_EQ(d.levels.size(), 2u);
  EXPECT_EQ(d.record.class_count, 80u);
  EXPECT_EQ(d.record.anchor_count, 6u);
  EXPECT_EQ(d.levels[1].first_anchor, 3u);
  ExpectField(d.levels[1].box, {1, 0, 85 * 16, 4, 1, 16});
  ExpectField(d.levels[1].scores, {1, 5 * 16, 85 * 16, 4, 1, 16});
}

TEST(Refusals, SayWhatIsWrong) {
  const Ports ports = PortsOf(64, {{"out", {1, 84, 9}}});
  EXPECT_NE(Refusal("stride: [8]\n", ports).find("unknown key"), std::string::npos);
  EXPECT_NE(Refusal("strides: [8]\n", ports).find("has 84 candidates"), std::string::npos);
  EXPECT_NE(Refusal("box: {rule: grid}\n", ports).find("add `strides:`"), std::string::npos);
  EXPECT_NE(Refusal("box: {rule: prior}\nstrides: [8]\n", ports).find("add `anchors:`"),
            std::string::npos);
  test::ExpectFacts(Refusal("outputs: {box: a, class: out}\n", ports), {"'a'", "out"});
  EXPECT_NE(Refusal("layout: planes\n", PortsOf(64, {{"out", {1, 84, 9}}})).find("`layout: rows`"),
            std::string::npos);
  EXPECT_NE(Refusal("channels: [box]\n", ports).find("no output is named for 'class'"),
            std::string::npos);
  EXPECT_NE(Refusal("", PortsOf(64, {{"out", {1, 84, 4}}})).find("4 numbers"), std::string::npos);
  // What the runtime would refuse in the blob.
  EXPECT_NE(Refusal("box: {bins: 3}\n", ports).find("needs box.form"), std::string::npos);
  EXPECT_NE(Refusal("box: {rule: grid, form: corners}\nstrides: [8]\n", ports).find("box.rule"),
            std::string::npos);
  test::ExpectFacts(Refusal("class: {background: 5}\n", ports),
                    {"class 5", "5 classes", "class.background"});
  EXPECT_NE(Refusal("score_threshold: 1e300\n", ports).find("float32"), std::string::npos);
  try {
    ReadSpec("yolov99");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("yolox"), std::string::npos);
  }
}

TEST(Scores, ClassifyAndSegmentNeedNoFile) {
  Ports ports = PortsOf(64, {{"out", {1, 10}}});
  std::vector<uint8_t> bytes = DecodeSection(blob::Task::kClassify, std::nullopt, ports);
  blob::DecodeRecord record;
  std::memcpy(&record, bytes.data(), sizeof(record));
  EXPECT_EQ(record.class_count, 10u);
  EXPECT_EQ(record.class_activation, blob::Activation::kSoftmax);
  ports.outputs[0].softmaxed = true;
  bytes = DecodeSection(blob::Task::kClassify, std::nullopt, ports);
  std::memcpy(&record, bytes.data(), sizeof(record));
  EXPECT_EQ(record.class_activation, blob::Activation::kLinear);
  ports.outputs[0].shape = {1, 11, 16, 24};
  bytes = DecodeSection(blob::Task::kSegment, std::nullopt, ports);
  blob::DecodeLevel level;
  std::memcpy(&level, bytes.data() + sizeof(record), sizeof(level));
  EXPECT_EQ(level.grid_w, 24u);
  ExpectField(level.scores, {0, 0, 0, 24, 1, 16 * 24});
  EXPECT_TRUE(DecodeSection(blob::Task::kDetect, std::nullopt, ports).empty());
}

}  // namespace
}  // namespace octet::decode
