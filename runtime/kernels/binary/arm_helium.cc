// Add of int8 tensors with MVE, four elements at a time, as in binary/arm_cm4.cc:
//   (a - za) ma + (b - zb) mb + (zero_point << shift)  =  a ma + b mb + constant,
// whose rounded shift is the sum's and the output zero point, where that fits 32 bits.
#include "runtime/kernels/arm_helium.inl.h"
#include "runtime/kernels/binary/arm_runs.inl.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

// |sums| <= 2 * 255 * 2^15 < 2^24, and zero_point << shift <= 2^27 beside them.
constexpr int32_t kLargestAddShift = 20;

struct Sum {
  int32_t constant, shift, zero_point;  // zero_point: what the constant does not hold
  int32_t multiplier_a, multiplier_b;
  int32_t lo, hi;
};

static inline int32x4_t AddLanes(const Sum& s, int32x4_t a, int32x4_t b) {
  const int32x4_t sum =
      vmlaq_n_s32(vaddq_n_s32(vmulq_n_s32(a, s.multiplier_a), s.constant), b, s.multiplier_b);
  return vrshlq_n_s32(sum, s.shift);
}

static inline int32x4_t Clamp(const Sum& s, int32x4_t value, int32x4_t lo, int32x4_t hi) {
  if (s.zero_point != 0) value = vaddq_n_s32(value, s.zero_point);
  return vmaxq_s32(vminq_s32(value, hi), lo);
}

static void AddRun(const Sum& s, const uint8_t* from, const Run<uint8_t>& run, uint8_t* output) {
  const auto* a = reinterpret_cast<const int8_t*>(from);
  const auto* b = reinterpret_cast<const int8_t*>(run.b);
  auto* to = reinterpret_cast<int8_t*>(output);
  const int32x4_t lo = vdupq_n_s32(s.lo), hi = vdupq_n_s32(s.hi);
  const int32x4_t same = vdupq_n_s32(*b);
  uint32_t left = (uint32_t)run.count;
  if (!run.one && s.zero_point == 0) {
    for (uint32_t fours = left / 4; fours != 0; --fours, a += 4, b += 4, to += 4) {
      const int32x4_t value = AddLanes(s, vldrbq_s32(a), vldrbq_s32(b));
      vstrbq_s32(to, vmaxq_s32(vminq_s32(value, hi), lo));
    }
    left %= 4;
  }
  for (; left != 0; a += 4, to += 4) {
    const mve_pred16_t p = vctp32q(left);
    const int32x4_t other = run.one ? same : vldrbq_z_s32(b, p);
    vstrbq_p_s32(to, Clamp(s, AddLanes(s, vldrbq_z_s32(a, p), other), lo, hi), p);
    b += 4;
    left -= left < 4 ? left : 4;
  }
}

}  // namespace

void add_s8_helium(const BinaryS8Args& args, Share share) {
  const bool fits = args.shift <= kLargestAddShift;
  const int32_t constant =
      -args.zero_point_a * args.multiplier_a - args.zero_point_b * args.multiplier_b;
  const Sum sum = {
      fits ? constant + (int32_t)((uint32_t)args.out_zero_point << args.shift) : constant,
      -args.shift,
      fits ? 0 : args.out_zero_point,
      args.multiplier_a,
      args.multiplier_b,
      args.clamp_lo,
      args.clamp_hi};
  ForEachRun(args, share, [&](const Run<uint8_t>& run) {
    AddRun(sum, args.a + run.begin, run, args.output + run.begin);
  });
}

}  // namespace octet
