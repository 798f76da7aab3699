#include "ports/linux/capture/frame.h"

namespace octet::port {
namespace {

constexpr uint32_t kLargestSide = 16384;

struct Layout {
  uint32_t planes;
  size_t strides[3], heights[3];
};

Layout LayoutOf(octet_pixel_format format, uint32_t width, uint32_t height) {
  const size_t w = width, h = height, half_w = (w + 1) / 2, half_h = (h + 1) / 2;
  switch (format) {
    case OCTET_PIXELS_RGB24:
      return {1, {3 * w, 0, 0}, {h, 0, 0}};
    case OCTET_PIXELS_GREY8:
      return {1, {w, 0, 0}, {h, 0, 0}};
    case OCTET_PIXELS_NV12:
      return {2, {w, 2 * half_w, 0}, {h, half_h, 0}};
    case OCTET_PIXELS_YUV420P:
      return {3, {w, half_w, half_w}, {h, half_h, half_h}};
    case OCTET_PIXELS_YUYV:
      return {1, {4 * half_w, 0, 0}, {h, 0, 0}};
  }
  return {0, {0, 0, 0}, {0, 0, 0}};
}

}  // namespace

size_t FrameBytes(octet_pixel_format format, uint32_t width, uint32_t height) {
  if (width == 0 || height == 0 || width > kLargestSide || height > kLargestSide) return 0;
  const Layout layout = LayoutOf(format, width, height);
  size_t bytes = 0;
  for (uint32_t i = 0; i < layout.planes; ++i) bytes += layout.strides[i] * layout.heights[i];
  return bytes;
}

void FrameBuffer::Resize(octet_pixel_format new_format, uint32_t new_width, uint32_t new_height) {
  format = new_format;
  width = new_width;
  height = new_height;
  bytes.resize(FrameBytes(format, width, height));
}

octet_frame FrameBuffer::View() const {
  const Layout layout = LayoutOf(format, width, height);
  octet_frame frame = {};
  frame.format = format;
  frame.width = width;
  frame.height = height;
  size_t offset = 0;
  for (uint32_t i = 0; i < layout.planes; ++i) {
    frame.planes[i] = bytes.data() + offset;
    frame.strides[i] = layout.strides[i];
    offset += layout.strides[i] * layout.heights[i];
  }
  return frame;
}

uint8_t* FrameBuffer::Plane(uint32_t index) {
  return bytes.data() + (View().planes[index] - bytes.data());
}

}  // namespace octet::port
