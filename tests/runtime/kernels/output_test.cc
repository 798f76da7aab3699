// FP16 outputs as floats: every half, with the functions that may stand behind an output.
#include <gtest/gtest.h>

#include <vector>

#include "runtime/core/half.h"
#include "runtime/kernels/function.h"
#include "tests/runtime/kernels/kernel_list.h"

namespace octet::kernels_test {
namespace {

using blob::Function;

OCTET_KERNEL_SUITE(OutputF16, "output_f16");
TEST_P(OutputF16, EveryHalfAsAlone) {
  constexpr float kGuard = 12345.0f;
  std::vector<uint16_t> halves(65536);
  for (size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<uint16_t>(i);
  for (const Function function : {Function::kIdentity, Function::kSigmoid, Function::kTanh}) {
    for (const float scale : {1.0f, 0.25f, 16.0f}) {
      for (const size_t count : {kOutputBlock, 5 * kOutputBlock, halves.size()}) {
        const uint16_t* from = halves.data() + halves.size() - count;
        std::vector<float> values(count + 2, kGuard);
        GetParam().As<OutputF16Fn>()(OutputF16Args{from, values.data() + 1, count, scale, function},
                                     Share{0, 1});
        EXPECT_EQ(values.front(), kGuard);
        EXPECT_EQ(values.back(), kGuard);
        for (size_t i = 0; i < count; ++i) {
          const float x = HalfToFloat(from[i]) * scale, value = values[1 + i];
          if (x == x) {
            ASSERT_EQ(FloatBits(value), FloatBits(ApplyFunction(function, x, 0, 0))) << x;
          } else {
            ASSERT_NE(value, value);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace octet::kernels_test
