// The fields of Ultralytics' metadata: read, absent, or there and not readable.
#include "converter/metadata/record.h"

#include <gtest/gtest.h>

namespace octet::metadata {
namespace {

using Names = std::vector<std::string>;

TEST(Record, AllFields) {
  const Record r = ReadRecord({{"author", "Ultralytics"},
                               {"task", "pose"},
                               {"names", "{0: 'hand', 1: 'foot'}"},
                               {"kpt_shape", "[21, 2]"},
                               {"kpt_names", "{0: ['a', 'b'], 1: ['c', 'd']}"},
                               {"imgsz", "[480, 640]"},
                               {"stride", "32"},
                               {"batch", "1"},
                               {"channels", "3"},
                               {"end2end", "True"},
                               {"args", "{'nms': False}"}});
  EXPECT_TRUE(r.ultralytics);
  EXPECT_EQ(*r.task, "pose");
  EXPECT_EQ(*r.names, (Names{"hand", "foot"}));
  EXPECT_EQ(r.kpt_shape->count, 21);
  EXPECT_EQ(r.kpt_shape->numbers, 2);
  EXPECT_EQ(*r.kpt_names, (std::vector<Names>{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(r.imgsz->height, 480);
  EXPECT_EQ(r.imgsz->width, 640);
  EXPECT_EQ(*r.stride, 32);
  EXPECT_EQ(*r.batch, 1);
  EXPECT_EQ(*r.channels, 3);
  EXPECT_TRUE(*r.end2end);
  EXPECT_EQ(r.FinishedBoxes(), true);
  EXPECT_TRUE(r.Unreadable().empty());
}

TEST(Record, WhatIsNotThereIsNotUnreadable) {
  const Record r = ReadRecord({{"description", "a model"}});
  EXPECT_FALSE(r.ultralytics);
  EXPECT_TRUE(r.names.Absent());
  EXPECT_FALSE(r.names.Unreadable());
  EXPECT_TRUE(r.Unreadable().empty());
  EXPECT_EQ(r.FinishedBoxes(), std::nullopt);
}

TEST(Record, NamesInEveryForm) {
  const std::pair<const char*, Names> cases[] = {
      {"['a', 'b']", {"a", "b"}},
      {"('a',)", {"a"}},
      {"{\"1\": \"b\", \"0\": \"a\"}", {"a", "b"}},
      {"{0: 0, 1: 1}", {"0", "1"}},
      {"[7, 8.5, True]", {"7", "8.5", "True"}},
      {R"({0: 'it\'s', 1: "a\tb"})", {"it's", "a\tb"}},
  };
  for (const auto& [text, names] : cases) {
    const Record r = ReadRecord({{"names", text}});
    ASSERT_TRUE(static_cast<bool>(r.names)) << text;
    EXPECT_EQ(*r.names, names) << text;
  }
  for (const char* bad : {"None", "{}", "[]", "", "80", "'person'", "{1: 'a'}", "{0: 'a', 2: 'b'}",
                          "{-1: 'a'}", "{'x': 'a'}", "[None]", "[['a']]", "person", "{0: 'a"}) {
    const Record r = ReadRecord({{"names", bad}});
    EXPECT_TRUE(r.names.Unreadable()) << bad;
    EXPECT_EQ(r.Unreadable().size(), 1u) << bad;
  }
}

TEST(Record, JunkInAnyFieldIsNamed) {
  const std::pair<const char*, std::vector<const char*>> junk[] = {
      {"task", {"", "None", "two words", "Detect!"}},
      {"kpt_shape",
       {"None", "[17]", "[17, 4]", "[17, 1]", "[0, 3]", "[17, 3, 1]", "17", "['a', 3]"}},
      {"kpt_names", {"None", "[]", "{}", "[['a'], ['b', 'c']]", "[['a'], 'b']", "[None]", "nose"}},
      {"imgsz", {"None", "[]", "[640, 'x']", "[0, 640]", "[1, 2, 3]", "-640", "640.5", "big"}},
      {"stride", {"None", "0", "[32]", "abc"}},
      {"batch", {"None", "-1"}},
      {"channels", {"None", "0"}},
      {"end2end", {"None", "1", "yes", ""}},
      {"args", {"None", "[]", "nms"}}};
  for (const auto& [field, texts] : junk) {
    for (const char* text : texts) {
      const std::vector<std::string> lines = ReadRecord({{field, text}}).Unreadable();
      ASSERT_EQ(lines.size(), 1u) << field << " " << text;
      EXPECT_EQ(lines[0].find("'" + std::string(field) + "' cannot be read"), 0u) << lines[0];
    }
  }
  EXPECT_EQ(NotReadable("names", "\x1b\n\xff" + std::string(100, 'x')),
            "'names' cannot be read: ???" + std::string(37, 'x') + "...");
}

TEST(Record, OtherFormsOfNumbers) {
  EXPECT_EQ(ReadRecord({{"imgsz", "640"}}).imgsz->width, 640);
  EXPECT_EQ(ReadRecord({{"imgsz", "[320]"}}).imgsz->height, 320);
  EXPECT_EQ(ReadRecord({{"imgsz", "(320, 640)"}}).imgsz->width, 640);
  EXPECT_EQ(*ReadRecord({{"stride", "32.0"}}).stride, 32);
  EXPECT_EQ(ReadRecord({{"kpt_shape", "(17, 3)"}}).kpt_shape->count, 17);
  EXPECT_EQ(ReadRecord({{"kpt_names", "['a', 'b']"}}).kpt_names->size(), 1u);
}

TEST(Record, FinishedBoxes) {
  const auto finished = [](const char* end2end, const char* args) {
    Properties p;
    if (end2end != nullptr) p["end2end"] = end2end;
    if (args != nullptr) p["args"] = args;
    return ReadRecord(p).FinishedBoxes();
  };
  EXPECT_EQ(finished("True", "{'nms': False}"), true);
  EXPECT_EQ(finished("False", "{'nms': True}"), true);
  EXPECT_EQ(finished(nullptr, "{'nms': True}"), true);
  EXPECT_EQ(finished("False", "{'nms': False}"), false);
  EXPECT_EQ(finished("False", "{'batch': 1}"), std::nullopt);
  EXPECT_EQ(finished(nullptr, "{'nms': False}"), std::nullopt);
  EXPECT_EQ(finished("False", nullptr), std::nullopt);
}

TEST(Record, HeldAgainstTheInput) {
  const Record r = ReadRecord({{"imgsz", "[480, 640]"}, {"channels", "3"}, {"batch", "1"}});
  EXPECT_TRUE(Contradictions(r, {1, 3, 480, 640}, false).empty());
  EXPECT_TRUE(Contradictions(r, {1, 480, 640, 3}, true).empty());
  EXPECT_TRUE(Contradictions(r, {-1, 3, -1, -1}, false).empty());
  EXPECT_EQ(Contradictions(r, {1, 3, 640, 480}, false).size(), 1u);
  EXPECT_EQ(Contradictions(r, {1, 1, 480, 640}, false).size(), 1u);
  EXPECT_EQ(Contradictions(r, {4, 3, 480, 640}, false).size(), 1u);
  EXPECT_TRUE(Contradictions(r, {1, 10}, false).empty());
}

TEST(Record, AsJson) {
  const auto json = ToJson({{"names", "['a']"},
                            {"kpt_shape", "[17, 3]"},
                            {"imgsz", "[1, 2]"},
                            {"stride", "32"},
                            {"end2end", "False"},
                            {"channels", "None"},
                            {"other", "[1]"}});
  EXPECT_EQ(json["names"], (nlohmann::ordered_json{"a"}));
  EXPECT_EQ(json["kpt_shape"], (nlohmann::ordered_json{17, 3}));
  EXPECT_EQ(json["imgsz"], (nlohmann::ordered_json{1, 2}));
  EXPECT_EQ(json["stride"], 32);
  EXPECT_EQ(json["end2end"], false);
  EXPECT_EQ(json["channels"], "None");
  EXPECT_EQ(json["other"], "[1]");
}

}  // namespace
}  // namespace octet::metadata
