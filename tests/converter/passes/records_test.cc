// The records of the passes: what octet convert --passes prints.
#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "converter/passes/late_passes.h"
#include "converter/passes/passes.h"

namespace octet::passes::testing {
namespace {

// A pass stands behind those whose guarantees it needs, and says what it guarantees.
TEST(PassRecords, NeedsStandBefore) {
  std::set<std::string> before;
  for (const Pass& pass : AllPasses()) {
    const std::string name(pass.name);
    std::stringstream needs{std::string(pass.needs)};
    for (std::string need; needs >> need;) {
      if (need.back() == ',') need.pop_back();
      EXPECT_EQ(before.count(need), 1u) << name << " needs " << need;
    }
    EXPECT_FALSE(pass.guarantees.empty()) << name;
    EXPECT_TRUE(before.insert(name).second) << name << " is listed twice";
  }
  for (const LatePass& pass : LatePasses()) {
    EXPECT_FALSE(pass.guarantees.empty()) << pass.name;
    EXPECT_TRUE(before.insert(std::string(pass.name)).second) << pass.name << " is listed twice";
  }
}

// A family is a folder, and every folder is a family.
TEST(PassRecords, FamiliesAreFolders) {
  const std::filesystem::path root =
      std::filesystem::path(OCTET_SOURCE_DIR) / "converter" / "passes";
  std::set<std::string> families, folders;
  for (const Pass& pass : AllPasses()) families.insert(std::string(pass.family));
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    if (entry.is_directory()) folders.insert(entry.path().filename().string());
  }
  EXPECT_EQ(families, folders);
}

}  // namespace
}  // namespace octet::passes::testing
