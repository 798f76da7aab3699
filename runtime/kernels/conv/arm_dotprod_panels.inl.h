// The largest panels of the SDOT convolution. Included by conv/arm_dotprod.cc only; internal
// linkage.
#ifndef OCTET_KERNELS_CONV_ARM_DOTPROD_PANELS_INL_H_
#define OCTET_KERNELS_CONV_ARM_DOTPROD_PANELS_INL_H_

#include <stddef.h>
#include <stdint.h>

#include "runtime/kernels/conv/arm_dotprod_macros.inl.h"
#include "runtime/kernels/conv/arm_s8.inl.h"
#include "runtime/kernels/conv/strips.inl.h"

namespace octet {
namespace {

constexpr uint32_t kTile = kRulesDotprod.tile_rows;

struct PartDotprod : PartArm {
  bool large;  // what is requantized may have more than 16 bits
  StripRows strip;
  size_t slide;    // of PanelArgs, where rows may be neighbours; else 0
  uint32_t rows;   // of panels that the assembly stores; 6 where `large`
  bool strips;     // panels lie within lines of the image, as those of five rows do
  uint32_t out_w;  // pixels of a line
  uint32_t x;      // the tile's first pixel's place in it, with `slide`
};

// The assembly below reads it.
static_assert(offsetof(PartArm, tail) == 0 && offsetof(Tail16, zero_point) == 0 &&
                  offsetof(Tail16, lo) == 16 && offsetof(Tail16, hi) == 32 &&
                  offsetof(blob::ChannelBlockS8, bias) == 0 &&
                  offsetof(blob::ChannelBlockS8, multiplier) == 128 &&
                  offsetof(blob::ChannelBlockS8, shift) == 192,
              "layout");

// What the largest of 16 sums becomes, if sums are `most` and the bias.
static inline int32_t LargestOf(const blob::ChannelBlockS8& block, const int32x4_t* most) {
  const Scale16 scale = LoadScale16(block);
  int32x4_t largest = vdupq_n_s32(0);
  for (int i = 0; i < 4; ++i) {
    const int32x4_t sum = vqaddq_s32(vqabsq_s32(vld1q_s32(block.bias + 4 * i)), most[i]);
    largest = vmaxq_s32(largest, Requantize4(sum, scale.multiplier[i], scale.left_shift[i]));
  }
  return vmaxvq_s32(largest);
}

// Whether a requantized sum may have more than 16 bits. A code and a weight are 128 at most, so
// |sum| <= depth * 128 * 128 + |bias|, which a depth below 2^16 keeps below 2^31. Requantizing is
// monotone, and rounds a negative sum to at most one more in size than the positive one: kMost has
// room for that one. Where the depth does not tell, weights are added up, unless so few pixels meet
// them that this costs more than it saves.
static inline bool MayBeLarge(const ConvS8Args& args, const ConvPlan& plan,
                              const ConvOutputs& outputs) {
  constexpr int32_t kMost = 0x7FFF;
  const uint64_t pixels = plan.pixels.end - plan.pixels.begin;
  if (plan.depth >= 1u << 16 || pixels < 5) return true;
  for (uint64_t b = outputs.first; b < outputs.first + outputs.blocks * outputs.groups; ++b) {
    int32x4_t most[4];
    for (int i = 0; i < 4; ++i) most[i] = vdupq_n_s32((int32_t)plan.depth * 128 * 128);
    if (LargestOf(args.channels[b], most) < kMost) continue;
    if (pixels * 8 <= plan.depth) return true;
    uint32x4_t sums[4] = {};
    const int8_t* weights = args.weights + b * plan.block_step;
    for (const int8_t* end = weights + plan.block_step; weights != end; weights += 64) {
      for (int i = 0; i < 4; ++i) {
        const uint8x16_t sizes = vreinterpretq_u8_s8(vabsq_s8(vld1q_s8(weights + 16 * i)));
        sums[i] = vdotq_u32(sums[i], sizes, vdupq_n_u8(1));
      }
    }
    for (int i = 0; i < 4; ++i) most[i] = vreinterpretq_s32_u32(vshlq_n_u32(sums[i], 7));
    if (LargestOf(args.channels[b], most) >= kMost) return true;
  }
  return false;
}

// Whether sums are requantized where they are.
static inline bool IsPlain(const PanelS8& p, const PartDotprod& part) {
  return part.pre_shift == 0 && p.output_channels == kChannelBlock;
}

// What the assembly reads beside its registers, of which there are no more.
struct PanelArgs {
  const int8_t* weights;
  uint64_t rounds;  // of `next_line`; at least 1
  size_t back;      // from behind the last tap's pointers to the next panel's
  int32x4_t* sums;
  size_t stride;
  uint64_t plain;  // 0: sums are stored; 2: requantized, some may have more than 16 bits; 1: none
  // Channels of a tap (a multiple of 16) of a window of three columns, stride 1, or 0. Then the
  // rows of a panel are neighbours in a line of the image, so that what a row has under one tap the
  // next row has under the tap before: three taps need two loads more than there are rows. Strips
  // have one pointer for three taps, others one each.
  size_t slide, next_line;

  PanelArgs(const PanelS8& p, size_t channels, uint32_t rows, bool is_plain, bool is_large,
            int32x4_t (*acc)[4]) {
    const bool threes = channels != 0 && channels == p.tap_bytes;
    weights = p.weights;
    rounds = threes ? p.taps / 3 : p.taps;
    back = (p.taps * kTile - rows) * sizeof(*p.pointers);
    sums = acc == nullptr ? nullptr : acc[0];
    stride = p.output_stride;
    plain = is_plain ? (is_large ? 2 : 1) : 0;
    slide = channels;
    next_line = (threes ? 3 : 1) * kTile * sizeof(*p.pointers);
  }
};
static_assert(offsetof(PanelArgs, rounds) == 8 && offsetof(PanelArgs, back) == 16 &&
                  offsetof(PanelArgs, sums) == 24 && offsetof(PanelArgs, stride) == 32 &&
                  offsetof(PanelArgs, plain) == 40,
              "layout");

// `panels` of the largest panels one under the other, in assembly: 24 sums, 6 rows and 2 weights
// take all 32 registers, and the compiler, which wants one more, moves sums through memory. Weights
// are loaded one by one, each during the dot products of the one before, and rows without moving
// their pointers: cores that execute in order (Cortex-A55) wait for pairs of loads and for moved
// pointers, others do as well either way. Sums of whole blocks of a layer without pre-shift, nearly
// all, are requantized where they are, clamped only where int8 does not do it; of others one panel
// is multiplied.
static void Panels6(const PanelS8& p, const PartDotprod& part, const PanelArgs& args,
                    uint32_t panels) {
  const blob::ChannelBlockS8* channels = part.channels + p.block;
  const int8_t *weights, *second, *third;
  const uint8_t* const* pointers = p.pointers;
  uint64_t taps;
  size_t at, left;
  uint8_t* output = p.output;
  const uint8_t *in0, *in1, *in2, *in3, *in4, *in5, *in6, *in7;
  __asm__ volatile(
      // clang-format off
      "0:\n\t"  // each panel
      OCTET_START6()
      "ldp %[weights], %[taps], [%[args]]\n\t"
      "cbnz %[slide], 20f\n\t"
      "1:\n\t"  // each tap
      "ldp %[in0], %[in1], [%[pointers]]\n\t"
      "ldp %[in2], %[in3], [%[pointers], #16]\n\t"
      "ldp %[in4], %[in5], [%[pointers], #32]\n\t"
      "add %[pointers], %[pointers], %[next_tap]\n\t"
      "mov %[at], #0\n\t"
      "subs %[left], %[tap_bytes], #32\n\t"
      "b.lo 3f\n\t"
      "2:\n\t"  // 32 channels
      OCTET_16(0, "")
      OCTET_16(256, "subs %[left], %[left], #32\n\t")
      "add %[weights], %[weights], #512\n\t"
      "b.hs 2b\n\t"
      "3:\n\t"
      "tbz %[left], #4, 4f\n\t"
      OCTET_16(0, "")
      "add %[weights], %[weights], #256\n\t"
      "4:\n\t"
      "ands %[left], %[left], #15\n\t"
      "b.eq 6f\n\t"
      "5:\n\t"  // the last 4, 8 or 12
      OCTET_WEIGHTS(6, 0)
      OCTET_LOAD6("s")
      OCTET_LANE(0, 0, "")
      "subs %[left], %[left], #4\n\t"
      "add %[at], %[at], #4\n\t"
      "add %[weights], %[weights], #64\n\t"
      "b.ne 5b\n\t"
      "6:\n\t"
      "subs %[taps], %[taps], #1\n\t"
      "b.ne 1b\n\t"
      "12:\n\t"
      OCTET_FINISH(6, "cbz %[at], 10f\n\t", "tbnz %[at], #1, 13f\n\t")
      OCTET_LARGE6()
      "20:\n\t"  // each line of a window
      "ldp %[in0], %[in1], [%[pointers]]\n\t"
      "ldp %[in2], %[in3], [%[pointers], #16]\n\t"
      "ldp %[in4], %[in5], [%[pointers], #32]\n\t"
      OCTET_LINE("in5", "in6", "in7", "40")
      "22:\n\t"  // 16 channels of three taps
      OCTET_WEIGHTS(6, 0)
      OCTET_LOAD6("q")
      OCTET_TAP("weights", "subs %[left], %[left], #16\n\t",
                OCTET_LOAD(6, "second", 0) "ldr q0, [%[in6], %[at]]\n\t", 0, 1, 2, 3, 4, 5)
      OCTET_TAP("second", "add %[weights], %[weights], #256\n\t",
                OCTET_LOAD(6, "third", 0) "ldr q1, [%[in7], %[at]]\n\t", 1, 2, 3, 4, 5, 0)
      OCTET_TAP("third", "add %[second], %[second], #256\n\t",
                "add %[at], %[at], #16\n\t", 2, 3, 4, 5, 0, 1)
      "add %[third], %[third], #256\n\t"
      "b.ne 22b\n\t"
      "mov %[weights], %[third]\n\t"
      "subs %[taps], %[taps], #1\n\t"
      "b.ne 20b\n\t"
      "b 12b\n\t"
      OCTET_KEEP6()
      // clang-format on
      : [weights] "=&r"(weights), [pointers] "+r"(pointers), [taps] "=&r"(taps), [at] "=&r"(at),
        [left] "=&r"(left), [output] "+r"(output), [in0] "=&r"(in0), [in1] "=&r"(in1),
        [in2] "=&r"(in2), [in3] "=&r"(in3), [in4] "=&r"(in4), [in5] "=&r"(in5),
        [in6] "=&r"(in6), [in7] "=&r"(in7), [second] "=&r"(second), [third] "=&r"(third),
        [panels] "+r"(panels)
      : [args] "r"(&args), [slide] "r"(args.slide), [next_line] "r"(args.next_line),
        [tap_bytes] "r"(p.tap_bytes), [channels] "r"(channels), [tail] "r"(&part),
        [clamps] "i"(offsetof(PartArm, clamps)), [table] "i"(offsetof(PartArm, table)),
        [next_tap] "i"(kTile * sizeof(*pointers))
      : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",
        "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24",
        "v25", "v26", "v27", "v28", "v29", "v30", "v31");
}

// Panels of five rows that slide: one row less for 4 registers, with which weights are loaded in
// pairs and neighbours once. Where five divides the lines of an image, no panel crosses an edge.
static void Panels5(const PanelS8& p, const PartDotprod& part, const PanelArgs& args,
                    uint32_t panels) {
  const blob::ChannelBlockS8* channels = part.channels + p.block;
  const int8_t *weights, *second, *third;
  const uint8_t* const* pointers = p.pointers;
  uint64_t taps;
  size_t at, left;
  uint8_t* output = p.output;
  const uint8_t *in0, *in1, *in2, *in3, *in4, *in5, *in6;
  __asm__ volatile(
      // clang-format off
      "0:\n\t"  // each panel
      OCTET_START5()
      "ldp %[weights], %[taps], [%[args]]\n\t"
      "20:\n\t"  // each line of a window
      "ldp %[in0], %[in1], [%[pointers]]\n\t"
      "ldp %[in2], %[in3], [%[pointers], #16]\n\t"
      "ldr %[in4], [%[pointers], #32]\n\t"
      OCTET_LINE("in4", "in5", "in6", "32")
      "22:\n\t"  // 16 channels of three taps
      OCTET_PAIR(28, 29, "weights", 0)
      OCTET_LOAD6("q")
      "ldr q6, [%[in6], %[at]]\n\t"
      OCTET_TAP5("weights", "subs %[left], %[left], #16\n\t", OCTET_PAIR(28, 29, "second", 0),
                 0, 1, 2, 3, 4)
      OCTET_TAP5("second", "add %[weights], %[weights], #256\n\t",
                 OCTET_PAIR(28, 29, "third", 0), 1, 2, 3, 4, 5)
      OCTET_TAP5("third", "add %[second], %[second], #256\n\t",
                 "add %[at], %[at], #16\n\t", 2, 3, 4, 5, 6)
      "add %[third], %[third], #256\n\t"
      "b.ne 22b\n\t"
      "mov %[weights], %[third]\n\t"
      "subs %[taps], %[taps], #1\n\t"
      "b.ne 20b\n\t"
      OCTET_FINISH(5, "", "")
      "11:\n\t"
      // clang-format on
      : [weights] "=&r"(weights), [pointers] "+r"(pointers), [taps] "=&r"(taps), [at] "=&r"(at),
        [left] "=&r"(left), [output] "+r"(output), [in0] "=&r"(in0), [in1] "=&r"(in1),
        [in2] "=&r"(in2), [in3] "=&r"(in3), [in4] "=&r"(in4), [in5] "=&r"(in5),
        [in6] "=&r"(in6), [second] "=&r"(second), [third] "=&r"(third),
        [panels] "+r"(panels)
      : [args] "r"(&args), [slide] "r"(args.slide), [next_line] "r"(args.next_line),
        [channels] "r"(channels), [tail] "r"(&part),
        [clamps] "i"(offsetof(PartArm, clamps)), [table] "i"(offsetof(PartArm, table)),
        [next_tap] "i"(kTile * sizeof(*pointers))
      : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",
        "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24",
        "v25", "v26", "v27", "v28", "v29", "v30", "v31");
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_ARM_DOTPROD_PANELS_INL_H_
