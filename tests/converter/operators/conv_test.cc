// Conv and ConvTranspose: hand-computed cases, and random geometries against the definition.
#include <random>

#include "tests/converter/operators/operator_support.h"

namespace octet::operators {
namespace {

TEST(Conv, HandComputed) {
  // 3x3 ones over 0..8 with padding 1: sums of the neighbourhoods.
  ExpectFloats(
      Apply("Conv", {Ramp({1, 1, 3, 3}), Ones({1, 1, 3, 3})}, {{"pads", Ints({1, 1, 1, 1})}}),
      {1, 1, 3, 3}, {8, 15, 12, 21, 36, 27, 20, 33, 24});
  ExpectFloats(Apply("Conv", {Ramp({1, 1, 3, 3}), Ones({1, 1, 2, 2}), F({1}, {100})}), {1, 1, 2, 2},
               {108, 112, 120, 124});
  ExpectFloats(Apply("Conv", {Ramp({1, 2, 2, 2}), F({2, 2, 1, 1}, {1, 10, 2, 0})}), {1, 2, 2, 2},
               {40, 51, 62, 73, 0, 2, 4, 6});
}

// A sum written out: y[o] = sum over channels and taps, padding as zeros.
TEST(Conv, ThreeDimensions) {
  const Tensor x = Ramp({1, 2, 3, 4, 5}), w = Ramp({2, 2, 2, 3, 1});
  const Tensor y =
      Apply("Conv", {x, w}, {{"pads", Ints({1, 0, 0, 0, 1, 0})}, {"strides", Ints({1, 2, 3})}});
  ASSERT_EQ(y.shape, (Shape{1, 2, 3, 2, 2}));
  size_t at = 0;
  for (int o = 0; o < 2; ++o) {
    for (int z = 0; z < 3; ++z) {
      for (int r = 0; r < 2; ++r) {
        for (int c = 0; c < 2; ++c) {
          float sum = 0;
          for (int i = 0; i < 2; ++i) {
            for (int kz = 0; kz < 2; ++kz) {
              for (int ky = 0; ky < 3; ++ky) {
                const int iz = z + kz - 1, iy = 2 * r + ky, ix = 3 * c;
                if (iz < 0 || iy >= 4) continue;
                sum += static_cast<float>((((i * 3 + iz) * 4 + iy) * 5 + ix) *
                                          (((o * 2 + i) * 2 + kz) * 3 + ky));
              }
            }
          }
          EXPECT_EQ(y.floats[at++], sum);
        }
      }
    }
  }
}

TEST(Conv, OneDimension) {
  ExpectFloats(Apply("Conv", {Ramp({1, 1, 5}), F({1, 1, 3}, {1, 2, 3})}, {{"pads", Ints({1, 1})}}),
               {1, 1, 5}, {3, 8, 14, 20, 11});
}

TEST(Conv, AutoPad) {
  const Inputs inputs = {Ramp({1, 1, 1, 4}), F({1, 1, 1, 2}, {1, 1})};
  ExpectFloats(Apply("Conv", inputs, {{"auto_pad", Text("SAME_UPPER")}}), {1, 1, 1, 4},
               {1, 3, 5, 3});
  ExpectFloats(Apply("Conv", inputs, {{"auto_pad", Text("SAME_LOWER")}}), {1, 1, 1, 4},
               {0, 1, 3, 5});
  ExpectFloats(Apply("Conv", inputs, {{"auto_pad", Text("VALID")}}), {1, 1, 1, 3}, {1, 3, 5});
}

struct Geometry {
  int64_t channels, group, depth, outputs, height, width, kernel, stride, dilation, pad;
};

Tensor Random(std::mt19937& random, Shape shape) {
  std::uniform_real_distribution<float> draw(-1, 1);
  Tensor tensor = Ones(std::move(shape));
  for (float& value : tensor.floats) value = draw(random);
  return tensor;
}

// The definition, tap by tap.
float Direct(const Geometry& g, const Tensor& in, const Tensor& weights, int64_t m, int64_t oy,
             int64_t ox) {
  double sum = 0;
  const int64_t first = m / (g.outputs / g.group) * g.depth;
  for (int64_t c = 0; c < g.depth; ++c) {
    for (int64_t ky = 0; ky < g.kernel; ++ky) {
      for (int64_t kx = 0; kx < g.kernel; ++kx) {
        const int64_t y = oy * g.stride + ky * g.dilation - g.pad;
        const int64_t x = ox * g.stride + kx * g.dilation - g.pad;
        if (y < 0 || y >= g.height || x < 0 || x >= g.width) continue;
        sum +=
            in.floats[static_cast<size_t>(((first + c) * g.height + y) * g.width + x)] *
            weights
                .floats[static_cast<size_t>(((m * g.depth + c) * g.kernel + ky) * g.kernel + kx)];
      }
    }
  }
  return static_cast<float>(sum);
}

TEST(Conv, RandomGeometriesMatchTheDefinition) {
  std::mt19937 random(20240607);
  std::printf("  seed 20240607\n");
  const auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int round = 0; round < 200; ++round) {
    Geometry g{};
    g.group = draw(1, 4);
    g.depth = round % 2 == 0 ? 1 : draw(1, 5);  // half of them depthwise or nearly so
    g.channels = g.group * g.depth;
    g.outputs = g.group * draw(1, 3);
    g.kernel = draw(1, 5);
    g.stride = draw(1, 3);
    g.dilation = draw(1, 2);
    g.pad = draw(0, 3);
    g.height = draw(g.kernel * 2, 14);
    g.width = draw(g.kernel * 2, 14);
    const Tensor in = Random(random, {1, g.channels, g.height, g.width});
    const Tensor weights = Random(random, {g.outputs, g.depth, g.kernel, g.kernel});
    const Tensor out = Apply("Conv", {in, weights},
                             {{"group", Int(g.group)},
                              {"strides", Ints({g.stride, g.stride})},
                              {"dilations", Ints({g.dilation, g.dilation})},
                              {"pads", Ints({g.pad, g.pad, g.pad, g.pad})}});
    const int64_t extent = (g.kernel - 1) * g.dilation + 1;
    const Shape expected = {1, g.outputs, (g.height + 2 * g.pad - extent) / g.stride + 1,
                            (g.width + 2 * g.pad - extent) / g.stride + 1};
    ASSERT_EQ(out.shape, expected);
    size_t at = 0;
    for (int64_t m = 0; m < g.outputs; ++m) {
      for (int64_t oy = 0; oy < expected[2]; ++oy) {
        for (int64_t ox = 0; ox < expected[3]; ++ox, ++at) {
          ASSERT_NEAR(out.floats[at], Direct(g, in, weights, m, oy, ox), 1e-4)
              << "round " << round << " channel " << m << " at " << oy << "," << ox;
        }
      }
    }
  }
}

TEST(Conv, TilesOfALargeImageJoin) {
  // Wide enough for several im2col tiles; a one-hot tap shifts the image.
  const int64_t size = 300;
  Tensor weights = F({1, 4, 3, 3}, std::vector<float>(36, 0.0f));
  weights.floats[9 * 2 + 0] = 1;  // channel 2, tap (0, 0): the pixel above and to the left
  const Tensor in = Ramp({1, 4, size, size});
  const Tensor out = Apply("Conv", {in, weights}, {{"pads", Ints({1, 1, 1, 1})}});
  for (int64_t y = 0; y < size; ++y) {
    for (int64_t x = 0; x < size; ++x) {
      const float expected =
          y == 0 || x == 0 ? 0.0f
                           : in.floats[static_cast<size_t>((2 * size + y - 1) * size + x - 1)];
      ASSERT_EQ(out.floats[static_cast<size_t>(y * size + x)], expected) << y << "," << x;
    }
  }
}

TEST(ConvTranspose, HandComputed) {
  ExpectFloats(Apply("ConvTranspose", {F({1, 1, 2, 2}, {1, 2, 3, 4}), Ones({1, 1, 2, 2})},
                     {{"strides", Ints({2, 2})}}),
               {1, 1, 4, 4}, {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4});
  ExpectFloats(
      Apply("ConvTranspose", {F({1, 1, 1, 3}, {1, 2, 3}), Ones({1, 1, 1, 3}), F({1}, {10})},
            {{"strides", Ints({1, 2})},
             {"pads", Ints({0, 1, 0, 1})},
             {"output_padding", Ints({0, 1})}}),
      {1, 1, 1, 6}, {11, 13, 12, 15, 13, 13});
  ExpectFloats(
      Apply("ConvTranspose", {F({1, 2, 1, 1}, {2, 3}), F({2, 1, 1, 2}, {1, 10, 100, 1000})},
            {{"group", Int(2)}}),
      {1, 2, 1, 2}, {2, 20, 300, 3000});
  ExpectFloats(Apply("ConvTranspose", {F({1, 1, 3}, {1, 2, 3}), Ones({1, 1, 3})},
                     {{"strides", Ints({2})}, {"auto_pad", Text("SAME_UPPER")}}),
               {1, 1, 6}, {1, 1, 3, 2, 5, 3});
}

TEST(Conv, Refusals) {
  ExpectRefused("do not fit weights", "Conv", {Ramp({1, 3, 4, 4}), Ones({2, 4, 3, 3})});
  ExpectRefused("cannot be divided into 2 groups", "Conv", {Ramp({1, 4, 4, 4}), Ones({3, 2, 3, 3})},
                {{"group", Int(2)}});
  ExpectRefused("group 0", "Conv", {Ramp({1, 4, 4, 4}), Ones({3, 2, 3, 3})}, {{"group", Int(0)}});
  ExpectRefused("bias must have shape [2]", "Conv",
                {Ramp({1, 3, 4, 4}), Ones({2, 3, 3, 3}), Ones({3})});
  ExpectRefused("window of 5 does not fit", "Conv", {Ramp({1, 3, 4, 4}), Ones({2, 3, 5, 5})});
  ExpectRefused("strides", "Conv", {Ramp({1, 3, 4, 4}), Ones({2, 3, 3, 3})},
                {{"strides", Ints({0, 1})}});
  ExpectRefused("attribute pads has 2 values", "Conv", {Ramp({1, 3, 4, 4}), Ones({2, 3, 3, 3})},
                {{"pads", Ints({1, 1})}});
  ExpectRefused("dimensions", "Conv", {Ramp({1, 3, 2, 2, 2, 2}), Ones({2, 3, 1, 1, 1, 1})});
  ExpectRefused("kernel_shape", "Conv", {Ramp({1, 3, 4, 4}), Ones({2, 3, 3, 3})},
                {{"kernel_shape", Ints({5, 5})}});
  ExpectRefused("input 1 is missing", "Conv", {Ramp({1, 3, 4, 4}), std::nullopt});
  ExpectRefused("auto_pad 'SOME' is unknown", "Conv", {Ramp({1, 3, 4, 4}), Ones({2, 3, 3, 3})},
                {{"auto_pad", Text("SOME")}});
  ExpectRefused("do not fit weights", "ConvTranspose", {Ramp({1, 3, 4, 4}), Ones({2, 4, 3, 3})});
  ExpectRefused("padding 1 and 1", "ConvTranspose", {Ramp({1, 1, 1, 1}), Ones({1, 1, 1, 1})},
                {{"pads", Ints({1, 1, 1, 1})}});
}

}  // namespace
}  // namespace octet::operators
