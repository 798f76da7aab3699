// Tracks and zones without an operating system: the hash of tests/runtime/track/film.h.
#include <string.h>

#include "ports/template/board.h"
#include "tests/runtime/track/film.h"

namespace {

OCTET_BOARD_WORK octet::film::Memory memory;

}  // namespace

int main() {
  octet::board::Start();
  octet::film::Result result;
  const bool ran = octet::film::RunFilm(octet::film::kFrames, &memory, &result);
  octet::board::Write(ran ? result.digest : "a call was refused");
  octet::board::Write("\n");
  if (!ran || memcmp(result.digest, octet::film::kDigest, sizeof(result.digest)) != 0) {
    octet::board::Write("WRONG, expected ");
    octet::board::Write(octet::film::kDigest);
    octet::board::Write("\n");
    return 1;
  }
  return 0;
}
