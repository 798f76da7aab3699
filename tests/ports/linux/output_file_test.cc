// Files that appear whole or not at all, and what is written to as it is.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "ports/linux/file.h"

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

}  // namespace
}  // namespace octet::port
