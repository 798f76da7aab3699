// A binary heap of numbers in place, without memory of its own: NonMaxSuppression sorts with it.
// List[i], i < count, is read and written by At(i).
#ifndef OCTET_KERNELS_SELECT_HEAP_H_
#define OCTET_KERNELS_SELECT_HEAP_H_

#include <stdint.h>

namespace octet {

// Comparisons that an element of a heap of so many takes at most, there and back.
static inline uint64_t HeapSteps(uint64_t count) {
  uint64_t steps = 4;
  for (; count > 1; count /= 2) steps += 4;
  return steps;
}

// Restores the heap below `at`: no entry is better than those under it, so that the worst is first.
template <typename At, typename Better>
static inline void SiftDown(const At& list, uint64_t at, uint64_t count, const Better& better) {
  for (;;) {
    uint64_t worst = at;
    for (uint64_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; ++child) {
      if (better(list(worst), list(child))) worst = child;
    }
    if (worst == at) return;
    const auto entry = list(at);
    list(at) = list(worst);
    list(worst) = entry;
    at = worst;
  }
}

template <typename At, typename Better>
static inline void MakeHeap(const At& list, uint64_t count, const Better& better) {
  for (uint64_t at = count / 2; at-- > 0;) SiftDown(list, at, count, better);
}

// From a heap to the best first.
template <typename At, typename Better>
static inline void SortHeap(const At& list, uint64_t count, const Better& better) {
  for (uint64_t end = count; end-- > 1;) {
    const auto worst = list(0);
    list(0) = list(end);
    list(end) = worst;
    SiftDown(list, 0, end, better);
  }
}

}  // namespace octet

#endif  // OCTET_KERNELS_SELECT_HEAP_H_
