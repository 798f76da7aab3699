// Pooling against the definition, padded and not.
#include <cmath>

#include "gtest/gtest.h"
#include "runtime/quant/requantize.h"
#include "tests/runtime/operators/layer_case.h"
#include "tests/runtime/operators/repeat.h"

namespace octet::operators_test {
namespace {

struct PoolCase {
  Dims in, out;
  blob::PoolParams p;
};

uint32_t OutSize(uint32_t in, uint32_t pads, uint32_t extent, uint32_t stride) {
  return (in + pads - extent) / stride + 1;
}

PoolCase RandomCase(Random& random, bool dilated) {
  PoolCase c = {};
  blob::PoolParams& p = c.p;
  p.kernel_h = static_cast<uint16_t>(random.UInt(1, 5));
  p.kernel_w = static_cast<uint16_t>(random.UInt(1, 5));
  p.stride_h = static_cast<uint16_t>(random.UInt(1, 3));
  p.stride_w = static_cast<uint16_t>(random.UInt(1, 3));
  p.dilation_h = static_cast<uint16_t>(dilated ? random.UInt(1, 2) : 1);
  p.dilation_w = static_cast<uint16_t>(dilated ? random.UInt(1, 2) : 1);
  const uint32_t extent_h = (p.kernel_h - 1u) * p.dilation_h + 1;
  const uint32_t extent_w = (p.kernel_w - 1u) * p.dilation_w + 1;
  p.pad_top = static_cast<uint16_t>(random.UInt(0, extent_h - 1));
  p.pad_bottom = static_cast<uint16_t>(random.UInt(0, extent_h - 1));
  p.pad_left = static_cast<uint16_t>(random.UInt(0, extent_w - 1));
  p.pad_right = static_cast<uint16_t>(random.UInt(0, extent_w - 1));
  p.count_include_pad = random.OneIn(2);
  p.clamp_lo = static_cast<int8_t>(random.Int(-128, -30));
  p.clamp_hi = static_cast<int8_t>(random.Int(30, 127));
  c.in = {random.UInt(1, 2), extent_h + random.UInt(0, 4), extent_w + random.UInt(0, 4),
          random.UInt(1, 140)};
  c.out = {c.in.n, OutSize(c.in.h, p.pad_top + p.pad_bottom, extent_h, p.stride_h),
           OutSize(c.in.w, p.pad_left + p.pad_right, extent_w, p.stride_w), c.in.c};
  return c;
}

// Calls body(output index, input indices under the window).
template <typename Body>
void ForEachWindow(const PoolCase& c, Body body) {
  for (uint32_t n = 0; n < c.out.n; ++n) {
    for (uint32_t y = 0; y < c.out.h; ++y) {
      for (uint32_t x = 0; x < c.out.w; ++x) {
        for (uint32_t ch = 0; ch < c.out.c; ++ch) {
          std::vector<uint64_t> window;
          for (int ky = 0; ky < c.p.kernel_h; ++ky) {
            for (int kx = 0; kx < c.p.kernel_w; ++kx) {
              const int iy = static_cast<int>(y) * c.p.stride_h + ky * c.p.dilation_h - c.p.pad_top;
              const int ix =
                  static_cast<int>(x) * c.p.stride_w + kx * c.p.dilation_w - c.p.pad_left;
              if (iy < 0 || ix < 0 || iy >= static_cast<int>(c.in.h) ||
                  ix >= static_cast<int>(c.in.w)) {
                continue;
              }
              window.push_back(
                  At(c.in, n, static_cast<uint64_t>(iy), static_cast<uint64_t>(ix), ch));
            }
          }
          body(At(c.out, n, y, x, ch), window);
        }
      }
    }
  }
}

LayerCase MakeLayer(Random& random, const PoolCase& c, blob::Op op, blob::ElementType type, int zi,
                    int zo) {
  LayerCase layer(op, type);
  layer.AddInput(random, c.in, 1, zi);
  layer.SetOutput(c.out, 1, zo);
  layer.Params<blob::PoolParams>() = c.p;
  return layer;
}

TEST(MaxPoolLayer, Int8EqualsTheDefinition) {
  Repeat(40, [](Random& random) {
    const PoolCase c = RandomCase(random, true);
    const LayerCase layer =
        MakeLayer(random, c, blob::Op::kMaxPool, blob::ElementType::kInt8, 5, 5);
    std::vector<int> expected(c.out.Count());
    ForEachWindow(c, [&](uint64_t i, const std::vector<uint64_t>& window) {
      int best = -128;
      for (uint64_t j : window) best = std::max(best, layer.Q(0, j));
      expected[i] = Clamp(best, c.p.clamp_lo, c.p.clamp_hi);
    });
    ExpectInt8(layer.RunAll(), expected);
  });
}

TEST(MaxPoolLayer, HalfEqualsTheDefinition) {
  Repeat(30, [](Random& random) {
    const PoolCase c = RandomCase(random, false);
    const LayerCase layer =
        MakeLayer(random, c, blob::Op::kMaxPool, blob::ElementType::kFp16, 0, 0);
    std::vector<double> expected(c.out.Count(), -INFINITY);
    ForEachWindow(c, [&](uint64_t i, const std::vector<uint64_t>& window) {
      for (uint64_t j : window) expected[i] = std::max(expected[i], layer.Input(0, j));
    });
    ExpectHalf(layer.RunAll(), expected);
  });
}

TEST(AveragePoolLayer, Int8EqualsTheDefinition) {
  Repeat(40, [](Random& random) {
    PoolCase c = RandomCase(random, false);
    const uint32_t taps = uint32_t{c.p.kernel_h} * c.p.kernel_w;
    c.p.multiplier_count = c.p.count_include_pad != 0 ? 1 : taps;
    c.p.pre_shift = static_cast<uint8_t>(random.OneIn(3) ? random.Int(1, 15) : 0);
    const int zi = static_cast<int>(random.Int(-128, 127)),
              zo = static_cast<int>(random.Int(-128, 127));
    LayerCase layer =
        MakeLayer(random, c, blob::Op::kAveragePool, blob::ElementType::kInt8, zi, zo);
    std::vector<Multiplier> multipliers(c.p.multiplier_count);
    for (Multiplier& m : multipliers) {
      m = {static_cast<int32_t>(random.Int(1 << 30, INT32_MAX)),
           static_cast<int32_t>(random.Int(1, 6))};
    }
    layer.layer.table = layer.AddTable(multipliers);
    std::vector<int> expected(c.out.Count());
    ForEachWindow(c, [&](uint64_t i, const std::vector<uint64_t>& window) {
      int64_t acc = 0;
      for (uint64_t j : window) acc += layer.Q(0, j) - zi;
      const int64_t bound = ((int64_t{1} << 30) - 1) >> c.p.pre_shift;
      acc = std::max(-bound, std::min(bound, acc)) * (int64_t{1} << c.p.pre_shift);
      const Multiplier m = multipliers[c.p.multiplier_count == 1 ? 0 : window.size() - 1];
      expected[i] =
          Clamp(RequantizeExactly(acc, m.multiplier, m.shift) + zo, c.p.clamp_lo, c.p.clamp_hi);
    });
    ExpectInt8(layer.RunAll(), expected);
  });
}

TEST(AveragePoolLayer, HalfEqualsTheDefinition) {
  Repeat(30, [](Random& random) {
    const PoolCase c = RandomCase(random, false);
    const LayerCase layer =
        MakeLayer(random, c, blob::Op::kAveragePool, blob::ElementType::kFp16, 0, 0);
    std::vector<double> expected(c.out.Count());
    ForEachWindow(c, [&](uint64_t i, const std::vector<uint64_t>& window) {
      double sum = 0;
      for (uint64_t j : window) sum += layer.Input(0, j);
      const double taps = double{1} * c.p.kernel_h * c.p.kernel_w;
      expected[i] = sum / (c.p.count_include_pad != 0 ? taps : static_cast<double>(window.size()));
    });
    ExpectHalf(layer.RunAll(), expected);
  });
}

}  // namespace
}  // namespace octet::operators_test
