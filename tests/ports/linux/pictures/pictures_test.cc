// The one rule for folders of pictures, which octet, octet-run and octet-camera share.
#include "ports/linux/pictures/pictures.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace octet::pictures {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

class Pictures : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "octet-pictures-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }
  void Touch(const std::string& name) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << "x";
  }
  // Relative to the folder.
  Names Listed() const {
    const Listing listing = ListPictures(folder_.string());
    EXPECT_EQ(listing.error, "");
    Names names;
    for (const std::string& file : listing.files)
      names.push_back(fs::path(file).lexically_relative(folder_).string());
    return names;
  }
  fs::path folder_;
};

TEST_F(Pictures, NamesThatCount) {
  const std::pair<const char*, bool> table[] = {
      {"a.jpg", true},  {"a.jpeg", true}, {"a.png", true}, {"a.bmp", true},      {"a.ppm", true},
      {"a.pgm", true},  {"a.JPG", true},  {"a.Png", true}, {"a.gif", false},     {"a.webp", false},
      {"a.npy", false}, {"a.txt", false}, {"jpg", false},  {"a.jpg.txt", false}, {"a.jp", false},
      {"a", false},     {"a.", false}};
  for (const auto& [name, counts] : table) EXPECT_EQ(HasPictureName(name), counts) << name;
}

TEST_F(Pictures, InTheOrderOfTheirNames) {
  for (const char* name : {"b.png", "a10.jpg", "a9.jpg", "B.PPM", "labels.txt", ".hidden.jpg",
                           "._a9.jpg", "deeper/c.jpg"}) {
    Touch(name);
  }
  fs::create_directories(folder_ / "folder.jpg");
  fs::create_symlink("nowhere.jpg", folder_ / "dangling.jpg");
  fs::create_symlink("b.png", folder_ / "link.png");
  EXPECT_EQ(Listed(), (Names{"B.PPM", "a10.jpg", "a9.jpg", "b.png", "link.png"}));
}

TEST_F(Pictures, LinksToNothingAreNamed) {
  fs::create_symlink("/nowhere/a.jpg", folder_ / "a.jpg");
  const std::string error = ListPictures(folder_.string()).error;
  EXPECT_NE(error.find("a.jpg: a link to a missing file"), std::string::npos) << error;
}

TEST_F(Pictures, SubfoldersWhereThereIsNothingElse) {
  for (const char* name : {"dog/1.jpg", "cat/2.jpg", "cat/1.jpg", "cat/more/3.jpg", "readme.txt",
                           "nest/deep/4.jpg", ".cache/5.jpg"}) {
    Touch(name);
  }
  fs::create_directory_symlink(".", folder_ / "loop");
  EXPECT_EQ(Listed(), (Names{"cat/1.jpg", "cat/2.jpg", "dog/1.jpg", "nest/deep/4.jpg"}));
}

TEST_F(Pictures, OnePicture) {
  Touch("a.jpg");
  EXPECT_EQ(ListPictures((folder_ / "a.jpg").string()).files, Names{(folder_ / "a.jpg").string()});
}

TEST_F(Pictures, RefusalsAreOneLine) {
  Touch("empty/note.txt");
  Touch("locked/a.jpg");
  fs::permissions(folder_ / "locked", fs::perms::none);
  const std::pair<const char*, const char*> table[] = {{"empty", "has no pictures"},
                                                       {"absent", "no such file"},
                                                       {"empty/note.txt", "not a picture's"},
                                                       {"locked", "cannot be listed"}};
  for (const auto& [name, cause] : table) {
    if (std::string(name) == "locked" && geteuid() == 0) continue;  // root may list all
    const Listing listing = ListPictures((folder_ / name).string());
    EXPECT_TRUE(listing.files.empty());
    EXPECT_NE(listing.error.find(cause), std::string::npos) << listing.error;
    EXPECT_EQ(listing.error.find('\n'), std::string::npos);
  }
  fs::permissions(folder_ / "locked", fs::perms::owner_all);
}

}  // namespace
}  // namespace octet::pictures
