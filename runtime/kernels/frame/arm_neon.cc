// Frames into tensors with NEON (ARMv7 and AArch64).
#include "runtime/kernels/arm_neon_shim.inl.h"
#include "runtime/kernels/frame/arm_boxes.inl.h"
#include "runtime/kernels/frame/geometry.inl.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

static inline uint16x8_t MultiplyHigh(uint8x16_t a, uint8x16_t b) {
#if defined(__aarch64__)
  return vmull_high_u8(a, b);
#else
  return vmull_u8(vget_high_u8(a), vget_high_u8(b));
#endif
}
static inline uint16x8_t MultiplyAddHigh(uint16x8_t sum, uint8x16_t a, uint8x16_t b) {
#if defined(__aarch64__)
  return vmlal_high_u8(sum, a, b);
#else
  return vmlal_u8(sum, vget_high_u8(a), vget_high_u8(b));
#endif
}

static inline uint8x8_t TakeBytes(uint8x16_t from, uint8x8_t which) {
#if defined(__aarch64__)
  return vqtbl1_u8(from, which);
#else
  const uint8x8x2_t halves = {{vget_low_u8(from), vget_high_u8(from)}};
  return vtbl2_u8(halves, which);
#endif
}

// Sums of 16 bits have weights of at most 128, but for the 256 of a row that stands alone in
// bilinear steps of 1 / 128: that one is left to the caller's loop.
template <uint32_t kRows, bool kStart>
static inline uint32_t AddRowsVector(const RowTaps& taps, uint32_t count, uint16_t* sums) {
  uint8x16_t weights[kRows];
  const uint8_t* rows[kRows];
  for (uint32_t r = 0; r < kRows; ++r) {
    if (taps.weights[r] > 255) return 0;
    weights[r] = vdupq_n_u8((uint8_t)taps.weights[r]);
    rows[r] = taps.rows[r];
  }
  const size_t end = count & ~15u;
  for (size_t x = 0; x < end; x += 16) {
    uint16x8_t low, high;
    uint32_t r = 0;
    if (kStart) {
      const uint8x16_t pixels = vld1q_u8(rows[0] + x);
      low = vmull_u8(vget_low_u8(pixels), vget_low_u8(weights[0]));
      high = MultiplyHigh(pixels, weights[0]);
      r = 1;
    } else {
      low = vld1q_u16(sums + x);
      high = vld1q_u16(sums + x + 8);
    }
    for (; r < kRows; ++r) {
      const uint8x16_t pixels = vld1q_u8(rows[r] + x);
      low = vmlal_u8(low, vget_low_u8(pixels), vget_low_u8(weights[r]));
      high = MultiplyAddHigh(high, pixels, weights[r]);
    }
    vst1q_u16(sums + x, low);
    vst1q_u16(sums + x + 8, high);
  }
  return (uint32_t)end;
}

// 16-bit weights and 32-bit sums.
template <uint32_t kRows, bool kStart>
static inline uint32_t AddRowsVector(const RowTaps& taps, uint32_t count, uint32_t* sums) {
  const size_t end = count & ~7u;
  for (size_t x = 0; x < end; x += 8) {
    uint32x4_t low = kStart ? vdupq_n_u32(0) : vld1q_u32(sums + x);
    uint32x4_t high = kStart ? vdupq_n_u32(0) : vld1q_u32(sums + x + 4);
    for (uint32_t r = 0; r < kRows; ++r) {
      const uint16x8_t pixels = vmovl_u8(vld1_u8(taps.rows[r] + x));
      const uint16x4_t weight = vdup_n_u16((uint16_t)taps.weights[r]);
      low = vmlal_u16(low, vget_low_u16(pixels), weight);
      high = vmlal_u16(high, vget_high_u16(pixels), weight);
    }
    vst1q_u32(sums + x, low);
    vst1q_u32(sums + x + 4, high);
  }
  return (uint32_t)end;
}

// One component of interleaved ones.
static inline uint8x16_t Take(const uint8_t* from, uint32_t offset, uint32_t step) {
  if (step == 2) {
    const uint8x16x2_t x = vld2q_u8(from);
    return offset == 0 ? x.val[0] : x.val[1];
  }
  if (step == 3) {
    const uint8x16x3_t x = vld3q_u8(from);
    return offset == 0 ? x.val[0] : (offset == 1 ? x.val[1] : x.val[2]);
  }
  const uint8x16x4_t x = vld4q_u8(from);
  return offset == 1 ? x.val[1] : x.val[3];  // YUYV's chroma
}
static inline uint16x8_t Take(const uint16_t* from, uint32_t offset, uint32_t step) {
  if (step == 2) {
    const uint16x8x2_t x = vld2q_u16(from);
    return offset == 0 ? x.val[0] : x.val[1];
  }
  if (step == 3) {
    const uint16x8x3_t x = vld3q_u16(from);
    return offset == 0 ? x.val[0] : (offset == 1 ? x.val[1] : x.val[2]);
  }
  const uint16x8x4_t x = vld4q_u16(from);
  return offset == 1 ? x.val[1] : x.val[3];
}
static inline uint32x4_t Take(const uint32_t* from, uint32_t offset, uint32_t step) {
  if (step == 2) {
    const uint32x4x2_t x = vld2q_u32(from);
    return offset == 0 ? x.val[0] : x.val[1];
  }
  if (step == 3) {
    const uint32x4x3_t x = vld3q_u32(from);
    return offset == 0 ? x.val[0] : (offset == 1 ? x.val[1] : x.val[2]);
  }
  const uint32x4x4_t x = vld4q_u32(from);
  return offset == 1 ? x.val[1] : x.val[3];
}
static inline void Put(uint8_t* to, uint8x16_t x) {
  vst1q_u8(to, x);
}
static inline void Put(uint16_t* to, uint16x8_t x) {
  vst1q_u16(to, x);
}
static inline void Put(uint32_t* to, uint32x4_t x) {
  vst1q_u32(to, x);
}

template <uint32_t kStep, uint32_t kOffset, class T>
static inline uint32_t SplitAt(const T* from, uint32_t count, T* to) {
  constexpr uint32_t kLanes = 16 / sizeof(T);
  const size_t end = count / kLanes * kLanes;
  for (size_t i = 0; i < end; i += kLanes) Put(to + i, Take(from + kStep * i, kOffset, kStep));
  return (uint32_t)end;
}

template <uint32_t kStep, class T>
static inline uint32_t SplitVector(const T* from, uint32_t count, uint32_t offset, T* to) {
  if (offset == 0) return SplitAt<kStep, 0>(from, count, to);
  if (offset == 1) return SplitAt<kStep, 1>(from, count, to);
  if (offset == 2) return SplitAt<kStep, 2>(from, count, to);
  return SplitAt<kStep, 3>(from, count, to);
}

// Both taps of 8 outputs lie in the 16 bytes from `start` on.
struct LinearColumns {
  uint16_t start[kStrip / 8];
  uint8_t taps[2 * kStrip];  // of 8 outputs the low ones, then the high ones
  int16_t weights[kStrip];   // of the high taps
  inline void Set(uint32_t i, uint32_t low, uint32_t high, uint32_t high_weight) {
    const uint32_t at = i / 8 * 16 + i % 8;
    taps[at] = (uint8_t)low;
    taps[at + 8] = (uint8_t)high;
    weights[i] = (int16_t)high_weight;
  }
};

// low 2048 + (high - low) weight, of 8 outputs.
static inline void WeighColumns(uint8x16_t pixels, uint8x8_t low_taps, uint8x8_t high_taps,
                                int16x8_t weights, int32x4_t sums[2]) {
  const uint8x8_t low = TakeBytes(pixels, low_taps), high = TakeBytes(pixels, high_taps);
  const int16x8_t difference = vreinterpretq_s16_u16(vsubl_u8(high, low));
  const int16x8_t base = vreinterpretq_s16_u16(vmovl_u8(low));
  sums[0] = vmlal_s16(vshll_n_s16(vget_low_s16(base), 11), vget_low_s16(difference),
                      vget_low_s16(weights));
  sums[1] = vmlal_s16(vshll_n_s16(vget_high_s16(base), 11), vget_high_s16(difference),
                      vget_high_s16(weights));
}

// (low 2048 + (high - low) weight + 2^21) >> 22 of rows whose columns are already weighted.
static inline void LinearRow(const uint8_t* low, const uint8_t* high, const LinearColumns& columns,
                             uint32_t high_weight, uint32_t count, uint8_t* out) {
  const int32x4_t weight = vdupq_n_s32((int32_t)high_weight);
  for (size_t i = 0; i < count; i += 8) {
    const uint32_t start = columns.start[i / 8];
    const uint8x16_t taps = vld1q_u8(columns.taps + 2 * i);
    const int16x8_t weights = vld1q_s16(columns.weights + i);
    int32x4_t upper[2], lower[2];
    WeighColumns(vld1q_u8(low + start), vget_low_u8(taps), vget_high_u8(taps), weights, upper);
    WeighColumns(vld1q_u8(high + start), vget_low_u8(taps), vget_high_u8(taps), weights, lower);
    uint16x4_t words[2];
    for (int k = 0; k < 2; ++k) {
      const int32x4_t sum =
          vmlaq_s32(vshlq_n_s32(upper[k], 11), vsubq_s32(lower[k], upper[k]), weight);
      words[k] = vshrn_n_u32(vreinterpretq_u32_s32(sum), 16);
    }
    // 22 places in two steps, rounded in the second: the same floor.
    vst1_u8(out + i, vrshrn_n_u16(vcombine_u16(words[0], words[1]), 6));
  }
}

// 149 (y - 16) needs more than 16 bits above 235. Less 4096 it lies in [-6480, 27419 + 4096], and
// the chroma's part plus 4096 in 16 bits too; their saturated sum is wrong only where the byte is 0
// or 255 anyway. 258 (u - 128) is added in two halves. The last shift rounds.
static inline void ConvertYuv(uint8_t* first, uint8_t* second, uint8_t* third, uint32_t count) {
  constexpr int kOffset = 4096;
  struct Rgb {
    uint8x8_t r, g, b;
  };
  const auto constant = [](int x) { return vdupq_n_s16((int16_t)x); };
  const auto times = [](uint8x8_t x, uint8_t factor) {
    return vreinterpretq_s16_u16(vmull_u8(x, vdup_n_u8(factor)));  // wraps, and back below
  };
  const auto convert = [&](uint8x8_t luma, uint8x8_t u, uint8x8_t v) {
    const int16x8_t y = vsubq_s16(times(luma, 149), constant(149 * 16 + kOffset));
    const int16x8_t red = vsubq_s16(times(v, 204), constant(204 * 128 - kOffset));
    const int16x8_t greens =
        vreinterpretq_s16_u16(vmlal_u8(vmull_u8(u, vdup_n_u8(50)), v, vdup_n_u8(104)));
    const int16x8_t green = vsubq_s16(constant(154 * 128 + kOffset), greens);
    const int16x8_t blue = vsubq_s16(times(u, 129), constant(129 * 128));
    const int16x8_t blue_too = vaddq_s16(blue, constant(kOffset));
    return Rgb{vqrshrun_n_s16(vqaddq_s16(y, red), 7), vqrshrun_n_s16(vqaddq_s16(y, green), 7),
               vqrshrun_n_s16(vqaddq_s16(vqaddq_s16(y, blue), blue_too), 7)};
  };
  for (size_t i = 0; i < count; i += 16) {
    const uint8x16_t y = vld1q_u8(first + i), u = vld1q_u8(second + i), v = vld1q_u8(third + i);
    const Rgb low = convert(vget_low_u8(y), vget_low_u8(u), vget_low_u8(v));
    const Rgb high = convert(vget_high_u8(y), vget_high_u8(u), vget_high_u8(v));
    vst1q_u8(first + i, vcombine_u8(low.r, high.r));
    vst1q_u8(second + i, vcombine_u8(low.g, high.g));
    vst1q_u8(third + i, vcombine_u8(low.b, high.b));
  }
}

static inline void LookUp(const uint8_t* table, uint32_t count, uint8_t* bytes) {
#if defined(__aarch64__)
  // An index outside of a quarter keeps what is there.
  const auto load = [table](uint32_t first) {
    const uint8_t* at = table + first;
    return uint8x16x4_t{{vld1q_u8(at), vld1q_u8(at + 16), vld1q_u8(at + 32), vld1q_u8(at + 48)}};
  };
  const uint8x16x4_t a = load(0), b = load(64), c = load(128), d = load(192);
  const uint8x16_t quarter = vdupq_n_u8(64);
  for (size_t i = 0; i < count; i += 16) {
    uint8x16_t index = vld1q_u8(bytes + i);
    uint8x16_t result = vqtbl4q_u8(a, index);
    index = vsubq_u8(index, quarter);
    result = vqtbx4q_u8(result, b, index);
    index = vsubq_u8(index, quarter);
    result = vqtbx4q_u8(result, c, index);
    index = vsubq_u8(index, quarter);
    result = vqtbx4q_u8(result, d, index);
    vst1q_u8(bytes + i, result);
  }
#else
  for (uint32_t i = 0; i < count; ++i) bytes[i] = table[bytes[i]];
#endif
}

static inline void StoreThree(uint8_t* const planes[3], uint32_t count, uint8_t* to) {
  uint32_t i = 0;
  for (; i + 16 <= count; i += 16, to += 48) {
    const uint8x16x3_t pixels = {
        {vld1q_u8(planes[0] + i), vld1q_u8(planes[1] + i), vld1q_u8(planes[2] + i)}};
    vst3q_u8(to, pixels);
  }
  for (; i < count; ++i, to += 3) {
    for (uint32_t p = 0; p < 3; ++p) to[p] = planes[p][i];
  }
}

}  // namespace
}  // namespace octet

#include "runtime/kernels/frame/driver.inl.h"

namespace octet {

void input_frame_neon(const InputFrameArgs& args, Share share) {
  InputFrameShare(args, share);
}

}  // namespace octet
