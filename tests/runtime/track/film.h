// A film of boxes that is the same on every machine, and the hash of what its tracks and zones are.
// Needs no operating system.
#ifndef OCTET_TESTS_RUNTIME_TRACK_FILM_H_
#define OCTET_TESTS_RUNTIME_TRACK_FILM_H_

#include <stddef.h>
#include <stdint.h>

#include "octet/zones.h"

namespace octet::film {

constexpr uint32_t kCapacity = 32;
constexpr uint32_t kFrames = 10000;
constexpr octet_tracks_method kMethods[] = {OCTET_TRACKS_BYTE_TRACK, OCTET_TRACKS_OC_SORT};
// Of kFrames frames by each method, as every machine must find it.
extern const char kDigests[2][65];

// Not on the stack, which has 4 KiB on a small board.
constexpr size_t kTracksBytes = 16384, kZonesBytes = 32768;
constexpr uint32_t kWalkers = 14, kMostBoxes = 2 * kWalkers + 8;
struct Memory {
  alignas(8) uint8_t tracks[kTracksBytes], zones[kZonesBytes];
  octet_box boxes[kMostBoxes];
  octet_track list[kCapacity];
};

struct Result {
  char digest[65];  // in hexadecimal, of every track and event of every frame
  uint64_t tracks;  // begun
  uint64_t events;
};

// False: a call was refused.
bool RunFilm(octet_tracks_method method, uint32_t frames, Memory* memory, Result* result);

}  // namespace octet::film

#endif  // OCTET_TESTS_RUNTIME_TRACK_FILM_H_
