// A benchmark network to a blob in memory, through the converter's own passes, lowering and writer.
#ifndef OCTET_BENCH_MODELS_TO_BLOB_H_
#define OCTET_BENCH_MODELS_TO_BLOB_H_

#include <cstdint>
#include <vector>

#include "bench/models/network.h"

namespace octet::bench {

// Plans "int8" and "fp16". The ranges of the values are those the network states, so there is no
// calibration.
// With `winograd`, weights transformed for Winograd's method as well.
std::vector<uint8_t> MakeBlob(const Network& network, bool winograd);

}  // namespace octet::bench

#endif  // OCTET_BENCH_MODELS_TO_BLOB_H_
