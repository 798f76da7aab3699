// The header of a .npy file that is written: numpy reads (5) as a number, and (5,) as a shape.
#include "ports/linux/capture/npy.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace octet::port
