// A film of pixels that is the same on every machine, and the hash of what the gate and the mask
// make of it. Needs no operating system.
#ifndef OCTET_TESTS_RUNTIME_MOTION_SMALL_FILM_H_
#define OCTET_TESTS_RUNTIME_MOTION_SMALL_FILM_H_

#include <stddef.h>
#include <stdint.h>

#include "octet/motion.h"

namespace octet::film {

constexpr uint32_t kPixelFrames = 400;
// Of kPixelFrames frames, as every machine must find it.
extern const char kPixelDigest[65];

constexpr uint32_t kPixelWidth = 166, kPixelHeight = 98;
constexpr size_t kMotionBytes = 24576;
struct PixelMemory {
  alignas(8) uint8_t motion[kMotionBytes];
  uint8_t pixels[kPixelWidth * kPixelHeight];
};

struct PixelResult {
  char digest[65];      // in hexadecimal, of every answer
  uint32_t reasons[6];  // frames by their reason
};

// False: a call was refused.
bool RunPixelFilm(uint32_t frames, PixelMemory* memory, PixelResult* result);

}  // namespace octet::film

#endif  // OCTET_TESTS_RUNTIME_MOTION_SMALL_FILM_H_
