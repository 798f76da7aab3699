#include <algorithm>

#include "tests/runtime/kernels/conv_case.h"

namespace octet::kernels_test {
namespace {

uint32_t RandomChannels(Random& random) {
  switch (random.Next() % 8) {
    case 0:
      return random.UInt(1, 8);
    case 1:
      return 16 * random.UInt(1, 8);
    case 2:
      return 16 * random.UInt(1, 4) + random.UInt(0, 2) - 1;
    case 3:
      return 4 * random.UInt(1, 24);
    case 4:
      return random.UInt(49, 150);
    default:
      return random.UInt(1, 48);
  }
}

constexpr TileShape kTileShapes[] = {
    {9, 11, 64, 1, 1, 1, 0, 144}, {5, 29, 96, 1, 1, 1, 0, 80},  {7, 7, 160, 1, 1, 1, 0, 112},
    {5, 9, 136, 1, 1, 1, 0, 72},  {3, 17, 67, 1, 1, 1, 0, 40},  {6, 6, 516, 1, 1, 1, 0, 33},
    {13, 13, 64, 1, 2, 1, 0, 64}, {7, 7, 64, 3, 1, 1, 1, 48},   {4, 4, 32, 3, 1, 1, 1, 64},
    {5, 5, 128, 3, 1, 1, 0, 32},  {14, 14, 16, 3, 1, 1, 1, 96}, {15, 15, 24, 3, 2, 1, 1, 64},
    {3, 130, 64, 3, 1, 1, 1, 16}, {4, 220, 32, 3, 2, 1, 1, 20}, {21, 21, 3, 7, 2, 1, 3, 64},
    {19, 23, 3, 3, 2, 1, 1, 32},  {33, 10, 1, 5, 2, 1, 2, 64},  {9, 12, 11, 3, 1, 1, 1, 24},
    {12, 12, 20, 3, 1, 2, 2, 32}, {11, 11, 64, 3, 1, 3, 3, 17}, {9, 9, 22, 5, 1, 1, 2, 16},
    {2, 2, 64, 1, 1, 1, 0, 64},   {1, 40, 48, 3, 1, 1, 1, 128}, {8, 8, 256, 3, 1, 1, 1, 32},
    {6, 7, 64, 3, 3, 1, 2, 130},  {3, 40, 48, 3, 1, 1, 1, 40},  {7, 20, 80, 3, 1, 1, 1, 32},
    {4, 10, 112, 3, 1, 1, 1, 16}, {5, 16, 64, 3, 1, 1, 1, 48},  {3, 62, 32, 3, 1, 1, 0, 33},
};

}  // namespace

std::span<const TileShape> TileShapes() {
  return kTileShapes;
}

ConvGeometry GeometryOf(const TileShape& shape) {
  ConvGeometry g{};
  g.in_h = shape.in_h;
  g.in_w = shape.in_w;
  g.in_c = shape.in_c;
  g.out_c = shape.out_c;
  g.kernel_h = g.kernel_w = shape.kernel;
  g.stride_h = g.stride_w = shape.stride;
  g.dilation_h = g.dilation_w = shape.dilation;
  g.pad_top = g.pad_left = shape.pad;
  g.groups = 1;
  const uint32_t extent = (shape.kernel - 1) * shape.dilation + 1;
  g.out_h = (g.in_h + 2 * shape.pad - extent) / shape.stride + 1;
  g.out_w = (g.in_w + 2 * shape.pad - extent) / shape.stride + 1;
  return g;
}

ConvGeometry RandomConvGeometry(Random& random, bool depthwise) {
  ConvGeometry g{};
  for (;;) {
    g.groups = depthwise || !random.OneIn(4) ? 1 : random.UInt(2, 4);
    g.in_c = RandomChannels(random);
    g.out_c = RandomChannels(random);
    if (depthwise) {
      g.out_c = g.groups = g.in_c;
    } else if (g.groups > 1) {
      const bool aligned = random.OneIn(2);  // what fast paths of grouped layers take
      g.in_c = g.groups * (aligned ? 4 * random.UInt(1, 6) : random.UInt(1, 12));
      g.out_c = g.groups * (aligned ? 16 * random.UInt(1, 3) : random.UInt(1, 24));
    }
    const uint32_t square = random.Pick<uint32_t>({1, 1, 3, 3, 3, 5, 7});
    const bool odd = random.OneIn(4);
    g.kernel_h = odd ? random.UInt(1, 5) : square;
    g.kernel_w = odd ? random.UInt(1, 5) : square;
    g.stride_h = random.Pick<uint32_t>({1, 1, 1, 2, 3});
    g.stride_w = random.OneIn(4) ? random.UInt(1, 3) : g.stride_h;
    g.dilation_h = random.OneIn(4) ? random.UInt(1, 3) : 1;
    g.dilation_w = random.OneIn(4) ? random.UInt(1, 3) : g.dilation_h;
    const uint32_t extent_h = (g.kernel_h - 1) * g.dilation_h + 1;
    const uint32_t extent_w = (g.kernel_w - 1) * g.dilation_w + 1;
    g.pad_top = random.OneIn(2) ? extent_h / 2 : random.UInt(0, extent_h - 1);
    g.pad_left = random.OneIn(2) ? extent_w / 2 : random.UInt(0, extent_w - 1);
    const uint32_t pad_bottom = random.UInt(0, extent_h - 1);
    const uint32_t pad_right = random.UInt(0, extent_w - 1);
    g.in_h = random.UInt(1, random.OneIn(8) ? 90 : 14);
    g.in_w = random.UInt(1, random.OneIn(8) ? 90 : 14);
    if (g.in_h + g.pad_top + pad_bottom < extent_h) continue;
    if (g.in_w + g.pad_left + pad_right < extent_w) continue;
    g.out_h = (g.in_h + g.pad_top + pad_bottom - extent_h) / g.stride_h + 1;
    g.out_w = (g.in_w + g.pad_left + pad_right - extent_w) / g.stride_w + 1;
    const uint64_t macs =
        uint64_t{1} * g.out_h * g.out_w * g.out_c * g.kernel_h * g.kernel_w * (g.in_c / g.groups);
    if (macs <= 1500000) return g;
  }
}

ConvGeometry RandomWinogradGeometry(Random& random) {
  ConvGeometry g{};
  for (;;) {
    g.groups = g.stride_h = g.stride_w = g.dilation_h = g.dilation_w = 1;
    g.kernel_h = g.kernel_w = 3;
    g.in_c = 8 * random.UInt(1, 12);
    g.out_c = RandomChannels(random);
    g.pad_top = random.UInt(0, 2);
    g.pad_left = random.UInt(0, 2);
    g.in_h = random.UInt(1, random.OneIn(8) ? 60 : 14);
    g.in_w = random.UInt(1, random.OneIn(8) ? 60 : 14);
    const uint32_t padded_h = g.in_h + g.pad_top + random.UInt(0, 2);
    const uint32_t padded_w = g.in_w + g.pad_left + random.UInt(0, 2);
    if (padded_h < 3 || padded_w < 3) continue;
    g.out_h = padded_h - 2;
    g.out_w = padded_w - 2;
    if (uint64_t{9} * g.out_h * g.out_w * g.out_c * g.in_c <= 1500000) return g;
  }
}

std::string Describe(const ConvGeometry& g) {
  const auto pair = [](uint32_t a, uint32_t b) {
    return std::to_string(a) + "x" + std::to_string(b);
  };
  return "in " + pair(g.in_h, g.in_w) + "x" + std::to_string(g.in_c) + " out " +
         pair(g.out_h, g.out_w) + "x" + std::to_string(g.out_c) + " kernel " +
         pair(g.kernel_h, g.kernel_w) + " stride " + pair(g.stride_h, g.stride_w) + " dilation " +
         pair(g.dilation_h, g.dilation_w) + " pad " + pair(g.pad_top, g.pad_left) + " groups " +
         std::to_string(g.groups);
}

}  // namespace octet::kernels_test
