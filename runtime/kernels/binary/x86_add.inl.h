// Add of int8 tensors for x86 levels: bytes of both are paired, widened and multiplied in pairs,
//   (a - za) ma + (b - zb) mb + 2^(shift - 1)  =  [a b] . [ma mb] + constant,
// all within 128-bit lanes, so that the packs restore the order. Output zero point and the 128 of
// arena bytes come with the constant, multiplied by 2^shift, where that fits.
//
// Included by binary/x86_<level>.cc, which defines a vector class. Internal linkage only.
#include <string.h>

#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

// |sums| <= 2 * 255 * 2^15 < 2^24 and (zero_point + 128) << shift < 2^28 fit 32 bits.
constexpr int32_t kLargestAddShift = 20;

// `count` elements; b lies beside a, or is one byte for all.
template <class V>
static inline void AddElements(const V& v, const uint8_t* a, const uint8_t* b, bool one_b,
                               uint8_t* output, uint64_t count) {
  const typename V::Vec same = V::Set(*b);
  uint64_t i = 0;
  for (; i + V::kBytes <= count; i += V::kBytes) {
    V::Store(output + i, v.Add(V::Load(a + i), one_b ? same : V::Load(b + i)));
  }
  if (i == count) return;
  alignas(64) uint8_t x[V::kBytes] = {}, y[V::kBytes] = {};
  memcpy(x, a + i, count - i);
  if (!one_b) memcpy(y, b + i, count - i);
  V::Store(x, v.Add(V::Load(x), one_b ? same : V::Load(y)));
  memcpy(output + i, x, count - i);
}

template <class V>
static void RunAdd(const BinaryS8Args& args, Share share) {
  const int32_t zero = (args.out_zero_point + 128) << args.shift;
  const int32_t constant = (int32_t)(1u << (args.shift - 1)) -
                           (args.zero_point_a + 128) * args.multiplier_a -
                           (args.zero_point_b + 128) * args.multiplier_b + zero;
  const V v(args, constant);
  if (args.broadcast == blob::Broadcast::kNone || args.broadcast == blob::Broadcast::kScalar) {
    const bool one = args.broadcast == blob::Broadcast::kScalar;
    const Range range = RangeOf((uint64_t)args.pixels * args.channels, share);
    if (range.begin == range.end) return;
    AddElements(v, args.a + range.begin, one ? args.b : args.b + range.begin, one,
                args.output + range.begin, range.end - range.begin);
    return;
  }
  const bool one = args.broadcast == blob::Broadcast::kSpatial;
  const Range pixels = RangeOf(args.pixels, share);
  for (uint64_t p = pixels.begin; p < pixels.end; ++p) {
    const uint64_t first = p * args.channels;
    AddElements(v, args.a + first, one ? args.b + p : args.b, one, args.output + first,
                args.channels);
  }
}

static inline int32_t PairOfMultipliers(const BinaryS8Args& args) {
  return (int32_t)(((uint32_t)args.multiplier_b << 16) | ((uint32_t)args.multiplier_a & 0xFFFFu));
}

}  // namespace
}  // namespace octet
