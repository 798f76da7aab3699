// Files and lines, with every call of their writers failing once: the old bytes or the new ones,
// and the step can be done again.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "ports/linux/camera/program/drift/record.h"
#include "ports/linux/camera/program/line_writer.h"
#include "ports/linux/output/output_file.h"
#include "runtime/drift/record.h"
#include "tests/ports/linux/io/io_matrix.h"

namespace octet::test {
namespace {

namespace fs = std::filesystem;

// Records of drift, settings, keys: the old bytes or the new ones, and nothing beside them.
TEST_F(IoMatrix, Files) {
  const std::string path = Path("store/record");
  const auto text = [&](const std::string& of) {
    std::ifstream file(of, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string before = "before", now(100000, 'n');
  for (const port::Kept kept : {port::Kept::kDurable, port::Kept::kPlain}) {
    const auto write = [&] {
      port::OutputFile file(path, kept);
      file.Write(now.data(), 10);
      file.Write(now.data() + 10, now.size() - 10);
      file.Commit();
      return true;
    };
    Each(
        kept == port::Kept::kDurable ? "durable file" : "plain file",
        [&] {
          fs::remove_all(Store());
          fs::create_directory(Store());
          WriteText("store/record", before);
        },
        write,
        [&](Ended ended) {
          const std::string found = text(path);
          EXPECT_TRUE(found == now || (found == before && !ended.done));
          // What cannot be removed either lies about, under a name of its own.
          EXPECT_TRUE(write());
          EXPECT_EQ(text(path), now);
        });
  }
  const std::string key = Path("store/key");
  const auto make = [&] { return port::WriteNewFile(key, "secret", true); };
  Each(
      "new file",
      [&] {
        fs::remove_all(Store());
        fs::create_directory(Store());
      },
      make,
      [&](Ended ended) {
        if (ended.done) {
          EXPECT_EQ(text(key), "secret");
        } else if (fs::exists(key)) {
          fs::remove(key);  // not even that could be removed
        }
      });
}

// What drift has learnt: the record before or the new one, and never another program's file.
TEST_F(IoMatrix, DriftRecord) {
  const std::string path = Path("store/drift");
  octet_drift_record before{}, now{};
  std::copy(std::begin(drift::kRecordMagic), std::end(drift::kRecordMagic), before.bytes);
  now = before;
  now.bytes[100] = 1;
  const auto is = [](const octet_drift_record& a, const octet_drift_record& b) {
    return std::equal(std::begin(a.bytes), std::end(a.bytes), b.bytes);
  };
  const auto prepare = [&] {
    fs::remove_all(Store());
    fs::create_directory(Store());
    ASSERT_EQ(port::WriteDriftFile(path, before), "");
  };
  const auto save = [&] { return port::WriteDriftFile(path, now).empty(); };
  octet_drift_record found{};
  int error = 0;
  const auto read = [&] { return port::ReadDriftFile(path, &found, &error); };
  Each("drift save", prepare, save, [&](Ended ended) {
    ASSERT_EQ(read(), port::DriftFile::kRecord);
    EXPECT_TRUE(is(found, now) || (is(found, before) && !ended.done));
    EXPECT_TRUE(save()) << "and it can be done again";
    ASSERT_EQ(read(), port::DriftFile::kRecord);
    EXPECT_TRUE(is(found, now));
  });
  prepare();
  port::DriftFile kind{};
  Each(
      "drift load", [] {}, [&] { return (kind = read()) == port::DriftFile::kRecord; },
      [&](Ended ended) {
        if (!ended.done) {
          EXPECT_EQ(kind, port::DriftFile::kUnreadable);
          EXPECT_EQ(error, EIO);
        }
        ASSERT_EQ(read(), port::DriftFile::kRecord);
        EXPECT_TRUE(is(found, before));
      });
  // What could not be read at the start turns out to be somebody's picture.
  WriteText("store/drift", "P6 1 1 255");
  EXPECT_EQ(read(), port::DriftFile::kForeign);
  EXPECT_NE(port::WriteDriftFile(path, now).find(path), std::string::npos);
  EXPECT_EQ(read(), port::DriftFile::kForeign);
}

// Lines to a file on a disk that fails: none is cut in two, and of a live source nothing ends.
TEST_F(IoMatrix, Lines) {
  const std::string path = Path("lines");
  int file = -1;
  uint64_t dropped = 0;
  const port::StopRequest stop;
  const auto write = [&](bool waits) {
    port::LineWriter writer(file, waits, stop);
    for (int i = 0; i < 5; ++i) {
      if (!writer.Write("0123456789\n", 11)) return false;
    }
    dropped = writer.dropped();
    return dropped == 0;
  };
  for (const bool waits : {false, true}) {
    Each(
        waits ? "lines of a source that waits" : "lines of a live source",
        [&] {
          if (file >= 0) close(file);
          file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        },
        [&] { return write(waits); },
        [&](Ended) {
          const Blob bytes = ReadBlob(path);
          const std::string text(bytes.begin(), bytes.end());
          for (size_t at = 0; at < text.size(); ++at) {
            ASSERT_EQ(text[at], "0123456789\n"[at % 11]) << text;
          }
          if (!waits) {
            EXPECT_GE(text.size() / 11 + dropped + 1, 5u);
          }
        });
  }
  close(file);
}

}  // namespace
}  // namespace octet::test
