// Sums of 8 outputs, their rounding, and boxes of whole pixels with NEON. Included by arm_*.cc
// files only; internal linkage.
#ifndef OCTET_KERNELS_FRAME_ARM_BOXES_INL_H_
#define OCTET_KERNELS_FRAME_ARM_BOXES_INL_H_

#include "runtime/kernels/arm_neon_shim.inl.h"
#include "runtime/kernels/frame/geometry.inl.h"

namespace octet {
namespace {

// [a0+a1, a2+a3, .., b0+b1, ..]
static inline uint16x8_t AddPairs16(uint16x8_t a, uint16x8_t b) {
#if defined(__aarch64__)
  return vpaddq_u16(a, b);
#else
  return vcombine_u16(vpadd_u16(vget_low_u16(a), vget_high_u16(a)),
                      vpadd_u16(vget_low_u16(b), vget_high_u16(b)));
#endif
}

struct Sums8 {
  uint32x4_t low, high;
};

static inline Sums8 LoadSums(const uint32_t* from) {
  return Sums8{vld1q_u32(from), vld1q_u32(from + 4)};
}
static inline Sums8 Widen(uint16x8_t x) {
  return Sums8{vmovl_u16(vget_low_u16(x)), vmovl_u16(vget_high_u16(x))};
}
static inline Sums8 LoadSums(const uint16_t* from) {
  return Widen(vld1q_u16(from));
}
static inline void StoreSums(Sums8 sums, uint32_t* to) {
  vst1q_u32(to, sums.low);
  vst1q_u32(to + 4, sums.high);
}
static inline Sums8 Difference(Sums8 a, Sums8 b) {
  return Sums8{vsubq_u32(a.low, b.low), vsubq_u32(a.high, b.high)};
}

// Neighbours added up: of a, then of b.
static inline uint32x4_t PairSums(uint32x4_t a, uint32x4_t b) {
  return vreinterpretq_u32_s32(AddPairs(vreinterpretq_s32_u32(a), vreinterpretq_s32_u32(b)));
}
static inline Sums8 PairSums(Sums8 a, Sums8 b) {
  return Sums8{PairSums(a.low, a.high), PairSums(b.low, b.high)};
}

static inline Sums8 Triples(const uint16_t* from) {
  const uint16x8x3_t x = vld3q_u16(from);
  return Sums8{
      vaddw_u16(vaddl_u16(vget_low_u16(x.val[0]), vget_low_u16(x.val[1])), vget_low_u16(x.val[2])),
      vaddw_u16(vaddl_u16(vget_high_u16(x.val[0]), vget_high_u16(x.val[1])),
                vget_high_u16(x.val[2]))};
}

template <uint32_t kBox>
static inline Sums8 BoxSums(const uint16_t* from) {
  if constexpr (kBox == 1) return LoadSums(from);
  if constexpr (kBox == 2) {
    return Sums8{vpaddlq_u16(vld1q_u16(from)), vpaddlq_u16(vld1q_u16(from + 8))};
  }
  if constexpr (kBox == 3) return Triples(from);
  if constexpr (kBox == 4) return PairSums(BoxSums<2>(from), BoxSums<2>(from + 16));
  if constexpr (kBox == 6) return PairSums(Triples(from), Triples(from + 24));
}

// line[i] = the sum of the first i.
template <class Sum>
static inline void RunningSums(const Sum* sums, uint32_t count, uint32_t* line) {
  const uint32x4_t zero = vdupq_n_u32(0);
  const auto within = [zero](uint32x4_t x) {
    x = vaddq_u32(x, vextq_u32(zero, x, 3));
    return vaddq_u32(x, vextq_u32(zero, x, 2));
  };
  line[0] = 0;
  uint32x4_t before = zero;
  for (size_t i = 0; i < count; i += 8) {
    const Sums8 x = LoadSums(sums + i);
    const uint32x4_t low = vaddq_u32(within(x.low), before);
    const uint32x4_t high = vaddq_u32(within(x.high), vdupq_n_u32(vgetq_lane_u32(low, 3)));
    StoreSums(Sums8{low, high}, line + i + 1);
    before = vdupq_n_u32(vgetq_lane_u32(high, 3));
  }
}

static inline uint32x4_t WeighPairs4(const uint32_t* line, const uint16_t* at, uint32x4_t low,
                                     uint32x4_t high) {
  const auto pair = [line](uint32_t bytes) {
    const uint8_t* from = reinterpret_cast<const uint8_t*>(line) + bytes;
    return vld1_u32(reinterpret_cast<const uint32_t*>(from));
  };
  const uint32x4x2_t pairs =
      vuzpq_u32(vcombine_u32(pair(at[0]), pair(at[1])), vcombine_u32(pair(at[2]), pair(at[3])));
  return vmlaq_u32(vmulq_u32(pairs.val[0], low), pairs.val[1], high);
}

static inline Sums8 WeighPairs8(const uint32_t* line, const uint16_t* at, const uint16_t* low,
                                const uint16_t* high) {
  const Sums8 lows = LoadSums(low), highs = LoadSums(high);
  return Sums8{WeighPairs4(line, at, lows.low, highs.low),
               WeighPairs4(line, at + 4, lows.high, highs.high)};
}

struct VectorRounding {
  uint32x4_t total, offset, twice;  // total; total * multiplier and 2 * multiplier in 32 bits
  uint32x2_t multiplier;
  int32x4_t left_shift;
};

static inline VectorRounding MakeVectorRounding(const Rounding& r) {
  return VectorRounding{vdupq_n_u32(r.total), vdupq_n_u32(r.total * r.multiplier),
                        vdupq_n_u32(2 * r.multiplier), vdup_n_u32(r.multiplier),
                        vdupq_n_s32(r.wide ? 32 - (int32_t)r.shift : -(int32_t)r.shift)};
}

template <bool kWide>
static inline uint32x4_t Quotient(const VectorRounding& r, uint32x4_t sums) {
  if (!kWide) return vshlq_u32(vmlaq_u32(r.offset, sums, r.twice), r.left_shift);
  const uint32x4_t n = vaddq_u32(vaddq_u32(sums, sums), r.total);
  const uint32x2_t low = vshrn_n_u64(vmull_u32(vget_low_u32(n), r.multiplier), 32);
  const uint32x2_t high = vshrn_n_u64(vmull_u32(vget_high_u32(n), r.multiplier), 32);
  return vshlq_u32(vcombine_u32(low, high), r.left_shift);
}

template <bool kWide>
static inline void StoreRounded(const VectorRounding& r, Sums8 sums, uint8_t* to) {
  const uint16x4_t low = vmovn_u32(Quotient<kWide>(r, sums.low));
  const uint16x4_t high = vmovn_u32(Quotient<kWide>(r, sums.high));
  vst1_u8(to, vmovn_u16(vcombine_u16(low, high)));
}

// Sums of 2 columns and 4 rows.
static inline uint16x8_t Boxes4(const uint8_t* from, size_t row_bytes) {
  uint16x8_t pairs = vpaddlq_u8(vld1q_u8(from));
  pairs = vpadalq_u8(pairs, vld1q_u8(from + row_bytes));
  pairs = vpadalq_u8(pairs, vld1q_u8(from + 2 * row_bytes));
  return vpadalq_u8(pairs, vld1q_u8(from + 3 * row_bytes));
}

// (sum + 8) >> 4.
static inline void BoxRow4(const uint8_t* from, size_t row_bytes, uint32_t count, uint8_t* out) {
  uint32_t i = 0;
  for (; i + 16 <= count; i += 16, from += 64) {
    const uint16x8_t low = AddPairs16(Boxes4(from, row_bytes), Boxes4(from + 16, row_bytes));
    const uint16x8_t high = AddPairs16(Boxes4(from + 32, row_bytes), Boxes4(from + 48, row_bytes));
    vst1q_u8(out + i, vcombine_u8(vrshrn_n_u16(low, 4), vrshrn_n_u16(high, 4)));
  }
  for (; i < count; ++i, from += 4) {
    uint32_t sum = 8;
    for (uint32_t r = 0; r < 4; ++r) {
      const uint8_t* row = from + r * row_bytes;
      sum += (uint32_t)row[0] + row[1] + row[2] + row[3];
    }
    out[i] = (uint8_t)(sum >> 4);
  }
}

// (sum + 2) >> 2.
static inline void BoxRow2(const uint8_t* from, size_t row_bytes, uint32_t count, uint8_t* out) {
  uint32_t i = 0;
  for (; i + 8 <= count; i += 8, from += 16) {
    const uint16x8_t sums = vpadalq_u8(vpaddlq_u8(vld1q_u8(from)), vld1q_u8(from + row_bytes));
    vst1_u8(out + i, vrshrn_n_u16(sums, 2));
  }
  for (; i < count; ++i, from += 2) {
    const uint8_t* row = from + row_bytes;
    out[i] = (uint8_t)(((uint32_t)from[0] + from[1] + row[0] + row[1] + 2) >> 2);
  }
}

// The same of pairs: U0 V0 U1 V1 ...
static inline void BoxPairRow2(const uint8_t* from, size_t row_bytes, uint32_t count,
                               uint8_t* first, uint8_t* second) {
  uint32_t i = 0;
  for (; i + 8 <= count; i += 8, from += 32) {
    const uint8x16x2_t a = vld2q_u8(from), b = vld2q_u8(from + row_bytes);
    vst1_u8(first + i, vrshrn_n_u16(vpadalq_u8(vpaddlq_u8(a.val[0]), b.val[0]), 2));
    vst1_u8(second + i, vrshrn_n_u16(vpadalq_u8(vpaddlq_u8(a.val[1]), b.val[1]), 2));
  }
  for (; i < count; ++i, from += 4) {
    const uint8_t* row = from + row_bytes;
    first[i] = (uint8_t)(((uint32_t)from[0] + from[2] + row[0] + row[2] + 2) >> 2);
    second[i] = (uint8_t)(((uint32_t)from[1] + from[3] + row[1] + row[3] + 2) >> 2);
  }
}

// Loads take interleaved components apart for nothing, so the columns of a box are added up first,
// then weighted rows, all in registers and in 16 bits.
constexpr bool kHasBoxRow = true;

template <uint32_t kStep, uint32_t kCount>
struct Pixels16 {
  uint8x16_t components[kCount];
};

template <uint32_t kStep, uint32_t kCount>
static inline Pixels16<kStep, kCount> LoadPixels(const uint8_t* from) {
  if constexpr (kStep == 1) return {{vld1q_u8(from)}};
  if constexpr (kStep == 2) {
    const uint8x16x2_t x = vld2q_u8(from);
    if constexpr (kCount == 1) return {{x.val[0]}};  // YUYV's luma
    if constexpr (kCount == 2) return {{x.val[0], x.val[1]}};
  }
  if constexpr (kStep == 3) {
    const uint8x16x3_t x = vld3q_u8(from);
    return {{x.val[0], x.val[1], x.val[2]}};
  }
  if constexpr (kStep == 4) {
    const uint8x16x4_t x = vld4q_u8(from);
    return {{x.val[1], x.val[3]}};  // YUYV's chroma
  }
}

// (sum + total / 2) / total of 8 sums.
static inline uint8x8_t RoundWords(const VectorRounding& r, const Rounding& rounding,
                                   uint16x8_t sums) {
  if (rounding.multiplier == 1) {  // total is 2^(shift - 1)
    return vmovn_u16(vrshlq_u16(sums, vdupq_n_s16((int16_t)(1 - (int32_t)rounding.shift))));
  }
  const Sums8 wide = Widen(sums);
  const auto quotient = [&](uint32x4_t x) {
    return vmovn_u32(rounding.wide ? Quotient<true>(r, x) : Quotient<false>(r, x));
  };
  return vmovn_u16(vcombine_u16(quotient(wide.low), quotient(wide.high)));
}

template <uint32_t kBox, uint32_t kStep, uint32_t kCount>
static inline void BoxRowOf(const BoxRows& rows, const Rounding& rounding, uint32_t count,
                            uint8_t (*values)[kStrip + kSlack]) {
  const VectorRounding vectors = MakeVectorRounding(rounding);
  for (size_t i = 0;;) {
    const uint8_t* from = rows.first + i * kBox * kStep;
    uint16x8_t sums[kCount];
    for (uint32_t c = 0; c < kCount; ++c) sums[c] = vdupq_n_u16(0);
    for (size_t r = 0; r < rows.count; ++r, from += rows.row_bytes) {
      const uint16x8_t weight = vld1q_dup_u16(rows.weights + r);
      const auto pixels = LoadPixels<kStep, kCount>(from);
      if constexpr (kBox == 2) {
        for (uint32_t c = 0; c < kCount; ++c) {
          sums[c] = vmlaq_u16(sums[c], vpaddlq_u8(pixels.components[c]), weight);
        }
      } else {
        const auto next = LoadPixels<kStep, kCount>(from + 16 * kStep);
        for (uint32_t c = 0; c < kCount; ++c) {
          const uint16x8_t boxes =
              AddPairs16(vpaddlq_u8(pixels.components[c]), vpaddlq_u8(next.components[c]));
          sums[c] = vmlaq_u16(sums[c], boxes, weight);
        }
      }
    }
    for (uint32_t c = 0; c < kCount; ++c) {
      vst1_u8(values[c] + i, RoundWords(vectors, rounding, sums[c]));
    }
    if (i + 8 == count) return;
    // The last 8 outputs may overlap those before: nothing behind the row is read.
    i = i + 16 <= count ? i + 8 : count - 8;
  }
}

template <uint32_t kBox>
static inline void BoxRowBy(uint32_t step, uint32_t components, const BoxRows& rows,
                            const Rounding& rounding, uint32_t count,
                            uint8_t (*values)[kStrip + kSlack]) {
  if (step == 1) return BoxRowOf<kBox, 1, 1>(rows, rounding, count, values);
  if (step == 3) return BoxRowOf<kBox, 3, 3>(rows, rounding, count, values);
  if (step == 4) return BoxRowOf<kBox, 4, 2>(rows, rounding, count, values);
  if (components == 1) return BoxRowOf<kBox, 2, 1>(rows, rounding, count, values);
  BoxRowOf<kBox, 2, 2>(rows, rounding, count, values);
}

// count: at least 8.
static inline void BoxRow(uint32_t box, uint32_t step, uint32_t components, const BoxRows& rows,
                          const Rounding& rounding, uint32_t count,
                          uint8_t (*values)[kStrip + kSlack]) {
  if (box == 2) return BoxRowBy<2>(step, components, rows, rounding, count, values);
  BoxRowBy<4>(step, components, rows, rounding, count, values);
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_FRAME_ARM_BOXES_INL_H_
