// Files that appear whole or not at all, and what is written to as it is.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "ports/linux/output/output_file.h"

namespace octet::port {
namespace {

namespace fs = std::filesystem;

class OutputFiles : public testing::Test {
 protected:
  OutputFiles()
      : folder_(fs::temp_directory_path() / ("octet-output-" + std::to_string(getpid()))) {
    fs::create_directory(folder_);
  }
  ~OutputFiles() override { fs::remove_all(folder_); }

  void Write(const char* name, const std::string& bytes) const {
    OutputFile file((folder_ / name).string());
    file.Write(bytes.data(), bytes.size());
    file.Commit();
  }

  fs::path folder_;
};

TEST_F(OutputFiles, OnlyWhatIsCommittedAppears) {
  Write("a", "first");
  {
    OutputFile file((folder_ / "a").string());
    file.Write("second", 6);
  }
  EXPECT_EQ(fs::file_size(folder_ / "a"), 5u);
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) files += entry.exists();
  EXPECT_EQ(files, 1u) << "something was left behind";
}

TEST_F(OutputFiles, ALinkStaysOne) {
  Write("a", "first");
  fs::create_symlink(folder_ / "a", folder_ / "link");
  Write("link", "longer");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(fs::file_size(folder_ / "a"), 6u);
}

// Somebody else who may write to the folder has guessed the name that the file is written through.
TEST_F(OutputFiles, APlantedLinkIsNotWrittenThrough) {
  Write("victim", "precious");
  for (const char* suffix : {".partial.", ".part"}) {
    fs::create_symlink(folder_ / "victim",
                       folder_ / ("a" + std::string(suffix) + std::to_string(getpid())));
  }
  Write("a", "new");
  EXPECT_EQ(fs::file_size(folder_ / "victim"), 8u);
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(folder_ / "a")));
  EXPECT_EQ(fs::file_size(folder_ / "a"), 3u);
}

TEST_F(OutputFiles, ALinkWhereTheProgramNamesTheFileIsReplaced) {
  Write("victim", "precious");
  fs::create_symlink(folder_ / "victim", folder_ / "frame-1");
  OutputFile file((folder_ / "frame-1").string(), Kept::kPlain, Links::kReplaced);
  file.Write("new", 3);
  file.Commit();
  EXPECT_EQ(fs::file_size(folder_ / "victim"), 8u);
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(folder_ / "frame-1")));
}

TEST_F(OutputFiles, ALinkOfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root makes files of other users";
  Write("victim", "precious");
  fs::create_symlink(folder_ / "victim", folder_ / "link");
  ASSERT_EQ(lchown((folder_ / "link").c_str(), 1234, 1234), 0);
  EXPECT_THROW(Write("link", "new"), InputError);
  EXPECT_EQ(fs::file_size(folder_ / "victim"), 8u);
}

TEST_F(OutputFiles, ANewFileIsNeverAnOldOne) {
  const std::string path = (folder_ / "key").string();
  EXPECT_TRUE(WriteNewFile(path, "secret", true));
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_FALSE(WriteNewFile(path, "other", true));
  EXPECT_EQ(fs::file_size(path), 6u);
  fs::create_symlink(folder_ / "absent", folder_ / "link");
  EXPECT_FALSE(WriteNewFile((folder_ / "link").string(), "other", false));
  EXPECT_FALSE(fs::exists(folder_ / "absent"));
  EXPECT_THROW(WriteNewFile((folder_ / "no" / "key").string(), "x", true), WriteError);
}

TEST_F(OutputFiles, LargeAndSmallWritesComeInOrder) {
  std::string all;
  {
    OutputFile file((folder_ / "a").string(), Kept::kDurable);
    for (const size_t bytes : {1u, 65535u, 1u, 65536u, 70000u, 3u, 200000u}) {
      const std::string some(bytes, static_cast<char>('a' + all.size() % 26));
      file.Write(some.data(), some.size());
      all += some;
    }
    file.Commit();
  }
  std::ifstream file(folder_ / "a", std::ios::binary);
  EXPECT_TRUE(all == std::string(std::istreambuf_iterator<char>(file), {}));
}

TEST_F(OutputFiles, APipeIsWrittenTo) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDWR | O_CLOEXEC);  // so that none waits
  Write("pipe", "bytes");
  EXPECT_TRUE(fs::is_fifo(pipe));
  char bytes[5];
  EXPECT_EQ(read(reader, bytes, sizeof(bytes)), 5);
  EXPECT_EQ(std::string(bytes, 5), "bytes");
  close(reader);
}

// Programs of services may be started without a standard input: the next file is number 0.
TEST_F(OutputFiles, DescriptorZeroIsAFile) {
  const int kept = dup(0);
  close(0);
  EXPECT_NO_THROW(Write("a", "first"));
  EXPECT_NO_THROW(Write("a", "other"));
  bool is_new = false;
  EXPECT_NO_THROW(is_new = WriteNewFile((folder_ / "key").string(), "secret", true));
  if (kept >= 0) {
    dup2(kept, 0);
    close(kept);
  }
  EXPECT_TRUE(is_new);
  EXPECT_EQ(fs::file_size(folder_ / "a"), 5u);
  EXPECT_EQ(fs::file_size(folder_ / "key"), 6u);
}

}  // namespace
}  // namespace octet::port
