// Rows of 3x3 windows, one channel at a time. Its three rows of the image are widened to pairs of
// 16-bit neighbours (x0, x1), (x2, x3); with weights as A = (w0, w1) and B = (w1, w2) a row of the
// window adds to two outputs
//   stride 1:  A . (x0, x1) + x2 * w2   and   x1 * w0 + B . (x2, x3)
//   stride 2:  A . (x0, x1) + x2 * w2   and   A . (x2, x3) + x4 * w2.
// In assembly, because weights, rows and sums take every register there is. Included by
// depthwise_conv/arm_cm4.cc; internal linkage.
#ifndef OCTET_KERNELS_DEPTHWISE_CONV_CM4_ROWS_INL_H_
#define OCTET_KERNELS_DEPTHWISE_CONV_CM4_ROWS_INL_H_

#include <stddef.h>
#include <stdint.h>

namespace octet {
namespace {

// A channel's A and B of the three rows of the window, and how its sums are finished
// (kernels/arm_cm4.inl.h).
struct Channel3x3 {
  uint32_t weights[6];
  int32_t bias, multiplier, rounding, shift;
};

// Some channels of an output row; the assembly below knows the offsets and moves on what has to.
struct Row3x3 {
  const uint32_t* rows[3];  // of the first channel: pairs under the first output
  size_t plane;             // bytes from a channel's rows to the next one's
  const Channel3x3* channel;
  uint8_t* output;
  size_t output_step;  // from an output to its right neighbour
  size_t bytes;        // of rows[0], for the outputs that are taken in twos
  uint32_t odd;        // 1: one output more
  uint32_t channels;
};
#if defined(__arm__)
static_assert(offsetof(Row3x3, channels) == 36 && offsetof(Channel3x3, bias) == 24, "layout");
#endif

// clang-format off
#define OCTET_BOTH_STRIDE_1(row, a, b)    \
  "ldrd r10, r11, [" #row "], #4\n\t"     \
  "smlad r3, r10, " #a ", r3\n\t"         \
  "smlatb r12, r10, " #a ", r12\n\t"      \
  "smlabt r3, r11, " #b ", r3\n\t"        \
  "smlad r12, r11, " #b ", r12\n\t"
#define OCTET_BOTH_STRIDE_2(row, a, b)    \
  "ldrd r10, r11, [" #row "], #8\n\t"     \
  "smlad r3, r10, " #a ", r3\n\t"         \
  "ldr r10, [" #row "]\n\t"               \
  "smlad r12, r11, " #a ", r12\n\t"       \
  "smlabt r3, r11, " #b ", r3\n\t"        \
  "smlabt r12, r10, " #b ", r12\n\t"
#define OCTET_ONE(row, a, b)              \
  "ldrd r10, r11, [" #row "]\n\t"         \
  "smlad r3, r10, " #a ", r3\n\t"         \
  "smlabt r3, r11, " #b ", r3\n\t"
// On the stack: bias, multiplier, rounding, shift, output step, end of rows[0], Row3x3.
#define OCTET_ROW_3X3(OCTET_BOTH)         \
  "push {r4-r11, lr}\n\t"                 \
  "sub sp, sp, #28\n\t"                   \
  "str r0, [sp, #24]\n\t"                 \
  "1:\n\t"                                \
  "ldr r10, [r0, #16]\n\t"                \
  "ldmia r10!, {r4-r9}\n\t"               \
  "ldmia r10!, {r1, r2, r3, r11}\n\t"     \
  "str r10, [r0, #16]\n\t"                \
  "stmia sp, {r1, r2, r3, r11}\n\t"       \
  "ldr lr, [r0, #20]\n\t"                 \
  "ldrd r11, r12, [r0, #24]\n\t"          \
  "add r10, lr, #1\n\t"                   \
  "str r10, [r0, #20]\n\t"                \
  "str r11, [sp, #16]\n\t"                \
  "ldr r3, [r0, #12]\n\t"                 \
  "ldrd r10, r1, [r0]\n\t"                \
  "ldr r2, [r0, #8]\n\t"                  \
  "add r11, r10, r3\n\t"                  \
  "str r11, [r0]\n\t"                     \
  "add r11, r1, r3\n\t"                   \
  "str r11, [r0, #4]\n\t"                 \
  "add r11, r2, r3\n\t"                   \
  "str r11, [r0, #8]\n\t"                 \
  "mov r0, r10\n\t"                       \
  "add r12, r12, r0\n\t"                  \
  "str r12, [sp, #20]\n\t"                \
  "cmp r0, r12\n\t"                       \
  "beq 3f\n\t"                            \
  "2:\n\t"                                \
  "ldr r3, [sp]\n\t"                      \
  "mov r12, r3\n\t"                       \
  OCTET_BOTH(r0, r4, r5)                  \
  OCTET_BOTH(r1, r6, r7)                  \
  OCTET_BOTH(r2, r8, r9)                  \
  "ldrd r10, r11, [sp, #4]\n\t"           \
  "smmla r3, r3, r10, r11\n\t"            \
  "smmla r12, r12, r10, r11\n\t"          \
  "ldrd r10, r11, [sp, #12]\n\t"          \
  "asr r3, r3, r10\n\t"                   \
  "asr r12, r12, r10\n\t"                 \
  "ssat r3, #8, r3\n\t"                   \
  "ssat r12, #8, r12\n\t"                 \
  "strb r3, [lr]\n\t"                     \
  "strb r12, [lr, r11]\n\t"               \
  "ldr r10, [sp, #20]\n\t"                \
  "add lr, lr, r11, lsl #1\n\t"           \
  "cmp r0, r10\n\t"                       \
  "bne 2b\n\t"                            \
  "3:\n\t"                                \
  "ldr r12, [sp, #24]\n\t"                \
  "ldr r3, [r12, #32]\n\t"               \
  "cmp r3, #0\n\t"                       \
  "beq 4f\n\t"                           \
  "ldr r3, [sp]\n\t"                      \
  OCTET_ONE(r0, r4, r5)                   \
  OCTET_ONE(r1, r6, r7)                   \
  OCTET_ONE(r2, r8, r9)                   \
  "ldrd r10, r11, [sp, #4]\n\t"           \
  "smmla r3, r3, r10, r11\n\t"            \
  "ldr r10, [sp, #12]\n\t"                \
  "asr r3, r3, r10\n\t"                   \
  "ssat r3, #8, r3\n\t"                   \
  "strb r3, [lr]\n\t"                     \
  "4:\n\t"                                \
  "mov r0, r12\n\t"                       \
  "ldr r1, [r0, #36]\n\t"                 \
  "subs r1, r1, #1\n\t"                   \
  "str r1, [r0, #36]\n\t"                 \
  "bne 1b\n\t"                            \
  "add sp, sp, #28\n\t"                   \
  "pop {r4-r11, pc}\n\t"

[[gnu::naked, gnu::noinline]] static void Row3x3Stride1(Row3x3* /*r0*/) {
  __asm__ volatile(OCTET_ROW_3X3(OCTET_BOTH_STRIDE_1));
}
[[gnu::naked, gnu::noinline]] static void Row3x3Stride2(Row3x3* /*r0*/) {
  __asm__ volatile(OCTET_ROW_3X3(OCTET_BOTH_STRIDE_2));
}
// clang-format on

#undef OCTET_BOTH_STRIDE_1
#undef OCTET_BOTH_STRIDE_2
#undef OCTET_ONE
#undef OCTET_ROW_3X3

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_DEPTHWISE_CONV_CM4_ROWS_INL_H_
