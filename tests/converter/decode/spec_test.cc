// Presets and YAML files against shapes of real exports: where each number is looked for, and what
// is refused.
#include "converter/decode/spec.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "converter/support/error.h"

namespace octet::decode {
namespace {

struct Decoded {
  blob::DecodeRecord record;
  std::vector<blob::DecodeLevel> levels;
};

Decoded Resolve(const Spec& spec, const Ports& ports) {
  const std::vector<uint8_t> bytes = DecodeSection(blob::Task::kDetect, spec, ports);
  Decoded decoded;
  std::memcpy(&decoded.record, bytes.data(), sizeof(decoded.record));
  decoded.levels.resize(decoded.record.level_count);
  std::memcpy(decoded.levels.data(), bytes.data() + decoded.record.levels_offset,
              decoded.levels.size() * sizeof(blob::DecodeLevel));
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
  EXPECT_NE(Refusal("box: {rule: grid}\n", ports).find("needs `strides:`"), std::string::npos);
  EXPECT_NE(Refusal("box: {rule: prior}\nstrides: [8]\n", ports).find("needs `anchors:`"),
            std::string::npos);
  EXPECT_NE(Refusal("outputs: {box: a, class: out}\n", ports).find("it has out"),
            std::string::npos);
  EXPECT_NE(Refusal("layout: planes\n", PortsOf(64, {{"out", {1, 84, 9}}})).find("`layout: rows`"),
            std::string::npos);
  EXPECT_NE(Refusal("channels: [box]\n", ports).find("nothing holds 'class'"), std::string::npos);
  EXPECT_NE(Refusal("", PortsOf(64, {{"out", {1, 84, 4}}})).find("too few"), std::string::npos);
  // What the runtime would refuse in the blob.
  EXPECT_NE(Refusal("box: {bins: 3}\n", ports).find("needs box.form"), std::string::npos);
  EXPECT_NE(Refusal("box: {rule: grid, form: corners}\nstrides: [8]\n", ports).find("box.rule"),
            std::string::npos);
  EXPECT_NE(Refusal("class: {background: 5}\n", ports).find("there are 5"), std::string::npos);
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
