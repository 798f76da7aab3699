// What octet convert takes from the model's own words and shapes, and what it asks.
#include "converter/recognise/recognise.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "converter/support/error.h"

namespace octet::recognise {
namespace {

using Metadata = metadata::Properties;

decode::Ports Picture(std::vector<std::pair<std::string, graph::Shape>> outputs) {
  decode::Ports ports;
  ports.inputs.push_back({"images", {1, 3, 320, 320}, true});
  for (auto& [name, shape] : outputs) ports.outputs.push_back({name, shape});
  return ports;
}

Metadata Exported(const std::string& task, const std::string& more = "") {
  return {{"author", "Ultralytics"},
          {"task", task},
          {"names", "{0: 'person', 1: \"driver's\"}"},
          {"end2end", "False"},
          {"args", "{'batch': 1" + more + "}"}};
}

// What sections::PortsOf adds to the ports of a graph with this metadata.
decode::Ports With(const Metadata& metadata, decode::Ports ports) {
  const metadata::Record said = metadata::ReadRecord(metadata);
  if (said.names) ports.facts.classes = static_cast<int64_t>(said.names->size());
  if (said.kpt_shape) {
    ports.facts.points = said.kpt_shape->count;
    ports.facts.point_numbers = said.kpt_shape->numbers;
  }
  return ports;
}

Recognised Of(const Metadata& metadata, const decode::Ports& ports, const GivenOptions& given = {},
              const Settings& settings = {}) {
  return Recognise("m.onnx", metadata::ReadRecord(metadata), With(metadata, ports),
                   Contents::kPictures, given, settings);
}

// The option that a refusal asks for, and its line.
std::string Asked(const Metadata& metadata, const decode::Ports& ports, Contents contents,
                  const GivenOptions& given = {}) {
  try {
    Recognise("m.onnx", metadata::ReadRecord(metadata), With(metadata, ports), contents, given, {});
  } catch (const UserError& error) {
    const std::string line = error.what();
    const size_t at = line.find("give --");
    EXPECT_NE(at, std::string::npos) << line;
    return line.substr(at + 5, line.find_first_of(": ", at + 5) - at - 5);
  }
  return "";
}

TEST(Recognise, UltralyticsSaysAll) {
  struct Case {
    const char* task;
    std::vector<std::pair<std::string, graph::Shape>> outputs;
    const char* more;
    const char* decode;
  };
  for (const Case& c :
       {Case{"detect", {{"o", {1, 6, 2100}}}, "", "yolov8"},
        Case{"detect", {{"o", {1, 300, 6}}}, ", 'nms': True", "yolo26"},
        Case{"detect", {{"o", {1, 300, 6}}}, "", "yolo26"},
        Case{"segment", {{"o", {1, 38, 2100}}, {"p", {1, 32, 80, 80}}}, "", "yolov8-seg"}}) {
    const Recognised r = Of(Exported(c.task, c.more), Picture(c.outputs));
    EXPECT_EQ(r.settings.task, blob::Task::kDetect) << c.decode;
    EXPECT_EQ(r.settings.decode, c.decode);
    EXPECT_EQ(r.settings.labels, (std::vector<std::string>{"person", "driver's"}));
    EXPECT_EQ(r.settings.preprocess.resize, blob::ResizeMode::kLetterbox);
    EXPECT_EQ(r.settings.preprocess.scale, 1.0f / 255);
    for (const std::string& line : r.lines)
      EXPECT_NE(line.find("to change: --"), line.npos) << line;
    EXPECT_EQ(r.lines.size(), 4u);
  }
  const Recognised r = Of(Exported("classify"), Picture({{"o", {1, 2}}}));
  EXPECT_EQ(r.settings.task, blob::Task::kClassify);
  EXPECT_EQ(r.settings.preprocess.resize, blob::ResizeMode::kCrop);
}

// Metadata that the outputs do not bear out is no reason to guess.
TEST(Recognise, MetadataAndShapesHaveToAgree) {
  EXPECT_EQ(Asked(Exported("detect"), Picture({{"o", {1, 84, 2100}}}), Contents::kPictures),
            "--decode");
  EXPECT_EQ(Asked(Exported("obb"), Picture({{"o", {1, 7, 2100}}}), Contents::kPictures), "--task");
}

TEST(Recognise, WhatTheUserGaveStays) {
  GivenOptions given;
  given.pixels = given.resize = given.task = given.labels = true;
  Settings settings;
  settings.preprocess.scale = 1;
  const Recognised r = Of(Exported("detect"), Picture({{"o", {1, 84, 2100}}}), given, settings);
  EXPECT_EQ(r.settings.preprocess.scale, 1.0f);
  EXPECT_EQ(r.settings.preprocess.resize, blob::ResizeMode::kStretch);
  EXPECT_EQ(r.settings.task, blob::Task::kNone);
  EXPECT_TRUE(r.settings.decode.empty());
  EXPECT_TRUE(r.lines.empty());
}

TEST(Recognise, AsksWhereInDoubt) {
  GivenOptions scaled;
  scaled.pixels = true;
  const decode::Ports ten = Picture({{"output", {1, 10}}});
  EXPECT_EQ(Asked({}, ten, Contents::kPictures), "--scale");
  EXPECT_EQ(Asked({}, ten, Contents::kPixels), "--scale");
  EXPECT_EQ(Asked({}, ten, Contents::kNumbers), "--task");
  EXPECT_EQ(Asked({}, ten, Contents::kPictures, scaled), "--task");
  EXPECT_EQ(Asked({}, Picture({{"o", {1, 2, 80, 80}}}), Contents::kPictures, scaled), "--task");
  EXPECT_EQ(Asked({}, Picture({{"o", {1, 2100, 85}}}), Contents::kPictures, scaled), "--decode");
  // Words that leave no doubt, labels that fit, and outputs that are no answers.
  EXPECT_EQ(Asked({}, Picture({{"logits", {1, 10}}}), Contents::kPictures, scaled), "");
  decode::Ports labelled = ten;
  labelled.label_count = 10;
  EXPECT_EQ(Asked({}, labelled, Contents::kPictures, scaled), "");
  EXPECT_EQ(Asked({}, Picture({{"o", {1, 1, 640, 640}}}), Contents::kPictures, scaled), "");
}

TEST(Contents, OfFiles) {
  const auto write = [&](const char* name, const std::vector<float>& values) {
    const std::filesystem::path path = testing::TempDir() + name;
    images::WriteNpyFloat(path, {1, static_cast<int64_t>(values.size())}, values.data());
    return path;
  };
  EXPECT_EQ(ContentsOf(write("a.npy", {0, 255, 17})), Contents::kPixels);
  EXPECT_EQ(ContentsOf(write("b.npy", {0, 0.5f, 17})), Contents::kNumbers);
  EXPECT_EQ(ContentsOf(write("c.npy", {0, 1, 2})), Contents::kNumbers);
  EXPECT_EQ(ContentsOf(write("d.npy", {-1, 200})), Contents::kNumbers);
  EXPECT_EQ(ContentsOf(testing::TempDir()), Contents::kPictures);
}

Metadata Pose(const std::string& names, const std::string& shape) {
  Metadata metadata = Exported("pose", ", 'nms': False");
  metadata["names"] = names;
  if (!shape.empty()) metadata["kpt_shape"] = shape;
  return metadata;
}

// 42 numbers are 21 points of 2 or 14 of 3: the metadata knows.
TEST(KeyPoints, ShapeNamesAndMetadataDecideTogether) {
  const decode::Ports one = Picture({{"o", {1, 47, 2100}}}), two = Picture({{"o", {1, 15, 2100}}});
  EXPECT_EQ(Of(Pose("['a']", "[21, 2]"), one).settings.decode, "yolov8-pose");
  EXPECT_EQ(Of(Pose("['a']", "[14, 3]"), one).settings.decode, "yolov8-pose");
  EXPECT_EQ(Of(Pose("['a', 'b']", "[3, 3]"), two).settings.labels.size(), 2u);
  EXPECT_EQ(Asked(Pose("['a']", ""), one, Contents::kPictures), "--kpt-shape");
  for (const auto& [names, shape] :
       {std::pair{"['a']", "[20, 2]"}, {"['a']", "[21, 3]"}, {"['a', 'b']", "[21, 2]"}}) {
    EXPECT_EQ(Asked(Pose(names, shape), one, Contents::kPictures), "--decode") << names << shape;
  }
  EXPECT_EQ(Asked(Pose("['a']", "None"), one, Contents::kPictures), "--kpt-shape");
  // Of one class 11 numbers are no points of 3 or 2.
  EXPECT_EQ(Asked(Pose("['a']", "[3, 3]"), two, Contents::kPictures), "--decode");
}

TEST(KeyPoints, FinishedOnesToo) {
  Metadata metadata = Pose("['a', 'b']", "[21, 2]");
  metadata["end2end"] = "True";
  EXPECT_EQ(Of(metadata, Picture({{"o", {1, 20, 48}}})).settings.decode, "yolo26-pose");
  metadata["kpt_shape"] = "[14, 2]";
  EXPECT_EQ(Asked(metadata, Picture({{"o", {1, 60, 48}}}), Contents::kPictures), "--decode");
}

TEST(KeyPoints, NamesHaveToFit) {
  const decode::Ports ports = Picture({{"o", {1, 15, 2100}}});
  Metadata metadata = Pose("['a', 'b']", "[3, 3]");
  for (const char* fitting : {"['x', 'y', 'z']", "{0: ['x', 'y', 'z'], 1: ['u', 'v', 'w']}"}) {
    metadata["kpt_names"] = fitting;
    EXPECT_EQ(Asked(metadata, ports, Contents::kPictures), "") << fitting;
  }
  GivenOptions decode;
  decode.decode = true;
  Settings settings;
  settings.task = blob::Task::kDetect;
  settings.decode = "yolov8-pose";
  for (const char* other :
       {"['x', 'y']", "None", "{0: ['x', 'y', 'z'], 1: ['u', 'v', 'w'], 2: ['r', 's', 't']}"}) {
    metadata["kpt_names"] = other;
    EXPECT_EQ(Asked(metadata, ports, Contents::kPictures), "--decode") << other;
    EXPECT_EQ(Of(metadata, ports, decode, settings).settings.labels.size(), 2u);
  }
}

// An option takes the place of its own field, and of no other.
TEST(Fields, AnOptionReplacesItsOwn) {
  const decode::Ports ports = Picture({{"o", {1, 6, 2100}}});
  GivenOptions given;
  Settings settings;
  given.decode = true;
  settings.task = blob::Task::kDetect;
  settings.decode = "yolov8";
  EXPECT_EQ(Of(Exported("detect"), ports, given, settings).settings.labels.size(), 2u);
  given = {};
  given.task = true;
  settings.decode.clear();
  const Recognised task =
      Of(Exported("segment"), Picture({{"o", {1, 38, 2100}}, {"p", {1, 32, 80, 80}}}), given,
         settings);
  EXPECT_EQ(task.settings.decode, "yolov8-seg");
  EXPECT_EQ(task.settings.labels.size(), 2u);
  given = {};
  given.labels = true;
  decode::Ports labelled = ports;
  labelled.label_count = 2;
  EXPECT_EQ(Of(Exported("detect"), labelled, given).settings.decode, "yolov8");
}

TEST(Fields, WhatCannotBeReadIsNamed) {
  const decode::Ports ports = Picture({{"o", {1, 6, 2100}}});
  for (const auto& [field, option] : {std::pair{"names", "--labels"},
                                      {"task", "--task"},
                                      {"end2end", "--decode"},
                                      {"args", "--decode"}}) {
    Metadata metadata = Exported("detect");
    metadata[field] = "None";
    EXPECT_EQ(Asked(metadata, ports, Contents::kPictures), option) << field;
    try {
      Of(metadata, ports);
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find(std::string("'") + field + "'"), std::string::npos)
          << error.what();
    }
  }
  // With labels of the user nobody needs the names; without any answers neither.
  Metadata metadata = Exported("detect");
  metadata["names"] = "None";
  GivenOptions given;
  given.labels = true;
  decode::Ports labelled = ports;
  labelled.label_count = 2;
  EXPECT_EQ(Of(metadata, labelled, given).settings.decode, "yolov8");
  given = {};
  given.task = true;
  EXPECT_EQ(Of(metadata, ports, given).settings.task, blob::Task::kNone);
}

TEST(Fields, WhatContradictsTheGraphIsRefused) {
  const decode::Ports ports = Picture({{"o", {1, 6, 2100}}});
  for (const auto& [field, value, option] : {std::tuple{"imgsz", "[640, 640]", "--input-shape"},
                                             {"channels", "1", "--input-shape"},
                                             {"names", "['a', 'b', 'c']", "--decode"},
                                             {"task", "pose", "--decode"},
                                             {"kpt_shape", "[17, 3]", "--decode"},
                                             {"end2end", "True", "--decode"}}) {
    Metadata metadata = Exported("detect");
    EXPECT_EQ(Asked(metadata, ports, Contents::kPictures), "");
    metadata[field] = value;
    EXPECT_EQ(Asked(metadata, ports, Contents::kPictures), option) << field;
  }
  Metadata metadata = Exported("detect");
  metadata["imgsz"] = "[640, 640]";
  GivenOptions given;
  given.shape = true;
  EXPECT_EQ(Of(metadata, ports, given).settings.decode, "yolov8");
}

TEST(Bytes, OfAnInputThatIsUint8StayAsTheyAre) {
  Settings settings;
  settings.bytes = BytePixels{};
  GivenOptions given;
  given.task = true;
  const Recognised r = Of({}, Picture({{"o", {1, 10}}}), given, settings);
  EXPECT_EQ(r.settings.preprocess.scale, 1.0f);
  ASSERT_EQ(r.lines.size(), 1u);
  EXPECT_NE(r.lines[0].find("bytes as they are"), std::string::npos);
  settings.bytes = BytePixels{0.5f, 64};
  const Recognised codes = Of({}, Picture({{"o", {1, 10}}}), given, settings);
  EXPECT_EQ(codes.settings.preprocess.scale, 0.5f);
  for (const float mean : codes.settings.preprocess.mean) EXPECT_EQ(mean, 64);
  given.pixels = true;
  EXPECT_EQ(Of({}, Picture({{"o", {1, 10}}}), given, settings).settings.preprocess.scale,
            1.0f / 255);
}

}  // namespace
}  // namespace octet::recognise
