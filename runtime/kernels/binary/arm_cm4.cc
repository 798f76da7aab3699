// Add of int8 tensors with 16-bit multiply-accumulates, four elements at a time:
//   (a - za) ma + (b - zb) mb + 2^(shift - 1) + (zero_point << shift)  =  a ma + b mb + constant,
// whose shift is the sum's and the output zero point, where that fits 32 bits.
#include "runtime/kernels/arm_cm4.inl.h"
#include "runtime/kernels/binary/arm_runs.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/quant/requantize.h"

namespace octet {
namespace {

// |sums| <= 2 * 255 * 2^15 < 2^24, and half and zero_point << shift < 2^28 beside them.
constexpr int32_t kLargestAddShift = 20;

struct Sum {
  int32_t constant, shift;
  uint32_t multipliers;  // of a, of b
};

static inline int32_t Finish(const Sum& sum, int32_t acc) {
  return __ssat(acc >> sum.shift, 8);
}

static inline uint32_t AddWord(const Sum& sum, uint32_t a, uint32_t b) {
  const int32_t m = (int32_t)sum.multipliers;
  const int32_t even_a = (int32_t)EvenBytes(a), even_b = (int32_t)EvenBytes(b);
  const int32_t odd_a = (int32_t)OddBytes(a), odd_b = (int32_t)OddBytes(b);
  const int32_t q0 = Finish(sum, __smlabt(even_b, m, __smlabb(even_a, m, sum.constant)));
  const int32_t q1 = Finish(sum, __smlabt(odd_b, m, __smlabb(odd_a, m, sum.constant)));
  const int32_t q2 = Finish(sum, __smlatt(even_b, m, __smlatb(even_a, m, sum.constant)));
  const int32_t q3 = Finish(sum, __smlatt(odd_b, m, __smlatb(odd_a, m, sum.constant)));
  return WordOf(PackLow((uint32_t)q0, (uint32_t)q2), PackLow((uint32_t)q1, (uint32_t)q3));
}

static inline void AddRun(const Sum& sum, const uint8_t* a, const Run<uint8_t>& run, uint8_t* to) {
  const uint32_t same = FourOf(*run.b);
  const uint8_t* b = run.b;
  uint64_t left = run.count;
  for (; left >= 4; left -= 4, a += 4, b += 4, to += 4) {
    StoreWord(to, AddWord(sum, LoadWord(a), run.one ? same : LoadWord(b)));
  }
  const uint32_t count = (uint32_t)left;
  if (count == 0) return;
  StoreBytes(to, AddWord(sum, LoadBytes(a, count), run.one ? same : LoadBytes(b, count)), count);
}

// Any shift, element by element.
static void AddRunAnyShift(const BinaryS8Args& args, const Run<uint8_t>& run) {
  for (uint64_t i = 0; i < run.count; ++i) {
    const int32_t a = (int8_t)args.a[run.begin + i] - args.zero_point_a;
    const int32_t b = (int8_t)run.b[run.one ? 0 : i] - args.zero_point_b;
    const int32_t sum = a * args.multiplier_a + b * args.multiplier_b;
    const int32_t value = (sum + (int32_t)(1u << (args.shift - 1))) >> args.shift;
    args.output[run.begin + i] =
        (uint8_t)ToInt8(value, args.out_zero_point, args.clamp_lo, args.clamp_hi);
  }
}

}  // namespace

void add_s8_cm4(const BinaryS8Args& args, Share share) {
  if (args.shift > kLargestAddShift) {
    ForEachRun(args, share, [&](const Run<uint8_t>& run) { AddRunAnyShift(args, run); });
    return;
  }
  const Sum sum = {
      (int32_t)(1u << (args.shift - 1)) + (int32_t)((uint32_t)args.out_zero_point << args.shift) -
          args.zero_point_a * args.multiplier_a - args.zero_point_b * args.multiplier_b,
      args.shift, PackLow((uint32_t)args.multiplier_a, (uint32_t)args.multiplier_b)};
  ForEachRun(args, share, [&](const Run<uint8_t>& run) {
    uint8_t* const to = args.output + run.begin;
    AddRun(sum, args.a + run.begin, run, to);
    FinishBytes(to, (size_t)run.count, args.clamp_lo, args.clamp_hi, nullptr);
  });
}

}  // namespace octet
