// --tracks, --zones, --lines on the built-in scene, by the detector that comes with the program:
// ids, events that follow docs/events.schema.json, counts, metrics, refusals.
#include <map>
#include <set>

#include "tests/ports/linux/camera_program/camera_fixture.h"

namespace octet::test {
namespace {

using nlohmann::json;

class TracksCamera : public Camera {
 protected:
  // The scene comes at its rate: the times of frames are those of a film.
  void Watch(const std::string& frames, const std::vector<std::string>& more) {
    names_model_ = false;
    std::vector<std::string> arguments = {"--source", "scene", "--fps",  "30",
                                          "--frames", frames,  "--json", "--every-frame"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Start(arguments);
    ASSERT_EQ(Finish(), 0) << Read("err");
  }
  void Refused(const std::vector<std::string>& options, const std::vector<std::string>& facts) {
    names_model_ = false;
    std::vector<std::string> arguments = {"--source", "scene"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    Start(arguments);
    EXPECT_EQ(Finish(), 2);
    for (const std::string& fact : facts)
      EXPECT_NE(Read("err").find(fact), std::string::npos) << Read("err");
  }
};

// The parts of JSON Schema that the file uses.
bool IsOf(const json& rule, const json& value) {
  if (rule.contains("enum")) {
    return std::find(rule["enum"].begin(), rule["enum"].end(), value) != rule["enum"].end();
  }
  if (rule.contains("const")) return value == rule["const"];
  const std::string type = rule["type"];
  return type == "integer"   ? value.is_number_integer()
         : type == "number"  ? value.is_number()
         : type == "string"  ? value.is_string()
         : type == "boolean" ? value.is_boolean()
                             : false;
}

std::string WhyNot(const json& schema, const json& line) {
  for (const auto& [key, value] : line.items()) {
    if (!schema["properties"].contains(key)) return key + " is not in the schema";
    if (!IsOf(schema["properties"][key], value)) return key + " is " + value.dump();
  }
  const bool crossing = IsOf(schema["if"]["properties"]["event"], line.value("event", json()));
  for (const json* needed :
       {&schema["required"], &schema[crossing ? "then" : "else"]["required"]}) {
    for (const auto& key : needed->get<std::vector<std::string>>()) {
      if (!line.contains(key)) return key + " is absent";
    }
  }
  return "";
}

TEST_F(TracksCamera, LinesOfEventsFollowTheSchemaAndAddUp) {
  const json schema = json::parse(std::ifstream(OCTET_SOURCE_DIR "/docs/events.schema.json"));
  Watch("120", {"--tracks", "on", "--zones", "left=0,0 0.5,0 0.5,1 0,1 update=0.5", "--lines",
                "middle=0.5,0 0.5,1"});
  std::map<std::string, uint64_t> kinds, directions;
  std::set<uint64_t> inside;
  uint64_t frame = 0, updates = 0, last_inside = 0;
  json summary;
  for (const json& line : Lines()) {
    if (line.contains("summary")) summary = line["summary"];
    if (!line.contains("event")) {
      if (line.contains("frame")) frame = line["frame"];
      EXPECT_EQ(last_inside, inside.size()) << "counts are those after the frame";
      continue;
    }
    EXPECT_EQ(WhyNot(schema, line), "") << line;
    EXPECT_EQ(line["frame"], frame) << "behind the line of its frame";
    const auto kind = line["event"].get<std::string>();
    const auto id = line["id"].get<uint64_t>();
    ++kinds[kind];
    if (kind == "begin") {
      EXPECT_TRUE(inside.insert(id).second);
    } else if (kind == "update") {
      updates += inside.count(id);
    } else if (kind == "end") {
      EXPECT_EQ(inside.erase(id), 1u);
    } else {
      ++directions[line["direction"].get<std::string>()];
    }
    if (line.contains("inside")) last_inside = line["inside"].get<uint64_t>();
  }
  EXPECT_GE(kinds["begin"], 2u);
  EXPECT_GE(kinds["end"], 1u);
  EXPECT_GE(kinds["crossing"], 2u);
  EXPECT_EQ(kinds["update"], updates) << "only of tracks inside";
  const json& zones = summary["zones"];
  ASSERT_EQ(zones.size(), 2u);
  EXPECT_EQ(zones[0], json({{"name", "left"},
                            {"in", kinds["begin"]},
                            {"out", kinds["end"]},
                            {"inside", inside.size()}}));
  EXPECT_EQ(zones[1],
            json({{"name", "middle"}, {"in", directions["in"]}, {"out", directions["out"]}}));
  EXPECT_GE(summary["tracks"], 2);
}

// With a rate, times are those of the film, so that two runs say the same of it.
TEST_F(TracksCamera, IdsStayWithTheirObjectsAndRunsAreEqual) {
  std::vector<std::string> runs[2];
  for (auto& run : runs) {
    Watch("60", {"--tracks", "high=0.6,low=0.1", "--lines", "middle=0.5,0 0.5,1"});
    for (json line : Lines()) {
      if (line.contains("summary")) continue;
      for (const char* name : {"time", "age_ms", "ms"}) line.erase(name);
      run.push_back(line.dump());
    }
  }
  EXPECT_EQ(runs[0], runs[1]);
  std::map<uint64_t, std::set<int>> classes;
  uint64_t with_id = 0, boxes = 0;
  for (const std::string& text : runs[0]) {
    const json line = json::parse(text);
    for (const json& box : line.value("detections", json::array())) {
      ++boxes;
      if (!box.contains("id")) continue;
      ++with_id;
      classes[box["id"].get<uint64_t>()].insert(box["class"].get<int>());
    }
  }
  EXPECT_GT(2 * with_id, boxes) << "most boxes have an id";
  for (const auto& [id, of] : classes) EXPECT_EQ(of.size(), 1u) << id;
}

TEST_F(TracksCamera, WithoutOptionsLinesHaveNoIds) {
  Watch("10", {});
  for (const json& line : Lines()) {
    EXPECT_FALSE(line.contains("zones"));
    EXPECT_EQ(line.dump().find("\"id\""), std::string::npos);
  }
}

TEST_F(TracksCamera, Refusals) {
  Refused({"--zones", "a=0,0 1,1"}, {"--zones", "3", "2"});
  Refused({"--lines", "a=0,0 1,1 0,1"}, {"--lines", "2 points", "3"});
  Refused({"--lines", "a=0,0 1.5,1"}, {"--lines", "1.5,1", "0 to 1"});
  Refused({"--lines", "a=0.5,0.5 0.5,0.5"}, {"--lines", "equal"});
  Refused({"--lines", "a b"}, {"--lines", "NAME="});
  Refused({"--lines", "a=0,0 1,1", "--zones", "a=0,0 1,1 0,1"}, {"'a=0,0 1,1'", "name"});
  Refused({"--lines", "a=0,0 1,1 frames=3/2"}, {"frames=N/M"});
  Refused({"--lines", "a=0,0 1,1 anchor=left"}, {"anchor=bottom"});
  Refused({"--tracks", "low=0.9"}, {"--tracks", "low", "high"});
}

}  // namespace
}  // namespace octet::test
