// Functions of one variable on FP16, a few hundred elements at a time in floats. A Level brings
// Widen(from, count, to) and Narrow(from, count, to), and Apply(args, values, count) for a multiple
// of 16. Internal linkage.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

constexpr uint32_t kElementsAtOnce = 256;

template <typename Level>
static inline void RunUnaryF16(const UnaryF16Args& args, Share share) {
  const Range range = RangeOf(args.count, share);
  alignas(64) float values[kElementsAtOnce] = {};
  for (uint64_t i = range.begin; i < range.end; i += kElementsAtOnce) {
    const uint64_t left = range.end - i;
    const uint32_t count = left < kElementsAtOnce ? (uint32_t)left : kElementsAtOnce;
    Level::Widen(args.input + i, count, values);
    Level::Apply(args, values, (count + 15) / 16 * 16);
    Level::Narrow(values, count, args.output + i);
  }
}

}  // namespace
}  // namespace octet
