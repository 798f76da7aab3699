// Factors and offsets that channels of a normalization have in an int8 plan.
#include <cmath>
#include <cstring>

#include "gtest/gtest.h"
#include "runtime/format/axes_params.h"
#include "tests/converter/lower/convert_in_process.h"

namespace octet::test {
namespace {

// Nearest, with as many bits as both have room for.
TEST(NormalizeTable, HoldsTheNearestNumbers) {
  const std::vector<float> scale{1, -0.3f, 0, 1e-4f, 3, 0.7f}, bias{0, 0.1f, 0, 2, -3, 1e-5f};
  OnnxBuilder model;
  const OnnxValue s = model.Initializer("s", {6}, scale), b = model.Initializer("b", {6}, bias);
  model.Input("x", {1, 6, 9, 7})
      .Op("InstanceNormalization", {{"epsilon", 1e-3f}}, {s.name(), b.name()})
      .Output("y");
  const Converted converted = ConvertInProcess(model, 5, 8);
  const lower::Program& program = converted.plans.at(0).program;
  const lower::Layer* layer = nullptr;
  for (const lower::Layer& one : program.layers) {
    if (one.op == blob::Op::kNormalize) layer = &one;
  }
  ASSERT_NE(layer, nullptr);
  ASSERT_EQ(layer->precision, blob::Precision::kInt8);
  std::vector<blob::NormalizeChannelS8> channels(layer->table.size() /
                                                 sizeof(blob::NormalizeChannelS8));
  ASSERT_GE(channels.size(), scale.size());
  std::memcpy(channels.data(), layer->table.data(), layer->table.size());
  const double out_scale = program.tensors[static_cast<size_t>(layer->output)].scale;
  constexpr double kFactor = 0x1p30, kOffset = 0x1p59;
  for (size_t i = 0; i < scale.size(); ++i) {
    SCOPED_TRACE(i);
    const blob::NormalizeChannelS8& channel = channels[i];
    const double factor = std::ldexp(scale[i] / out_scale, channel.shift - 16);
    const double offset = std::ldexp(bias[i] / out_scale, channel.shift);
    const auto found = static_cast<int64_t>(uint64_t{channel.offset[1]} << 32 | channel.offset[0]);
    EXPECT_LE(std::fabs(channel.factor - factor), 0.5);
    EXPECT_LE(std::fabs(static_cast<double>(found) - offset), 0.5);
    EXPECT_LE(std::fabs(factor), kFactor);
    EXPECT_LE(std::fabs(offset), kOffset);
    EXPECT_GE(channel.shift, 1);
    EXPECT_LE(channel.shift, 62);
    EXPECT_TRUE(channel.shift == 62 || 2 * std::fabs(factor) > kFactor ||
                2 * std::fabs(offset) > kOffset);
  }
}

}  // namespace
}  // namespace octet::test
