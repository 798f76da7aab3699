// Picture files to pixels: the one decoder of octet, octet-run and octet-camera, so that a file is
// read by all with the same bits, or refused by all with the same reason.
//
//   JPEG: sequential and progressive with Huffman codes, 8 bits, grey, YCbCr and RGB; the integers
//         of libjpeg's accurate inverse transform and of its smooth upsampling. Tables left out are
//         the standard's. Stray bytes between segments and in front of restart markers, and a
//         missing end marker, do no harm; missing coded data do.
//   PNG and BMP: what stb_image reads. Transparency is dropped.
//   PGM and PPM: binary and plain, any maximum: round(value * 255 / maximum).
// The orientation that EXIF tells (of JPEG and PNG) is applied: pixels come upright.
#ifndef OCTET_PORTS_LINUX_PICTURES_PICTURE_H_
#define OCTET_PORTS_LINUX_PICTURES_PICTURE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace octet::pictures {

struct Picture {
  uint32_t width = 0, height = 0;
  uint32_t channels = 0;        // 1: grey; 3: RGB
  std::vector<uint8_t> pixels;  // [height, width, channels]
};

inline constexpr uint32_t kMostSide = 65535;

// Working memory grows with the largest picture read and is used again. One thread at a time.
class PictureReader {
 public:
  PictureReader();
  ~PictureReader();
  PictureReader(PictureReader&&) noexcept;
  PictureReader& operator=(PictureReader&&) noexcept;

  // Size and channels, without pixels. False where Read is sure to refuse; why() says the reason.
  bool ReadHeader(const uint8_t* bytes, size_t count, Picture* picture);
  // most_side: the longest side that is taken.
  bool Read(const uint8_t* bytes, size_t count, Picture* picture, uint32_t most_side = kMostSide);
  // What is wrong with the bytes, as it continues "FILE: ".
  const std::string& why() const { return why_; }

 private:
  struct Memory;

  std::unique_ptr<Memory> memory_;
  std::string why_;
};

}  // namespace octet::pictures

#endif  // OCTET_PORTS_LINUX_PICTURES_PICTURE_H_
