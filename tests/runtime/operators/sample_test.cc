// GridSample and RoiAlign: values by the definition in double, hostile positions, and what Check
// refuses.
#include <cmath>
#include <cstring>

#include "gtest/gtest.h"
#include "runtime/format/resample.h"
#include "runtime/format/roi_align.h"
#include "tests/runtime/operators/mutations.h"
#include "tests/runtime/operators/repeat.h"

namespace octet::operators_test {
namespace {

using blob::ElementType;
using blob::GridPadding;
using blob::GridSampleParams;
using blob::GridSampling;
using blob::RoiAlignParams;

LayerCase GridCase(Random& random, Dims in, uint32_t out_h, uint32_t out_w, GridSampleParams p) {
  LayerCase l(blob::Op::kGridSample, ElementType::kFp16);
  l.AddInput(random, in);
  l.AddInput(random, {in.n, out_h, out_w, 2}, 1, 0, -1.6f, 1.6f);
  l.SetOutput({in.n, out_h, out_w, in.c});
  l.Params<GridSampleParams>() = p;
  return l;
}

double Position(double g, uint32_t size, bool corners) {
  return corners ? (g + 1) / 2 * (size - 1) : ((g + 1) * size - 1) / 2;
}

// Linear, zeros outside: each of the four pixels by its area.
TEST(GridSampleLayer, WeighsFourPixels) {
  Repeat(40, [](Random& random) {
    const Dims in = {random.UInt(1, 2), random.UInt(1, 6), random.UInt(1, 6), random.UInt(1, 70)};
    const uint32_t h = random.UInt(1, 4), w = random.UInt(1, 4);
    const bool corners = random.OneIn(2);
    const LayerCase l =
        GridCase(random, in, h, w,
                 {GridSampling::kLinear, GridPadding::kZeros, static_cast<uint8_t>(corners), 0});
    std::vector<double> expected(uint64_t{in.n} * h * w * in.c);
    for (uint64_t i = 0; i < expected.size(); ++i) {
      const uint64_t pixel = i / in.c, n = pixel / (uint64_t{h} * w);
      const double x = Position(l.Input(1, 2 * pixel), in.w, corners);
      const double y = Position(l.Input(1, 2 * pixel + 1), in.h, corners);
      for (int row = 0; row < static_cast<int>(in.h); ++row) {
        for (int column = 0; column < static_cast<int>(in.w); ++column) {
          const double weight =
              std::fmax(0, 1 - std::fabs(y - row)) * std::fmax(0, 1 - std::fabs(x - column));
          expected[i] += weight * l.Input(0, At(in, n, static_cast<uint64_t>(row),
                                                static_cast<uint64_t>(column), i % in.c));
        }
      }
    }
    ExpectHalf(l.RunAll(), expected);
  });
}

// A picture whose value is its column: border holds the last one, reflection runs back.
TEST(GridSampleLayer, PaddingAndModes) {
  const std::vector<float> places = {-1, 0, 1, 1.5f, -1.5f, 3};
  const auto run = [&](GridSampling mode, GridPadding padding) {
    Random random(1);
    LayerCase l = GridCase(random, {1, 1, 5, 1}, 1, 6, {mode, padding, 1, 0});
    for (uint32_t i = 0; i < 5; ++i) {
      const uint16_t value = FloatToHalf(static_cast<float>(i));
      std::memcpy(&l.arena[In(l).arena_offset + 2 * i], &value, 2);
    }
    for (uint32_t i = 0; i < 6; ++i) {
      const uint16_t place[2] = {FloatToHalf(places[i]), 0};
      std::memcpy(&l.arena[In(l, 1).arena_offset + 4 * i], place, 4);
    }
    std::vector<float> values;
    for (uint16_t half : Halves(l.RunAll())) values.push_back(HalfToFloat(half));
    return values;
  };
  for (GridSampling mode : {GridSampling::kLinear, GridSampling::kNearest, GridSampling::kCubic}) {
    EXPECT_EQ(run(mode, GridPadding::kBorder), (std::vector<float>{0, 2, 4, 4, 0, 4}));
    EXPECT_EQ(run(mode, GridPadding::kReflection), (std::vector<float>{0, 2, 4, 3, 1, 0}));
  }
  EXPECT_EQ(run(GridSampling::kNearest, GridPadding::kZeros),
            (std::vector<float>{0, 2, 4, 0, 0, 0}));
}

TEST(GridSampleLayer, TakesAnyPosition) {
  const uint16_t odd[] = {0x7C00, 0xFC00, 0x7E00, 0x7BFF, 0xFBFF, 0x0001, 0x8000};
  for (uint8_t mode = 0; mode < 3; ++mode) {
    for (uint8_t padding = 0; padding < 3; ++padding) {
      Random random(mode);
      LayerCase l = GridCase(
          random, {1, 3, 4, 2}, 7, 7,
          {static_cast<GridSampling>(mode), static_cast<GridPadding>(padding), padding, 0});
      l.Params<GridSampleParams>().align_corners &= 1;
      for (uint32_t i = 0; i < 49; ++i) {
        const uint16_t place[2] = {odd[i % 7], odd[i / 7]};
        std::memcpy(&l.arena[In(l, 1).arena_offset + 4 * i], place, 4);
      }
      ASSERT_TRUE(l.Check());
      l.Run(1, 0);  // a sanitizer sees the rest
    }
  }
}

TEST(GridSampleLayer, CheckRefuses) {
  Random random(1);
  const LayerCase l = GridCase(random, {1, 3, 4, 2}, 2, 5, {});
  const auto params = [](LayerCase& m) -> GridSampleParams& {
    return m.Params<GridSampleParams>();
  };
  ExpectRefused(
      l, Join({Common(),
               Mutations{{"mode", [&](LayerCase& m) { params(m).mode = GridSampling{3}; }},
                         {"padding", [&](LayerCase& m) { params(m).padding = GridPadding{3}; }},
                         {"corners", [&](LayerCase& m) { params(m).align_corners = 2; }},
                         {"batch", [](LayerCase& m) { ++Out(m).dims[0]; }},
                         {"batch of the grid", [](LayerCase& m) { ++In(m, 1).dims[0]; }},
                         {"height", [](LayerCase& m) { ++Out(m).dims[1]; }},
                         {"width", [](LayerCase& m) { ++Out(m).dims[2]; }},
                         {"channels", [](LayerCase& m) { ++Out(m).dims[3]; }},
                         {"coordinates", [](LayerCase& m) { In(m, 1).dims[3] = 3; }}}}));
}

LayerCase RoiCase(Random& random, Dims in, uint32_t regions, uint32_t h, uint32_t w,
                  RoiAlignParams p) {
  LayerCase l(blob::Op::kRoiAlign, ElementType::kFp16);
  l.AddInput(random, in);
  l.AddInput(random, {1, 1, regions, 4}, 1, 0, 0, 6);
  l.SetOutput({regions, h, w, in.c});
  l.Params<RoiAlignParams>() = p;
  std::vector<uint32_t> pictures;
  for (uint32_t r = 0; r < regions; ++r) pictures.push_back(random.UInt(0, in.n - 1));
  l.layer.extra = l.AddTable(pictures);
  return l;
}

TEST(RoiAlignLayer, AveragesSamples) {
  Repeat(40, [](Random& random) {
    const Dims in = {random.UInt(1, 2), random.UInt(4, 8), random.UInt(4, 8), random.UInt(1, 70)};
    const uint32_t regions = random.UInt(1, 3), h = random.UInt(1, 3), w = random.UInt(1, 3);
    const uint32_t samples = random.UInt(1, 3);
    const LayerCase l = RoiCase(random, in, regions, h, w, {0.5f, samples, 0, 1, {}});
    std::vector<double> expected(uint64_t{regions} * h * w * in.c);
    for (uint64_t i = 0; i < expected.size(); ++i) {
      const uint64_t c = i % in.c, cx = i / in.c % w, cy = i / in.c / w % h, r = i / in.c / w / h;
      uint32_t picture = 0;
      std::memcpy(&picture, &l.tables[l.layer.extra.offset + 4 * r], 4);
      const double left = l.Input(1, 4 * r) / 2 - 0.5, top = l.Input(1, 4 * r + 1) / 2 - 0.5;
      const double cell_w = (l.Input(1, 4 * r + 2) - l.Input(1, 4 * r)) / 2 / w;
      const double cell_h = (l.Input(1, 4 * r + 3) - l.Input(1, 4 * r + 1)) / 2 / h;
      for (uint32_t s = 0; s < samples * samples; ++s) {
        double y = top + (static_cast<double>(cy) + (s / samples + 0.5) / samples) * cell_h;
        double x = left + (static_cast<double>(cx) + (s % samples + 0.5) / samples) * cell_w;
        y = std::fmax(0, y);
        x = std::fmax(0, x);
        for (uint32_t row = 0; row < in.h; ++row) {
          for (uint32_t column = 0; column < in.w; ++column) {
            const double weight =
                std::fmax(0, 1 - std::fabs(y - row)) * std::fmax(0, 1 - std::fabs(x - column));
            expected[i] +=
                weight * l.Input(0, At(in, picture, row, column, c)) / (samples * samples);
          }
        }
      }
    }
    ExpectHalf(l.RunAll(), expected);
  });
}

TEST(RoiAlignLayer, TakesAnyRegion) {
  const uint16_t odd[] = {0x7C00, 0xFC00, 0x7E00, 0x7BFF, 0xFBFF, 0x0001, 0x8000};
  for (uint8_t variant = 0; variant < 8; ++variant) {
    Random random(variant);
    LayerCase l = RoiCase(random, {1, 3, 4, 2}, 49, 2, 2,
                          {65504,
                           static_cast<uint32_t>(variant / 4),
                           static_cast<uint8_t>(variant % 2),
                           static_cast<uint8_t>(variant / 2 % 2),
                           {}});
    for (uint32_t i = 0; i < 49; ++i) {
      const uint16_t region[4] = {odd[i % 7], odd[i / 7], odd[i / 7], odd[i % 7]};
      std::memcpy(&l.arena[In(l, 1).arena_offset + 8 * i], region, 8);
    }
    ASSERT_TRUE(l.Check());
    l.Run(1, 0);  // a sanitizer sees the rest
  }
}

TEST(RoiAlignLayer, CheckRefuses) {
  Random random(1);
  const LayerCase l = RoiCase(random, {1, 3, 4, 2}, 2, 2, 2, {1, 1, 0, 0, {}});
  const auto params = [](LayerCase& m) -> RoiAlignParams& { return m.Params<RoiAlignParams>(); };
  ExpectRefused(
      l, Join({Common(),
               Mutations{{"samples", [&](LayerCase& m) { params(m).sampling_ratio = 257; }},
                         {"maximum", [&](LayerCase& m) { params(m).maximum = 2; }},
                         {"half pixel", [&](LayerCase& m) { params(m).half_pixel = 2; }},
                         {"scale", [&](LayerCase& m) { params(m).spatial_scale = NAN; }},
                         {"regions", [](LayerCase& m) { ++Out(m).dims[0]; }},
                         {"channels", [](LayerCase& m) { ++Out(m).dims[3]; }},
                         {"region size", [](LayerCase& m) { In(m, 1).dims[3] = 5; }},
                         {"region dims", [](LayerCase& m) { In(m, 1).dims[1] = 2; }},
                         {"picture", [](LayerCase& m) { m.tables[m.layer.extra.offset] = 1; }},
                         {"no pictures",
                          [](LayerCase& m) {
                            m.layer.extra = {blob::kNone, 0};
                          }},
                         {"pictures", [](LayerCase& m) { m.layer.extra.bytes = 4; }}}}));
}

}  // namespace
}  // namespace octet::operators_test
