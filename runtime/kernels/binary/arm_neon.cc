// Add and Mul of int8 tensors, 16 elements at a time.
#include "runtime/kernels/arm_requantize.inl.h"
#include "runtime/kernels/binary/arm_runs.inl.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

// q - zero_point of 16 elements.
struct Centred {
  int16x8_t low, high;
};

static inline Centred Centre(int8x16_t q, int8x8_t zero_point) {
  return Centred{vsubl_s8(vget_low_s8(q), zero_point), vsubl_s8(vget_high_s8(q), zero_point)};
}

// compute(acc, a, b) gives 16 requantized values.
template <typename Compute>
static inline void RunBinary(const BinaryS8Args& args, Share share, Compute compute) {
  const Tail16 tail = MakeTail16(args.out_zero_point, args.clamp_lo, args.clamp_hi);
  const int8x8_t zero_a = vdup_n_s8((int8_t)args.zero_point_a);
  const int8x8_t zero_b = vdup_n_s8((int8_t)args.zero_point_b);
  ForEachRun(args, share, [&](const Run<uint8_t>& run) {
    const uint8_t* a = args.a + (size_t)run.begin;
    const uint8_t* b = run.b;
    uint8_t* output = args.output + (size_t)run.begin;
    // Copies that no store of bytes can change: they stay in registers.
    const Tail16 finish = tail;
    const Compute values = compute;
    const int8x8_t centre_a = zero_a, centre_b = zero_b;
    const bool one = run.one;
    Centred y = Centre(vdupq_n_s8((int8_t)*b), centre_b);
    const auto step = [=](int8x16_t qa, const Centred& with) {
      int32x4_t acc[4];
      values(acc, Centre(qa, centre_a), with);
      return Finish16(acc[0], acc[1], acc[2], acc[3], finish);
    };
    uint64_t left = run.count;
    for (; left >= 16; left -= 16, a += 16, output += 16) {
      if (!one) {
        y = Centre(LoadBytes(b), centre_b);
        b += 16;
      }
      vst1q_u8(output, vreinterpretq_u8_s8(step(LoadBytes(a), y)));
    }
    if (left != 0) {
      if (!one) y = Centre(LoadPartial16(b, (uint32_t)left), centre_b);
      StorePartial16(output, step(LoadPartial16(a, (uint32_t)left), y), (uint32_t)left);
    }
  });
}

}  // namespace

// Multipliers are below 2^15 in magnitude and fit 16 bits; |sum| < 2^31 as in the reference.
void add_s8_neon(const BinaryS8Args& args, Share share) {
  const int16x8_t multiplier_a = vdupq_n_s16((int16_t)args.multiplier_a);
  const int16x8_t multiplier_b = vdupq_n_s16((int16_t)args.multiplier_b);
  const int32x4_t left_shift = vdupq_n_s32(-args.shift);
  const auto low = [=](int16x8_t a, int16x8_t b) {
    const int32x4_t product = vmull_s16(vget_low_s16(a), vget_low_s16(multiplier_a));
    return vrshlq_s32(vmlal_s16(product, vget_low_s16(b), vget_low_s16(multiplier_b)), left_shift);
  };
  const auto high = [=](int16x8_t a, int16x8_t b) {
    return vrshlq_s32(MultiplyAddHigh16(MultiplyHigh16(a, multiplier_a), b, multiplier_b),
                      left_shift);
  };
  RunBinary(args, share, [=](int32x4_t* acc, const Centred& a, const Centred& b) {
    acc[0] = low(a.low, b.low);
    acc[1] = high(a.low, b.low);
    acc[2] = low(a.high, b.high);
    acc[3] = high(a.high, b.high);
  });
}

void mul_s8_neon(const BinaryS8Args& args, Share share) {
  const int32x4_t multiplier = vdupq_n_s32(args.multiplier_a);
  const int32x4_t left_shift = vdupq_n_s32(-args.shift);
  const int32_t pre_shift = args.pre_shift;
  const auto product = [=](int16x4_t a, int16x4_t b) {
    return Requantize4(PreShift4(vmull_s16(a, b), pre_shift), multiplier, left_shift);
  };
  RunBinary(args, share, [=](int32x4_t* acc, const Centred& a, const Centred& b) {
    acc[0] = product(vget_low_s16(a.low), vget_low_s16(b.low));
    acc[1] = product(vget_high_s16(a.low), vget_high_s16(b.low));
    acc[2] = product(vget_low_s16(a.high), vget_low_s16(b.high));
    acc[3] = product(vget_high_s16(a.high), vget_high_s16(b.high));
  });
}

}  // namespace octet
