// The rule pixel by pixel.
#include "runtime/image/preprocess.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

void SourcePixel(const FrameLayout& layout, uint32_t y, uint32_t x, uint8_t* values) {
  const Region& to = layout.target;
  for (uint32_t i = 0; i < layout.group_count; ++i) {
    const ComponentGroup& group = layout.groups[i];
    for (uint32_t k = 0; k < group.count; ++k, ++values) {
      Plane plane = group.plane;
      plane.pixels += group.offsets[k];
      ResizePixel(plane, 1, to.height, to.width, y, x, values);
    }
  }
}

}  // namespace

void input_frame_reference(const InputFrameArgs& args, Share share) {
  const FrameLayout& layout = args.layout;
  const Region& to = layout.target;
  const Range rows = RangeOf(args.height, share);
  for (uint64_t row = rows.begin; row < rows.end; ++row) {
    const uint32_t y = (uint32_t)row - to.y;  // wraps above the target, and so is outside
    for (uint32_t column = 0; column < args.width; ++column) {
      const uint32_t x = column - to.x;
      uint8_t source[3] = {args.letterbox_value, args.letterbox_value, args.letterbox_value};
      if (y < to.height && x < to.width) {
        SourcePixel(layout, y, x, source);
        if (layout.yuv) YuvToRgb(source);
      }
      uint8_t values[3];
      ModelChannels(source, layout.channels, args.colour, args.channels, values);
      const size_t first = ((size_t)row * args.width + column) * args.channels;
      for (uint32_t c = 0; c < args.channels; ++c) {
        const uint16_t entry = args.entries[c * 256 + values[c]];
        if (args.fp16) {
          reinterpret_cast<uint16_t*>(args.destination)[first + c] = entry;
        } else {
          args.destination[first + c] = (uint8_t)entry;
        }
      }
    }
  }
}

}  // namespace octet
