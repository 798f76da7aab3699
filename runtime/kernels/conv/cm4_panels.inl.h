// The inner loops of the convolution for Cortex-M's DSP extension: SXTB16 widens bytes 0 and 2 (or,
// rotated, 1 and 3) of a word to 16 bits, SMLAD adds two products of such pairs. A word of weights
// holds 4 inputs of one output, and rows are widened to the same order when they are gathered.
//
// In assembly, because the sums, rows and weights take every register there is: the compiler would
// move some through memory. Included by conv/arm_cm4.cc; internal linkage.
#ifndef OCTET_KERNELS_CONV_CM4_PANELS_INL_H_
#define OCTET_KERNELS_CONV_CM4_PANELS_INL_H_

#include <stddef.h>

#include "runtime/format/blob.h"
#include "runtime/kernels/arm_cm4.inl.h"
#include "runtime/kernels/conv/scratch.h"

namespace octet {
namespace {

constexpr uint32_t kPanelRows = kCm4PanelRows;  // output pixels that Panel3 takes
constexpr uint32_t kQuadBytes = 64;             // weights of 4 inputs of a block

// What a panel reads and, in part, moves on. The assembly below knows the offsets.
struct Panel {
  const uint32_t* rows;   // widened
  const int8_t* weights;  // of the first output's first 4 inputs
  const int32_t* bias;    // of the first output; multipliers and shifts lie behind (ChannelBlockS8)
  size_t bytes;           // of the block's weights: kQuadBytes for 4 inputs
  uint8_t* output;        // Panel3: of the first row
  size_t output_step;     // from row to row
  const int32_t* end;     // of the biases
  int32_t zero;           // 2 zero_point + 1
  int32_t* sums;          // null, or where sums go that are not finished here: [pair][2][3]
};
static_assert(offsetof(blob::ChannelBlockS8, multiplier) == 128 &&
                  offsetof(blob::ChannelBlockS8, shift) == 192,
              "layout");
#if defined(__arm__)
static_assert(offsetof(Panel, output) == 16 && offsetof(Panel, sums) == 32, "layout");
#endif

// clang-format off
#define OCTET_MLA3(a, b, c, w)        \
  "smlad " #a ", " #w ", r10, " #a "\n\t" \
  "smlad " #b ", " #w ", r11, " #b "\n\t" \
  "smlad " #c ", " #w ", r12, " #c "\n\t"
// 4 inputs of 2 outputs and 3 rows: 24 products.
#define OCTET_QUAD3                   \
  "ldrd r2, r3, [r1], #64\n\t"        \
  "ldmia r0!, {r10, r11, r12}\n\t"    \
  "sxtb16 lr, r2\n\t"                 \
  OCTET_MLA3(r4, r5, r6, lr)          \
  "sxtb16 lr, r3\n\t"                 \
  OCTET_MLA3(r7, r8, r9, lr)          \
  "ldmia r0!, {r10, r11, r12}\n\t"    \
  "sxtb16 r2, r2, ror #8\n\t"         \
  OCTET_MLA3(r4, r5, r6, r2)          \
  "sxtb16 r3, r3, ror #8\n\t"         \
  OCTET_MLA3(r7, r8, r9, r3)
// One output of 3 rows, finished.
#define OCTET_FINISH3(a, b, c, multiplier, shift) \
  "sub r12, " #shift ", #2\n\t"       \
  "sub " #shift ", " #shift ", #1\n\t" \
  "lsl r12, r1, r12\n\t"              \
  "smmla " #a ", " #a ", " #multiplier ", r12\n\t" \
  "smmla " #b ", " #b ", " #multiplier ", r12\n\t" \
  "smmla " #c ", " #c ", " #multiplier ", r12\n\t" \
  "asr " #a ", " #a ", " #shift "\n\t" \
  "asr " #b ", " #b ", " #shift "\n\t" \
  "asr " #c ", " #c ", " #shift "\n\t" \
  "ssat " #a ", #8, " #a "\n\t"       \
  "ssat " #b ", #8, " #b "\n\t"       \
  "ssat " #c ", #8, " #c "\n\t"

// Pairs of outputs of 3 rows. Rows: [inputs / 4][bytes 0 and 2, then 1 and 3][row]. A round of the
// loop is 4 quads of 19 instructions of 4 bytes; the first round begins behind those that would
// make the number of quads a multiple of 4.
[[gnu::naked, gnu::noinline]] static void Panel3(Panel* /*r0*/) {
  __asm__ volatile(
      "push {r4-r11, lr}\n\t"
      "sub sp, sp, #12\n\t"           // end of the weights, where the loop begins, the panel
      "str r0, [sp, #8]\n\t"
      "ldr r3, [r0, #12]\n\t"
      "rsb r3, r3, #0\n\t"
      "and r3, r3, #192\n\t"          // 64 a quad left out
      "adr.w r2, 2f\n\t"
      "add r2, r2, r3\n\t"
      "add r2, r2, r3, lsr #2\n\t"
      "sub r2, r2, r3, lsr #4\n\t"    // 76 a quad
      "orr r2, r2, #1\n\t"            // Thumb
      "str r2, [sp, #4]\n\t"
      "1:\n\t"                        // each pair; r0: the panel
      "ldmia r0, {r0, r1, r2, r3}\n\t"
      "ldrd r4, r7, [r2]\n\t"
      "mov r5, r4\n\t"
      "mov r6, r4\n\t"
      "mov r8, r7\n\t"
      "mov r9, r7\n\t"
      "add r3, r3, r1\n\t"
      "str r3, [sp]\n\t"
      "ldr pc, [sp, #4]\n\t"
      "2:\n\t"
      OCTET_QUAD3
      OCTET_QUAD3
      OCTET_QUAD3
      OCTET_QUAD3
      "ldr lr, [sp]\n\t"
      "cmp r1, lr\n\t"
      "bne 2b\n\t"
      "ldr lr, [sp, #8]\n\t"
      "ldrd r1, r2, [lr, #28]\n\t"    // zero, sums
      "ldr r0, [lr, #8]\n\t"
      "cmp r2, #0\n\t"
      "bne 4f\n\t"
      "ldrd r2, r3, [r0, #128]\n\t"
      "ldrd r10, r11, [r0, #192]\n\t"
      OCTET_FINISH3(r4, r5, r6, r2, r10)
      OCTET_FINISH3(r7, r8, r9, r3, r11)
      "ldrd r2, r3, [lr, #16]\n\t"
      "strb r5, [r2, r3]\n\t"
      "strb r6, [r2, r3, lsl #1]\n\t"
      "strb r4, [r2], #1\n\t"
      "strb r8, [r2, r3]\n\t"
      "strb r9, [r2, r3, lsl #1]\n\t"
      "strb r7, [r2], #1\n\t"
      "str r2, [lr, #16]\n\t"
      "3:\n\t"
      "ldr r1, [lr, #4]\n\t"
      "ldr r3, [lr, #24]\n\t"
      "add r0, r0, #8\n\t"
      "add r1, r1, #8\n\t"
      "strd r1, r0, [lr, #4]\n\t"
      "cmp r0, r3\n\t"
      "mov r0, lr\n\t"
      "bne 1b\n\t"
      "add sp, sp, #12\n\t"
      "pop {r4-r11, pc}\n\t"
      "4:\n\t"
      "stmia r2!, {r4, r5, r6, r7, r8, r9}\n\t"
      "str r2, [lr, #32]\n\t"
      "b 3b\n\t");
}

// 4 inputs of one output and one row.
#define OCTET_MLA1(a, w)              \
  "sxtb16 r12, " #w "\n\t"            \
  "smlad " #a ", r12, r2, " #a "\n\t" \
  "sxtb16 " #w ", " #w ", ror #8\n\t" \
  "smlad " #a ", " #w ", r3, " #a "\n\t"

// 4 outputs of one row, sums alone. Rows: [inputs / 4][bytes 0 and 2, then 1 and 3].
[[gnu::naked, gnu::noinline]] static void Panel1(const Panel* /*r0*/, int32_t* /*r1: sums[4]*/) {
  __asm__ volatile(
      "push {r1, r4-r11, lr}\n\t"
      "ldmia r0, {r0, r1, r2, r3}\n\t"
      "ldmia r2, {r4, r5, r6, r7}\n\t"
      "mov lr, r3\n\t"
      "1:\n\t"
      "ldrd r10, r11, [r1, #8]\n\t"
      "ldrd r8, r9, [r1], #64\n\t"
      "ldrd r2, r3, [r0], #8\n\t"
      OCTET_MLA1(r4, r8)
      OCTET_MLA1(r5, r9)
      OCTET_MLA1(r6, r10)
      OCTET_MLA1(r7, r11)
      "subs lr, lr, #64\n\t"
      "bne 1b\n\t"
      "pop {r1}\n\t"
      "stmia r1, {r4, r5, r6, r7}\n\t"
      "pop {r4-r11, pc}\n\t");
}
// clang-format on

#undef OCTET_MLA3
#undef OCTET_QUAD3
#undef OCTET_FINISH3
#undef OCTET_MLA1

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_CM4_PANELS_INL_H_
