// Pictures in; JPEG and PNG out, over stb: header-only, so that every board's static program has
// it.
#ifndef OCTET_PORTS_LINUX_CAPTURE_JPEG_H_
#define OCTET_PORTS_LINUX_CAPTURE_JPEG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ports/linux/capture/frame.h"
#include "ports/linux/pictures/picture.h"

namespace octet::port {

// Pictures (ports/linux/pictures/picture.h says which) as frames. Its working memory grows with the
// largest picture seen and is then used again.
class PictureDecoder {
 public:
  // RGB24, or GREY8 where the picture is grey. False where the bytes are no picture; then why()
  // says what is wrong with them, as it continues "FILE: ".
  bool Decode(const uint8_t* bytes, size_t count, FrameBuffer* frame);
  const char* why() const { return reader_.why().c_str(); }

 private:
  pictures::PictureReader reader_;
  pictures::Picture picture_;
};

// Appends to `out`, which keeps its capacity. quality 1 to 100.
void EncodeJpeg(const uint8_t* rgb, uint32_t width, uint32_t height, int quality,
                std::vector<uint8_t>* out);
void EncodePng(const uint8_t* rgb, uint32_t width, uint32_t height, std::vector<uint8_t>* out);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAPTURE_JPEG_H_
