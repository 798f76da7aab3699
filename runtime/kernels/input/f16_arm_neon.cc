// FP16 inputs with NEON: 8 elements at a time; three planes are interleaved by the store.
#include <string.h>

#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/input/runs.inl.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

constexpr size_t kWide = 8;

static inline uint16x4_t Four(const float* values, float factor) {
  const float32x4_t x = vld1q_f32(values);
  const uint16x4_t halves = vreinterpret_u16_f16(vcvt_f16_f32(vmulq_n_f32(x, factor)));
#if OCTET_ARCH_ARMV7
  // The vectors of ARMv7 make one NaN of all (ARM ARM, "Standard FPSCR value"): sign and payload
  // are put together as FloatToHalf() does.
  const uint32x4_t bits = vreinterpretq_u32_f32(x);
  const uint16x4_t sign = vand_u16(vshrn_n_u32(bits, 16), vdup_n_u16(0x8000));
  const uint16x4_t payload = vand_u16(vshrn_n_u32(bits, 13), vdup_n_u16(0x1FF));
  const uint16x4_t nan = vorr_u16(vorr_u16(sign, payload), vdup_n_u16(0x7E00));
  return vbsl_u16(vmovn_u32(vceqq_f32(x, x)), halves, nan);
#else
  return halves;
#endif
}

static inline uint16x8_t Eight(const float* values, float factor) {
  return vcombine_u16(Four(values, factor), Four(values + 4, factor));
}

static inline uint16x8_t UpTo8(const float* values, size_t count, float factor) {
  if (count >= kWide) return Eight(values, factor);
  float padded[kWide] = {};
  memcpy(padded, values, count * sizeof(float));
  return Eight(padded, factor);
}

static void NarrowRun(float factor, const float* values, size_t count, uint16_t* halves) {
  for (size_t i = 0; i < count; i += kWide) {
    const size_t left = count - i < kWide ? count - i : kWide;
    const uint16x8_t eight = UpTo8(values + i, left, factor);
    StorePartial16(reinterpret_cast<uint8_t*>(halves + i), vreinterpretq_s8_u16(eight),
                   2 * (uint32_t)left);
  }
}

static void NarrowPlanes3(float factor, const float* values, size_t plane, size_t count,
                          uint16_t* halves) {
  for (size_t x = 0; x < count; x += kWide) {
    const size_t left = count - x;
    const uint16x8x3_t planes = {{UpTo8(values + x, left, factor),
                                  UpTo8(values + plane + x, left, factor),
                                  UpTo8(values + 2 * plane + x, left, factor)}};
    if (left >= kWide) {
      vst3q_u16(halves + 3 * x, planes);
      continue;
    }
    uint16_t rest[3 * kWide];
    vst3q_u16(rest, planes);
    memcpy(halves + 3 * x, rest, 3 * left * sizeof(uint16_t));
  }
}

}  // namespace

void input_f16_neon(const InputF16Args& args, Share share) {
  const bool taken = ForEachRun(args, share, [&](const InputRun& run) {
    if (run.planes) {
      NarrowPlanes3(args.factor, run.values, args.strides[3], run.pixels, args.halves + run.at);
    } else {
      NarrowRun(args.factor, run.values, run.pixels * args.dims[3], args.halves + run.at);
    }
  });
  if (!taken) input_f16_reference(args, share);
}

}  // namespace octet
