// PGM and PPM, binary (P5, P6) and plain (P2, P3): https://netpbm.sourceforge.net/doc/ppm.html.
#ifndef OCTET_PORTS_LINUX_PICTURES_PNM_H_
#define OCTET_PORTS_LINUX_PICTURES_PNM_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "ports/linux/pictures/picture.h"

namespace octet::pictures {

struct PnmHeader {
  uint32_t width, height, channels, maximum;
  bool plain;
  size_t pixels_at;
};

bool IsPnm(const uint8_t* bytes, size_t count);
// False, with *why, where the header cannot be read.
bool ReadPnmHeader(const uint8_t* bytes, size_t count, PnmHeader* header, std::string* why);
// Into picture->pixels, whose size is set. False, with *why.
bool ReadPnm(const uint8_t* bytes, size_t count, const PnmHeader& header, Picture* picture,
             std::string* why);

}  // namespace octet::pictures

#endif  // OCTET_PORTS_LINUX_PICTURES_PNM_H_
