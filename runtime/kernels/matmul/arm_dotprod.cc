// Batched int8 products with SDOT: 4 rows x 16 columns of sums in registers, groups of four k.
// Codes are packed as they are; their zero points are taken off the sums:
//
//   sum (a - za)(b - zb) = sum a b - za sum b - zb sum a + depth za zb
//
// Each term is below 2^30 by blob::kMaxMatMulDepthS8, and what wraps on the way wraps back.
#include "runtime/kernels/arm_requantize.inl.h"
#include "runtime/kernels/kernel_table.h"
// Intrinsics come first.
#include "runtime/kernels/matmul/driver.inl.h"

namespace octet {
namespace {

constexpr uint32_t kSide = 16;

// Of a panel: base[32] = depth za zb - za sum b, of each column. Of a tile: -zb sum a, of each row.
// Both follow what they belong to. Scratch has two bytes for each element of an even depth; the
// sums take four, as many as one group: 2 * even(depth) >= Deep(depth) + 4 from this depth on.
constexpr uint32_t kLeastDepth = 5;

struct LevelDotprod : PackOneByOne {
  typedef int8_t Value;
  static constexpr uint32_t kGroup = 4;
  typedef int32_t Zero;
  static inline Zero ZeroA(const MatMulS8Args& args) { return args.zero_point_a; }
  static inline Zero ZeroB(const MatMulS8Args& args) { return args.zero_point_b; }
  static inline uint64_t Deep(uint64_t depth) { return (depth + 3) & ~(uint64_t)3; }

  // 16 elements `kStep` apart, 1 or 2, and nothing behind the last of them.
  template <uint32_t kStep>
  static inline int8x16_t LoadRow(const uint8_t* from) {
    if constexpr (kStep == 1) return LoadBytes(from);
    const int8x16_t low = LoadBytes(from), high = LoadBytes(from + 15);
    return vcombine_s8(vget_low_s8(vuzp1q_s8(low, low)), vget_low_s8(vuzp2q_s8(high, high)));
  }

  static inline void Pack(Zero, const uint8_t* from, uint64_t from_step, uint32_t count, int8_t* to,
                          uint64_t to_step) {
    if (from_step == 1 && to_step == 1) {
      memcpy(to, from, count);
      return;
    }
    uint32_t i = 0;
    if (from_step == 2 && to_step == 1) {
      for (; i + 16 <= count; i += 16) vst1q_s8(to + i, LoadRow<2>(from + 2 * i));
    }
    for (; i < count; ++i) to[i * to_step] = (int8_t)from[i * from_step];
  }

  template <uint32_t kStep>
  static inline void PackSteps(const MatMulS8Args& args, const uint8_t* row, uint32_t columns,
                               int8_t* panel) {
    const uint64_t k_step = args.params->b_strides[3];
    for (uint32_t k = 0; k < args.params->depth; k += kGroup, row += kGroup * k_step) {
      for (uint32_t c = 0; c < columns; c += 16) {
        const uint8_t* from = row + kStep * c;
        const int8x16x4_t rows = {{LoadRow<kStep>(from), LoadRow<kStep>(from + k_step),
                                   LoadRow<kStep>(from + 2 * k_step),
                                   LoadRow<kStep>(from + 3 * k_step)}};
        vst4q_s8(panel + k * kMatMulPanel + c * kGroup, rows);
      }
    }
  }

  static inline bool PackRows(const MatMulS8Args& args, const uint8_t* b, uint32_t columns,
                              int8_t* panel) {
    const uint64_t step = args.params->b_strides[4];
    if (step - 1 > 1 || columns % 16 != 0 || args.params->depth % kGroup != 0) return false;
    (step == 1 ? PackSteps<1> : PackSteps<2>)(args, b, columns, panel);
    return true;
  }

  static inline uint32_t PackTurned(const MatMulS8Args& args, const uint8_t* b, int8_t* panel) {
    const uint64_t step = args.params->b_strides[4];
    const uint32_t whole = args.params->depth / 16 * 16;
    for (uint32_t half = 0; half < kTurnedColumns; half += 4, b += 4 * step, panel += 4 * kGroup) {
      for (uint32_t k = 0; k < whole; k += 16) {
        int32x4_t x[4];
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
          x[i] = vreinterpretq_s32_s8(vld1q_s8(reinterpret_cast<const int8_t*>(b + k + i * step)));
        }
        const int32x4x2_t p = vtrnq_s32(x[0], x[1]), q = vtrnq_s32(x[2], x[3]);
        int8_t* to = panel + k * kMatMulPanel;
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i, to += kGroup * kMatMulPanel) {
          const int32x2_t low = i < 2 ? vget_low_s32(p.val[i % 2]) : vget_high_s32(p.val[i % 2]);
          const int32x2_t high = i < 2 ? vget_low_s32(q.val[i % 2]) : vget_high_s32(q.val[i % 2]);
          vst1q_s8(to, vreinterpretq_s8_s32(vcombine_s32(low, high)));
        }
      }
    }
    return whole;
  }

  static inline void FinishPanel(const MatMulS8Args& args, int8_t* panel) {
    const uint64_t deep = Deep(args.params->depth);
    const int32x4_t start =
        vdupq_n_s32((int32_t)args.params->depth * args.zero_point_a * args.zero_point_b);
    int32x4_t sums[kMatMulPanel / 4] = {};
    for (uint64_t k = 0; k < deep; k += kGroup) {
#pragma GCC unroll 8
      for (uint32_t i = 0; i < kMatMulPanel / 4; ++i) {
        sums[i] = vdotq_s32(sums[i], vld1q_s8(panel + k * kMatMulPanel + 16 * i), vdupq_n_s8(1));
      }
    }
    int8_t* base = panel + deep * kMatMulPanel;
    for (uint32_t i = 0; i < kMatMulPanel / 4; ++i) {
      const int32x4_t x = vmlsq_s32(start, sums[i], vdupq_n_s32(args.zero_point_a));
      vst1q_s8(base + 16 * i, vreinterpretq_s8_s32(x));
    }
  }

  static inline void FinishTile(const MatMulS8Args& args, uint32_t rows, int8_t* tile) {
    const uint64_t deep = Deep(args.params->depth);
    for (uint32_t r = 0; r < rows; ++r) {
      int32x4_t sums = vdupq_n_s32(0);
      const int8_t* row = tile + r * deep;
      uint64_t k = 0;
      for (; k + 16 <= deep; k += 16) sums = vdotq_s32(sums, vld1q_s8(row + k), vdupq_n_s8(1));
      int32_t sum = vaddvq_s32(sums);
      for (; k < deep; ++k) sum += row[k];
      sum *= -args.zero_point_b;
      memcpy(tile + kMatMulTile * deep + r * sizeof(sum), &sum, sizeof(sum));
    }
  }

  // Four columns by element kLane of each row.
  template <int kLane, uint32_t kRows>
  static inline void AddLane(const int8x16_t (&a)[kRows], const int8_t* b,
                             int32x4_t (&sums)[kRows][4]) {
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const int8x16_t columns = vld1q_s8(b + 16 * v);
#pragma GCC unroll 4
      for (uint32_t r = 0; r < kRows; ++r) {
        sums[r][v] = vdotq_laneq_s32(sums[r][v], columns, a[r], kLane);
      }
    }
  }

  // 4 rows x 16 columns from `first` on, of which `rows` x `count` are stored. The others come from
  // what the tile held before.
  static inline void MultiplySide(const MatMulS8Args& args, const int8_t* tile, uint32_t rows,
                                  const int8_t* panel, uint32_t first, uint32_t count,
                                  uint8_t* out) {
    constexpr uint32_t kRows = kMatMulTile;
    constexpr uint64_t kStep = kGroup * kMatMulPanel;
    const blob::MatMulParams& p = *args.params;
    const uint64_t deep = Deep(p.depth);
    const int8_t* base = panel + deep * kMatMulPanel + first * sizeof(int32_t);
    const int8_t* start = tile + kMatMulTile * deep;
    int32x4_t sums[kRows][4];
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const int32x4_t columns = vreinterpretq_s32_s8(vld1q_s8(base + 16 * v));
#pragma GCC unroll 4
      for (uint32_t r = 0; r < kRows; ++r) {
        int32_t of_row;
        memcpy(&of_row, start + r * sizeof(of_row), sizeof(of_row));
        sums[r][v] = vaddq_s32(columns, vdupq_n_s32(of_row));
      }
    }
    const int8_t* b = panel + first * kGroup;
    uint64_t k = 0;
    for (; k + 16 <= deep; k += 16, b += 4 * kStep) {
      int8x16_t a[kRows];
#pragma GCC unroll 4
      for (uint32_t r = 0; r < kRows; ++r) a[r] = vld1q_s8(tile + r * deep + k);
      AddLane<0>(a, b, sums);
      AddLane<1>(a, b + kStep, sums);
      AddLane<2>(a, b + 2 * kStep, sums);
      AddLane<3>(a, b + 3 * kStep, sums);
    }
    for (; k < deep; k += kGroup, b += kStep) {
      int8x16_t a[kRows];
#pragma GCC unroll 4
      for (uint32_t r = 0; r < kRows; ++r) {
        int32_t four;
        memcpy(&four, tile + r * deep + k, sizeof(four));
        a[r] = vreinterpretq_s8_s32(vdupq_n_s32(four));
      }
      AddLane<0>(a, b, sums);
    }
    const Tail16 tail = MakeTail16(args.out_zero_point, p.clamp_lo, p.clamp_hi);
    const int32x4_t multiplier = vdupq_n_s32(p.multiplier), left_shift = vdupq_n_s32(-p.shift);
#pragma GCC unroll 4
    for (uint32_t r = 0; r < kRows; ++r) {
      if (r == rows) return;
      int32x4_t q[4];
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) {
        q[v] = p.pre_shift == 0 ? sums[r][v] : PreShift4(sums[r][v], p.pre_shift);
        q[v] = Requantize4(q[v], multiplier, left_shift);
      }
      StorePartial16(out + (uint64_t)r * p.columns + first, Finish16(q[0], q[1], q[2], q[3], tail),
                     count);
    }
  }

  static inline void Multiply(const MatMulS8Args& args, const int8_t* tile, const int8_t* panel,
                              uint32_t rows, uint32_t columns, uint8_t* out) {
    for (uint32_t first = 0; first < columns; first += kSide) {
      const uint32_t left = columns - first;
      MultiplySide(args, tile, rows, panel, first, left < kSide ? left : kSide, out);
    }
  }
};

}  // namespace

void matmul_s8_dotprod(const MatMulS8Args& args, Share share) {
  if (args.params->depth < kLeastDepth) return matmul_s8_neon(args, share);
  RunMatMul<LevelDotprod>(args, share);
}

}  // namespace octet
