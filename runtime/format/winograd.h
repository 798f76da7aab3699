// Winograd's method as blobs have it (FORMAT.md, "Other layouts of weights" and "FP16 arithmetic"):
// positions and tiles, and how many tiles of int8 layers are taken at a time, which the converter
// weighs and the kernels keep to.
#ifndef OCTET_FORMAT_WINOGRAD_H_
#define OCTET_FORMAT_WINOGRAD_H_

#include <stdint.h>

namespace octet {

// m: 2 or 4, the output tile is of m x m pixels (blob::Layout).
static inline uint64_t WinogradPositions(uint64_t m) {
  return (m + 2) * (m + 2);
}
static inline uint64_t WinogradTileCount(uint64_t m, uint64_t out_h, uint64_t out_w) {
  return ((out_h + m - 1) / m) * ((out_w + m - 1) / m);
}

// So many tiles are transformed and multiplied at a time. Their V must stay in the level 2 cache of
// a small core, and 24 are enough to make the traffic of weights small beside the products.
constexpr uint64_t kWinogradInputBytes = 288 * 1024;
constexpr uint64_t kWinogradMaxTiles = 25;
static inline uint64_t WinogradTileBlock(uint64_t m, uint64_t in_c, uint64_t out_h,
                                         uint64_t out_w) {
  uint64_t tiles = kWinogradInputBytes / (WinogradPositions(m) * in_c * 2);
  if (tiles > kWinogradMaxTiles) tiles = kWinogradMaxTiles;
  const uint64_t count = WinogradTileCount(m, out_h, out_w);
  if (tiles > count) tiles = count;
  return tiles == 0 ? 1 : tiles;
}

// FP16 (blob::Arithmetic::kWinograd), m = 2.
constexpr uint64_t kWinogradPositionsF16 = 16;
constexpr uint64_t kLeastWinogradChannelsF16 = 16;  // of the input: kernels take as many at a time

}  // namespace octet

#endif  // OCTET_FORMAT_WINOGRAD_H_
