// Golden vectors: samples that travel with a blob, and what it gives for them.
#ifndef OCTET_CONVERTER_CLI_GOLDEN_H_
#define OCTET_CONVERTER_CLI_GOLDEN_H_

#include <cstdint>
#include <vector>

#include "converter/images/dataset.h"

namespace octet::cli {

// Sides of what is cut out of the middle of a picture, and bytes of float samples that are kept as
// they are: a vector is to cost little beside the weights. Of larger ones the range is kept.
constexpr int kGoldenSide = 64;
constexpr size_t kGoldenValueBytes = 64 << 10;

// Adds the section to a valid blob, with digests of this machine's best level. Returns how many
// vectors there are: `wanted`, or as many as there are samples, chosen at equal distances.
uint32_t AddGolden(const std::vector<const images::Dataset*>& datasets, uint32_t wanted,
                   uint64_t seed, std::vector<uint8_t>* blob);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_GOLDEN_H_
