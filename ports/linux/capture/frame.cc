#include "ports/linux/capture/frame.h"

#include <algorithm>

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

void FullRangeToRgb(const FrameBuffer& from, FrameBuffer* to) {
  constexpr int32_t kHalf = 1 << 15;
  const auto clamp = [](int32_t value) { return static_cast<uint8_t>(std::clamp(value, 0, 255)); };
  to->Resize(OCTET_PIXELS_RGB24, from.width, from.height);
  const octet_frame view = from.View();
  uint8_t* out = to->bytes.data();
  for (size_t y = 0; y < from.height; ++y) {
    const uint8_t* luma = view.planes[0] + y * view.strides[0];
    const uint8_t* blue = view.planes[1] + y / 2 * view.strides[1];
    const uint8_t* red = view.planes[2] + y / 2 * view.strides[2];
    for (size_t x = 0; x < from.width; ++x, out += 3) {
      const int32_t cb = blue[x / 2] - 128, cr = red[x / 2] - 128;
      out[0] = clamp(luma[x] + ((91881 * cr + kHalf) >> 16));
      out[1] = clamp(luma[x] + ((-22554 * cb - 46802 * cr + kHalf) >> 16));
      out[2] = clamp(luma[x] + ((116130 * cb + kHalf) >> 16));
    }
  }
}

uint8_t* FrameBuffer::Plane(uint32_t index) {
  return bytes.data() + (View().planes[index] - bytes.data());
}

}  // namespace octet::port
