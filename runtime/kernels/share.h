// How kernels split their work: statically, by position, so that any number of threads gives the
// same bytes.
#ifndef OCTET_KERNELS_SHARE_H_
#define OCTET_KERNELS_SHARE_H_

#include <stdint.h>

namespace octet {

// One thread's share: kernels split the work themselves, statically, so that any thread_count gives
// the same bytes.
struct Share {
  uint32_t index, count;  // index < count
};

struct Range {
  uint64_t begin, end;
};

// The share's part of [0, total): contiguous, and the parts of all shares tile the whole.
// total * count < 2^64: totals are element counts of arena tensors (< 2^32).
static inline Range RangeOf(uint64_t total, Share share) {
  return Range{total * share.index / share.count,
               total * (share.index + (uint64_t)1) / share.count};
}

}  // namespace octet

#endif  // OCTET_KERNELS_SHARE_H_
