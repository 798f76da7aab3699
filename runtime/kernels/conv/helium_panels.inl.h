// The inner loop of the convolution for MVE: VMLADAVA adds 16 products of bytes to a register of
// the core. In assembly, because six sums take every even register there is. Included by
// conv/arm_helium.cc; internal linkage.
#ifndef OCTET_KERNELS_CONV_HELIUM_PANELS_INL_H_
#define OCTET_KERNELS_CONV_HELIUM_PANELS_INL_H_

#include <stddef.h>
#include <stdint.h>

namespace octet {
namespace {

// Two outputs of rows in threes. The assembly below knows the offsets.
struct Panels {
  size_t pitch;           // from row to row
  const int8_t* weights;  // [depth / 16][2][16]
  uint32_t rounds;        // depth / 16 - 1
  size_t gap;             // from the end of a row to the next one: pitch - depth
  const uint8_t* rows;
  int32_t* sums;     // [row][4], of the first output
  uint32_t triples;  // of rows
};
#if defined(__arm__)
static_assert(offsetof(Panels, gap) == 12 && offsetof(Panels, triples) == 24, "layout");
#endif

// clang-format off
// 16 inputs of 3 rows and 2 outputs: 96 products.
#define OCTET_CHUNK(mla)              \
  "vldrb.u8 q0, [r7], #16\n\t"        \
  "vldrb.u8 q2, [r1], #16\n\t"        \
  mla " r0, q0, q2\n\t"               \
  "vldrb.u8 q1, [r7], #16\n\t"        \
  mla " r2, q1, q2\n\t"               \
  "vldrb.u8 q3, [r3], #16\n\t"        \
  mla " r4, q0, q3\n\t"               \
  "vldrb.u8 q2, [r5], #16\n\t"        \
  mla " r6, q1, q3\n\t"               \
  mla " r8, q0, q2\n\t"               \
  mla " r10, q1, q2\n\t"

[[gnu::naked, gnu::noinline]] static void RunPanels(const Panels* /*r0*/) {
  __asm__ volatile(
      "push {r4-r11, lr}\n\t"
      "mov r11, r0\n\t"
      "ldr r1, [r11, #16]\n\t"
      "ldrd r9, r12, [r11, #20]\n\t"
      "1:\n\t"
      "ldrd r0, r7, [r11]\n\t"
      "ldr lr, [r11, #8]\n\t"
      "add r3, r1, r0\n\t"
      "add r5, r3, r0\n\t"
      OCTET_CHUNK("vmladav.s8")
      "wls lr, lr, 3f\n\t"
      "2:\n\t"
      OCTET_CHUNK("vmladava.s8")
      "le lr, 2b\n\t"
      "3:\n\t"
      "ldr r7, [r11, #12]\n\t"
      "strd r0, r2, [r9], #16\n\t"
      "strd r4, r6, [r9], #16\n\t"
      "add r1, r5, r7\n\t"
      "strd r8, r10, [r9], #16\n\t"
      "subs r12, r12, #1\n\t"
      "bne 1b\n\t"
      "pop {r4-r11, pc}\n\t");
}

// Four outputs of rows of 16 inputs: their weights stay in registers, and so do bias, multiplier and
// shift, so that sums are finished at once, over the whole int8 range.
struct ShortRows {
  const uint8_t* rows;
  size_t pitch;
  uint8_t* output;
  size_t output_step;
  uint32_t count;
  int32_t zero_point;
  const int8_t* weights;  // [4][16]
  const int32_t* bias;    // multipliers and shifts lie behind (ChannelBlockS8)
};
#if defined(__arm__)
static_assert(offsetof(ShortRows, bias) == 28, "layout");
#endif

[[gnu::naked, gnu::noinline]] static void RunShortRows(const ShortRows* /*r0*/) {
  __asm__ volatile(
      "push {r4-r8, lr}\n\t"
      "vpush {d8-d15}\n\t"
      "ldrd r2, r4, [r0, #24]\n\t"
      "vldrb.u8 q0, [r2]\n\t"
      "vldrb.u8 q1, [r2, #16]\n\t"
      "vldrb.u8 q2, [r2, #32]\n\t"
      "vldrb.u8 q3, [r2, #48]\n\t"
      "vldrw.u32 q5, [r4]\n\t"
      "vldrw.u32 q6, [r4, #128]\n\t"
      "vldrw.u32 q7, [r4, #192]\n\t"
      "vneg.s32 q7, q7\n\t"
      "ldrd r1, r3, [r0]\n\t"
      "ldrd r5, r7, [r0, #8]\n\t"
      "ldrd r2, r8, [r0, #16]\n\t"
      "dls lr, r2\n\t"
      "1:\n\t"
      "vldrb.u8 q4, [r1]\n\t"
      "add r1, r1, r3\n\t"
      "vmladav.s8 r0, q4, q0\n\t"
      "vmladav.s8 r2, q4, q1\n\t"
      "vmladav.s8 r4, q4, q2\n\t"
      "vmladav.s8 r6, q4, q3\n\t"
      "vmov q4[2], q4[0], r0, r4\n\t"
      "vmov q4[3], q4[1], r2, r6\n\t"
      "vadd.i32 q4, q4, q5\n\t"
      "vqdmulh.s32 q4, q4, q6\n\t"
      "vrshl.s32 q4, q4, q7\n\t"
      "vadd.i32 q4, q4, r8\n\t"
      "vqmovnb.s32 q4, q4\n\t"
      "vqmovnb.s16 q4, q4\n\t"
      "vstrb.32 q4, [r5]\n\t"
      "add r5, r5, r7\n\t"
      "le lr, 1b\n\t"
      "vpop {d8-d15}\n\t"
      "pop {r4-r8, pc}\n\t");
}

// Four outputs of a block: [depth / 4][16 outputs][4] to two times [depth / 16][2][16].
struct WeightsLayout {
  const int8_t* from;
  int8_t *first, *second;
  uint32_t rounds, rest;  // depth / 16; quads of 4 inputs that are left, the others become 0
};

[[gnu::naked, gnu::noinline]] static void LayOutWeights(const WeightsLayout* /*r0*/) {
  __asm__ volatile(
      "push {r4, lr}\n\t"
      "ldm r0, {r0, r1, r2, r3, r4}\n\t"
      "mov.w r12, #0\n\t"
      "vidup.u32 q3, r12, #4\n\t"
      "vshl.i32 q3, q3, #4\n\t"     // 64 bytes a quad
      "sub.w r0, r0, #256\n\t"
      "vadd.i32 q3, q3, r0\n\t"
      "wls lr, r3, 2f\n\t"
      "1:\n\t"
      "vldrw.u32 q0, [q3, #256]!\n\t"
      "vstrb.8 q0, [r1], #16\n\t"
      "vldrw.u32 q1, [q3, #4]\n\t"
      "vstrb.8 q1, [r1], #16\n\t"
      "vldrw.u32 q0, [q3, #8]\n\t"
      "vstrb.8 q0, [r2], #16\n\t"
      "vldrw.u32 q1, [q3, #12]\n\t"
      "vstrb.8 q1, [r2], #16\n\t"
      "le lr, 1b\n\t"
      "2:\n\t"
      "cbz r4, 3f\n\t"
      "mov.w r0, #256\n\t"
      "vadd.i32 q3, q3, r0\n\t"
      "vctp.32 r4\n\t"
      "vpstt\n\t"
      "vldrwt.u32 q0, [q3]\n\t"
      "vldrwt.u32 q1, [q3, #4]\n\t"
      "vstrb.8 q0, [r1]\n\t"
      "vstrb.8 q1, [r1, #16]\n\t"
      "vpstt\n\t"
      "vldrwt.u32 q0, [q3, #8]\n\t"
      "vldrwt.u32 q1, [q3, #12]\n\t"
      "vstrb.8 q0, [r2]\n\t"
      "vstrb.8 q1, [r2, #16]\n\t"
      "3:\n\t"
      "pop {r4, pc}\n\t");
}

// Runs of the image to rows of scratch, whole vectors: what follows a run is written later, or meets
// zero weights.
struct Runs {
  const uint8_t* from;
  uint8_t* to;
  size_t line, row;        // from the end of a run (of one vector: its begin) to the next one
  uint32_t count, vectors;  // of a pixel; of a run
  size_t step, deep;       // from pixel to pixel
  uint32_t pixels;
};

[[gnu::naked, gnu::noinline]] static void CopyLongRuns(const Runs* /*r0*/) {
  __asm__ volatile(
      "push {r4-r11, lr}\n\t"
      "ldm r0, {r1-r9}\n\t"
      "1:\n\t"
      "mov r10, r1\n\t"
      "mov r11, r2\n\t"
      "mov r12, r5\n\t"
      "2:\n\t"
      "dls lr, r6\n\t"
      "3:\n\t"
      "vldrb.u8 q0, [r10], #16\n\t"
      "vstrb.8 q0, [r11], #16\n\t"
      "le lr, 3b\n\t"
      "add r10, r10, r3\n\t"
      "add r11, r11, r4\n\t"
      "subs r12, r12, #1\n\t"
      "bne 2b\n\t"
      "add r1, r1, r7\n\t"
      "add r2, r2, r8\n\t"
      "subs r9, r9, #1\n\t"
      "bne 1b\n\t"
      "pop {r4-r11, pc}\n\t");
}

[[gnu::naked, gnu::noinline]] static void CopyShortRuns(const Runs* /*r0*/) {
  __asm__ volatile(
      "push {r4-r11, lr}\n\t"
      "ldm r0, {r1-r9}\n\t"
      "1:\n\t"
      "mov r10, r1\n\t"
      "mov r11, r2\n\t"
      "dls lr, r5\n\t"
      "2:\n\t"
      "vldrb.u8 q0, [r10]\n\t"
      "add r10, r10, r3\n\t"
      "vstrb.8 q0, [r11]\n\t"
      "add r11, r11, r4\n\t"
      "le lr, 2b\n\t"
      "add r1, r1, r7\n\t"
      "add r2, r2, r8\n\t"
      "subs r9, r9, #1\n\t"
      "bne 1b\n\t"
      "pop {r4-r11, pc}\n\t");
}
// clang-format on

#undef OCTET_CHUNK

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_HELIUM_PANELS_INL_H_
