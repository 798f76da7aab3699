#include "runtime/image/frame.h"

namespace octet {
namespace {

struct PlaneShape {
  uint32_t count;    // components wanted of a pixel
  uint32_t step;     // bytes of a pixel
  uint32_t halve_x;  // log2 of how many pixels of the frame one of the plane covers
  uint32_t halve_y;
  uint32_t plane;  // which of the frame's
  uint8_t offsets[3];
};

struct FormatShape {
  uint32_t plane_count, group_count;
  PlaneShape groups[3];
};

constexpr FormatShape kFormats[] = {
    {1, 1, {{3, 3, 0, 0, 0, {0, 1, 2}}, {}, {}}},                                // RGB24
    {1, 1, {{1, 1, 0, 0, 0, {0}}, {}, {}}},                                      // GREY8
    {2, 2, {{1, 1, 0, 0, 0, {0}}, {2, 2, 1, 1, 1, {0, 1}}, {}}},                 // NV12
    {3, 3, {{1, 1, 0, 0, 0, {0}}, {1, 1, 1, 1, 1, {0}}, {1, 1, 1, 1, 2, {0}}}},  // YUV420P
    {1, 2, {{1, 2, 0, 0, 0, {0}}, {2, 4, 1, 0, 0, {1, 3}}, {}}},                 // YUYV
};
constexpr uint32_t kFormatCount = sizeof(kFormats) / sizeof(kFormats[0]);

uint32_t Halve(uint32_t size, uint32_t log2) {
  return (size + log2) >> log2;  // log2 is 0 or 1: upwards
}

}  // namespace

bool FrameIsValid(const Frame& frame) {
  if ((uint32_t)frame.format >= kFormatCount || frame.width == 0 || frame.height == 0 ||
      frame.width > kMaxPictureSize || frame.height > kMaxPictureSize) {
    return false;
  }
  const FormatShape& shape = kFormats[(uint32_t)frame.format];
  for (uint32_t i = 0; i < shape.group_count; ++i) {
    const PlaneShape& group = shape.groups[i];
    const size_t row_bytes = (size_t)Halve(frame.width, group.halve_x) * group.step;
    if (frame.planes[group.plane] == nullptr || frame.strides[group.plane] < row_bytes) {
      return false;
    }
  }
  return true;
}

FrameLayout LayOutFrame(const Frame& frame, uint32_t target_h, uint32_t target_w,
                        blob::ResizeMode mode) {
  const FormatShape& shape = kFormats[(uint32_t)frame.format];
  FrameLayout layout = {};
  layout.group_count = shape.group_count;
  for (uint32_t i = 0; i < shape.group_count; ++i) {
    const PlaneShape& from = shape.groups[i];
    ComponentGroup* group = &layout.groups[i];
    const Plane plane = {frame.planes[from.plane], frame.strides[from.plane], from.step,
                         Halve(frame.height, from.halve_y), Halve(frame.width, from.halve_x)};
    const Placement placement = PlacePicture(plane.height, plane.width, target_h, target_w, mode);
    if (i == 0) layout.target = placement.target;  // this plane has the size of the frame
    group->plane = CutPlane(plane, placement.source);
    group->count = from.count;
    for (uint32_t k = 0; k < from.count; ++k) group->offsets[k] = from.offsets[k];
    layout.channels += from.count;
  }
  layout.yuv = layout.channels == 3 && frame.format != PixelFormat::kRgb24;
  return layout;
}

}  // namespace octet
