// Frames as cameras deliver them, and the integer rule that makes a model's pixels of them.
//
// Planes. RGB24, GREY8, YUYV: one. NV12: Y, then U and V interleaved. YUV420P: Y, U, V. Chroma
// planes of the 4:2:0 formats are ceil(width / 2) x ceil(height / 2); a YUYV row is Y0 U Y1 V for
// every two pixels, the width rounded up to two, its chroma ceil(width / 2) x height.
//
// Rule. The part of the target that is not bars comes from the frame's own size (PlacePicture).
// Every component is resized onto that part as a picture of its own size, from the cut that
// PlacePicture makes of that size (all of it but for crop), by the one resize of resize.h. Then,
// for YUV, pixel by pixel, BT.601 limited range in 7-bit coefficients (>> is floor):
//   R = clamp((149 (Y - 16) + 204 (V - 128) + 64) >> 7, 0, 255)
//   G = clamp((149 (Y - 16) - 50 (U - 128) - 104 (V - 128) + 64) >> 7, 0, 255)
//   B = clamp((149 (Y - 16) + 258 (U - 128) + 64) >> 7, 0, 255)
// each within 0.4 of the real-valued conversion before its rounding, Y up to 255 included. Then
// ModelChannels and the tables of preprocess.h. Bars hold letterbox_value in every channel of RGB.
#ifndef OCTET_IMAGE_FRAME_H_
#define OCTET_IMAGE_FRAME_H_

#include "runtime/format/view.h"
#include "runtime/image/resize.h"

namespace octet {

enum class PixelFormat : uint8_t { kRgb24 = 0, kGrey8 = 1, kNv12 = 2, kYuv420p = 3, kYuyv = 4 };

struct Frame {
  PixelFormat format;
  uint32_t width, height;
  const uint8_t* planes[3];
  size_t strides[3];  // bytes from row to row
};

// Sizes in [1, kMaxPictureSize], planes given, strides at least a row.
bool FrameIsValid(const Frame& frame);

// Components that lie in the same pixels of one plane, in the order R G B or Y U V over all groups.
struct ComponentGroup {
  Plane plane;  // what is cut out of it
  uint32_t count;
  uint8_t offsets[3];  // of each component in a pixel
};

struct FrameLayout {
  ComponentGroup groups[3];
  uint32_t group_count;
  uint32_t channels;  // of the picture: 1 grey, 3 colour
  bool yuv;
  Region target;
};
// frame: valid. target sizes in [1, kMaxPictureSize].
FrameLayout LayOutFrame(const Frame& frame, uint32_t target_h, uint32_t target_w,
                        blob::ResizeMode mode);

static inline uint8_t ClampToByte(int32_t x) {
  return (uint8_t)(x < 0 ? 0 : (x > 255 ? 255 : x));
}

// In place: Y, U, V to R, G, B.
static inline void YuvToRgb(uint8_t* values) {
  const int32_t y = 149 * (values[0] - 16) + 64, u = values[1] - 128, v = values[2] - 128;
  values[0] = ClampToByte((y + 204 * v) >> 7);
  values[1] = ClampToByte((y - 50 * u - 104 * v) >> 7);
  values[2] = ClampToByte((y + 258 * u) >> 7);
}

}  // namespace octet

#endif  // OCTET_IMAGE_FRAME_H_
