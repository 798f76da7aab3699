// Samples of random numbers, for a conversion without data (--random-calibration). Same seed, same
// samples, on every machine: integer arithmetic, and float sums of a fixed order.
#ifndef OCTET_CONVERTER_IMAGES_RANDOM_DATA_H_
#define OCTET_CONVERTER_IMAGES_RANDOM_DATA_H_

#include <cstdint>
#include <memory>

#include "converter/graph/graph.h"
#include "converter/images/dataset.h"

namespace octet::images {

// Of one input, `count` samples. preprocess.is_image: pictures of the input's own size, 0 to 255,
// which are prepared as any picture is. Each is a sum of random grids from coarse to fine, with a
// brightness and contrast of its own: white noise alone is nearly constant behind the first layers.
// Else: numbers about 0 with standard deviation 1, within +-6. `input`: different inputs get
// different numbers.
std::unique_ptr<Dataset> RandomDataset(const graph::Shape& input_shape,
                                       const Preprocess& preprocess, bool channels_last,
                                       int64_t count, uint64_t seed, size_t input);

}  // namespace octet::images

#endif  // OCTET_CONVERTER_IMAGES_RANDOM_DATA_H_
