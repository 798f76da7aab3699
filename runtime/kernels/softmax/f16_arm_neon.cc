// Softmax of FP16 with NEON.
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/softmax/axis_f16.inl.h"
#include "runtime/kernels/softmax/rows.inl.h"

namespace octet {
namespace {

struct Level : HalfRows {
  static constexpr uint32_t kLanes = 4, kPiece = 512;
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
  RunRowsF16<Level>(args, share);
}

void axis_softmax_f16_neon(const AxisSoftmaxF16Args& args, Share share) {
  if (args.inner == 1 && args.kind == blob::SoftmaxKind::kSoftmax) {  // rows
    return softmax_f16_neon(SoftmaxF16Args{args.input, args.output, args.outer, args.count}, share);
  }
  RunAxisSoftmaxF16<Level>(args, share);
}

}  // namespace octet
