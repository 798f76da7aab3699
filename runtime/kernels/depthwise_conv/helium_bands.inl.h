// Bands of 3x3 windows, one channel after another. Scratch holds, for 16 channels, four rows of the
// image column by column: [column][channel][row]. Four columns of a channel are then one gather of
// four words, and one VMLADAV with the weights in the same order is a whole window.
//   stride 1: a gather holds the windows of 2x2 outputs; four orders of the weights pick them.
//   stride 2: it holds one window; four gathers make four outputs of a row.
// Their sums are one vector, finished with the numbers of their channel.
// In assembly, because weights, sums and places take nearly every register. Included by
// depthwise_conv/arm_helium.cc; internal linkage.
#ifndef OCTET_KERNELS_DEPTHWISE_CONV_HELIUM_BANDS_INL_H_
#define OCTET_KERNELS_DEPTHWISE_CONV_HELIUM_BANDS_INL_H_

#include <stddef.h>
#include <stdint.h>

namespace octet {
namespace {

// Up to 16 channels of some bands; the assembly below knows the offsets.
struct Bands {
  const int8_t* columns;  // of weights; those of the image follow, band by band
  const int32_t* bias;    // of the first channel; multipliers and shifts lie behind
  uint8_t* output;        // of the first channel
  size_t output_step;     // from a vector of outputs to the next one
  uint32_t vectors;       // of four outputs, of a band
  uint32_t rest;          // stride 1: 1: there is one more, see `back`; stride 2: outputs left
  uint32_t channels, count;
  int32_t zero_point;
  int32_t next_columns;  // to the next band: bytes of columns and outputs
  size_t next_output;
  int32_t back_columns;  // rest of stride 1: bytes of columns and outputs to go back before it
  size_t back_output;
  uint32_t places[4];  // of the outputs of a vector, from its first
};
#if defined(__arm__)
static_assert(offsetof(Bands, next_columns) == 36 && offsetof(Bands, places) == 52, "layout");
#endif

// clang-format off
// What both begin with. r9: output_step, r11: bias of the channel, r12: bands. q6: places of the
// outputs, q7: of four columns.
#define OCTET_BANDS_BEGIN               \
  "push {r4-r11, lr}\n\t"               \
  "vpush {d8-d15}\n\t"                  \
  "mov r12, r0\n\t"                     \
  "movs r0, #0\n\t"                     \
  "vidup.u32 q7, r0, #4\n\t"            \
  "vshl.i32 q7, q7, #4\n\t"             \
  "add r0, r12, #52\n\t"                \
  "vldrw.u32 q6, [r0]\n\t"              \
  "ldr r11, [r12, #4]\n\t"              \
  "ldr r9, [r12, #12]\n\t"              \
  "ldr r7, [r12, #32]\n\t"
// The channel's numbers: r1 bias, r3 multiplier, r5 -shift, r8 output, r10 bands left; q5: its
// columns.
#define OCTET_BANDS_CHANNEL             \
  "ldr r3, [r11, #128]\n\t"             \
  "ldr r5, [r11, #192]\n\t"             \
  "ldr r1, [r11], #4\n\t"               \
  "rsb r5, r5, #0\n\t"                  \
  "ldr r0, [r12]\n\t"                   \
  "ldr r8, [r12, #8]\n\t"               \
  "ldr r10, [r12, #28]\n\t"             \
  "vadd.i32 q5, q7, r0\n\t"             \
  "adds r0, r0, #4\n\t"                 \
  "str r0, [r12]\n\t"                   \
  "adds r0, r8, #1\n\t"                 \
  "str r0, [r12, #8]\n\t"
// Sums r0, r2, r4, r6 to saturated bytes in q4. The output zero point is added to what is rounded,
// then 32 bits saturate to 16 and to 8.
#define OCTET_BANDS_FINISH              \
  "vmov q4[2], q4[0], r0, r4\n\t"       \
  "vmov q4[3], q4[1], r2, r6\n\t"       \
  "vadd.i32 q4, q4, r1\n\t"             \
  "vqdmulh.s32 q4, q4, r3\n\t"          \
  "vrshl.s32 q4, r5\n\t"                \
  "vadd.i32 q4, q4, r7\n\t"             \
  "vqmovnb.s32 q4, q4\n\t"              \
  "vqmovnb.s16 q4, q4\n\t"
// To the next band, then to the next channel.
#define OCTET_BANDS_END                 \
  "ldrd r0, r2, [r12, #36]\n\t"         \
  "vadd.i32 q5, q5, r0\n\t"             \
  "add r8, r8, r2\n\t"                  \
  "subs r10, r10, #1\n\t"               \
  "bne 2b\n\t"                          \
  "ldr r0, [r12, #24]\n\t"              \
  "subs r0, r0, #1\n\t"                 \
  "str r0, [r12, #24]\n\t"              \
  "bne 1b\n\t"                          \
  "vpop {d8-d15}\n\t"                   \
  "pop {r4-r11, pc}\n\t"

#define OCTET_BANDS_SUMS_1              \
  "vldrw.u32 q4, [q5, #128]!\n\t"       \
  "vmladav.s8 r0, q4, q0\n\t"           \
  "vmladav.s8 r2, q4, q1\n\t"           \
  "vmladav.s8 r4, q4, q2\n\t"           \
  "vmladav.s8 r6, q4, q3\n\t"

// Vectors of outputs (y, x), (y, x + 1), (y + 1, x), (y + 1, x + 1). The rest begins where the last
// two columns of the band do.
[[gnu::naked, gnu::noinline]] static void BandsStride1(Bands* /*r0*/) {
  __asm__ volatile(
      OCTET_BANDS_BEGIN
      "1:\n\t"
      OCTET_BANDS_CHANNEL
      "vldrw.u32 q1, [q5]\n\t"
      "vldrw.u32 q0, [q5, #64]\n\t"
      "vldrw.u32 q3, [q5, #320]\n\t"
      "vldrw.u32 q2, [q5, #384]\n\t"
      "mov.w r4, #512\n\t"
      "vadd.i32 q5, q5, r4\n\t"          // a vector before the first
      "2:\n\t"
      "ldr lr, [r12, #16]\n\t"
      "wls lr, lr, 4f\n\t"
      "3:\n\t"
      OCTET_BANDS_SUMS_1
      OCTET_BANDS_FINISH
      "vstrb.32 q4, [r8, q6]\n\t"
      "add r8, r8, r9\n\t"
      "le lr, 3b\n\t"
      "4:\n\t"
      "ldr r4, [r12, #20]\n\t"
      "cbz r4, 5f\n\t"
      "ldrd r0, r2, [r12, #44]\n\t"
      "vadd.i32 q5, q5, r0\n\t"
      "subs r8, r8, r2\n\t"
      OCTET_BANDS_SUMS_1
      OCTET_BANDS_FINISH
      "vstrb.32 q4, [r8, q6]\n\t"
      "5:\n\t"
      OCTET_BANDS_END);
}

#define OCTET_BANDS_SUMS_2              \
  "vldrw.u32 q1, [q5, #256]!\n\t"       \
  "vldrw.u32 q2, [q5, #128]\n\t"        \
  "vmladav.s8 r0, q1, q0\n\t"           \
  "vldrw.u32 q3, [q5, #256]!\n\t"       \
  "vmladav.s8 r2, q2, q0\n\t"           \
  "vldrw.u32 q1, [q5, #128]\n\t"        \
  "vmladav.s8 r4, q3, q0\n\t"           \
  "vmladav.s8 r6, q1, q0\n\t"

// Vectors of four outputs of a row.
[[gnu::naked, gnu::noinline]] static void BandsStride2(Bands* /*r0*/) {
  __asm__ volatile(
      OCTET_BANDS_BEGIN
      "1:\n\t"
      OCTET_BANDS_CHANNEL
      "vldrw.u32 q0, [q5, #64]\n\t"
      "mov.w r4, #384\n\t"
      "vadd.i32 q5, q5, r4\n\t"          // 256 bytes before the first
      "2:\n\t"
      "ldr lr, [r12, #16]\n\t"
      "wls lr, lr, 4f\n\t"
      "3:\n\t"
      OCTET_BANDS_SUMS_2
      OCTET_BANDS_FINISH
      "vstrb.32 q4, [r8, q6]\n\t"
      "add r8, r8, r9\n\t"
      "le lr, 3b\n\t"
      "4:\n\t"
      "ldr r0, [r12, #20]\n\t"
      "cbz r0, 5f\n\t"
      "vctp.32 r0\n\t"
      OCTET_BANDS_SUMS_2
      OCTET_BANDS_FINISH
      "vpst\n\t"
      "vstrbt.32 q4, [r8, q6]\n\t"
      "5:\n\t"
      OCTET_BANDS_END);
}

// Where rows of the image go to columns: the assembly below knows the offsets.
struct Columns {
  const uint8_t* rows[4];  // of the first pixel
  size_t steps[4];         // from pixel to pixel; 0: padding
  int8_t* to;
  uint32_t count, channels;
};

[[gnu::naked, gnu::noinline]] static void LayOutColumns(const Columns* /*r0*/) {
  __asm__ volatile(
      "push {r4-r11, lr}\n\t"
      "ldrd r9, lr, [r0, #32]\n\t"
      "ldr r1, [r0, #40]\n\t"
      "vctp.8 r1\n\t"
      "ldm r0, {r1-r8}\n\t"
      "wls lr, lr, 2f\n\t"
      "1:\n\t"
      "vpstttt\n\t"
      "vldrbt.u8 q0, [r1]\n\t"
      "vldrbt.u8 q1, [r2]\n\t"
      "vldrbt.u8 q2, [r3]\n\t"
      "vldrbt.u8 q3, [r4]\n\t"
      "vst40.8 {q0, q1, q2, q3}, [r9]\n\t"
      "add r1, r1, r5\n\t"
      "vst41.8 {q0, q1, q2, q3}, [r9]\n\t"
      "add r2, r2, r6\n\t"
      "vst42.8 {q0, q1, q2, q3}, [r9]\n\t"
      "add r3, r3, r7\n\t"
      "vst43.8 {q0, q1, q2, q3}, [r9]!\n\t"
      "add r4, r4, r8\n\t"
      "le lr, 1b\n\t"
      "2:\n\t"
      "pop {r4-r11, pc}\n\t");
}
// clang-format on

#undef OCTET_BANDS_BEGIN
#undef OCTET_BANDS_CHANNEL
#undef OCTET_BANDS_FINISH
#undef OCTET_BANDS_END
#undef OCTET_BANDS_SUMS_1
#undef OCTET_BANDS_SUMS_2

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_DEPTHWISE_CONV_HELIUM_BANDS_INL_H_
