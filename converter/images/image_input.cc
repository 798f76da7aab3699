#include "converter/images/image_input.h"

#include <algorithm>

#include "runtime/format/view.h"

namespace octet::images {

bool IsImageInput(const graph::Shape& shape, bool* channels_last) {
  *channels_last = false;
  // A batch of pictures is no picture: each is a frame of its own.
  if (shape.size() != 4 || shape[0] != 1) return false;
  // Nor is a signal, however it is shaped.
  if (*std::max_element(shape.begin(), shape.end()) > int64_t{kMaxPictureSize}) return false;
  if (shape[1] == 1 || shape[1] == 3) return true;
  *channels_last = shape[3] == 1 || shape[3] == 3;
  return *channels_last;
}

}  // namespace octet::images
