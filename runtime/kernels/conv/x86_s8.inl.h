// What the int8 convolutions of AVX2, AVX-VNNI and AVX-512 share under conv/driver.inl.h.
#ifndef OCTET_KERNELS_CONV_X86_S8_INL_H_
#define OCTET_KERNELS_CONV_X86_S8_INL_H_

#include "runtime/kernels/conv/rows.inl.h"
#include "runtime/kernels/conv/strips.inl.h"
#include "runtime/kernels/x86_blocks.inl.h"

namespace octet {
namespace {

// Weights that come from beyond the level 2 cache: the hardware's prefetcher stops at every 4 KiB
// page.
constexpr size_t kPrefetchBytes = 2048;

// What every panel of a layer shares.
struct TailS8 {
  int32_t out_zero_point, clamp_lo, clamp_hi, pre_shift;
  const int8_t* table;
  PreparedKind kind;
  float fused_start;
  bool unusual;  // sums are shifted or doubled before they are requantized
};

struct PartX86 {
  TailS8 tail;
  PreparedBlock constants[kPreparedBlocks];
};

static inline void BeginPart(const ConvS8Args& args, const ConvOutputs& outputs, PartX86* part) {
  part->tail = TailS8{
      args.out_zero_point, args.clamp_lo, args.clamp_hi, args.pre_shift, args.table, {}, 0, false};
  part->tail.kind =
      PrepareBlocks(args, outputs.first, outputs.groups * outputs.blocks, part->constants);
  part->tail.fused_start = FusedStart(args.out_zero_point);
  const PreparedKind& kind = part->tail.kind;
  part->tail.unusual = !kind.fused && (args.pre_shift != 0 || kind.doubled);
}

struct StripPartX86 : PartX86 {
  StripRows strip;
};

// Where the rows of a panel have the tap of these pointers. kStepped: only the tile's first row has
// some.
template <bool kStepped, int kRows>
static inline void FindRows(const PanelS8& p, const uint8_t* const* pointers,
                            const uint8_t* (&in)[kRows]) {
  if constexpr (!kStepped) {
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) in[r] = pointers[r];
    return;
  }
  in[0] = pointers[0] + p.row_offset;
#pragma GCC unroll 12
  for (int r = 1; r < kRows; ++r) in[r] = in[r - 1] + p.row_step;
}

// Levels with VPDPBUSD, which read rows where they lie.
struct VnniX86 {
  typedef ConvS8Args Args;
  typedef StripPartX86 Part;
  static void FillPadding(const ConvS8Args& args, const ConvPlan& plan) {
    FillRowPadding(args, plan);
  }
  static void Begin(const ConvS8Args& args, const ConvPlan& plan, const ConvOutputs& outputs,
                    PanelS8* panel, Part* part) {
    BeginPart(args, outputs, part);
    if (plan.rows == Rows::kStrips) BeginStrips(args, plan, outputs, panel);
  }
  static uint32_t Prepare(const ConvS8Args& args, const ConvPlan& plan, uint64_t group,
                          uint64_t pixel, Part* part) {
    if (plan.rows == Rows::kStrips) {
      return PointStrip(args, plan, pixel, &part->strip);
    }
    return GatherRows(args, plan, group, pixel);
  }
};

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_X86_S8_INL_H_
