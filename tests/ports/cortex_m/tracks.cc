// Tracks and zones without an operating system: the hash of tests/runtime/track/film.h.
#include <string.h>

#include "ports/template/board.h"
#include "tests/runtime/track/film.h"

namespace {

OCTET_BOARD_WORK octet::film::Memory memory;

}  // namespace

int main() {
  octet::board::Start();
  for (const octet_tracks_method method : octet::film::kMethods) {
    octet::film::Result result;
    const char* expected = octet::film::kDigests[method];
    const bool ran = octet::film::RunFilm(method, octet::film::kFrames, &memory, &result);
    octet::board::Write(ran ? result.digest : "a call was refused");
    octet::board::Write("\n");
    if (!ran || memcmp(result.digest, expected, sizeof(result.digest)) != 0) {
      octet::board::Write("WRONG, expected ");
      octet::board::Write(expected);
      octet::board::Write("\n");
      return 1;
    }
  }
  return 0;
}
