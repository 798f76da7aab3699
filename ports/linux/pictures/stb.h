// PNG and BMP, over stb_image: header-only, so that every board's static program has it. It does
// not look at checksums, so these are checked here. libpng would check them too, but it and zlib
// would be two more static libraries of each architecture, for a table of 16 words.
#ifndef OCTET_PORTS_LINUX_PICTURES_STB_H_
#define OCTET_PORTS_LINUX_PICTURES_STB_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "ports/linux/pictures/picture.h"

namespace octet::pictures {

bool IsPng(const uint8_t* bytes, size_t count);
bool IsBmp(const uint8_t* bytes, size_t count);

// Size and channels as stored. False, with *why.
bool ReadStbHeader(const uint8_t* bytes, size_t count, Picture* picture, std::string* why);
// Behind ReadStbHeader: into picture->pixels, whose size is set. False, with *why.
bool ReadStb(const uint8_t* bytes, size_t count, Picture* picture, std::string* why);

}  // namespace octet::pictures

#endif  // OCTET_PORTS_LINUX_PICTURES_STB_H_
