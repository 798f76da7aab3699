#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/converter/images/images_support.h"

namespace octet::images {
namespace {

class NpyTest : public ImagesTest {
 protected:
  std::string RefusalOf(const std::string& bytes) const {
    const std::filesystem::path path = Write("a.npy", bytes);
    const std::string line = Refusal([&] { NpyFile{path}; });
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_TRUE(line.empty() || line.rfind(path.string(), 0) == 0) << line;
    return line;
  }
};

TEST_F(NpyTest, ReadsEveryElementTypeOfAllVersions) {
  const struct {
    const char* dtype;
    size_t bytes;
  } kTypes[] = {{"|u1", 1}, {"|i1", 1}, {"<f2", 2}, {"<f8", 8}, {"<f4", 4}, {"<i4", 4}, {"<i8", 8}};
  for (const auto& type : kTypes) {
    for (char version : {char{1}, char{2}, char{3}}) {
      const std::string data(6 * type.bytes, 'x');
      const NpyFile file(Write("a.npy", Npy(Header(type.dtype, "(2, 3)"), data, version)));
      EXPECT_EQ(file.dtype(), type.dtype);
      EXPECT_EQ(file.shape(), (graph::Shape{2, 3}));
      EXPECT_EQ(std::memcmp(file.data(), data.data(), data.size()), 0);
    }
  }
}

TEST_F(NpyTest, ReadsShapesOfAnyRank) {
  EXPECT_EQ(NpyFile(Write("a.npy", Npy(Header("|u1", "()"), "x"))).shape(), graph::Shape{});
  EXPECT_EQ(NpyFile(Write("a.npy", Npy(Header("|u1", "(4,)"), "abcd"))).shape(), graph::Shape{4});
  EXPECT_EQ(NpyFile(Write("a.npy", Npy(Header("|u1", "(2,0,3)"), ""))).shape(),
            (graph::Shape{2, 0, 3}));
}

TEST_F(NpyTest, SaysWhatIsWrong) {
  EXPECT_NE(RefusalOf("PK zip").find("not a .npy file"), std::string::npos);
  EXPECT_NE(RefusalOf("").find("not a .npy file"), std::string::npos);
  EXPECT_NE(RefusalOf(Npy(Header("<f4", "(2,)", "True"), std::string(8, 'x'))).find("Fortran"),
            std::string::npos);
  EXPECT_NE(RefusalOf(Npy(Header("<c8", "(2,)"), std::string(16, 'x'))).find("<c8"),
            std::string::npos);
  EXPECT_NE(RefusalOf(Npy(Header(">f4", "(2,)"), std::string(8, 'x'))).find(">f4"),
            std::string::npos);
  const std::string line = RefusalOf(Npy(Header("<f4", "(2, 3)"), std::string(23, 'x')));
  EXPECT_NE(line.find("takes 24 bytes, 23"), std::string::npos) << line;
  EXPECT_NE(RefusalOf(Npy(Header("<f4", "(2,)"), "", 4)).find("version 4"), std::string::npos);
  EXPECT_NE(RefusalOf(Npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}",
                          std::string(8, 'x')))
                .find("records"),
            std::string::npos);
  EXPECT_NE(RefusalOf(Npy(Header("<f4", "(4611686018427387904, 4)"), "")).find("damaged"),
            std::string::npos);
  EXPECT_NE(RefusalOf(Npy(Header("<f4", "(-1, 4)"), "")).find("damaged"), std::string::npos);
  EXPECT_NE(Refusal([&] { NpyFile(folder_ / "none.npy"); }).find("cannot be opened"),
            std::string::npos);
  EXPECT_NE(Refusal([&] { NpyFile{folder_}; }).find("not a regular file"), std::string::npos);
}

TEST_F(NpyTest, EveryTruncationOfTheHeaderIsRefused) {
  const std::string whole = Npy(Header("|u1", "(2, 3)"), "abcdef");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(RefusalOf(whole.substr(0, size)), "") << "at " << size << " bytes";
  }
  EXPECT_EQ(RefusalOf(whole), "");
}

TEST_F(NpyTest, WritesWhatItReads) {
  const std::vector<float> values{1.5f, -2, 0, 1e30f, 3, 4};
  const std::filesystem::path path = folder_ / "out.npy";
  for (const graph::Shape& shape : {graph::Shape{2, 3}, graph::Shape{6}, graph::Shape{1, 2, 3}}) {
    WriteNpyFloat(path, shape, values.data());
    const NpyFile file(path);
    EXPECT_EQ(file.shape(), shape);
    EXPECT_EQ(file.dtype(), "<f4");
    EXPECT_EQ(std::memcmp(file.data(), values.data(), values.size() * sizeof(float)), 0);
    EXPECT_EQ((std::filesystem::file_size(path) - 24) % 64, 0u) << "data starts at a multiple";
  }
  WriteNpyFloat(path, {}, values.data());
  EXPECT_EQ(NpyFile(path).shape(), graph::Shape{});
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".partial"));
  EXPECT_NE(Refusal([&] { WriteNpyFloat(folder_ / "no" / "a.npy", {6}, values.data()); }), "");
}

// Kilobytes of files that are mapped and in memory.
int64_t MappedKilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("RssFile:", 0) == 0) return std::stoll(line.substr(8));
  }
  return 0;
}

// 48 MB of samples, read one by one and twice: no more than a few of them stay in memory.
TEST_F(NpyTest, WhatWasReadDoesNotStay) {
  constexpr int64_t kSamples = 64, kElements = 3 * 256 * 256;
  for (const char* type : {"|u1", "<f4"}) {
    const int64_t bytes = type[1] == 'u' ? 1 : 4;
    const auto path =
        Write("large.npy",
              Npy(std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (64, " +
                      (bytes == 1 ? "256, 256, 3" : "3, 256, 256") + "), }\n",
                  ""));
    // The rest are holes, which read as zeros.
    std::filesystem::resize_file(path, std::filesystem::file_size(path) +
                                           static_cast<uint64_t>(kSamples * kElements * bytes));
    const auto data = OpenDataset(path, {1, 3, 256, 256}, {}, false);
    ASSERT_EQ(data->size(), kSamples);
    data->Load(0);
    const int64_t before = MappedKilobytes();
    for (int round = 0; round < 2; ++round) {
      for (int64_t i = 0; i < kSamples; ++i) EXPECT_EQ(data->Load(i).floats.back(), 0);
    }
    EXPECT_LT(MappedKilobytes() - before, kSamples * kElements * bytes / 1024 / 4) << type;
  }
}

}  // namespace
}  // namespace octet::images
