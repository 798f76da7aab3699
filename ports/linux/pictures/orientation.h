// EXIF's orientation: how stored pixels must be turned to be upright.
#ifndef OCTET_PORTS_LINUX_PICTURES_ORIENTATION_H_
#define OCTET_PORTS_LINUX_PICTURES_ORIENTATION_H_

#include <cstddef>
#include <cstdint>

#include "ports/linux/pictures/picture.h"

namespace octet::pictures {

// 1 to 8, of a TIFF structure as EXIF holds it
// (https://www.cipa.jp/std/documents/e/DC-008-2012_E.pdf, 4.6.4), with or without "Exif" in front;
// 1 where it says none, or nothing sensible.
int OrientationOf(const uint8_t* bytes, size_t count);
// Of a PNG's eXIf chunk.
int OrientationOfPng(const uint8_t* bytes, size_t count);

// True: width and height change places.
inline bool IsTurned(int orientation) {
  return orientation >= 5;
}

// to: width and height as they are behind it. stored: a picture of the other or the same size.
void StandUpright(const uint8_t* stored, int orientation, Picture* to);

}  // namespace octet::pictures

#endif  // OCTET_PORTS_LINUX_PICTURES_ORIENTATION_H_
