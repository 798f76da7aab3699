// int8 reductions with NEON. Arena bytes are q itself on ARM.
#include "runtime/kernels/arm_requantize.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/reduce/s8.inl.h"

namespace octet {
namespace {

struct Level {
  typedef int8x16_t Bytes;
  struct Sums {
    int32x4_t part[4];
  };
  struct Total {
    int32x4_t part;
  };
  static constexpr int32_t kZero = 0;

  static inline Bytes Load(const uint8_t* from) { return vreinterpretq_s8_u8(vld1q_u8(from)); }
  static inline void Store(uint8_t* to, Bytes x, uint32_t count) { StorePartial16(to, x, count); }
  static inline Bytes All(uint8_t byte) { return vdupq_n_s8((int8_t)byte); }
  static inline Bytes Select(Bytes mask, Bytes a, Bytes b) {
    return vbslq_s8(vreinterpretq_u8_s8(mask), a, b);
  }
  static inline Bytes Max(Bytes a, Bytes b) { return vmaxq_s8(a, b); }
  static inline Bytes Min(Bytes a, Bytes b) { return vminq_s8(a, b); }
  static inline uint8_t MaxOf(Bytes x) {
    int8x8_t best = vpmax_s8(vget_low_s8(x), vget_high_s8(x));
    best = vpmax_s8(best, best);
    best = vpmax_s8(best, best);
    return (uint8_t)vget_lane_s8(vpmax_s8(best, best), 0);
  }
  static inline uint8_t MinOf(Bytes x) { return (uint8_t)~MaxOf(vmvnq_s8(x)); }
  static inline void Add(Bytes x, Sums* sums) {
    const int16x8_t low = vmovl_s8(vget_low_s8(x)), high = vmovl_s8(vget_high_s8(x));
    sums->part[0] = vaddw_s16(sums->part[0], vget_low_s16(low));
    sums->part[1] = vaddw_s16(sums->part[1], vget_high_s16(low));
    sums->part[2] = vaddw_s16(sums->part[2], vget_low_s16(high));
    sums->part[3] = vaddw_s16(sums->part[3], vget_high_s16(high));
  }
  static inline void Write(const Sums& sums, int32_t* to) {
    for (uint32_t i = 0; i < 4; ++i) vst1q_s32(to + 4 * i, sums.part[i]);
  }
  static inline void Add(Bytes x, Total* total) {
    total->part = vpadalq_s16(total->part, vpaddlq_s8(x));
  }
  static inline int32_t Value(const Total& total) {
    const int32x2_t half = vpadd_s32(vget_low_s32(total.part), vget_high_s32(total.part));
    return vget_lane_s32(vpadd_s32(half, half), 0);
  }

  Level(const ReduceS8Args& args, int32_t zeros)
      : zeros_(vdupq_n_s32(zeros)),
        multiplier_(vdupq_n_s32(args.params->multiplier)),
        left_shift_(vdupq_n_s32(-args.params->shift)),
        tail_(MakeTail16(args.out_zero_point, -128, 127)),
        pre_shift_(args.params->pre_shift) {}
  inline Bytes Finish(const int32_t* sums) const {
    return Finish16(Four(sums), Four(sums + 4), Four(sums + 8), Four(sums + 12), tail_);
  }

 private:
  inline int32x4_t Four(const int32_t* sums) const {
    const int32x4_t x = vsubq_s32(vld1q_s32(sums), zeros_);
    return Requantize4(PreShift4(x, pre_shift_), multiplier_, left_shift_);
  }
  int32x4_t zeros_, multiplier_, left_shift_;
  Tail16 tail_;
  int32_t pre_shift_;
};

}  // namespace

void reduce_s8_neon(const ReduceS8Args& args, Share share) {
  RunReduceS8<Level>(args, share);
}

}  // namespace octet
