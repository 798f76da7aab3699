// The header of a .npy file that is written: numpy reads (5) as a number, and (5,) as a shape.
#include "ports/linux/capture/npy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace octet::port {
namespace {

TEST(NpyHeaderText, ShapesOfEveryRank) {
  struct Row {
    std::vector<uint64_t> shape;
    const char* text;
  };
  for (const Row& row : {Row{{}, "()"}, Row{{5}, "(5,)"}, Row{{2, 3}, "(2, 3)"},
                         Row{{1, 20, 300, 4}, "(1, 20, 300, 4)"}}) {
    const std::string header = NpyHeader(row.shape, "|u1");
    const std::string shape = std::string("'shape': ") + row.text + ", }";
    EXPECT_NE(header.find(shape), std::string::npos) << row.text;
    EXPECT_NE(header.find("'|u1'"), std::string::npos) << row.text;
    EXPECT_EQ(header.size() % 64, 0u) << row.text;
    EXPECT_EQ(header.back(), '\n') << row.text;
    const auto low = static_cast<uint8_t>(header[8]), high = static_cast<uint8_t>(header[9]);
    EXPECT_EQ(low + 256u * high, header.size() - 10) << row.text;
  }
}

// Longer than one byte of the length counts.
TEST(NpyHeaderText, OfManyDimensions) {
  const std::string header = NpyHeader(std::vector<uint64_t>(40, 1234567));
  EXPECT_EQ(static_cast<uint8_t>(header[9]), (header.size() - 10) / 256);
  EXPECT_EQ(static_cast<uint8_t>(header[8]), (header.size() - 10) % 256);
  EXPECT_GT(header.size(), 266u);
}

// Numbers of every width, from any place on.
TEST(NpyArray, FloatsOfEveryWidth) {
  const std::vector<float> values{0, 1, -2.5f, 0.125f, 1024, -0.75f, 3};
  const std::vector<uint16_t> halves{0, 0x3C00, 0xC100, 0x3000, 0x6400, 0xBA00, 0x4200};
  const std::vector<double> wide(values.begin(), values.end());
  const auto bytes_of = [](const auto& of) {
    return std::string(reinterpret_cast<const char*>(of.data()), of.size() * sizeof(of[0]));
  };
  const std::string path = testing::TempDir() + "octet-npy-" + std::to_string(getpid());
  const struct {
    const char* name;
    NpyType type;
    std::string bytes;
  } kTypes[] = {{"<f4", NpyType::kFloat32, bytes_of(values)},
                {"<f2", NpyType::kFloat16, bytes_of(halves)},
                {"<f8", NpyType::kFloat64, bytes_of(wide)}};
  for (const auto& t : kTypes) {
    std::ofstream(path, std::ios::binary) << NpyHeader({7}, t.name) << t.bytes;
    const NpyArray array(path);
    EXPECT_EQ(array.type(), t.type);
    EXPECT_EQ(array.element_count(), 7u);
    for (size_t first = 0; first < 7; ++first) {
      for (size_t count = 1; first + count <= 7; ++count) {
        std::vector<float> got(count + 1, 99);
        array.CopyFloats(first, count, got.data());
        EXPECT_EQ(got.back(), 99) << "no more than asked for";
        got.pop_back();
        EXPECT_EQ(got,
                  std::vector<float>(values.begin() + static_cast<std::ptrdiff_t>(first),
                                     values.begin() + static_cast<std::ptrdiff_t>(first + count)))
            << t.name;
      }
    }
  }
  std::remove(path.c_str());
}

}  // namespace
}  // namespace octet::port
