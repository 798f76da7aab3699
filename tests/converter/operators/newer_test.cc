// Operators of newer opsets are what plain loops make of their definitions.
#include <cmath>

#include "tests/converter/operators/newer_support.h"

namespace octet::operators {
namespace {

size_t At(const Shape& shape, const std::vector<int64_t>& index) {
  int64_t at = 0;
  for (size_t d = 0; d < shape.size(); ++d) at = at * shape[d] + index[d];
  return static_cast<size_t>(at);
}
std::vector<int64_t> IndexOf(const Shape& shape, int64_t i) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0; i /= shape[d]) index[d] = i % shape[d];
  return index;
}

struct Deform {
  int64_t batch, channels, height, width, outputs, kernel_h, kernel_w, group, offset_group;
  std::vector<int64_t> strides, dilations, pads;
  bool bias, mask;
};

double Bilinear(const Tensor& x, int64_t n, int64_t c, double row, double column) {
  const double top = std::floor(row), left = std::floor(column);
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    const double y = top + i / 2, z = left + i % 2;
    if (y < 0 || z < 0 || y >= static_cast<double>(x.shape[2]) ||
        z >= static_cast<double>(x.shape[3])) {
      continue;
    }
    const double weight = (1 - std::fabs(row - y)) * (1 - std::fabs(column - z));
    sum += weight * x.floats[At(x.shape, {n, c, static_cast<int64_t>(y), static_cast<int64_t>(z)})];
  }
  return sum;
}

TEST(Newer, DeformConv) {
  const Deform kCases[] = {
      {1, 2, 5, 6, 3, 3, 2, 1, 1, {1, 1}, {1, 1}, {0, 0, 0, 0}, false, false},
      {2, 4, 7, 5, 4, 3, 3, 2, 1, {2, 1}, {1, 1}, {1, 1, 1, 1}, true, false},
      {1, 4, 6, 9, 2, 2, 3, 1, 2, {1, 2}, {2, 1}, {1, 0, 2, 3}, false, true},
      {2, 6, 5, 5, 6, 1, 3, 3, 3, {1, 1}, {1, 2}, {0, 2, 0, 1}, true, true},
  };
  for (const Deform& d : kCases) {
    SCOPED_TRACE(::testing::Message()
                 << "of " << d.channels << " channels, " << d.height << " x " << d.width);
    const int64_t rows =
        (d.height + d.pads[0] + d.pads[2] - d.dilations[0] * (d.kernel_h - 1) - 1) / d.strides[0] +
        1;
    const int64_t columns =
        (d.width + d.pads[1] + d.pads[3] - d.dilations[1] * (d.kernel_w - 1) - 1) / d.strides[1] +
        1;
    const int64_t taps = d.kernel_h * d.kernel_w;
    const Tensor x = Random({d.batch, d.channels, d.height, d.width}, 1);
    const Tensor w = Random({d.outputs, d.channels / d.group, d.kernel_h, d.kernel_w}, 2);
    const Tensor offset = Random({d.batch, 2 * d.offset_group * taps, rows, columns}, 3, -2, 2);
    const Tensor bias = Random({d.outputs}, 4);
    const Tensor mask = Random({d.batch, d.offset_group * taps, rows, columns}, 5, 0, 1);
    std::vector<float> expected;
    const Shape shape{d.batch, d.outputs, rows, columns};
    for (int64_t i = 0; i < graph::ElementCount(shape); ++i) {
      const auto at = IndexOf(shape, i);
      double sum = d.bias ? bias.floats[static_cast<size_t>(at[1])] : 0;
      for (int64_t c = 0; c < w.shape[1]; ++c) {
        const int64_t channel = at[1] / (d.outputs / d.group) * w.shape[1] + c;
        const int64_t part = channel / (d.channels / d.offset_group);
        for (int64_t tap = 0; tap < taps; ++tap) {
          const int64_t ky = tap / d.kernel_w, kx = tap % d.kernel_w;
          const auto by = [&](int64_t axis) {
            return static_cast<double>(offset.floats[At(
                offset.shape, {at[0], 2 * (part * taps + tap) + axis, at[2], at[3]})]);
          };
          const double y =
              static_cast<double>(at[2] * d.strides[0] - d.pads[0] + ky * d.dilations[0]) + by(0);
          const double z =
              static_cast<double>(at[3] * d.strides[1] - d.pads[1] + kx * d.dilations[1]) + by(1);
          const double share =
              d.mask ? mask.floats[At(mask.shape, {at[0], part * taps + tap, at[2], at[3]})] : 1;
          sum +=
              share * w.floats[At(w.shape, {at[1], c, ky, kx})] * Bilinear(x, at[0], channel, y, z);
        }
      }
      expected.push_back(static_cast<float>(sum));
    }
    std::vector<NewerInput> inputs{Live(x), Fixed(w), Live(offset),
                                   d.bias ? Fixed(bias) : Omitted()};
    if (d.mask) inputs.push_back(Live(mask));
    ExpectFloats(RunLifted("DeformConv", inputs,
                           {{"group", d.group},
                            {"offset_group", d.offset_group},
                            {"strides", d.strides},
                            {"dilations", d.dilations},
                            {"pads", d.pads}})[0],
                 shape, expected, 1e-4f);
  }
  const Tensor x = Random({1, 2, 4, 4}, 1), w = Random({1, 2, 1, 1}, 2);
  const auto run = [&](const Tensor& data, const Shape& offset, int64_t groups) {
    RunLifted("DeformConv", {Live(data), Fixed(w), Live(Random(offset, 3))},
              {{"offset_group", groups}});
  };
  EXPECT_NO_THROW(run(x, {1, 4, 4, 4}, 2));
  EXPECT_THROW(run(x, {1, 2, 4, 4}, 2), UserError);
  EXPECT_THROW(run(x, {1, 6, 4, 4}, 3), UserError);
  EXPECT_THROW(run(x, {1, 0, 4, 4}, 0), UserError);
  EXPECT_THROW(run(Random({1, 2, 4}, 1), {1, 4, 4, 4}, 2), UserError);
}

TEST(Newer, AffineGrid) {
  for (const bool align : {false, true}) {
    for (const Shape& size : {Shape{2, 3, 4, 5}, Shape{1, 1, 1, 3}, Shape{2, 1, 2, 3, 4}}) {
      const auto axes = static_cast<int64_t>(size.size()) - 2;
      const Tensor theta = Random({size[0], axes, axes + 1}, 7);
      Shape shape{size[0]};
      shape.insert(shape.end(), size.begin() + 2, size.end());
      shape.push_back(axes);
      std::vector<float> expected;
      for (int64_t i = 0; i < graph::ElementCount(shape); ++i) {
        const auto at = IndexOf(shape, i);
        double sum = theta.floats[At(theta.shape, {at[0], at.back(), axes})];
        for (int64_t a = 0; a < axes; ++a) {
          const size_t d = static_cast<size_t>(axes - a);  // x is the last axis of the picture
          const auto place = static_cast<double>(at[d]), count = static_cast<double>(shape[d]);
          const double aligned = shape[d] == 1 ? -1 : 2 * place / (count - 1) - 1;
          sum += theta.floats[At(theta.shape, {at[0], at.back(), a})] *
                 (align ? aligned : (2 * place + 1) / count - 1);
        }
        expected.push_back(static_cast<float>(sum));
      }
      ExpectFloats(RunLifted("AffineGrid", {Live(theta), Fixed(I(size))},
                             {{"align_corners", int64_t{align}}})[0],
                   shape, expected);
    }
  }
  for (const Shape& size : {Shape{1, 1, 4}, Shape{1, 1, 1, 1, 1, 4}}) {
    EXPECT_THROW(RunLifted("AffineGrid", {Live(Random({1, 2, 3}, 1)), Fixed(I(size))}), UserError);
  }
}

TEST(Newer, Col2Im) {
  const struct {
    std::vector<int64_t> image, block, strides, dilations, pads;
    int64_t channels;
  } kCases[] = {
      {{7}, {3}, {2}, {1}, {1, 0}, 2},
      {{5, 6}, {2, 3}, {1, 1}, {1, 1}, {0, 0, 0, 0}, 3},
      {{8, 7}, {3, 2}, {2, 3}, {1, 2}, {1, 0, 1, 2}, 1},  // rows are left behind the last block
      {{4, 3, 5}, {2, 1, 2}, {1, 2, 2}, {2, 1, 1}, {0, 0, 1, 1, 0, 0}, 2},
  };
  for (const auto& c : kCases) {
    const size_t rank = c.image.size();
    Shape windows;
    for (size_t d = 0; d < rank; ++d) {
      windows.push_back(
          (c.image[d] + c.pads[d] + c.pads[d + rank] - c.dilations[d] * (c.block[d] - 1) - 1) /
              c.strides[d] +
          1);
    }
    const int64_t taps = graph::ElementCount(c.block), places = graph::ElementCount(windows);
    const Tensor x = Random({2, c.channels * taps, places}, 9);
    Shape shape{2, c.channels};
    shape.insert(shape.end(), c.image.begin(), c.image.end());
    std::vector<float> expected(static_cast<size_t>(graph::ElementCount(shape)));
    for (int64_t i = 0; i < graph::ElementCount(x.shape); ++i) {
      const auto at = IndexOf(x.shape, i);
      const auto tap = IndexOf(c.block, at[1] % taps), window = IndexOf(windows, at[2]);
      std::vector<int64_t> to{at[0], at[1] / taps};
      bool inside = true;
      for (size_t d = 0; d < rank; ++d) {
        to.push_back(window[d] * c.strides[d] - c.pads[d] + tap[d] * c.dilations[d]);
        inside = inside && to.back() >= 0 && to.back() < c.image[d];
      }
      if (inside) expected[At(shape, to)] += x.floats[static_cast<size_t>(i)];
    }
    ExpectFloats(
        RunLifted("Col2Im", {Live(x), Fixed(I(c.image)), Fixed(I(c.block))},
                  {{"strides", c.strides}, {"dilations", c.dilations}, {"pads", c.pads}})[0],
        shape, expected);
  }
  const auto run = [](const Shape& x, std::vector<int64_t> image, std::vector<int64_t> block) {
    RunLifted("Col2Im",
              {Live(Random(x, 1)), Fixed(I(std::move(image))), Fixed(I(std::move(block)))});
  };
  EXPECT_NO_THROW(run({1, 4, 1}, {2, 2}, {2, 2}));
  EXPECT_THROW(run({1, 4, 2}, {2, 2}, {2, 2}), UserError);
  EXPECT_THROW(run({1, 5, 1}, {2, 2}, {2, 2}), UserError);
  EXPECT_THROW(run({1, 4, 1}, {1, 2}, {2, 2}), UserError);
  EXPECT_THROW(run({1, 4, 1}, {2, 2}, {2}), UserError);
  EXPECT_THROW(run({1, 4, 1, 1}, {2, 2}, {2, 2}), UserError);
}

TEST(Newer, CenterCropPad) {
  const struct {
    std::vector<int64_t> axes, target;  // no axes: all of them
  } kCases[] = {
      {{}, {3, 7, 5}}, {{}, {4, 6, 4}}, {{1}, {3}}, {{-1, 0}, {8, 1}}, {{2, 1}, {2, 9}}, {{0}, {4}},
  };
  const Tensor x = Random({4, 6, 5}, 11);
  for (const auto& c : kCases) {
    Shape shape = x.shape;
    for (size_t i = 0; i < c.target.size(); ++i) {
      const int64_t axis = c.axes.empty() ? static_cast<int64_t>(i) : c.axes[i];
      shape[static_cast<size_t>(axis < 0 ? axis + 3 : axis)] = c.target[i];
    }
    std::vector<float> expected;
    for (int64_t i = 0; i < graph::ElementCount(shape); ++i) {
      auto at = IndexOf(shape, i);
      bool inside = true;
      for (size_t d = 0; d < 3; ++d) {
        const int64_t more = shape[d] - x.shape[d];
        at[d] += more < 0 ? -more / 2 : -(more / 2);
        inside = inside && at[d] >= 0 && at[d] < x.shape[d];
      }
      expected.push_back(inside ? x.floats[At(x.shape, at)] : 0);
    }
    const Attributes attributes = c.axes.empty() ? Attributes{} : Attributes{{"axes", c.axes}};
    ExpectFloats(RunLifted("CenterCropPad", {Live(x), Fixed(I(c.target))}, attributes)[0], shape,
                 expected, 0);
  }
  for (const int64_t axis : {int64_t{3}, int64_t{-4}}) {
    EXPECT_THROW(RunLifted("CenterCropPad", {Live(x), Fixed(I({4}))}, {{"axes", Ints({axis})}}),
                 UserError);
  }
  EXPECT_THROW(RunLifted("CenterCropPad", {Live(x), Fixed(I({4, 4}))}), UserError);
  EXPECT_THROW(RunLifted("CenterCropPad", {Live(x), Live(I({4, 4, 4}))}), UserError);
}

TEST(Newer, TensorScatter) {
  for (const bool circular : {false, true}) {
    for (const int64_t axis : {int64_t{-2}, int64_t{1}, int64_t{3}}) {
      const Shape shape{2, 4, 5, 3};
      const auto d = static_cast<size_t>(axis < 0 ? axis + 4 : axis);
      for (int64_t start = 0; start <= shape[d]; ++start) {
        for (int64_t count = 1; count <= shape[d] + 1; ++count) {
          Shape part = shape;
          part[d] = count;
          const Tensor past = Random(shape, 13), update = Random(part, 14);
          const auto run = [&] {
            return RunLifted("TensorScatter", {Live(past), Live(update), Fixed(I({start, start}))},
                             {{"axis", axis}, {"mode", Text(circular ? "circular" : "linear")}});
          };
          if (start >= shape[d] || count > shape[d] || (!circular && start + count > shape[d])) {
            EXPECT_THROW(run(), UserError) << start << " " << count;
            continue;
          }
          Tensor expected = past;
          for (int64_t i = 0; i < graph::ElementCount(part); ++i) {
            auto at = IndexOf(part, i);
            at[d] = (at[d] + start) % shape[d];
            expected.floats[At(shape, at)] = update.floats[static_cast<size_t>(i)];
          }
          ExpectFloats(run()[0], shape, expected.floats, 0);
        }
      }
    }
  }
  const NewerInput past = Live(Random({2, 4, 3}, 1)), update = Live(Random({2, 1, 3}, 2));
  EXPECT_NO_THROW(RunLifted("TensorScatter", {past, update}));
  EXPECT_THROW(RunLifted("TensorScatter", {past, update, Fixed(I({0, 1}))}), UserError);
  EXPECT_THROW(RunLifted("TensorScatter", {past, update, Fixed(I({-1, -1}))}), UserError);
}

TEST(Newer, Swish) {
  const Tensor x = Random({2, 9}, 15, -6, 6);
  for (const float alpha : {1.0f, 0.5f, -2.0f}) {
    std::vector<float> expected;
    for (float v : x.floats) {
      expected.push_back(static_cast<float>(v / (1 + std::exp(-static_cast<double>(alpha) * v))));
    }
    ExpectFloats(RunLifted("Swish", {Live(x)}, {{"alpha", alpha}})[0], x.shape, expected);
  }
}

TEST(Newer, RotaryEmbedding) {
  constexpr int64_t kBatch = 2, kHeads = 3, kLength = 4, kSize = 6, kPositions = 9;
  for (int variant = 0; variant < 32; ++variant) {
    const bool three = (variant & 1) != 0, interleaved = (variant & 2) != 0;
    const bool picked = (variant & 4) != 0, part = (variant & 8) != 0, wide = (variant & 16) != 0;
    const int64_t turned = part ? 4 : kSize, half = turned / 2;
    const Shape shape =
        three ? Shape{kBatch, kLength, kHeads * kSize} : Shape{kBatch, kHeads, kLength, kSize};
    const Shape cache =
        picked ? Shape{kPositions, half + wide} : Shape{kBatch, kLength, half + wide};
    const Tensor x = Random(shape, 16), cos = Random(cache, 17), sin = Random(cache, 18);
    const Tensor positions = Tensor::Integers({kBatch, kLength}, {0, 8, 3, 5, 7, 1, 1, 2});
    std::vector<float> expected = x.floats;
    for (int64_t i = 0; i < kBatch * kHeads * kLength * half; ++i) {
      const auto at = IndexOf({kBatch, kHeads, kLength, half}, i);
      const auto place = [&](int64_t k) {
        return three ? At(shape, {at[0], at[2], at[1] * kSize + k})
                     : At(shape, {at[0], at[1], at[2], k});
      };
      const int64_t row = picked ? positions.integers[At({kBatch, kLength}, {at[0], at[2]})]
                                 : at[0] * kLength + at[2];
      const size_t angle = At({1, cache.back()}, {row, at[3]});
      const size_t a = place(interleaved ? 2 * at[3] : at[3]);
      const size_t b = place(interleaved ? 2 * at[3] + 1 : at[3] + half);
      expected[a] = x.floats[a] * cos.floats[angle] - x.floats[b] * sin.floats[angle];
      expected[b] = x.floats[a] * sin.floats[angle] + x.floats[b] * cos.floats[angle];
    }
    std::vector<NewerInput> inputs{Live(x), Fixed(cos), Fixed(sin)};
    if (picked) inputs.push_back(Fixed(positions));
    SCOPED_TRACE(variant);
    ExpectFloats(RunLifted("RotaryEmbedding", inputs,
                           {{"num_heads", kHeads},
                            {"interleaved", int64_t{interleaved}},
                            {"rotary_embedding_dim", part ? turned : 0}})[0],
                 shape, expected);
  }
  const auto run = [](const Shape& x, const Shape& cache, const Attributes& attributes) {
    RunLifted("RotaryEmbedding",
              {Live(Random(x, 1)), Fixed(Random(cache, 2)), Fixed(Random(cache, 3))}, attributes);
  };
  EXPECT_NO_THROW(run({1, 2, 3, 4}, {1, 3, 2}, {}));
  EXPECT_THROW(run({1, 2, 3, 4}, {1, 3, 1}, {}), UserError);
  EXPECT_THROW(run({1, 2, 3, 5}, {1, 3, 2}, {}), UserError);
  EXPECT_THROW(run({1, 2, 3, 4}, {1, 3, 3}, {{"rotary_embedding_dim", int64_t{6}}}), UserError);
  EXPECT_THROW(run({1, 3, 8}, {1, 3, 2}, {}), UserError);
  EXPECT_THROW(run({1, 3, 8}, {1, 3, 2}, {{"num_heads", int64_t{3}}}), UserError);
  EXPECT_THROW(run({3, 8}, {1, 3, 2}, {}), UserError);
}

}  // namespace
}  // namespace octet::operators
