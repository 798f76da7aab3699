#include "runtime/image/preprocess.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace octet {
namespace {

TEST(QuantizeInput, RoundsHalfUpAndSaturates) {
  EXPECT_EQ(QuantizeInput(0.5f, 1.0f, 0), 1);
  EXPECT_EQ(QuantizeInput(-0.5f, 1.0f, 0), 0);
  EXPECT_EQ(QuantizeInput(-0.51f, 1.0f, 0), -1);
  EXPECT_EQ(QuantizeInput(-1.5f, 1.0f, 10), 9);
  EXPECT_EQ(QuantizeInput(1e30f, 1.0f, -128), 127);
  EXPECT_EQ(QuantizeInput(-std::numeric_limits<float>::infinity(), 1.0f, 127), -128);
  EXPECT_EQ(QuantizeInput(std::numeric_limits<float>::infinity(), 1.0f, -128), 127);
  EXPECT_EQ(QuantizeInput(NAN, 1.0f, 7), 7);
  EXPECT_EQ(QuantizeInput(1.0f, 1e-38f, 0), 127);  // the division overflows to infinity
}

TEST(ModelChannels, ReversesRepeatsAndGreys) {
  const uint8_t rgb[3] = {10, 20, 30}, grey[1] = {40};
  uint8_t out[3];
  ModelChannels(rgb, 3, blob::ColourOrder::kBgr, 3, out);
  EXPECT_EQ(out[0], 30);
  EXPECT_EQ(out[2], 10);
  ModelChannels(grey, 1, blob::ColourOrder::kBgr, 3, out);
  EXPECT_EQ(out[1], 40);
  ModelChannels(rgb, 3, blob::ColourOrder::kRgb, 1, out);
  EXPECT_EQ(out[0], (77 * 10 + 150 * 20 + 29 * 30 + 128) >> 8);
}

// Mean and deviation stand in the model's channel order, so the table is per model channel.
TEST(InputTable, HoldsTheNormalizedByte) {
  blob::InputRecord input{};
  input.scale = 1.0f / 255;
  for (int c = 0; c < 3; ++c) {
    input.mean[c] = 0.1f * static_cast<float>(c + 1);
    input.std_dev[c] = 0.25f;
  }
  blob::TensorRecord tensor{};
  tensor.type = blob::ElementType::kInt8;
  tensor.dims[3] = 3;
  tensor.scale = 0.03f;
  tensor.zero_point = -20;
  std::vector<uint16_t> entries(768);
  FillInputTable(input, tensor, 0x80, entries.data());
  for (int c = 0; c < 3; ++c) {
    for (int x = 0; x < 256; ++x) {
      const float v = (static_cast<float>(x) * input.scale - input.mean[c]) / 0.25f;
      const int q =
          std::min(127, std::max(-128, static_cast<int>(std::floor(v / 0.03f + 0.5f)) - 20));
      ASSERT_EQ(entries[c * 256 + x], (q & 0xFF) ^ 0x80) << c << " " << x;
    }
  }
}

// In FP16 the normalized byte itself, in units of the tensor's scale, a power of two.
TEST(InputTable, HoldsHalvesInUnitsOfTheScale) {
  for (const float scale : {1.0f, 0.25f, 8.0f}) {
    blob::InputRecord input{};
    input.scale = 0.5f;
    input.mean[0] = 3;
    input.std_dev[0] = 2;
    blob::TensorRecord tensor{};
    tensor.type = blob::ElementType::kFp16;
    tensor.dims[3] = 1;
    tensor.scale = scale;
    std::vector<uint16_t> entries(256);
    FillInputTable(input, tensor, 0x80, entries.data());
    for (int x = 0; x < 256; ++x) {
      // Quarters up to 63, and their multiples: exact in halves.
      ASSERT_EQ(HalfToFloat(entries[x]), (static_cast<float>(x) * 0.5f - 3) / 2 / scale) << x;
    }
  }
}

}  // namespace
}  // namespace octet
