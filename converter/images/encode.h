// Pictures for people to look at: smaller, and as JPEG.
#ifndef OCTET_CONVERTER_IMAGES_ENCODE_H_
#define OCTET_CONVERTER_IMAGES_ENCODE_H_

#include <cstdint>
#include <vector>

#include "converter/images/dataset.h"

namespace octet::images {

// Means of k x k pixels, k the smallest whole number that leaves no side above `most`; the last
// ones of a row or column are means of fewer.
Image Shrink(const Image& image, int most);

// quality 1 to 100. Throws UserError where libjpeg-turbo refuses.
std::vector<uint8_t> EncodeJpeg(const Image& image, int quality);

}  // namespace octet::images

#endif  // OCTET_CONVERTER_IMAGES_ENCODE_H_
