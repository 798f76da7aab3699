// Softmax of FP16 with NEON.
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/softmax/axis_f16.inl.h"
#include "runtime/kernels/softmax/rows.inl.h"

namespace octet {
namespace {

struct Level {
  static inline void Widen(const uint16_t* from, uint32_t count, float* to) {
    const Float8 x = LoadPartialHalf8(from, count);
    vst1q_f32(to, x.low);
    vst1q_f32(to + 4, x.high);
  }
  // A comparison with NaN is false.
  static inline void LargerOf(const float* values, float* max) {
    for (uint32_t i = 0; i < 8; i += 4) {
      const float32x4_t x = vld1q_f32(values + i), m = vld1q_f32(max + i);
      vst1q_f32(max + i, vbslq_f32(vcgtq_f32(x, m), x, m));
    }
  }
  static inline void Exponentials(float* values, float max) {
    for (uint32_t i = 0; i < 8; i += 4) {
      vst1q_f32(values + i, vsubq_f32(vld1q_f32(values + i), vdupq_n_f32(max)));
    }
    apply_function_neon(blob::Function::kExp, 0, 0, values, 8);
  }
  // Divided one by one where the architecture has no vector division.
  static inline void Store(const float* values, float sum, uint32_t count, uint16_t* to) {
    float quotients[8];
    for (uint32_t i = 0; i < 8; ++i) quotients[i] = values[i] / sum;
    StorePartialHalf8(to, Float8{vld1q_f32(quotients), vld1q_f32(quotients + 4)}, count);
  }
};

struct AxisLevel : HalfRows {
  static inline void Transpose(const float* from, size_t from_step, float* to, size_t to_step) {
    for (size_t y = 0; y < 8; y += 4) {
      for (size_t x = 0; x < 8; x += 4) {
        const float* square = from + y * from_step + x;
        const float32x4x2_t a = vtrnq_f32(vld1q_f32(square), vld1q_f32(square + from_step));
        const float32x4x2_t b =
            vtrnq_f32(vld1q_f32(square + 2 * from_step), vld1q_f32(square + 3 * from_step));
        float* turned = to + x * to_step + y;
        for (int i = 0; i < 2; ++i, turned += to_step) {
          vst1q_f32(turned, vcombine_f32(vget_low_f32(a.val[i]), vget_low_f32(b.val[i])));
          vst1q_f32(turned + 2 * to_step,
                    vcombine_f32(vget_high_f32(a.val[i]), vget_high_f32(b.val[i])));
        }
      }
    }
  }
  static inline void Exponentials(float* values, uint32_t count) {
    apply_function_neon(blob::Function::kExp, 0, 0, values, count);
  }
};

}  // namespace

void softmax_f16_neon(const SoftmaxF16Args& args, Share share) {
  if (args.count <= kFewElements) return RunShortRowsF16<AxisLevel>(args, share);
  SoftmaxRows<Level>(args, share);
}

void axis_softmax_f16_neon(const AxisSoftmaxF16Args& args, Share share) {
  if (args.inner == 1 && args.kind == blob::SoftmaxKind::kSoftmax) {  // rows
    return softmax_f16_neon(SoftmaxF16Args{args.input, args.output, args.outer, args.count}, share);
  }
  RunAxisSoftmaxF16<AxisLevel>(args, share);
}

}  // namespace octet
