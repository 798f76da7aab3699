// Float inputs with NEON: 16 elements at a time; three planes are interleaved by the store.
#include <string.h>

#include "runtime/kernels/arm_neon_shim.inl.h"
#include "runtime/kernels/input/runs.inl.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

constexpr size_t kWide = 16;

struct Rule {
  float32x4_t scale;
  int16x8_t zero_point;
  uint8x16_t sign;
};

// Four codes before the zero point, NaN as 0; saturated to 16 bits.
// Inlined: calls cost a third of the work.
#define OCTET_INLINE static inline __attribute__((always_inline))
OCTET_INLINE int16x4_t Four(const Rule& rule, const float* values) {
  const float32x4_t x = vaddq_f32(DivideF32(vld1q_f32(values), rule.scale), vdupq_n_f32(0.5f));
  return vqmovn_s32(FloorToInt(x));
}

OCTET_INLINE int8x8_t Eight(const Rule& rule, const float* values) {
  const int16x8_t codes = vcombine_s16(Four(rule, values), Four(rule, values + 4));
  return vqmovn_s16(vqaddq_s16(codes, rule.zero_point));
}

OCTET_INLINE uint8x16_t Sixteen(const Rule& rule, const float* values) {
  const int8x16_t codes = vcombine_s8(Eight(rule, values), Eight(rule, values + 8));
  return veorq_u8(vreinterpretq_u8_s8(codes), rule.sign);
}

#undef OCTET_INLINE

// Fewer than 16.
__attribute__((noinline)) static uint8x16_t Some(const Rule& rule, const float* values,
                                                 size_t count) {
  float padded[kWide] = {};
  memcpy(padded, values, count * sizeof(float));
  return Sixteen(rule, padded);
}

static void QuantizeRun(const Rule& rule, const float* values, size_t count, uint8_t* bytes) {
  for (; count >= kWide; count -= kWide, values += kWide, bytes += kWide) {
    vst1q_u8(bytes, Sixteen(rule, values));
  }
  if (count == 0) return;
  StorePartial16(bytes, vreinterpretq_s8_u8(Some(rule, values, count)), (uint32_t)count);
}

static void QuantizePlanes3(const Rule& rule, const float* values, size_t plane, size_t count,
                            uint8_t* bytes) {
  const float *second = values + plane, *third = values + 2 * plane;
  for (; count >= kWide; count -= kWide, bytes += 3 * kWide) {
    uint8x16x3_t planes;
    planes.val[0] = Sixteen(rule, values);
    planes.val[1] = Sixteen(rule, second);
    planes.val[2] = Sixteen(rule, third);
    vst3q_u8(bytes, planes);
    values += kWide;
    second += kWide;
    third += kWide;
  }
  if (count == 0) return;
  uint8x16x3_t planes;
  planes.val[0] = Some(rule, values, count);
  planes.val[1] = Some(rule, second, count);
  planes.val[2] = Some(rule, third, count);
  uint8_t rest[3 * kWide];
  vst3q_u8(rest, planes);
  memcpy(bytes, rest, 3 * count);
}

}  // namespace

void input_f32_neon(const InputF32Args& args, Share share) {
  const Rule rule = {vdupq_n_f32(args.scale), vdupq_n_s16((int16_t)args.zero_point),
                     vdupq_n_u8(args.sign)};
  const bool taken = ForEachRun(args, share, [&](const InputRun& run) {
    if (run.planes) {
      QuantizePlanes3(rule, run.values, args.strides[3], run.pixels, args.bytes + run.at);
    } else {
      QuantizeRun(rule, run.values, run.pixels * args.dims[3], args.bytes + run.at);
    }
  });
  if (!taken) input_f32_reference(args, share);
}

}  // namespace octet
