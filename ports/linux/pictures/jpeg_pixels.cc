// Coefficients to samples, samples to pixels.
#include <algorithm>
#include <cstring>

#include "ports/linux/pictures/jpeg.h"

namespace octet::pictures {
namespace {

// Fixed point of the transform after Loeffler, Ligtenberg and Moschytz (ICASSP 1989). All of it
// wraps, so that numbers of damaged files do no harm.
constexpr int kBits = 13, kFirstPassBits = 2;
constexpr uint32_t k0_298 = 2446, k0_390 = 3196, k0_541 = 4433, k0_765 = 6270, k0_899 = 7373,
                   k1_175 = 9633, k1_501 = 12299, k1_847 = 15137, k1_961 = 16069, k2_053 = 16819,
                   k2_562 = 20995, k3_072 = 25172;

// Eight numbers at once, which compilers keep in the registers of whatever machine.
using Eight = uint32_t __attribute__((vector_size(32)));
using SignedEight = int32_t __attribute__((vector_size(32)));

void Descale(const Eight& value, int bits, Eight* to) {
  *to = (Eight)((SignedEight)(value + (1u << (bits - 1))) >> bits);
}

// Eight transforms of eight values each: lane i of v[0] to v[7] is one.
void Transform(Eight v[8], int down) {
  const Eight z1 = (v[2] + v[6]) * k0_541;
  const Eight low = z1 - v[6] * k1_847, high = z1 + v[2] * k0_765;
  const Eight sum = (v[0] + v[4]) << kBits, difference = (v[0] - v[4]) << kBits;
  const Eight even[4] = {sum + high, difference + low, difference - low, sum - high};
  const Eight z5 = (v[7] + v[3] + v[5] + v[1]) * k1_175;
  const Eight a = (v[7] + v[1]) * k0_899, b = (v[5] + v[3]) * k2_562;
  const Eight c = z5 - (v[7] + v[3]) * k1_961, d = z5 - (v[5] + v[1]) * k0_390;
  const Eight odd[4] = {v[1] * k1_501 - a + d, v[3] * k3_072 - b + c, v[5] * k2_053 - b + d,
                        v[7] * k0_298 - a + c};
  for (int i = 0; i < 4; ++i) {
    Descale(even[i] + odd[i], down, &v[i]);
    Descale(even[i] - odd[i], down, &v[7 - i]);
  }
}

uint8_t Clamp(int32_t value) {
  return static_cast<uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
}

// The neighbours of a row of samples for a doubled height: `near` counts three times.
struct Rows {
  const uint8_t* near;
  const uint8_t* far;
};

// To twice the width: each value three parts of the sample it lies in and one of the next one.
void DoubleAcross(const uint8_t* in, uint32_t count, uint8_t* out) {
  out[0] = in[0];
  out[1] = static_cast<uint8_t>((in[0] * 3 + in[1] + 2) >> 2);
  for (uint32_t x = 1; x + 1 < count; ++x) {
    out[2 * x] = static_cast<uint8_t>((in[x] * 3 + in[x - 1] + 1) >> 2);
    out[2 * x + 1] = static_cast<uint8_t>((in[x] * 3 + in[x + 1] + 2) >> 2);
  }
  const uint32_t last = count - 1;
  out[2 * last] = static_cast<uint8_t>((in[last] * 3 + in[last - 1] + 1) >> 2);
  out[2 * last + 1] = in[last];
}

void DoubleBoth(const Rows& rows, uint32_t count, uint8_t* out) {
  const auto column = [&](uint32_t x) { return rows.near[x] * 3 + rows.far[x]; };
  out[0] = static_cast<uint8_t>((column(0) * 4 + 8) >> 4);
  out[1] = static_cast<uint8_t>((column(0) * 3 + column(1) + 7) >> 4);
  for (uint32_t x = 1; x + 1 < count; ++x) {
    const int32_t three = column(x) * 3;
    out[2 * x] = static_cast<uint8_t>((three + column(x - 1) + 8) >> 4);
    out[2 * x + 1] = static_cast<uint8_t>((three + column(x + 1) + 7) >> 4);
  }
  const uint32_t last = count - 1;
  out[2 * last] = static_cast<uint8_t>((column(last) * 3 + column(last - 1) + 8) >> 4);
  out[2 * last + 1] = static_cast<uint8_t>((column(last) * 4 + 7) >> 4);
}

// A row of the picture at full width. buffer: of whole MCUs.
const uint8_t* FullRow(const JpegFrame& frame, const JpegComponent& c, uint32_t y,
                       uint8_t* buffer) {
  const uint32_t across = frame.most_h / c.h, down = frame.most_v / c.v;
  const size_t stride = size_t{c.wide} * kBlock;
  const uint32_t width = (frame.width * c.h + frame.most_h - 1) / frame.most_h;
  const uint32_t height = (frame.height * c.v + frame.most_v - 1) / frame.most_v;
  const uint32_t row = y / down;
  const uint8_t* near = c.samples.data() + row * stride;
  if (across == 1 && down == 1) return near;
  // Rows of the pair lean on the row above and on the row below.
  const bool leans_up = y % 2 == 0;
  const uint32_t other = leans_up ? (row == 0 ? 0 : row - 1) : std::min(row + 1, height - 1);
  const Rows rows = {near, c.samples.data() + other * stride};
  constexpr uint32_t kLeastSmooth = 3;  // columns; narrower ones are repeated
  if (across == 2 && down == 1 && width >= kLeastSmooth) {
    DoubleAcross(near, width, buffer);
  } else if (across == 2 && down == 2 && width >= kLeastSmooth) {
    DoubleBoth(rows, width, buffer);
  } else if (across == 1 && down == 2) {
    const int32_t bias = leans_up ? 1 : 2;
    for (uint32_t x = 0; x < width; ++x) {
      buffer[x] = static_cast<uint8_t>((rows.near[x] * 3 + rows.far[x] + bias) >> 2);
    }
  } else {
    for (uint32_t x = 0; x < frame.width; ++x) buffer[x] = near[x / across];
  }
  return buffer;
}

// BT.601 in full range, 16 bits behind the point: what a colour adds to the luma.
struct Colours {
  int16_t red[256], blue[256];
  int32_t green_of_red[256], green_of_blue[256];
};
constexpr Colours MakeColours() {
  constexpr int32_t kHalf = 1 << 15;
  Colours colours = {};
  for (int32_t i = 0; i < 256; ++i) {
    const int32_t x = i - 128;
    colours.red[i] = static_cast<int16_t>((91881 * x + kHalf) >> 16);
    colours.blue[i] = static_cast<int16_t>((116130 * x + kHalf) >> 16);
    colours.green_of_red[i] = -46802 * x;
    colours.green_of_blue[i] = -22554 * x + kHalf;
  }
  return colours;
}
constexpr Colours kColours = MakeColours();

void ToRgb(const uint8_t* luma, const uint8_t* blue, const uint8_t* red, uint32_t count,
           uint8_t* out) {
  for (uint32_t x = 0; x < count; ++x, out += 3) {
    const int32_t y = luma[x], cb = blue[x], cr = red[x];
    out[0] = Clamp(y + kColours.red[cr]);
    out[1] = Clamp(y + ((kColours.green_of_red[cr] + kColours.green_of_blue[cb]) >> 16));
    out[2] = Clamp(y + kColours.blue[cb]);
  }
}

}  // namespace

void InverseTransform(const int16_t values[kBlockValues], const uint16_t quantization[kBlockValues],
                      uint8_t* out, size_t stride) {
  constexpr int kDown = kBits + kFirstPassBits + 3;
  bool flat = true;
  for (uint32_t i = 1; i < kBlockValues; ++i) flat &= values[i] == 0;
  if (flat) {  // the same, without the way there
    const auto mean = static_cast<int16_t>(values[0] * quantization[0]);
    const uint8_t sample = Clamp(((mean + 4) >> 3) + 128);
    for (int y = 0; y < 8; ++y, out += stride) std::memset(out, sample, kBlock);
    return;
  }
  Eight rows[8];
  for (size_t y = 0; y < 8; ++y) {
    for (size_t x = 0; x < 8; ++x) {
      const uint32_t product = static_cast<uint32_t>(values[8 * y + x]) * quantization[8 * y + x];
      rows[y][x] = static_cast<uint32_t>(static_cast<int16_t>(product));
    }
  }
  Transform(rows, kBits - kFirstPassBits);
  Eight columns[8];
  for (size_t y = 0; y < 8; ++y) {
    for (size_t x = 0; x < 8; ++x) columns[x][y] = rows[y][x];
  }
  Transform(columns, kDown);
  for (size_t y = 0; y < 8; ++y, out += stride) {
    for (size_t x = 0; x < 8; ++x) out[x] = Clamp(static_cast<int32_t>(columns[x][y]) + 128);
  }
}

void JpegReader::Write(uint8_t* pixels) {
  const size_t width = frame_.width;
  const JpegComponent* c = frame_.components;
  if (frame_.component_count == 1) {
    const size_t stride = size_t{c->wide} * kBlock;
    for (size_t y = 0; y < frame_.height; ++y) {
      std::memcpy(pixels + y * width, c->samples.data() + y * stride, width);
    }
    return;
  }
  const bool rgb = IsRgb();
  const size_t row_bytes = size_t{frame_.mcus_x} * frame_.most_h * kBlock + 2;
  rows_.resize(kMostComponents * row_bytes);
  for (uint32_t y = 0; y < frame_.height; ++y, pixels += 3 * width) {
    const uint8_t* rows[kMostComponents];
    for (size_t i = 0; i < kMostComponents; ++i) {
      rows[i] = FullRow(frame_, c[i], y, rows_.data() + i * row_bytes);
    }
    if (!rgb) {
      ToRgb(rows[0], rows[1], rows[2], frame_.width, pixels);
      continue;
    }
    for (size_t x = 0; x < width; ++x) {
      for (size_t i = 0; i < kMostComponents; ++i) pixels[3 * x + i] = rows[i][x];
    }
  }
}

}  // namespace octet::pictures
