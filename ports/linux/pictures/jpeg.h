// JPEG (ITU-T T.81) to pixels, with the integers of libjpeg (its "islow" transform, its smooth
// upsampling of colours): the bits that libjpeg-turbo gives.
#ifndef OCTET_PORTS_LINUX_PICTURES_JPEG_H_
#define OCTET_PORTS_LINUX_PICTURES_JPEG_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ports/linux/pictures/jpeg_scan.h"
#include "ports/linux/pictures/picture.h"

namespace octet::pictures {

class JpegReader {
 public:
  // Up to the first scan. False, with *why.
  bool ReadHeader(const uint8_t* bytes, size_t count, std::string* why);
  // Behind ReadHeader of the same bytes: the rest. False, with *why.
  bool Decode(std::string* why);
  // Rows of the stored picture, of 1 or 3 bytes a pixel.
  void Write(uint8_t* pixels);

  uint32_t width() const { return frame_.width; }
  uint32_t height() const { return frame_.height; }
  uint32_t channels() const { return frame_.component_count == 1 ? 1 : 3; }
  int orientation() const { return orientation_; }

 private:
  enum class Step { kGoOn, kFrame, kScan, kEnd, kBad };
  // The next segment.
  Step Next();
  bool Bad(const std::string& what);
  bool ReadFrame(uint8_t marker, const uint8_t* data, size_t bytes);
  bool ReadQuantization(const uint8_t* data, size_t bytes);
  bool ReadHuffman(const uint8_t* data, size_t bytes);
  bool ReadScan(const uint8_t* data, size_t bytes);
  void ReadApplication(uint8_t marker, const uint8_t* data, size_t bytes);
  bool IsRgb() const;
  void Allocate();
  bool IsWhole();

  const uint8_t* bytes_ = nullptr;
  size_t count_ = 0, at_ = 0;
  std::string why_;
  JpegFrame frame_;
  JpegTables tables_;
  int adobe_ = -1, orientation_ = 1;
  bool jfif_ = false, has_end_ = false, has_exif_ = false, header_only_ = false;
  uint32_t scans_ = 0;
  std::vector<uint8_t> rows_;  // of the upsampled components
};

}  // namespace octet::pictures

#endif  // OCTET_PORTS_LINUX_PICTURES_JPEG_H_
