// The kernels that have per-instruction-set versions. The table starts as the reference; every
// level the machine has overlays what it brings (kernels.inc of each folder lists them, lowest
// level first).
#ifndef OCTET_KERNELS_KERNEL_TABLE_H_
#define OCTET_KERNELS_KERNEL_TABLE_H_

#include "runtime/core/isa.h"
#include "runtime/kernels/binary/binary.h"
#include "runtime/kernels/convert/convert.h"
#include "runtime/kernels/convolution.h"
#include "runtime/kernels/depthwise_conv/depthwise_conv.h"
#include "runtime/kernels/elementwise/elementwise.h"
#include "runtime/kernels/frame/frame.h"
#include "runtime/kernels/grid_sample/grid_sample.h"
#include "runtime/kernels/input/input.h"
#include "runtime/kernels/matmul/matmul.h"
#include "runtime/kernels/move/copy_plane.h"
#include "runtime/kernels/move/copy_runs.h"
#include "runtime/kernels/normalize/normalize.h"
#include "runtime/kernels/output/output.h"
#include "runtime/kernels/pool/pool.h"
#include "runtime/kernels/recurrent/recurrent.h"
#include "runtime/kernels/reduce/reduce.h"
#include "runtime/kernels/resize/linear.h"
#include "runtime/kernels/softmax/softmax.h"
#include "runtime/kernels/unary/unary.h"

namespace octet {

// name, function type
#define OCTET_KERNEL_ENTRIES(X)             \
  X(conv_s8, ConvS8Fn)                      \
  X(depthwise_conv_s8, DepthwiseConvS8Fn)   \
  X(add_s8, BinaryS8Fn)                     \
  X(mul_s8, BinaryS8Fn)                     \
  X(div_s8, BinaryS8Fn)                     \
  X(table_s8, TableS8Fn)                    \
  X(channel_table_s8, ChannelTableS8Fn)     \
  X(max_pool_s8, PoolS8Fn)                  \
  X(average_pool_s8, PoolS8Fn)              \
  X(conv_f16, ConvF16Fn)                    \
  X(depthwise_conv_f16, DepthwiseConvF16Fn) \
  X(add_f16, BinaryF16Fn)                   \
  X(mul_f16, BinaryF16Fn)                   \
  X(div_f16, BinaryF16Fn)                   \
  X(unary_f16, UnaryF16Fn)                  \
  X(max_pool_f16, PoolF16Fn)                \
  X(average_pool_f16, PoolF16Fn)            \
  X(copy_plane, CopyPlaneFn)                \
  X(copy_runs, CopyRunsFn)                  \
  X(elementwise_s8, ElementwiseFn)          \
  X(elementwise_f16, ElementwiseFn)         \
  X(matmul_s8, MatMulS8Fn)                  \
  X(matmul_f16, MatMulF16Fn)                \
  X(resize_linear_s8, ResizeLinearS8Fn)     \
  X(resize_linear_f16, ResizeLinearF16Fn)   \
  X(grid_sample_f16, GridSampleF16Fn)       \
  X(recurrent_s8, RecurrentFn)              \
  X(recurrent_f16, RecurrentFn)             \
  X(softmax_s8, SoftmaxS8Fn)                \
  X(softmax_f16, SoftmaxF16Fn)              \
  X(axis_softmax_s8, AxisSoftmaxS8Fn)       \
  X(axis_softmax_f16, AxisSoftmaxF16Fn)     \
  X(reduce_s8, ReduceS8Fn)                  \
  X(reduce_f16, ReduceF16Fn)                \
  X(convert_s8, ConvertFn)                  \
  X(convert_f16, ConvertFn)                 \
  X(normalize_s8, NormalizeS8Fn)            \
  X(normalize_f16, NormalizeF16Fn)          \
  X(input_frame, InputFrameFn)              \
  X(input_f32, InputF32Fn)                  \
  X(input_f16, InputF16Fn)                  \
  X(output_f16, OutputF16Fn)

struct KernelTable {
#define OCTET_DECLARE_ENTRY(name, type) type name;
  OCTET_KERNEL_ENTRIES(OCTET_DECLARE_ENTRY)
#undef OCTET_DECLARE_ENTRY
  // The level each of them was written for.
#define OCTET_DECLARE_ISA(name, type) Isa name##_isa;
  OCTET_KERNEL_ENTRIES(OCTET_DECLARE_ISA)
#undef OCTET_DECLARE_ISA
};

// Fills the table for a level and the features (core/isa.h) that the machine has beside it; false
// where this build lacks the level.
bool FillKernelTable(Isa level, uint32_t features, KernelTable* table);

// kernels.inc of a folder: one line a kernel, lowest level first, inside #if OCTET_ARCH_X86 /
// _AARCH64 / _ARMV7 where the architecture has it:   OCTET_KERNEL(conv_s8, ConvS8Args, avx2,
// Isa::kAvx2) declares, dispatches, tests and benchmarks `void conv_s8_avx2(const ConvS8Args&,
// Share)`. Reference kernels are lines too (word `reference`). OCTET_FEATURE_KERNEL names in
// addition the features that a kernel needs beside its level; who does not define it reads
// OCTET_KERNEL. kernels/kernels.inc includes them all.
#define OCTET_KERNEL(name, args, word, isa) void name##_##word(const args&, Share);
#include "runtime/kernels/kernels.inc"
#undef OCTET_KERNEL

// The panels of the convolutions: `void conv_s8_avx2_10x1(const ConvS8Args&, Share)`.
typedef ConvS8Args ConvArgs_s8;
typedef ConvF16Args ConvArgs_f16;
#define OCTET_CONV_PANEL(precision, word, isa, rows, blocks) \
  void conv_##precision##_##word##_##rows##x##blocks(const ConvArgs_##precision&, Share);
#include "runtime/kernels/conv/kernels.inc"
#undef OCTET_CONV_PANEL
#define OCTET_CONV_WINOGRAD(word, isa) void conv_s8_##word##_winograd(const ConvS8Args&, Share);
#include "runtime/kernels/conv/kernels.inc"
#undef OCTET_CONV_WINOGRAD
#define OCTET_CONV_KEEP(word, isa) void conv_s8_##word##_keep(const ConvKeepArgs&);
#include "runtime/kernels/conv/kernels.inc"
#undef OCTET_CONV_KEEP
// Of a level whose kernel keeps something (conv/scratch.inc); else null.
ConvKeepFn ConvKeepOf(Isa level);
// Whether this architecture has such a level.
constexpr bool kKernelsKeep = false
#define OCTET_CONV_KEEP(word, isa) || true
#include "runtime/kernels/conv/kernels.inc"
#undef OCTET_CONV_KEEP
    ;  // NOLINT

}  // namespace octet

#endif  // OCTET_KERNELS_KERNEL_TABLE_H_
