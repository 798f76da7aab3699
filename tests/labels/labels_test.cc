// Every file of labels/ is a list as --labels takes it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace {

std::vector<std::string> Lines(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

TEST(Labels, OnePlainNameALine) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(OCTET_SOURCE_DIR "/labels")) {
    if (entry.path().extension() != ".txt") continue;
    ++files;
    std::set<std::string> seen;
    for (const std::string& line : Lines(entry.path())) {
      EXPECT_TRUE(seen.insert(line).second) << line << " stands twice";
      ASSERT_FALSE(line.empty());
      EXPECT_NE(line.front(), ' ');
      EXPECT_NE(line.back(), ' ');
      for (const char c : line) EXPECT_TRUE(c >= ' ' && c <= '~') << line;
    }
  }
  EXPECT_GE(files, 1u);
}

// In the order that detectors trained on it answer in.
TEST(Labels, CocoHasItsEightyClasses) {
  const std::vector<std::string> names = Lines(OCTET_SOURCE_DIR "/labels/coco.txt");
  ASSERT_EQ(names.size(), 80u);
  const std::pair<size_t, const char*> known[] = {{0, "person"},  {2, "car"}, {16, "dog"},
                                                  {39, "bottle"}, {62, "tv"}, {79, "toothbrush"}};
  for (const auto& [index, name] : known) EXPECT_EQ(names[index], name);
}

}  // namespace
