#include "ports/linux/pictures/orientation.h"

#include <cstring>

namespace octet::pictures {
namespace {

constexpr int kUpright = 1, kMost = 8;

// Numbers of a TIFF structure; 0 beyond its end.
struct Tiff {
  const uint8_t* bytes;
  size_t count;
  bool little;

  uint32_t Number(size_t at, size_t width) const {
    if (at > count || count - at < width) return 0;
    uint32_t value = 0;
    for (size_t i = 0; i < width; ++i) {
      value = value << 8 | bytes[little ? at + width - 1 - i : at + i];
    }
    return value;
  }
};

}  // namespace

int OrientationOf(const uint8_t* bytes, size_t count) {
  constexpr size_t kPrefix = 6, kHeader = 8, kEntry = 12;
  constexpr uint32_t kOrientation = 0x0112, kByte = 1, kShort = 3, kLong = 4;
  if (count >= kPrefix && std::memcmp(bytes, "Exif\0\0", kPrefix) == 0) {
    bytes += kPrefix;
    count -= kPrefix;
  }
  if (count < kHeader) return kUpright;
  const bool little = std::memcmp(bytes, "II*\0", 4) == 0;
  if (!little && std::memcmp(bytes, "MM\0*", 4) != 0) return kUpright;
  const Tiff tiff{bytes, count, little};
  const size_t directory = tiff.Number(4, 4);
  const uint32_t entries = tiff.Number(directory, 2);
  for (uint32_t i = 0; i < entries; ++i) {
    const size_t at = directory + 2 + i * kEntry;
    if (at > count) break;
    if (tiff.Number(at, 2) != kOrientation) continue;
    const uint32_t type = tiff.Number(at + 2, 2);
    const size_t width = type == kByte ? 1 : type == kShort ? 2 : type == kLong ? 4 : 0;
    const uint32_t value = width == 0 ? 0 : tiff.Number(at + 8, width);
    return value >= 1 && value <= kMost ? static_cast<int>(value) : kUpright;
  }
  return kUpright;
}

int OrientationOfPng(const uint8_t* bytes, size_t count) {
  constexpr size_t kSignature = 8, kAround = 12;  // length, name and check sum of a chunk
  for (size_t at = kSignature; at < count && count - at >= kAround;) {
    const size_t length = size_t{bytes[at]} << 24 | size_t{bytes[at + 1]} << 16 |
                          size_t{bytes[at + 2]} << 8 | bytes[at + 3];
    if (length > count - at - kAround) break;
    if (std::memcmp(bytes + at + 4, "eXIf", 4) == 0) return OrientationOf(bytes + at + 8, length);
    at += kAround + length;
  }
  return kUpright;
}

void StandUpright(const uint8_t* stored, int orientation, Picture* to) {
  const size_t width = to->width, height = to->height, channels = to->channels;
  to->pixels.resize(width * height * channels);
  const bool turned = IsTurned(orientation);
  const size_t stored_width = turned ? height : width, stored_height = turned ? width : height;
  // Which stored column and row begin, and which way they run.
  const bool last_column =
      orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool last_row =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  uint8_t* out = to->pixels.data();
  for (size_t y = 0; y < height; ++y) {
    for (size_t x = 0; x < width; ++x) {
      size_t column = turned ? y : x, row = turned ? x : y;
      if (last_column) column = stored_width - 1 - column;
      if (last_row) row = stored_height - 1 - row;
      const uint8_t* from = stored + (row * stored_width + column) * channels;
      for (size_t c = 0; c < channels; ++c) *out++ = from[c];
    }
  }
}

}  // namespace octet::pictures
