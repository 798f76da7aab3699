// Text of Python and of JSON, as the values that it stands for.
#include "converter/metadata/literal.h"

#include <gtest/gtest.h>

#include <string>

namespace octet::metadata {
namespace {

using Json = nlohmann::ordered_json;

TEST(Literal, WhatReprMakes) {
  const std::pair<const char*, Json> cases[] = {
      {"{0: 'a b', 1: \"it's\"}", {{"0", "a b"}, {"1", "it's"}}},
      {"{1: 'b', 0: 'a'}", {{"1", "b"}, {"0", "a"}}},
      {"['a', 'b',]", {"a", "b"}},
      {"(640, 640)", {640, 640}},
      {"(640,)", Json::array({640})},
      {" [ 1 ,\t-2 , 3.5, 1e3 ]\n", {1, -2, 3.5, 1000.0}},
      {"[True, False, None]", {true, false, nullptr}},
      {"{\"a\": [true, false, null], \"b\": {}}",
       {{"a", {true, false, nullptr}}, {"b", Json::object()}}},
      {"'it\\'s \\\\ \\\"'", "it's \\ \""},
      {R"('\t\n\x41\u00e9\U0001f600\101')", "\t\nA\u00e9\U0001f600A"},
      {R"("\ud83d\ude00")", "\U0001f600"},
      {"'\u732b'", "\u732b"},
      // The first and the last of each length in UTF-8.
      {R"('\x7f\x80\u07ff\u0800\uffff\U00010000\U0010ffff')",
       "\x7f\u0080\u07ff\u0800\uffff\U00010000\U0010ffff"},
      {R"("\ud7ff\ue000\ud800\udc00\udbff\udfff")", "\ud7ff\ue000\U00010000\U0010ffff"},
      {R"('\7\78')", "\a\a8"},
      {"[1e-3, 2E+2, .5, -.5, +3]", {0.001, 200.0, 0.5, -0.5, 3}},
      {"[]", Json::array()},
      {"()", Json::array()},
      {"32", 32},
      {"'\\\nb'", "b"},
  };
  for (const auto& [text, value] : cases) {
    const auto read = ReadLiteral(text);
    ASSERT_TRUE(read.has_value()) << text;
    EXPECT_EQ(*read, value) << text;
  }
}

TEST(Literal, NothingElse) {
  for (const std::string text : {"",
                                 " ",
                                 "{",
                                 "{0: 'a'",
                                 "{0 'a'}",
                                 "{0: a}",
                                 "{0: 'a}",
                                 "{0: 'a\"}",
                                 "{: 'a'}",
                                 "{0: 'a'} x",
                                 "{0: 'a', 0: 'b'}",
                                 "{0: 'a', '0': 'b'}",
                                 "{0: 'a',, }",
                                 "[,]",
                                 "[1 2]",
                                 "{1.5: 'a'}",
                                 "{(1, 2): 'a'}",
                                 "{'a'}",
                                 "person",
                                 "Nonesuch",
                                 "nan",
                                 "inf",
                                 "1e999",
                                 "--1",
                                 "+",
                                 "-",
                                 ".",
                                 "1_000",
                                 "99999999999999999999",
                                 "'\\q'",
                                 "'\\x4'",
                                 "'\\x4g'",
                                 "'\\U00110000'",
                                 "'\\ud800\\udbff'",
                                 "'\\u12'",
                                 "'\\ud83d'",
                                 "'\\ud83dx'",
                                 "'\\ude00'",
                                 "'\\0'",
                                 "'\\x00'",
                                 "'\\N{BULLET}'",
                                 "'\\",
                                 "'a",
                                 "\"a'",
                                 "f(1)",
                                 "b'a'",
                                 "'\xff'"}) {
    EXPECT_EQ(ReadLiteral(text), std::nullopt) << text;
  }
  EXPECT_EQ(ReadLiteral(std::string("'a\0b'", 5)), std::nullopt);
}

// A file must not end the program by what it nests.
TEST(Literal, DepthIsBounded) {
  EXPECT_TRUE(ReadLiteral(std::string(10, '[') + std::string(10, ']')).has_value());
  EXPECT_EQ(ReadLiteral(std::string(100000, '[')), std::nullopt);
  EXPECT_EQ(ReadLiteral(std::string(100, '[') + std::string(100, ']')), std::nullopt);
  std::string dictionaries;
  for (int i = 0; i < 100000; ++i) dictionaries += "{0:";
  EXPECT_EQ(ReadLiteral(dictionaries), std::nullopt);
}

}  // namespace
}  // namespace octet::metadata
