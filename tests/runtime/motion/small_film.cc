#include "tests/runtime/motion/small_film.h"

#include "runtime/format/sha256.h"

namespace octet::film {
namespace {

struct Noise {
  uint32_t state;
  // -4 to 4 levels, mostly near 0, in 2^-8.
  int32_t Next() {
    state = state * 1664525u + 1013904223u;
    return static_cast<int32_t>((state >> 22) + (state >> 12 & 1023)) - 1023;
  }
};

// A slope with stripes, light that falls and comes back, a step of exposure, and a square that
// comes, moves and stays.
void PaintFrame(uint32_t frame, Noise* noise, uint8_t* pixels) {
  const int32_t light = 256 - static_cast<int32_t>(frame < 200 ? frame / 8 : (400 - frame) / 8);
  const int32_t exposed = frame >= 320 ? light * 9 / 8 : light;
  const uint32_t left = frame < 120 ? kPixelWidth : frame < 160 ? frame - 100 : 60;
  for (uint32_t y = 0; y < kPixelHeight; ++y) {
    for (uint32_t x = 0; x < kPixelWidth; ++x) {
      int32_t level = 60 + static_cast<int32_t>(x / 4 + y / 2 + (x / 24 % 2) * 40);
      if (x >= left && x < left + 12 && y >= 40 && y < 52) level += 30;
      level = (level * exposed + noise->Next() + 128) / 256;
      pixels[y * kPixelWidth + x] = static_cast<uint8_t>(level < 0 ? 0 : level > 255 ? 255 : level);
    }
  }
}

// Little-endian, whatever the machine is.
void AddNumber(Sha256* hash, uint32_t number) {
  uint8_t bytes[4];
  for (uint32_t i = 0; i < 4; ++i) bytes[i] = static_cast<uint8_t>(number >> (8 * i));
  Sha256Update(hash, bytes, sizeof(bytes));
}

}  // namespace

const char kPixelDigest[65] = "ba10f268cca094a2feda4c205432c03f87cb6779ca1fd94b587f4c80ef63b2b4";

bool RunPixelFilm(uint32_t frames, PixelMemory* memory, PixelResult* result) {
  static const octet_zone_point corner[] = {{50000, -100}, {65600, -100}, {65600, 20000}};
  static const octet_zone_point hidden[] = {
      {0, 50000}, {20000, 40000}, {9000, 65536}, {70000, 30000}};
  const octet_polygon regions[] = {{hidden, 4}, {corner, 3}};
  octet_motion_config config;
  octet_motion_defaults(&config);
  config.width = kPixelWidth;
  config.height = kPixelHeight;
  config.longest_ms = 3000;
  config.polygons = regions;  // what is painted follows no light
  config.polygon_count = 2;
  octet_motion* motion = nullptr;
  if (octet_motion_init(memory->motion, kMotionBytes, &config, &motion).code != OCTET_OK)
    return false;
  octet_frame frame;
  frame.size = sizeof(frame);
  frame.format = OCTET_PIXELS_GREY8;
  frame.width = kPixelWidth;
  frame.height = kPixelHeight;
  frame.planes[0] = memory->pixels;
  frame.planes[1] = frame.planes[2] = nullptr;
  frame.strides[0] = kPixelWidth;
  frame.strides[1] = frame.strides[2] = 0;
  Noise noise = {56};
  Sha256 hash;
  Sha256Start(&hash, Sha256BlocksPortable);
  for (uint32_t& count : result->reasons) count = 0;
  for (uint32_t f = 0; f < frames; ++f) {
    PaintFrame(f, &noise, memory->pixels);
    if (octet_mask_paint(&frame, regions, 1).code != OCTET_OK) return false;
    octet_motion_answer a;
    a.size = sizeof(a);
    const uint64_t time_us = uint64_t{f} * 33333 + (f * 7919u) % 5000;
    if (octet_motion_frame(motion, time_us, &frame, &a).code != OCTET_OK) return false;
    ++result->reasons[a.reason];
    const uint32_t numbers[] = {a.reason,
                                a.changed,
                                a.strength,
                                a.noise,
                                static_cast<uint32_t>(a.x0),
                                static_cast<uint32_t>(a.y0),
                                static_cast<uint32_t>(a.x1),
                                static_cast<uint32_t>(a.y1)};
    for (const uint32_t number : numbers) AddNumber(&hash, number);
  }
  Sha256Update(&hash, memory->pixels, sizeof(memory->pixels));
  uint8_t digest[kSha256Bytes];
  Sha256Finish(&hash, digest);
  for (uint32_t i = 0; i < 64; ++i) {
    result->digest[i] = "0123456789abcdef"[digest[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15];
  }
  result->digest[64] = 0;
  return true;
}

}  // namespace octet::film
