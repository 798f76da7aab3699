// What the int8 convolutions of the ARM levels share under conv/driver.inl.h.
#ifndef OCTET_KERNELS_CONV_ARM_S8_INL_H_
#define OCTET_KERNELS_CONV_ARM_S8_INL_H_

#include "runtime/kernels/arm_requantize.inl.h"
#include "runtime/kernels/conv/driver.inl.h"
#include "runtime/kernels/conv/rows.inl.h"

namespace octet {
namespace {

struct PartArm {
  Tail16 tail;
  int32_t pre_shift;
  bool clamps;  // to less than int8 holds
  const int8_t* table;
  const blob::ChannelBlockS8* channels;  // of the part's blocks
};

struct LevelArm {
  typedef ConvS8Args Args;
  static void FillPadding(const ConvS8Args& args, const ConvPlan& plan) {
    FillRowPadding(args, plan);
  }
  static uint32_t Prepare(const ConvS8Args& args, const ConvPlan& plan, uint64_t group,
                          uint64_t pixel, PartArm*) {
    return GatherRows(args, plan, group, pixel);
  }
  static void BeginPart(const ConvS8Args& args, const ConvOutputs& outputs, PartArm* part) {
    part->tail = MakeTail16(args.out_zero_point, args.clamp_lo, args.clamp_hi);
    part->pre_shift = args.pre_shift;
    part->clamps = args.clamp_lo > -128 || args.clamp_hi < 127;
    part->table = args.table;
    part->channels = args.channels + outputs.first;
  }
};

// acc[4] of one pixel, requantized and stored.
template <uint32_t rows>
static inline void StoreRows(const PanelS8& panel, const PartArm& tail, int32x4_t (*acc)[4]) {
  const Scale16 scale = LoadScale16(tail.channels[panel.block]);
  int8x16_t q[rows];
  if (tail.pre_shift != 0) {
    for (uint32_t r = 0; r < rows; ++r) {
      for (int i = 0; i < 4; ++i) acc[r][i] = PreShift4(acc[r][i], tail.pre_shift);
    }
  }
#pragma GCC unroll 8
  for (uint32_t r = 0; r < rows; ++r) q[r] = RequantizeFinish16(acc[r], scale, tail.tail);
  if (tail.table != nullptr) ApplyTable(q, (int)rows, tail.table);
  uint8_t* to = panel.output;
  if (panel.output_channels == kChannelBlock) {
#pragma GCC unroll 8
    for (uint32_t r = 0; r < rows; ++r, to += panel.output_stride) {
      vst1q_u8(to, vreinterpretq_u8_s8(q[r]));
    }
    return;
  }
  for (uint32_t r = 0; r < rows; ++r, to += panel.output_stride) {
    StorePartial16(to, q[r], panel.output_channels);
  }
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_ARM_S8_INL_H_
