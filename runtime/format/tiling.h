// Whether the parts of an output cover each of its elements exactly once: what octet_get_output and
// the decoders leave to the parts, they must not leave unset.
#ifndef OCTET_FORMAT_TILING_H_
#define OCTET_FORMAT_TILING_H_

#include <stdint.h>

namespace octet {

// Places base + sum of i[d] * step[d], 0 <= i[d] < size[d]. From OfStrides: outermost (largest
// step) first, every size above 1, neighbours that lie dense in each other are one.
struct Lattice {
  uint64_t base;
  uint32_t rank;
  uint64_t size[4], step[4];

  // False where two elements share a place, or where the steps do not show that none do: each has
  // to be larger than all that the smaller ones reach, as in any permutation of a dense array or of
  // a part of one.
  bool OfStrides(uint64_t new_base, const uint32_t (&dims)[4], const uint32_t (&strides)[4]);
  // The largest place, less base, of the dimensions from `first` on.
  uint64_t ReachFrom(uint32_t first) const;
};

// True where it is shown that no place is in both. Of parts joined along axes of an array, and of
// several arrays behind one another, it is.
bool AreApart(const Lattice& a, const Lattice& b);

}  // namespace octet

#endif  // OCTET_FORMAT_TILING_H_
