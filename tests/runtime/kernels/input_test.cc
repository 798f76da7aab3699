// Float inputs in blocks against the scalar rule, element by element.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "runtime/core/half.h"
#include "runtime/image/preprocess.h"
#include "tests/runtime/kernels/kernel_list.h"

namespace octet::kernels_test {
namespace {

struct Layout {
  const char* name;
  uint32_t dims[4];     // n, h, w, c
  uint32_t strides[4];  // of the source
};

// Widths and channel counts around the block length, planes first and channels last.
const Layout kLayouts[] = {
    {"planes", {1, 3, 37, 3}, {0, 37, 1, 111}},
    {"planes of two images", {2, 2, 130, 3}, {780, 130, 1, 260}},
    {"one block", {1, 2, 32, 3}, {0, 32, 1, 64}},
    {"one plane", {1, 3, 71, 1}, {0, 71, 1, 1}},
    {"four planes", {1, 2, 45, 4}, {0, 45, 1, 90}},
    {"pixels", {1, 3, 40, 3}, {0, 120, 3, 1}},
    {"channels last", {2, 3, 5, 70}, {1050, 350, 70, 1}},
    {"vector", {1, 1, 1, 100}, {0, 0, 0, 1}},
    {"column", {1, 1, 65, 1}, {0, 0, 1, 65}},
    {"transposed", {1, 4, 6, 5}, {0, 30, 5, 1}},
    {"every second", {1, 1, 40, 2}, {0, 0, 2, 1}},
};

std::vector<float> Values(std::mt19937& random, float scale, size_t count) {
  std::vector<float> values(count);
  for (float& value : values) {
    const uint32_t bits = static_cast<uint32_t>(random());
    const int steps = static_cast<int>(bits % 2300) - 1150;
    if (bits % 3 == 0) {
      std::memcpy(&value, &bits, sizeof(value));  // anything: subnormal, infinite, NaN
    } else {
      value = scale * static_cast<float>(steps) * (bits % 3 == 1 ? 0.5f : 0.4999f);
    }
  }
  const float infinity = std::numeric_limits<float>::infinity();
  values[0] = std::numeric_limits<float>::quiet_NaN();
  values[1] = infinity;
  values[2] = -infinity;
  return values;
}

OCTET_KERNEL_SUITE(InputF32, "input_f32");
TEST_P(InputF32, EqualsTheScalarRule) {
  const uint32_t seed = 20;
  std::mt19937 random(seed);
  for (const Layout& layout : kLayouts) {
    for (const float scale : {0.0235f, 0x1.FFFFFEp-6f, 1e-6f, 1.0f, 3e37f, 1e-37f}) {
      SCOPED_TRACE(testing::Message() << layout.name << ", scale " << scale << ", seed " << seed);
      const int32_t zero_point = static_cast<int>(random() % 256) - 128;
      const size_t count =
          size_t{layout.dims[0]} * layout.dims[1] * layout.dims[2] * layout.dims[3];
      const std::vector<float> values = Values(random, scale, count);
      const uint8_t sign = random() % 2 == 0 ? 0x80 : 0x00;
      constexpr uint8_t kGuard = 0xA5;
      std::vector<uint8_t> bytes(count + 2, kGuard);
      InputF32Args args = {values.data(), {}, {}, scale, zero_point, sign, bytes.data() + 1};
      std::memcpy(args.dims, layout.dims, sizeof(args.dims));
      std::memcpy(args.strides, layout.strides, sizeof(args.strides));
      const uint32_t threads = 1 + static_cast<uint32_t>(random() % 3);
      for (uint32_t t = 0; t < threads; ++t) GetParam().As<InputF32Fn>()(args, Share{t, threads});
      EXPECT_EQ(bytes.front(), kGuard);
      EXPECT_EQ(bytes.back(), kGuard);
      size_t dense = 1;
      for (uint32_t n = 0; n < layout.dims[0]; ++n) {
        for (uint32_t h = 0; h < layout.dims[1]; ++h) {
          for (uint32_t w = 0; w < layout.dims[2]; ++w) {
            for (uint32_t c = 0; c < layout.dims[3]; ++c, ++dense) {
              const float value = values[n * layout.strides[0] + h * layout.strides[1] +
                                         w * layout.strides[2] + c * layout.strides[3]];
              const int8_t q = QuantizeInput(value, scale, zero_point);
              ASSERT_EQ(bytes[dense], static_cast<uint8_t>(static_cast<uint8_t>(q) ^ sign))
                  << value << " at " << h << ',' << w << ',' << c;
            }
          }
        }
      }
    }
  }
}

OCTET_KERNEL_SUITE(InputF16, "input_f16");
TEST_P(InputF16, EqualsTheScalarRule) {
  const uint32_t seed = 21;
  std::mt19937 random(seed);
  for (const Layout& layout : kLayouts) {
    for (const float factor : {1.0f, 0.0625f, 1024.0f}) {
      SCOPED_TRACE(testing::Message() << layout.name << ", factor " << factor << ", seed " << seed);
      const size_t count =
          size_t{layout.dims[0]} * layout.dims[1] * layout.dims[2] * layout.dims[3];
      const std::vector<float> values = Values(random, 0.37f, count);
      constexpr uint16_t kGuard = 0xA5A5;
      std::vector<uint16_t> halves(count + 2, kGuard);
      InputF16Args args = {values.data(), {}, {}, factor, halves.data() + 1};
      std::memcpy(args.dims, layout.dims, sizeof(args.dims));
      std::memcpy(args.strides, layout.strides, sizeof(args.strides));
      const uint32_t threads = 1 + static_cast<uint32_t>(random() % 3);
      for (uint32_t t = 0; t < threads; ++t) GetParam().As<InputF16Fn>()(args, Share{t, threads});
      EXPECT_EQ(halves.front(), kGuard);
      EXPECT_EQ(halves.back(), kGuard);
      size_t dense = 1;
      for (uint32_t n = 0; n < layout.dims[0]; ++n) {
        for (uint32_t h = 0; h < layout.dims[1]; ++h) {
          for (uint32_t w = 0; w < layout.dims[2]; ++w) {
            for (uint32_t c = 0; c < layout.dims[3]; ++c, ++dense) {
              const float value = values[n * layout.strides[0] + h * layout.strides[1] +
                                         w * layout.strides[2] + c * layout.strides[3]];
              ASSERT_EQ(halves[dense], FloatToHalf(value * factor))
                  << value << " at " << h << ',' << w << ',' << c;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace octet::kernels_test
