// int8 normalizations with NEON, whose 64-bit lanes have the shifts and saturations of the rule.
#include "runtime/kernels/arm_neon_shim.inl.h"
#include "runtime/kernels/normalize/s8.inl.h"

namespace octet {
namespace {

static inline int64_t SumOf(int32x4_t x) {
  const int64x2_t pairs = vpaddlq_s32(x);
  return vgetq_lane_s64(pairs, 0) + vgetq_lane_s64(pairs, 1);
}

// Four ratios; shifts are negative, to the right.
struct Ratios4 {
  int32x4_t sum, inverse;
  int64x2_t shift[2];

  // An inverse of 2^31 does not fit a signed factor: half of it and a shift less.
  void Set(const RatioS8* r, uint32_t step) {
    int32_t sums[4], inverses[4];
    int64_t shifts[4];
    for (uint32_t i = 0; i < 4; ++i) {
      const RatioS8& from = r[i * step];
      const bool halve = from.inverse > INT32_MAX;
      sums[i] = (int32_t)from.sum;  // |S1| <= 2^22 * 128
      inverses[i] = (int32_t)(halve ? from.inverse / 2 : from.inverse);
      shifts[i] = -(int64_t)(from.shift - (halve ? 1 : 0));
    }
    sum = vld1q_s32(sums);
    inverse = vld1q_s32(inverses);
    shift[0] = vld1q_s64(shifts);
    shift[1] = vld1q_s64(shifts + 2);
  }

  // RatioOf(): |n q - S1| < 2^30, its product with the inverse is within 2^61.
  int32x4_t Of(int32x4_t q, int32_t count) const {
    const int32x4_t u = vsubq_s32(vmulq_n_s32(q, count), sum);
    const int64x2_t low = vmull_s32(vget_low_s32(u), vget_low_s32(inverse));
    const int64x2_t high = vmull_s32(vget_high_s32(u), vget_high_s32(inverse));
    return vcombine_s32(vmovn_s64(vshlq_s64(low, shift[0])), vmovn_s64(vshlq_s64(high, shift[1])));
  }
};

// floor((r f + b) / 2^s + 1/2) of two elements, saturated to 32 bits.
static inline int32x2_t Scale(int32x2_t ratio, int32x2_t low, int32x2_t high, int32x2_t factor,
                              int32x2_t shift) {
  const int32x2x2_t halves = vzip_s32(low, high);
  const int64x2_t offset = vreinterpretq_s64_s32(vcombine_s32(halves.val[0], halves.val[1]));
  const int64x2_t sum = vmlal_s32(offset, ratio, factor);
  return vqmovn_s64(vrshlq_s64(sum, vmovl_s32(vneg_s32(shift))));
}

// Four elements, whose parameters are `step` (0 or 1) apart.
static inline int32x4_t Scale4(int32x4_t ratio, const blob::NormalizeChannelS8* channels,
                               uint64_t step) {
  const int32_t* words = reinterpret_cast<const int32_t*>(channels);
  int32x4x4_t c;
  if (step != 0) {
    c = vld4q_s32(words);
  } else {
    for (int i = 0; i < 4; ++i) c.val[i] = vdupq_n_s32(words[i]);
  }
  return vcombine_s32(Scale(vget_low_s32(ratio), vget_low_s32(c.val[0]), vget_low_s32(c.val[1]),
                            vget_low_s32(c.val[2]), vget_low_s32(c.val[3])),
                      Scale(vget_high_s32(ratio), vget_high_s32(c.val[0]), vget_high_s32(c.val[1]),
                            vget_high_s32(c.val[2]), vget_high_s32(c.val[3])));
}

static inline void AddColumns16(const uint8_t* from, uint64_t rows, uint64_t step, uint32_t width,
                                int8x16_t flip, int64_t* sum, int64_t* squares) {
  int32x4_t sums[4] = {vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0)};
  int32x4_t sums_of_squares[4] = {sums[0], sums[0], sums[0], sums[0]};
  for (uint64_t r = 0; r < rows; ++r, from += step) {
    const int8x16_t q = veorq_s8(LoadPartial16(from, width), flip);
    const int8x8_t halves[2] = {vget_low_s8(q), vget_high_s8(q)};
    for (int i = 0; i < 2; ++i) {
      const int16x8_t x = vmovl_s8(halves[i]), square = vmull_s8(halves[i], halves[i]);
      sums[2 * i] = vaddw_s16(sums[2 * i], vget_low_s16(x));
      sums[2 * i + 1] = vaddw_s16(sums[2 * i + 1], vget_high_s16(x));
      sums_of_squares[2 * i] = vaddw_s16(sums_of_squares[2 * i], vget_low_s16(square));
      sums_of_squares[2 * i + 1] = vaddw_s16(sums_of_squares[2 * i + 1], vget_high_s16(square));
    }
  }
  int32_t lanes[2][16];
  for (int i = 0; i < 4; ++i) {
    vst1q_s32(lanes[0] + 4 * i, sums[i]);
    vst1q_s32(lanes[1] + 4 * i, sums_of_squares[i]);
  }
  for (uint32_t c = 0; c < width; ++c) {
    sum[c] += lanes[0][c];
    squares[c] += lanes[1][c];
  }
}

struct Level {
  struct Ratios {
    Ratios4 low, high;
    int32_t count;

    Ratios() = default;
    Ratios(const RatioS8* r, uint32_t step) {
      low.Set(r, step);
      high.Set(r + 4 * step, step);
      count = (int32_t)r->count;
    }
  };

  static inline void AddRun(const uint8_t* from, uint64_t count, uint8_t sign, int64_t* sum,
                            int64_t* squares) {
    // A step adds up to 4 * 2^14 to a lane of squares and less to one of sums.
    constexpr uint64_t kPart = (uint64_t)16 << 14;
    const int8x16_t flip = vdupq_n_s8((int8_t)sign);
    uint64_t i = 0;
    while (i + 16 <= count) {
      const uint64_t end = count - i < kPart ? count : i + kPart;
      int32x4_t part = vdupq_n_s32(0), part_squares = vdupq_n_s32(0);
      for (; i + 16 <= end; i += 16) {
        const int8x16_t q = veorq_s8(LoadBytes(from + i), flip);
        part = vpadalq_s16(part, vpaddlq_s8(q));
        part_squares = vpadalq_s16(part_squares, vmull_s8(vget_low_s8(q), vget_low_s8(q)));
        part_squares = vpadalq_s16(part_squares, MultiplyHigh8(q, q));
      }
      *sum += SumOf(part);
      *squares += SumOf(part_squares);
    }
    for (; i < count; ++i) {
      const int32_t q = (int8_t)(from[i] ^ sign);
      *sum += q;
      *squares += q * q;
    }
  }

  static inline void AddColumns(const uint8_t* from, uint64_t rows, uint64_t step, uint32_t width,
                                uint8_t sign, int64_t* sum, int64_t* squares) {
    const int8x16_t flip = vdupq_n_s8((int8_t)sign);
    for (uint32_t c = 0; c < width; c += 16) {
      AddColumns16(from + c, rows, step, width - c < 16 ? width - c : 16, flip, sum + c,
                   squares + c);
    }
  }

  static inline uint32_t Root(uint64_t x) {
#if defined(__aarch64__)
    // x is off by 2^-53 of itself as a double and its root by as much again: less than one.
    return SqrtFromEstimate(x,
                            (uint64_t)vget_lane_f64(vsqrt_f64(vdup_n_f64((double)(int64_t)x)), 0));
#else
    return IntegerSqrt(x);
#endif
  }

  static inline bool Eight(const uint8_t* from, const Ratios& ratios,
                           const blob::NormalizeChannelS8* channels, uint64_t step,
                           int32_t zero_point, uint8_t sign, uint8_t* to) {
    const uint8x8_t flip = vdup_n_u8(sign);
    const int16x8_t q = vmovl_s8(vreinterpret_s8_u8(veor_u8(vld1_u8(from), flip)));
    const int32x4_t low =
        Scale4(ratios.low.Of(vmovl_s16(vget_low_s16(q)), ratios.count), channels, step);
    const int32x4_t high = Scale4(ratios.high.Of(vmovl_s16(vget_high_s16(q)), ratios.count),
                                  channels + 4 * step, step);
    // Saturating to 16 bits first changes nothing: what it touches is beyond int8 either way.
    const int16x8_t codes = vqaddq_s16(vcombine_s16(vqmovn_s32(low), vqmovn_s32(high)),
                                       vdupq_n_s16((int16_t)zero_point));
    vst1_u8(to, veor_u8(vreinterpret_u8_s8(vqmovn_s16(codes)), flip));
    return true;
  }

  static inline void LookUp(const int8_t* table, const uint8_t* from, uint64_t count, uint8_t sign,
                            uint8_t* to) {
    const TableS8Args args = {from, to, (uint32_t)count, table, sign};
#if defined(__aarch64__)
    if (sign == 0) return table_s8_neon(args, Share{0, 1});  // the sign of every NEON level
#endif
    table_s8_reference(args, Share{0, 1});
  }
};

}  // namespace

void normalize_s8_neon(const NormalizeS8Args& args, Share share) {
  RunNormalizeS8<Level>(args, share);
}

}  // namespace octet
