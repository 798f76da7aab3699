// What octet convert takes from the model's own words and shapes, and what it asks.
#include "converter/recognise/recognise.h"
#include "converter/recognise/ultralytics.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "converter/support/error.h"

namespace octet::recognise {
namespace {

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

// The option that a refusal asks for, and its line.
std::string Asked(const Metadata& metadata, const decode::Ports& ports, Contents contents,
                  const Given& given = {}) {
  try {
    Recognise("m.onnx", metadata, ports, contents, given, {});
  } catch (const UserError& error) {
    const std::string line = error.what();
    const size_t at = line.find("give --");
    EXPECT_NE(at, std::string::npos) << line;
    return line.substr(at + 5, line.find_first_of(": ", at + 5) - at - 5);
  }
  return "";
}

TEST(Names, OfPythonsRepr) {
  const std::vector<std::string> wanted = {"a b", "it's", "\"", "\\"};
  EXPECT_EQ(ReadNames(R"({0: 'a b', 1: "it's", 2: '"', 3: '\\'})"), wanted);
  EXPECT_EQ(ReadNames("{ 0 : 'x' }"), std::vector<std::string>{"x"});
  for (const char* bad : {"", "{}", "{0: 'a'", "{1: 'a'}", "{0: 'a', 0: 'b'}", "{0: a}",
                          "{0: 'a'} x", "{0: 'a\\", "{0: 'a',}", "['a']", "{99999999999: 'a'}"}) {
    EXPECT_EQ(ReadNames(bad), std::nullopt) << bad;
  }
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
    const Recognised r = Recognise("m.onnx", Exported(c.task, c.more), Picture(c.outputs),
                                   Contents::kPictures, {}, {});
    EXPECT_EQ(r.settings.task, blob::Task::kDetect) << c.decode;
    EXPECT_EQ(r.settings.decode, c.decode);
    EXPECT_EQ(r.settings.labels, (std::vector<std::string>{"person", "driver's"}));
    EXPECT_EQ(r.settings.preprocess.resize, blob::ResizeMode::kLetterbox);
    EXPECT_EQ(r.settings.preprocess.scale, 1.0f / 255);
    for (const std::string& line : r.lines)
      EXPECT_NE(line.find("to change: --"), line.npos) << line;
    EXPECT_EQ(r.lines.size(), 4u);
  }
  const Recognised r = Recognise("m.onnx", Exported("classify"), Picture({{"o", {1, 2}}}),
                                 Contents::kPictures, {}, {});
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
  Given given;
  given.pixels = given.resize = given.task = given.labels = true;
  Settings settings;
  settings.preprocess.scale = 1;
  const Recognised r = Recognise("m.onnx", Exported("detect"), Picture({{"o", {1, 84, 2100}}}),
                                 Contents::kPictures, given, settings);
  EXPECT_EQ(r.settings.preprocess.scale, 1.0f);
  EXPECT_EQ(r.settings.preprocess.resize, blob::ResizeMode::kStretch);
  EXPECT_EQ(r.settings.task, blob::Task::kNone);
  EXPECT_TRUE(r.settings.decode.empty());
  EXPECT_TRUE(r.lines.empty());
}

TEST(Recognise, AsksWhereInDoubt) {
  Given scaled;
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

TEST(Ultralytics, NamesAreAllNumbersFromZeroOn) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(ReadNames("{0: 'person', 1: \"driver's\"}"), (Names{"person", "driver's"}));
  EXPECT_EQ(ReadNames(" { 0 :\t'a' , 1:'b'}\n"), (Names{"a", "b"}));
  EXPECT_EQ(ReadNames("{0: 'a\\'b', 1: 'c\\\\d', 2: ''}"), (Names{"a'b", "c\\d", ""}));
  for (const char* bad :
       {"", "{", "{}", "0: 'a'", "{0: 'a'", "{0 'a'}", "{0: a}", "{0: 'a}", "{0: 'a\"}", "{1: 'a'}",
        "{0: 'a', 2: 'b'}", "{0: 'a', 0: 'b'}", "{0: 'a',}", "{0: 'a'} x", "{: 'a'}", "{0: 'a\\n'}",
        "{0: 'a\\", "{0000000000: 'a'}"}) {
    EXPECT_EQ(ReadNames(bad), std::nullopt) << bad;
  }
}

TEST(Ultralytics, AuthorTaskAndNamesAreThere) {
  const Metadata all = {{"author", "Ultralytics"}, {"task", "pose"}, {"names", "{0: 'a'}"}};
  const auto read = ReadUltralytics(all);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->task, "pose");
  EXPECT_EQ(read->names, std::vector<std::string>{"a"});
  EXPECT_FALSE(read->finished_boxes);
  for (const char* key : {"author", "task", "names"}) {
    Metadata without = all, empty = all;
    without.erase(key);
    empty[key] = "";
    EXPECT_FALSE(ReadUltralytics(without).has_value()) << key;
    EXPECT_FALSE(ReadUltralytics(empty).has_value()) << key;
  }
  const struct {
    const char *key, *value;
    bool finished;
  } kCases[] = {{"end2end", "True", true},
                {"end2end", "False", false},
                {"args", "{'batch': 1, 'nms': True}", true},
                {"args", "{'batch': 1, 'nms': False}", false}};
  for (const auto& c : kCases) {
    Metadata with = all;
    with[c.key] = c.value;
    EXPECT_EQ(ReadUltralytics(with)->finished_boxes, c.finished) << c.value;
  }
}

}  // namespace
}  // namespace octet::recognise
