// Models from elsewhere: each imports, or is refused by one line. Prints which.
#include <algorithm>

#include "tests/converter/import/import_support.h"

namespace octet::import {
namespace {

std::vector<std::filesystem::path> FindModels(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> models;
  if (!std::filesystem::is_directory(folder)) return models;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".onnx") models.push_back(entry.path());
  }
  std::sort(models.begin(), models.end());
  return models;
}

void ImportAll(const std::string& folder) {
  const auto models =
      FindModels(std::filesystem::path(OCTET_SOURCE_DIR) / ".." / "shared" / folder);
  if (models.empty()) GTEST_SKIP() << "no models in ../shared/" << folder;
  for (const std::filesystem::path& path : models) {
    const std::string name =
        path.parent_path().filename().string() + "/" + path.filename().string();
    try {
      const graph::Graph graph = ImportOnnx(path);
      EXPECT_FALSE(graph.nodes.empty()) << name;
      std::printf("  %s: imported, %zu nodes", name.c_str(), graph.nodes.size());
      for (graph::ValueId id : graph.inputs) {
        std::printf(", %s %s", graph.At(id).name.c_str(),
                    graph::ToString(*graph.At(id).shape).c_str());
      }
      try {
        CheckOperators(graph);
        std::printf("\n");
      } catch (const UserError& error) {
        std::printf("; %s\n", error.what());
      }
    } catch (const UserError& error) {
      const std::string line = error.what();
      EXPECT_EQ(line.find('\n'), std::string::npos) << line;
      std::printf("  %s: refused: %s\n", name.c_str(), line.c_str() + path.string().size() + 2);
    }
  }
}

TEST(FoundModels, Lab) {
  ImportAll("lab");
}
TEST(FoundModels, Zoo) {
  ImportAll("zoo");
}

}  // namespace
}  // namespace octet::import
