// Bits of blob::Header::optional_features (FORMAT.md): what a program may want to know of a blob
// before it takes it. Unknown bits are ignored, and the engine reads none of them.
#ifndef OCTET_FORMAT_OPTIONAL_FEATURES_H_
#define OCTET_FORMAT_OPTIONAL_FEATURES_H_

#include "runtime/format/blob.h"

namespace octet {
namespace blob {

enum OptionalFeature : uint64_t {
  // Ranges were measured on random data, not on the model's own (octet convert
  // --random-calibration): int8 results on real inputs may be wrong.
  kFeatureRandomRanges = 1u << 0,
};

inline bool HasRandomRanges(const Header& header) {
  return (header.optional_features & kFeatureRandomRanges) != 0;
}

}  // namespace blob
}  // namespace octet

#endif  // OCTET_FORMAT_OPTIONAL_FEATURES_H_
