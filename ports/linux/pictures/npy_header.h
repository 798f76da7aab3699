// NumPy's .npy files (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html),
// versions 1 to 3, and how an array of uint8 holds pictures: one rule for octet and octet-run.
#ifndef OCTET_PORTS_LINUX_PICTURES_NPY_HEADER_H_
#define OCTET_PORTS_LINUX_PICTURES_NPY_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace octet::pictures {

struct NpyHeader {
  std::string dtype;  // "|u1", "<f4", ...
  size_t element_bytes = 0;
  std::vector<uint64_t> shape;
  uint64_t element_count = 0;
  size_t data_at = 0;  // may be odd
};

// Element types: |u1 |i1 |b1 <f2 <f4 <f8 <i4 <i8, in C order, and all of them there. False, with
// *why, as it continues "FILE: ".
bool ReadNpyHeader(const uint8_t* bytes, size_t count, NpyHeader* header, std::string* why);

struct PicturesOfArray {
  uint64_t count = 0;
  uint32_t height = 0, width = 0, channels = 0;  // channels 0: the shape holds no pictures
  bool planar = false;                           // [C, H, W] each
};
// [N,H,W,C], [N,C,H,W], [H,W,C] or [N,H,W], C 1 or 3. The channels stand last (files from cameras
// and tools); second only where that is the one way to read the shape.
PicturesOfArray FindPictures(const std::vector<uint64_t>& shape);

}  // namespace octet::pictures

#endif  // OCTET_PORTS_LINUX_PICTURES_NPY_HEADER_H_
