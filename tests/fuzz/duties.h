// What the format leaves to a blob's writer because checking it would read every weight: sums of
// weights, zero tails, transformed weights (FORMAT.md). Bits are promised where they hold.
#ifndef OCTET_TESTS_FUZZ_DUTIES_H_
#define OCTET_TESTS_FUZZ_DUTIES_H_

#include "runtime/format/view.h"

namespace octet::fuzz {

// False where a layer of the (validated) blob does not keep them. repair: makes them hold first, as
// far as data is not shared between layers; it is written to.
bool KeepsDuties(const BlobView& view, bool repair);

}  // namespace octet::fuzz

#endif  // OCTET_TESTS_FUZZ_DUTIES_H_
