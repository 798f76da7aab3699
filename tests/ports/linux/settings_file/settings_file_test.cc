// Settings as YAML: names, values and the lines that messages name.
#include "ports/linux/settings_file/settings_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ports/linux/output/error.h"

namespace octet::port {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class SettingsFile : public testing::Test {
 protected:
  SettingsFile()
      : folder_(fs::temp_directory_path() / ("octet-settings-" + std::to_string(getpid()))) {
    fs::create_directory(folder_);
  }
  ~SettingsFile() override { fs::remove_all(folder_); }
  void SetUp() override {
    try {
      ParseSettings("", "s.yaml");
    } catch (const InputError&) {
      GTEST_SKIP() << "built without yaml-cpp";
    }
  }

  // Line that the refusal of `text` names; 0: it is read.
  static int LineRefused(const std::string& text) {
    try {
      ParseSettings(text, "s.yaml");
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.rfind("s.yaml:", 0), 0u) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      return std::atoi(message.c_str() + 7);
    }
    return 0;
  }
  static bool IsRefused(const fs::path& path) {
    try {
      ReadSettingsFile(path.string());
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).rfind(path.string() + ":", 0), 0u) << error.what();
      return true;
    }
    return false;
  }
  fs::path Written(const std::string& text) const {
    std::ofstream(folder_ / "s.yaml", std::ios::binary) << text;
    return folder_ / "s.yaml";
  }

  fs::path folder_;
};

TEST_F(SettingsFile, NamesValuesAndLines) {
  const auto settings = ParseSettings(
      "# of a board\nblob: m.octet\n\nthreads: 2\nserve: [a, 'b c', 3]\nguard:\n  - x=1\n  - y=2\n"
      "empty: ''\n",
      "s.yaml");
  ASSERT_EQ(settings.size(), 5u);
  const struct {
    const char* name;
    Words values;
    int line;
  } kExpected[] = {
      {"blob", {"m.octet"}, 2},     {"threads", {"2"}, 4}, {"serve", {"a", "b c", "3"}, 5},
      {"guard", {"x=1", "y=2"}, 6}, {"empty", {""}, 9},
  };
  for (size_t i = 0; i < settings.size(); ++i) {
    EXPECT_EQ(settings[i].name, kExpected[i].name);
    EXPECT_EQ(settings[i].values, kExpected[i].values);
    EXPECT_EQ(settings[i].line, kExpected[i].line) << settings[i].name;
    EXPECT_FALSE(settings[i].is_list);
  }
}

TEST_F(SettingsFile, NothingIsNoSettings) {
  for (const char* text : {"", "\n\n", "# a word\n", "---\n", "{}"}) {
    EXPECT_TRUE(ParseSettings(text, "s.yaml").empty()) << text;
  }
}

TEST_F(SettingsFile, RefusalsNameTheLine) {
  const struct {
    const char* text;
    int line;
  } kCases[] = {
      {"a: 1\nb: 2\n", 0},
      {"a: 1\nb: 2\na: 3\n", 3},   // set twice
      {"a: 1\nb:\n", 2},           // no value
      {"a: 1\n\nb: {c: 1}\n", 3},  // a map
      {"a: []\n", 1},              // an empty list
      {"a: 1\nb: [x, [y]]\n", 2},  // a list in a list
      {"a: 1\n[b, c]: 2\n", 2},    // no name
      {"\n- a\n- b\n", 2},         // a list
      {"\n\nword\n", 3},           // a word
      {"a: 1\nb: 'open", 2},       // no YAML
      {"a: 1\nb: @x\n", 2},
      {"a: 1\n b: 2\n", 2},
      {"a: *x\n", 1},
      {"a: 1\n---\nb: 2\n", 2},  // two documents
      {"a: 1\n---\nb: 2\n---\nc\n", 2},
  };
  for (const auto& c : kCases) EXPECT_EQ(LineRefused(c.text), c.line) << c.text;
}

TEST_F(SettingsFile, WrittenOnesReadBack) {
  const std::vector<FileSetting> all = {
      {"plain", {"word"}},          {"number", {"1.50"}},    {"yes", {"yes"}},
      {"colon", {"a: b # c"}},      {"quotes", {"'\""}},     {"none", {""}},
      {"null", {"null"}},           {"one", {"x"}, 0, true}, {"many", {"x", "y z", "[1]"}},
      {"lines", {"first\nsecond"}}, {"bytes", {"\t\\"}},
  };
  const auto back = ParseSettings(WriteSettings(all), "s.yaml");
  ASSERT_EQ(back.size(), all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(back[i].name, all[i].name);
    EXPECT_EQ(back[i].values, all[i].values) << all[i].name;
    if (i < 9) {
      EXPECT_EQ(back[i].line, static_cast<int>(i) + 1);
    }
  }
  const std::string list = WriteSettings({{"one", {"x"}, 0, true}});
  EXPECT_NE(list.find('['), std::string::npos) << "a list of one stays a list: " << list;
  EXPECT_EQ(WriteSettings({{"one", {"x"}}}).find('['), std::string::npos);
}

TEST_F(SettingsFile, AListOfMaps) {
  const std::string text =
      "a: 1\ncameras:\n  - name: x\n    zones: [p, q]\n  - {name: \"y: #\", source: \"-\"}\n";
  const auto read = ParseSettings(text, "s.yaml", "cameras");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[1].line, 2);
  EXPECT_TRUE(read[1].values.empty());
  ASSERT_EQ(read[1].maps.size(), 2u);
  EXPECT_EQ(read[1].maps[0][1].name, "zones");
  EXPECT_EQ(read[1].maps[0][1].values, (std::vector<std::string>{"p", "q"}));
  EXPECT_EQ(read[1].maps[0][1].line, 4);
  EXPECT_EQ(read[1].maps[1][0].values, std::vector<std::string>{"y: #"});
  const auto back = ParseSettings(WriteSettings(read), "s.yaml", "cameras");
  ASSERT_EQ(back.size(), 2u);
  ASSERT_EQ(back[1].maps.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    for (size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(back[1].maps[i][k].name, read[1].maps[i][k].name);
      EXPECT_EQ(back[1].maps[i][k].values, read[1].maps[i][k].values);
    }
  }
  for (const char* wrong : {"cameras: 1\n", "cameras: []\n", "cameras: {a: b}\n", "cameras: [a]\n",
                            "cameras:\n", "cameras: [{a: b, a: c}]\n", "cameras: [{a: {b: c}}]\n",
                            "cameras: [{a: [{b: c}]}]\n", "cameras: &x [{a: *x}]\n"}) {
    EXPECT_THROW(ParseSettings(wrong, "s.yaml", "cameras"), InputError) << wrong;
  }
  EXPECT_THROW(ParseSettings(text, "s.yaml"), InputError)
      << "no name has maps but the one asked for";
}

TEST_F(SettingsFile, OnlyShortRegularFilesAreRead) {
  const std::string line = "a: 1\n";
  const auto padded = [&](size_t bytes) { return line + std::string(bytes - line.size(), '\n'); };
  EXPECT_EQ(ReadSettingsFile(Written(line).string()).size(), 1u);
  EXPECT_EQ(ReadSettingsFile(Written(padded(kSettingsFileBytes)).string()).size(), 1u);
  EXPECT_TRUE(IsRefused(Written(padded(kSettingsFileBytes + 1))));
  EXPECT_TRUE(IsRefused(folder_ / "absent"));
  EXPECT_TRUE(IsRefused(folder_));
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(IsRefused(folder_ / "pipe"));
}

// Programs of services may be started without a standard input: the next file is number 0.
TEST_F(SettingsFile, DescriptorZeroIsAFile) {
  const std::string path = Written("a: 1\n").string();
  const int kept = dup(0);
  close(0);
  size_t count = 0;
  EXPECT_NO_THROW(count = ReadSettingsFile(path).size());
  if (kept >= 0) {
    dup2(kept, 0);
    close(kept);
  }
  EXPECT_EQ(count, 1u);
}

}  // namespace
}  // namespace octet::port
