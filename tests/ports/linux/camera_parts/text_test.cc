// Lines of results: which fields stand in them, and how text becomes a JSON string.
#include "ports/linux/results/text.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "ports/linux/camera/program/guard/fields.h"

namespace octet::port {
namespace {

using nlohmann::json;

FrameReport Plain() {
  FrameReport report{};
  report.number = 7;
  report.time_s = 1700000000.125;
  report.age_ms = 12.5;
  report.infer_ms = 3.25;
  report.plan = "int8";
  report.dropped = 2;
  report.picture = "";
  return report;
}

json Parsed(const FrameReport& report, const Line& fields = Line(1)) {
  Line line(kLineBytes);
  line.Add("what stood there before");
  FormatJson(report, fields, Results{}, nullptr, &line);
  const std::string text(line.data(), line.length());
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  return json::parse(text);
}

TEST(ResultText, FieldsThatEveryFrameHas) {
  EXPECT_EQ(Parsed(Plain()), json({{"frame", 7},
                                   {"time", 1700000000.125},
                                   {"age_ms", 12.5},
                                   {"plan", "int8"},
                                   {"ms", 3.25},
                                   {"dropped", 2}}));
}

TEST(ResultText, FieldsThatSomeHave) {
  FrameReport report = Plain();
  json expected = Parsed(report);
  report.picture = "a/b.jpg";
  expected["picture"] = "a/b.jpg";
  EXPECT_EQ(Parsed(report), expected);
  Line fields(256);
  fields.Add(",\"slot\":\"b\",\"device\":");
  fields.AddJsonString("gate \"3\" 100 %s");
  expected["slot"] = "b";
  expected["device"] = "gate \"3\" 100 %s";
  EXPECT_EQ(Parsed(report, fields), expected);
}

// What is not known is null; nothing is left out.
TEST(ResultText, FieldsOfTheGuard) {
  const float none = std::numeric_limits<float>::quiet_NaN();
  const auto with = [](float score, float celsius) {
    Line fields(256);
    AddGuardFields("heat", score, celsius, &fields);
    return Parsed(Plain(), fields);
  };
  json expected = Parsed(Plain());
  expected["reason"] = "heat", expected["score"] = 0.5, expected["temperature_c"] = 60.0;
  EXPECT_EQ(with(0.5f, 60), expected);
  expected["score"] = nullptr;
  EXPECT_EQ(with(none, 60), expected);
  expected["temperature_c"] = nullptr;
  EXPECT_EQ(with(none, none), expected);
}

TEST(ResultText, StringsAreJson) {
  const struct {
    std::string text, expected;
  } kCases[] = {
      {"", ""},
      {"a \"b\" \\ c", "a \"b\" \\ c"},
      {"\x01\t\n\x1F \x7F", "\x01\t\n\x1F \x7F"},
      {"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"},
      {"\x80", "\xEF\xBF\xBD"},  // a byte that continues nothing
      {"\xC3", "\xEF\xBF\xBD"},  // cut off
      {"\xC3(", "\xEF\xBF\xBD("},
      {"\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD"},                  // longer than it has to be
      {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},  // half a pair
      {"\xFF", "\xEF\xBF\xBD"},
  };
  for (const auto& c : kCases) {
    Line line(256);
    line.AddJsonString(c.text.c_str());
    EXPECT_EQ(json::parse(std::string(line.data(), line.length())), json(c.expected)) << c.expected;
  }
}

TEST(ResultText, WhatDoesNotFitIsCutOff) {
  Line line(8);
  line.Add("%s", "12345");
  line.Add("%s", "6789");
  EXPECT_EQ(std::string(line.data(), line.length()), "1234567");
  line.Add("%s", "more");
  EXPECT_EQ(line.length(), 7u);
  line.Reserve(4);
  line.Reserve(12);
  line.Add("%s", "89");
  EXPECT_EQ(std::string(line.data(), line.length()), "123456789");
  line.Clear();
  EXPECT_EQ(line.length(), 0u);
}

TEST(ResultText, GoesToADescriptorWhole) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Line line(64);
  line.Add("%s", "a line\n");
  EXPECT_TRUE(line.WriteTo(ends[1]));
  char got[64];
  EXPECT_EQ(read(ends[0], got, sizeof(got)), 7);
  EXPECT_EQ(std::string(got, 7), "a line\n");
  close(ends[1]);
  close(ends[0]);
  EXPECT_FALSE(line.WriteTo(-1));
}

}  // namespace
}  // namespace octet::port
