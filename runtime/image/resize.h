// Picture to model input, in integers: one normative resize and one table per channel, used alike
// by calibration, .npy input and camera.
//
// Resize: bilinear with half-pixel centres in fixed point: for an output size n_out and an input
// size n_in along one axis,
//   position(i) = ((2 i + 1) * n_in * 2^15 / n_out) - 2^15, in units of 2^-16 source pixels
//   (integer division towards zero of the non-negative product, before the subtraction), clamped to
//   [0, (n_in - 1) * 2^16]; low = position >> 16, high = min(low + 1, n_in - 1), weight_high =
//   (position & 0xFFFF) >> 5 (11 bits); value = (sum of the four taps * wy * wx + 2^21) >> 22.
// An axis that shrinks by more than 2 (n_in > 2 * n_out) is averaged over the area instead: output
// i covers
//   [i * n_in / n_out, (i + 1) * n_in / n_out) with the border pixels weighted by their covered
//   part in 1/n_out units (exact integers; the weights of one output sum to n_in). The two axes
//   share one sum, rounded once, half up: value = (2 * sum + total) / (2 * total), total = product
//   of the axes' weight sums (2048 for a bilinear axis).
// Equal sizes on both axes copy.
// Every plane of a frame is resized on its own by this rule (frame.h).
#ifndef OCTET_IMAGE_RESIZE_H_
#define OCTET_IMAGE_RESIZE_H_

#include <stddef.h>
#include <stdint.h>

#include "runtime/format/blob.h"

namespace octet {

struct Region {
  uint32_t x, y, width, height;
};

// How a source picture maps onto a destination: `source` is cut out of the picture (crop) and
// scaled onto `target` (letterbox: the part of the destination that is not bars).
struct Placement {
  Region source, target;
};
Placement PlacePicture(uint32_t source_h, uint32_t source_w, uint32_t target_h, uint32_t target_w,
                       blob::ResizeMode mode);

// Pixels of `step` bytes (those of one plane may hold more components than are wanted).
struct Plane {
  const uint8_t* pixels;
  size_t row_bytes;
  uint32_t step, height, width;
};
Plane CutPlane(const Plane& plane, const Region& region);

// Pixel (y, x) of a plane resized to [out_h, out_w]: its first `channels` (at most 4) bytes.
void ResizePixel(const Plane& plane, uint32_t channels, uint32_t out_h, uint32_t out_w, uint32_t y,
                 uint32_t x, uint8_t* values);

// Every output pixel is computed on its own, so that no memory is needed. `store(context, y, x,
// channel values)` receives each pixel, bars included.
typedef void (*StorePixel)(void* context, uint32_t y, uint32_t x, const uint8_t* channels);
void ResizePicture(const uint8_t* pixels, uint32_t height, uint32_t width, uint32_t channels,
                   size_t row_bytes, uint32_t target_h, uint32_t target_w, blob::ResizeMode mode,
                   uint8_t letterbox_value, StorePixel store, void* context);

}  // namespace octet

#endif  // OCTET_IMAGE_RESIZE_H_
