// An array of any numbers, whole: no pictures, no samples.
#ifndef OCTET_CONVERTER_IMAGES_NUMBERS_H_
#define OCTET_CONVERTER_IMAGES_NUMBERS_H_

#include <filesystem>

#include "converter/graph/tensor.h"

namespace octet::images {

// A .npy file: floats of 16, 32 and 64 bits as float, integers as INT64, also those of 8 bits and
// bool. Throws UserError.
graph::Tensor ReadNumbers(const std::filesystem::path& path);

}  // namespace octet::images

#endif  // OCTET_CONVERTER_IMAGES_NUMBERS_H_
