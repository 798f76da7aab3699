// Boxes, masks, key points and names drawn into RGB pictures.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_DRAW_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_DRAW_H_

#include <cstdint>
#include <vector>

#include "ports/linux/capture/frame.h"
#include "ports/linux/results/results.h"

namespace octet::port {

// A picture for people: what was captured and what was found in it.
struct Annotated {
  std::vector<uint8_t> rgb;
  uint32_t width = 0, height = 0;

  // Any frame format; the memory grows with the largest frame.
  void SetFrame(const FrameBuffer& frame);
  void Draw(const Results& results, const octet_session* session);

 private:
  struct Colour {
    uint8_t r, g, b;
  };
  static Colour ColourOf(uint32_t label);
  void Fill(int x0, int y0, int x1, int y1, Colour colour);
  void Tint(const Results& results, const ObjectMask& mask, Colour colour);
  void Points(const Results& results, uint32_t box, int size, Colour colour);
  void Frame(const octet_detection& box, int thickness, Colour colour);
  void Way(const DrawnLine& line, int thickness);
  void Text(int x, int y, int scale, const char* text, Colour colour);
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_DRAW_H_
