// Which inputs of a model take pictures.
#ifndef OCTET_CONVERTER_IMAGES_IMAGE_INPUT_H_
#define OCTET_CONVERTER_IMAGES_IMAGE_INPUT_H_

#include "converter/graph/graph.h"

namespace octet::images {

// A picture of 1 or 3 channels, [1, C, H, W] or [1, H, W, C] (then *channels_last).
bool IsImageInput(const graph::Shape& shape, bool* channels_last);

}  // namespace octet::images

#endif  // OCTET_CONVERTER_IMAGES_IMAGE_INPUT_H_
