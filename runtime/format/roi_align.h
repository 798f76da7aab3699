// RoiAlign's parameters; a part of blob.h.
#ifndef OCTET_FORMAT_ROI_ALIGN_H_
#define OCTET_FORMAT_ROI_ALIGN_H_

#include <stdint.h>

#include "runtime/format/blob.h"

namespace octet {
namespace blob {

// FP16 alone. Region r of the second input, [1, 1, regions, 4], is (x1, y1, x2, y2); its picture of
// the first is layer.extra = uint32[regions]. Its edges times spatial_scale, less 0.5 with
// half_pixel (without, a side is at least 1), are divided into out_h x out_w cells with
// sampling_ratio^2 samples each (0: one a pixel, at most 256 an axis), bilinear ones; a sample
// more than a pixel outside is 0. The result is their mean, or the largest of the weighed pixels.
struct RoiAlignParams {
  float spatial_scale;
  uint32_t sampling_ratio;  // at most 256
  uint8_t maximum, half_pixel;
  uint8_t reserved[2];
};

static_assert(sizeof(RoiAlignParams) == 12, "RoiAlignParams layout");

}  // namespace blob
}  // namespace octet

#endif  // OCTET_FORMAT_ROI_ALIGN_H_
