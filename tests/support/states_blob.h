// A blob with states for tests: h' = h * x + x in FP16, whose start is not zero, and a number that
// is kept for one frame. Two plans compute the same in other tensors.
#ifndef OCTET_TESTS_SUPPORT_STATES_BLOB_H_
#define OCTET_TESTS_SUPPORT_STATES_BLOB_H_

#include <cstdint>
#include <functional>

#include "tests/support/blob_builder.h"

namespace octet::test {

// Elements of x, h and the output y, which is h'; of the number i, whose output is the last
// frame's.
inline constexpr uint32_t kStateElements = 3 * 7 * 5, kStateNumbers = 6;

// change: of the builder, in front of Build.
Blob MakeStatesBlob(const std::function<void(BlobBuilder&)>& change = {});

}  // namespace octet::test

#endif  // OCTET_TESTS_SUPPORT_STATES_BLOB_H_
