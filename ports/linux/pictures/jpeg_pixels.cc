// Coefficients to samples, samples to pixels.
#include <algorithm>
#include <cstring>

#include "ports/linux/pictures/jpeg.h"

namespace octet::pictures {
namespace {

// Fixed point of the transform after Loeffler, Ligtenberg and Moschytz (ICASSP 1989). All of it
// wraps, so that numbers of damaged files are defined.
constexpr int kBits = 13, kFirstPassBits = 2;
constexpr uint32_t k0_298 = 2446, k0_390 = 3196, k0_541 = 4433, k0_765 = 6270, k0_899 = 7373,
                   k1_175 = 9633, k1_501 = 12299, k1_847 = 15137, k1_961 = 16069, k2_053 = 16819,
                   k2_562 = 20995, k3_072 = 25172;

// Four numbers, which compilers keep in one vector register.
using Four = uint32_t __attribute__((vector_size(16)));
using SignedFour = int32_t __attribute__((vector_size(16)));

inline Four Descaled(const Four& value, int bits) {
  return (Four)((SignedFour)(value + (1u << (bits - 1))) >> bits);
}

// Four transforms of eight values each: lane i of v[0] to v[7] is one.
inline __attribute__((always_inline)) void Transform(Four v[8], int down) {
  const Four z1 = (v[2] + v[6]) * k0_541;
  const Four low = z1 - v[6] * k1_847, high = z1 + v[2] * k0_765;
  const Four sum = (v[0] + v[4]) << kBits, difference = (v[0] - v[4]) << kBits;
  const Four even[4] = {sum + high, difference + low, difference - low, sum - high};
  const Four z5 = (v[7] + v[3] + v[5] + v[1]) * k1_175;
  const Four a = (v[7] + v[1]) * k0_899, b = (v[5] + v[3]) * k2_562;
  const Four c = z5 - (v[7] + v[3]) * k1_961, d = z5 - (v[5] + v[1]) * k0_390;
  const Four odd[4] = {v[1] * k1_501 - a + d, v[3] * k3_072 - b + c, v[5] * k2_053 - b + d,
                       v[7] * k0_298 - a + c};
  for (int i = 0; i < 4; ++i) {
    v[i] = Descaled(even[i] + odd[i], down);
    v[7 - i] = Descaled(even[i] - odd[i], down);
  }
}

// Interleaves the first two lanes of both, or the last two. GCC has __builtin_shufflevector only
// since 12.
#ifdef __clang__
inline Four Firsts(const Four& a, const Four& b) {
  return __builtin_shufflevector(a, b, 0, 4, 1, 5);
}
inline Four Lasts(const Four& a, const Four& b) {
  return __builtin_shufflevector(a, b, 2, 6, 3, 7);
}
#else
inline Four Firsts(const Four& a, const Four& b) {
  return __builtin_shuffle(a, b, Four{0, 4, 1, 5});
}
inline Four Lasts(const Four& a, const Four& b) {
  return __builtin_shuffle(a, b, Four{2, 6, 3, 7});
}
#endif

// Lane i of in[k] becomes lane k of out[i * step].
inline __attribute__((always_inline)) void Transpose(const Four in[4], size_t step, Four* out) {
  const Four even_low = Firsts(in[0], in[2]), even_high = Lasts(in[0], in[2]);
  const Four odd_low = Firsts(in[1], in[3]), odd_high = Lasts(in[1], in[3]);
  out[0 * step] = Firsts(even_low, odd_low);
  out[1 * step] = Lasts(even_low, odd_low);
  out[2 * step] = Firsts(even_high, odd_high);
  out[3 * step] = Lasts(even_high, odd_high);
}

uint8_t Clamp(int32_t value) {
  return static_cast<uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
}

// The neighbours of a row of samples for a doubled height: `near` counts three times.
struct Rows {
  const uint8_t* near;
  const uint8_t* far;
};

// Indices are size_t: 32 bits may wrap if they are doubled, and then compilers do not vectorize.
// To twice the width: each value three parts of the sample it lies in and one of the next one.
void DoubleAcross(const uint8_t* in, size_t count, uint8_t* out) {
  out[0] = in[0];
  out[1] = static_cast<uint8_t>((in[0] * 3 + in[1] + 2) >> 2);
  for (size_t x = 1; x + 1 < count; ++x) {
    out[2 * x] = static_cast<uint8_t>((in[x] * 3 + in[x - 1] + 1) >> 2);
    out[2 * x + 1] = static_cast<uint8_t>((in[x] * 3 + in[x + 1] + 2) >> 2);
  }
  const size_t last = count - 1;
  out[2 * last] = static_cast<uint8_t>((in[last] * 3 + in[last - 1] + 1) >> 2);
  out[2 * last + 1] = in[last];
}

void DoubleBoth(const Rows& rows, size_t count, uint8_t* out) {
  const auto column = [&](size_t x) { return rows.near[x] * 3 + rows.far[x]; };
  out[0] = static_cast<uint8_t>((column(0) * 4 + 8) >> 4);
  out[1] = static_cast<uint8_t>((column(0) * 3 + column(1) + 7) >> 4);
  for (size_t x = 1; x + 1 < count; ++x) {
    const int32_t three = column(x) * 3;
    out[2 * x] = static_cast<uint8_t>((three + column(x - 1) + 8) >> 4);
    out[2 * x + 1] = static_cast<uint8_t>((three + column(x + 1) + 7) >> 4);
  }
  const size_t last = count - 1;
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

// BT.601 in full range (1.402, 0.344136, 0.714136, 1.772), 16 bits behind the point. Without
// tables, so that the loop becomes vectors.
void ToRgb(const uint8_t* luma, const uint8_t* blue, const uint8_t* red, size_t count,
           uint8_t* out) {
  constexpr int32_t kPoint = 16, kHalf = 1 << (kPoint - 1);
  for (size_t x = 0; x < count; ++x) {
    const int32_t y = luma[x], cb = blue[x] - 128, cr = red[x] - 128;
    out[3 * x] = Clamp(y + ((91881 * cr + kHalf) >> kPoint));
    out[3 * x + 1] = Clamp(y + ((-22554 * cb - 46802 * cr + kHalf) >> kPoint));
    out[3 * x + 2] = Clamp(y + ((116130 * cb + kHalf) >> kPoint));
  }
}

}  // namespace

void InverseTransform(const int16_t values[kBlockValues], const uint16_t quantization[kBlockValues],
                      uint8_t* out, size_t stride) {
  constexpr int kDown = kBits + kFirstPassBits + 3;
  int32_t some = 0;
  for (size_t i = 1; i < kBlockValues; ++i) some |= values[i];
  if (some == 0) {  // the same, without the way there
    const auto mean = static_cast<int16_t>(values[0] * quantization[0]);
    const uint8_t sample = Clamp(((mean + 4) >> 3) + 128);
    for (int y = 0; y < 8; ++y, out += stride) std::memset(out, sample, kBlock);
    return;
  }
  uint32_t whole[kBlockValues];  // row by row
  for (size_t i = 0; i < kBlockValues; ++i) {
    const uint32_t product = static_cast<uint32_t>(values[i]) * quantization[i];
    whole[i] = static_cast<uint32_t>(static_cast<int16_t>(product));
  }
  // Halves of four columns, from above to below; then halves of four rows, from left to right.
  Four columns[2][8], rows[2][8], lines[16];
  for (size_t i = 0; i < 16; ++i) std::memcpy(&columns[i % 2][i / 2], whole + 4 * i, sizeof(Four));
  for (Four* half : columns) Transform(half, kBits - kFirstPassBits);
  for (size_t i = 0; i < 4; ++i) Transpose(columns[i % 2] + i / 2 * 4, 1, rows[i / 2] + i % 2 * 4);
  for (Four* half : rows) Transform(half, kDown);
  for (size_t i = 0; i < 4; ++i) Transpose(rows[i / 2] + i % 2 * 4, 2, lines + i / 2 * 8 + i % 2);
  uint8_t samples[kBlockValues];
  std::memcpy(whole, lines, sizeof(whole));
  for (size_t i = 0; i < kBlockValues; ++i)
    samples[i] = Clamp(static_cast<int32_t>(whole[i]) + 128);
  for (size_t y = 0; y < 8; ++y) std::memcpy(out + y * stride, samples + 8 * y, kBlock);
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
