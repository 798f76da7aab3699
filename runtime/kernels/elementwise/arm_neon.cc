// Elementwise sums, products and PRelu of int8 with NEON. What reads tables alone, and quotients,
// are left to the portable kernel. Arena bytes are q itself on ARM.
#include "runtime/kernels/arm_requantize.inl.h"
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

// compute(a, b) for 16 elements at a time.
template <typename Compute>
static inline void ForEach16(const ElementwiseArgs& args, const Compute& compute) {
  const uint8_t *a = args.operand[0], *b = args.operand[1];
  const bool one_a = args.step[0] == 0, one_b = args.step[1] == 0;
  const int8x16_t same_a = vdupq_n_s8((int8_t)*a), same_b = vdupq_n_s8((int8_t)*b);
  for (uint64_t i = 0; i < args.count; i += 16) {
    const uint32_t count = args.count - i < 16 ? (uint32_t)(args.count - i) : 16;
    const int8x16_t x = one_a ? same_a : LoadPartial16(a + i, count);
    const int8x16_t y = one_b ? same_b : LoadPartial16(b + i, count);
    StorePartial16(args.output + i, compute(x, y), count);
  }
}

// values(a, b) of four times four lanes.
template <typename Values>
static inline int8x16_t Sixteen(const Values& values, const Tail16& tail, const Centred& a,
                                const Centred& b) {
  return Finish16(values(vget_low_s16(a.low), vget_low_s16(b.low)),
                  values(vget_high_s16(a.low), vget_high_s16(b.low)),
                  values(vget_low_s16(a.high), vget_low_s16(b.high)),
                  values(vget_high_s16(a.high), vget_high_s16(b.high)), tail);
}

// (a ma + b mb + 2^(s-1)) >> s: |sum| < 2^39 in 64 bits, where VRSHL rounds so, and what 32 bits
// cannot hold saturates every clamp.
struct Sum {
  int32x2_t multiplier_a, multiplier_b;
  int64x2_t left_shift;
  inline int32x2_t Two(int32x2_t a, int32x2_t b) const {
    const int64x2_t sum = vmlal_s32(vmull_s32(a, multiplier_a), b, multiplier_b);
    return vqmovn_s64(vrshlq_s64(sum, left_shift));
  }
  inline int32x4_t operator()(int16x4_t a, int16x4_t b) const {
    const int32x4_t x = vmovl_s16(a), y = vmovl_s16(b);
    return vcombine_s32(Two(vget_low_s32(x), vget_low_s32(y)),
                        Two(vget_high_s32(x), vget_high_s32(y)));
  }
};

struct Product {
  int32x4_t multiplier, left_shift;
  int32_t pre_shift;
  explicit Product(const blob::ElementwiseParams& p)
      : multiplier(vdupq_n_s32(p.multiplier_a)),
        left_shift(vdupq_n_s32(-p.shift)),
        pre_shift(p.pre_shift) {}
  // |a b| < 2^16: a pre-shift of 0 clamps nothing.
  inline int32x4_t operator()(int16x4_t a, int16x4_t b) const {
    return Requantize4(PreShift4(vmull_s16(a, b), pre_shift), multiplier, left_shift);
  }
};

// From the zero point on the table, clamped like the rest; below it the product.
static inline int8x16_t Slope(const ElementwiseArgs& args, const Tail16& tail, int8x16_t x,
                              int8x16_t product) {
  const uint8x16_t from_zero = vcgeq_s8(x, vdupq_n_s8((int8_t)args.zero_point_a));
  int8x16_t mapped = x;
  ApplyTable(&mapped, 1, args.table);
  mapped = vminq_s8(vmaxq_s8(mapped, tail.lo), tail.hi);
  return vbslq_s8(from_zero, mapped, product);
}

}  // namespace

void elementwise_s8_neon(const ElementwiseArgs& args, Share share) {
  const blob::ElementwiseParams& p = *args.params;
  const Tail16 tail = MakeTail16(args.out_zero_point, p.clamp_lo, p.clamp_hi);
  const int8x8_t zero_a = vdup_n_s8((int8_t)args.zero_point_a);
  const int8x8_t zero_b = vdup_n_s8((int8_t)args.zero_point_b);
  const Product product(p);
  switch (p.function) {
    case blob::Elementwise::kAdd: {
      const Sum sum = {vdup_n_s32(p.multiplier_a), vdup_n_s32(p.multiplier_b),
                       vdupq_n_s64(-(int64_t)p.shift)};
      return ForEach16(args, [=](int8x16_t x, int8x16_t y) {
        return Sixteen(sum, tail, Centre(x, zero_a), Centre(y, zero_b));
      });
    }
    case blob::Elementwise::kMul:
      return ForEach16(args, [=](int8x16_t x, int8x16_t y) {
        return Sixteen(product, tail, Centre(x, zero_a), Centre(y, zero_b));
      });
    case blob::Elementwise::kPRelu:
      return ForEach16(args, [=, &args](int8x16_t x, int8x16_t y) {
        return Slope(args, tail, x, Sixteen(product, tail, Centre(x, zero_a), Centre(y, zero_b)));
      });
    default:
      return elementwise_s8_reference(args, share);
  }
}

}  // namespace octet
