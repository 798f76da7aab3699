// One frame in memory, as a camera delivers it.
#ifndef OCTET_PORTS_LINUX_CAPTURE_FRAME_H_
#define OCTET_PORTS_LINUX_CAPTURE_FRAME_H_

#include <cstdint>
#include <string>
#include <vector>

#include "octet/octet.h"

namespace octet::port {

// A box known to be in the frame (the built-in scene), pixels.
struct TruthBox {
  float x0, y0, x1, y1;
  uint32_t label;
};

struct FrameBuffer {
  octet_pixel_format format = OCTET_PIXELS_RGB24;
  uint32_t width = 0, height = 0;
  std::vector<uint8_t> bytes;  // the planes one after another, rows dense
  uint64_t number = 0;         // in the stream, from 0
  uint64_t captured_ns = 0;    // NowNs() when its last byte had arrived
  uint64_t passed_over = 0;    // frames that the source skipped right before it
  std::vector<TruthBox> truth;
  std::string name;  // of the file, where it is a picture of a folder

  // Allocates only where the frame grows.
  void Resize(octet_pixel_format new_format, uint32_t new_width, uint32_t new_height);
  octet_frame View() const;
  uint8_t* Plane(uint32_t index);
};

// YUV420P whose values use all of 0 to 255 (BT.601 as JPEG has it), which no octet_pixel_format
// says, as RGB24. Each colour holds for its two by two pixels.
void FullRangeToRgb(const FrameBuffer& from, FrameBuffer* to);

// Bytes of one frame with dense rows; 0 for sizes no frame has.
size_t FrameBytes(octet_pixel_format format, uint32_t width, uint32_t height);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAPTURE_FRAME_H_
