// Operators that compute from the values: linear Resize, Softmax, Convert.
#include <cmath>

#include "gtest/gtest.h"
#include "tests/runtime/operators/layer_case.h"
#include "tests/runtime/operators/repeat.h"

namespace octet::operators_test {
namespace {

TEST(ResizeLinearLayer, WeighsFourTaps) {
  Repeat(40, [](Random& random) {
    const Dims in = {random.UInt(1, 2), random.UInt(1, 6), random.UInt(1, 6), random.UInt(1, 20)};
    const Dims out = {in.n, random.UInt(1, 9), random.UInt(1, 9), in.c};
    std::vector<blob::ResizeTap> taps(out.h + out.w);
    for (uint32_t i = 0; i < taps.size(); ++i) {
      const uint32_t size = i < out.h ? in.h : in.w, weight = random.UInt(0, 2048);
      taps[i] = {random.UInt(0, size - 1), random.UInt(0, size - 1), weight, 2048 - weight};
    }
    LayerCase layer(blob::Op::kResizeLinear,
                    random.OneIn(2) ? blob::ElementType::kInt8 : blob::ElementType::kFp16);
    layer.AddInput(random, in);
    layer.SetOutput(out);
    layer.layer.extra = layer.AddTable(taps);
    std::vector<int> int8(out.Count());
    std::vector<double> half(out.Count());
    for (uint64_t i = 0; i < out.Count(); ++i) {
      const uint64_t c = i % out.c, w = i / out.c % out.w, h = i / out.c / out.w % out.h;
      const uint64_t n = i / out.c / out.w / out.h;
      const blob::ResizeTap y = taps[h], x = taps[out.h + w];
      double sum = 0;
      sum += layer.Input(0, At(in, n, y.low, x.low, c)) * y.weight_low * x.weight_low;
      sum += layer.Input(0, At(in, n, y.low, x.high, c)) * y.weight_low * x.weight_high;
      sum += layer.Input(0, At(in, n, y.high, x.low, c)) * y.weight_high * x.weight_low;
      sum += layer.Input(0, At(in, n, y.high, x.high, c)) * y.weight_high * x.weight_high;
      half[i] = sum / 4194304;
      int8[i] = static_cast<int>(std::floor(half[i] + 0.5));
    }
    if (layer.IsInt8()) {
      ExpectInt8(layer.RunAll(), int8);
    } else {
      ExpectHalf(layer.RunAll(), half);
    }
  });
}

std::vector<uint32_t> Exponentials(double scale) {
  std::vector<uint32_t> table(256);
  for (int d = 0; d < 256; ++d) {
    table[static_cast<size_t>(d)] =
        static_cast<uint32_t>(std::lround(8388608 * std::exp(-scale * d)));
  }
  return table;
}

// Within one step of the real softmax, and equal to the integer rule.
TEST(SoftmaxLayer, Int8) {
  Repeat(30, [](Random& random) {
    const Dims dims = {1, random.UInt(1, 3), random.UInt(1, 3), random.UInt(1, 90)};
    const float scale = random.Float(0.01f, 0.5f);
    LayerCase layer(blob::Op::kSoftmax, blob::ElementType::kInt8);
    layer.AddInput(random, dims, scale, 11);
    const bool own = random.UInt(0, 1) == 0;  // codes that a model brings
    const float out_scale = own ? random.Float(1.0f / 4096, 1.0f) : 1.0f / 256;
    const int zero = own ? static_cast<int>(random.Int(-128, 127)) : -128;
    layer.SetOutput(dims, out_scale, zero);
    const auto one = static_cast<int64_t>(65536.0f / out_scale + 0.5f);
    const std::vector<uint32_t> table = Exponentials(scale);
    layer.layer.table = layer.AddTable(table);
    std::vector<int> expected(dims.Count());
    for (uint64_t row = 0; row < dims.Count(); row += dims.c) {
      int max = -128;
      for (uint64_t c = 0; c < dims.c; ++c) max = std::max(max, layer.Q(0, row + c));
      int64_t sum = 0;
      double real_sum = 0;
      for (uint64_t c = 0; c < dims.c; ++c) {
        sum += table[static_cast<size_t>(max - layer.Q(0, row + c))];
        real_sum += std::exp(static_cast<double>(scale) * (layer.Q(0, row + c) - max));
      }
      for (uint64_t c = 0; c < dims.c; ++c) {
        const int64_t t = table[static_cast<size_t>(max - layer.Q(0, row + c))];
        expected[row + c] = Clamp((2 * one * t + (sum << 16)) / (sum << 17) + zero, -128, 127);
        const double p =
            std::exp(static_cast<double>(scale) * (layer.Q(0, row + c) - max)) / real_sum;
        ASSERT_NEAR(std::min(p / out_scale + zero, 127.0), expected[row + c], 1.01);
      }
    }
    ExpectInt8(layer.RunAll(), expected);
  });
}

TEST(SoftmaxLayer, Half) {
  Repeat(20, [](Random& random) {
    const Dims dims = {1, random.UInt(1, 3), random.UInt(1, 3), random.UInt(1, 90)};
    LayerCase layer(blob::Op::kSoftmax, blob::ElementType::kFp16);
    layer.AddInput(random, dims, 1, 0, -20, 20);
    layer.SetOutput(dims);
    std::vector<double> expected(dims.Count());
    for (uint64_t row = 0; row < dims.Count(); row += dims.c) {
      double sum = 0;
      for (uint64_t c = 0; c < dims.c; ++c) sum += std::exp(layer.Input(0, row + c));
      for (uint64_t c = 0; c < dims.c; ++c)
        expected[row + c] = std::exp(layer.Input(0, row + c)) / sum;
    }
    ExpectHalf(layer.RunAll(), expected);
  });
}

TEST(ConvertLayer, Int8ToHalf) {
  Repeat(10, [](Random& random) {
    const Dims dims = {1, random.UInt(1, 4), random.UInt(1, 4), random.UInt(1, 30)};
    const int zero_point = static_cast<int>(random.Int(-128, 127));
    LayerCase layer(blob::Op::kConvert, blob::ElementType::kInt8);
    layer.AddInput(random, dims, 0.037f, zero_point);
    layer.layer.output = layer.AddTensor(blob::ElementType::kFp16, dims);
    std::vector<double> expected(dims.Count());
    for (uint64_t i = 0; i < dims.Count(); ++i) expected[i] = 0.037 * (layer.Q(0, i) - zero_point);
    ExpectHalf(layer.RunAll(), expected);
  });
}

TEST(ConvertLayer, HalfToInt8IncludingTheOddOnes) {
  Repeat(10, [](Random& random) {
    const Dims dims = {1, 4, 4, random.UInt(4, 30)};
    const int zero_point = static_cast<int>(random.Int(-128, 127));
    LayerCase layer(blob::Op::kConvert, blob::ElementType::kFp16);
    layer.AddInput(random, dims, 1, 0, -8, 8);
    const uint16_t odd[4] = {0x7C00, 0xFC00, 0x7E00, 0x7BFF};  // +inf, -inf, NaN, largest
    std::memcpy(layer.arena.data() + layer.tensors[0].arena_offset, odd, sizeof(odd));
    layer.layer.output = layer.AddTensor(blob::ElementType::kInt8, dims, 0.0625f, zero_point);
    layer.Params<blob::ConvertParams>().inverse_scale = 16;
    std::vector<int> expected(dims.Count());
    for (uint64_t i = 0; i < dims.Count(); ++i) {
      const double x = layer.Input(0, i) * 16;
      expected[i] =
          std::isnan(x)
              ? zero_point
              : Clamp(static_cast<int64_t>(std::floor(std::fmax(std::fmin(x, 1e6), -1e6) + 0.5)) +
                          zero_point,
                      -128, 127);
    }
    ExpectInt8(layer.RunAll(), expected);
  });
}

}  // namespace
}  // namespace octet::operators_test
