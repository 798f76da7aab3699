#include "ports/linux/peak.h"

#include <algorithm>

#include "ports/linux/model.h"

namespace octet::port {
namespace {

#if defined(__x86_64__)
#define OCTET_PEAK_CLOBBERS                                                                \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
      "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
// 12 chains: latency 5 at two a cycle needs 10.
#define OCTET_PEAK_12(op, r)                                                                  \
  op " %%" r "12, %%" r "13, %%" r "0\n" op " %%" r "12, %%" r "13, %%" r "1\n" op " %%" r    \
     "12, %%" r "13, %%" r "2\n" op " %%" r "12, %%" r "13, %%" r "3\n" op " %%" r "12, %%" r \
     "13, %%" r "4\n" op " %%" r "12, %%" r "13, %%" r "5\n" op " %%" r "12, %%" r "13, %%" r \
     "6\n" op " %%" r "12, %%" r "13, %%" r "7\n" op " %%" r "12, %%" r "13, %%" r "8\n" op   \
     " %%" r "12, %%" r "13, %%" r "9\n" op " %%" r "12, %%" r "13, %%" r "10\n" op " %%" r   \
     "12, %%" r "13, %%" r "11\n"
#define OCTET_PEAK_LOOP(name, op, r)                                           \
  void name(uint64_t rounds) {                                                 \
    /* what registers hold by chance may be denormal floats, which are slow */ \
    __asm__ volatile("vzeroall" ::: OCTET_PEAK_CLOBBERS);                      \
    for (uint64_t i = 0; i < rounds; ++i) {                                    \
      __asm__ volatile(OCTET_PEAK_12(op, r)::: OCTET_PEAK_CLOBBERS);           \
    }                                                                          \
    __asm__ volatile("vzeroupper" ::: OCTET_PEAK_CLOBBERS);                    \
  }
OCTET_PEAK_LOOP(PeakDpbusd512, "vpdpbusd", "zmm")
OCTET_PEAK_LOOP(PeakDpbusd256, "%{vex%} vpdpbusd", "ymm")
OCTET_PEAK_LOOP(PeakFma512, "vfmadd231ps", "zmm")
OCTET_PEAK_LOOP(PeakFma256, "vfmadd231ps", "ymm")

// VPMADDWD must be added up, so the peak is that of the pair.
void PeakMaddwd(uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; ++i) {
    __asm__ volatile(
        "vpmaddwd %%ymm12, %%ymm13, %%ymm6\nvpaddd %%ymm6, %%ymm0, %%ymm0\n"
        "vpmaddwd %%ymm12, %%ymm13, %%ymm7\nvpaddd %%ymm7, %%ymm1, %%ymm1\n"
        "vpmaddwd %%ymm12, %%ymm13, %%ymm8\nvpaddd %%ymm8, %%ymm2, %%ymm2\n"
        "vpmaddwd %%ymm12, %%ymm13, %%ymm9\nvpaddd %%ymm9, %%ymm3, %%ymm3\n"
        "vpmaddwd %%ymm12, %%ymm13, %%ymm10\nvpaddd %%ymm10, %%ymm4, %%ymm4\n"
        "vpmaddwd %%ymm12, %%ymm13, %%ymm11\nvpaddd %%ymm11, %%ymm5, %%ymm5\n" ::
            : OCTET_PEAK_CLOBBERS);
  }
  __asm__ volatile("vzeroupper" ::: OCTET_PEAK_CLOBBERS);
}

// Four tiles of sums: latency 52 at one in 16 cycles. Tiles need the system's permission, which
// whoever runs at this level has.
void PeakTiles(uint64_t rounds) {
  struct {
    uint8_t palette = 1, start_row = 0, reserved[14] = {};
    uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  } config;
  __asm__ volatile("ldtilecfg %0" ::"m"(config));
  for (uint64_t i = 0; i < rounds; ++i) {
    __asm__ volatile(
        "tdpbusd %tmm6, %tmm4, %tmm0\ntdpbusd %tmm7, %tmm4, %tmm1\n"
        "tdpbusd %tmm6, %tmm5, %tmm2\ntdpbusd %tmm7, %tmm5, %tmm3\n");
  }
  __asm__ volatile("tilerelease");
}
#undef OCTET_PEAK_LOOP
#undef OCTET_PEAK_12
#undef OCTET_PEAK_CLOBBERS
#elif defined(__aarch64__)
#define OCTET_PEAK_CLOBBERS \
  "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13"
#define OCTET_PEAK_12(op, r, s)                                                               \
  op " v0." r ", v12." s ", v13." s "\n" op " v1." r ", v12." s ", v13." s "\n" op " v2." r   \
     ", v12." s ", v13." s "\n" op " v3." r ", v12." s ", v13." s "\n" op " v4." r ", v12." s \
     ", v13." s "\n" op " v5." r ", v12." s ", v13." s "\n" op " v6." r ", v12." s ", v13." s \
     "\n" op " v7." r ", v12." s ", v13." s "\n" op " v8." r ", v12." s ", v13." s "\n" op    \
     " v9." r ", v12." s ", v13." s "\n" op " v10." r ", v12." s ", v13." s "\n" op " v11." r \
     ", v12." s ", v13." s "\n"
#define OCTET_PEAK_LOOP(name, arch, op, r, s)                                              \
  void name(uint64_t rounds) {                                                             \
    __asm__ volatile("movi v12.4s, #0\nmovi v13.4s, #0\n" ::: OCTET_PEAK_CLOBBERS);        \
    for (uint64_t i = 0; i < rounds; ++i) {                                                \
      __asm__ volatile(".arch " arch "\n" OCTET_PEAK_12(op, r, s)::: OCTET_PEAK_CLOBBERS); \
    }                                                                                      \
  }
OCTET_PEAK_LOOP(PeakMmla, "armv8.2-a+dotprod+i8mm", "smmla", "4s", "16b")
OCTET_PEAK_LOOP(PeakDot, "armv8.2-a+dotprod", "sdot", "4s", "16b")
OCTET_PEAK_LOOP(PeakFma128, "armv8-a", "fmla", "4s", "4s")

// 16-bit sums hold two products of int8 and are then added up in pairs: 16 products, 3
// instructions.
void PeakLong(uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; ++i) {
    __asm__ volatile(
        "smull v6.8h, v12.8b, v13.8b\nsmlal2 v6.8h, v12.16b, v13.16b\nsadalp v0.4s, v6.8h\n"
        "smull v7.8h, v12.8b, v13.8b\nsmlal2 v7.8h, v12.16b, v13.16b\nsadalp v1.4s, v7.8h\n"
        "smull v8.8h, v12.8b, v13.8b\nsmlal2 v8.8h, v12.16b, v13.16b\nsadalp v2.4s, v8.8h\n"
        "smull v9.8h, v12.8b, v13.8b\nsmlal2 v9.8h, v12.16b, v13.16b\nsadalp v3.4s, v9.8h\n"
        "smull v10.8h, v12.8b, v13.8b\nsmlal2 v10.8h, v12.16b, v13.16b\nsadalp v4.4s, v10.8h\n"
        "smull v11.8h, v12.8b, v13.8b\nsmlal2 v11.8h, v12.16b, v13.16b\nsadalp v5.4s, v11.8h\n" ::
            : OCTET_PEAK_CLOBBERS);
  }
}
#undef OCTET_PEAK_LOOP
#undef OCTET_PEAK_12
#undef OCTET_PEAK_CLOBBERS
#elif defined(__arm__)
#define OCTET_PEAK_CLOBBERS \
  "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "q8", "q9", "q10", "q11", "q12", "q13"
void PeakLong(uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; ++i) {
    __asm__ volatile(
        ".fpu neon-vfpv4\n"
        "vmull.s8 q6, d24, d26\nvmlal.s8 q6, d25, d27\nvpadal.s16 q0, q6\n"
        "vmull.s8 q7, d24, d26\nvmlal.s8 q7, d25, d27\nvpadal.s16 q1, q7\n"
        "vmull.s8 q8, d24, d26\nvmlal.s8 q8, d25, d27\nvpadal.s16 q2, q8\n"
        "vmull.s8 q9, d24, d26\nvmlal.s8 q9, d25, d27\nvpadal.s16 q3, q9\n"
        "vmull.s8 q10, d24, d26\nvmlal.s8 q10, d25, d27\nvpadal.s16 q4, q10\n"
        "vmull.s8 q11, d24, d26\nvmlal.s8 q11, d25, d27\nvpadal.s16 q5, q11\n" ::
            : OCTET_PEAK_CLOBBERS);
  }
}

void PeakFma128(uint64_t rounds) {
  __asm__ volatile(".fpu neon-vfpv4\nvmov.i32 q12, #0\nvmov.i32 q13, #0\n" ::: OCTET_PEAK_CLOBBERS);
  for (uint64_t i = 0; i < rounds; ++i) {
    __asm__ volatile(
        ".fpu neon-vfpv4\n"
        "vfma.f32 q0, q12, q13\nvfma.f32 q1, q12, q13\nvfma.f32 q2, q12, q13\n"
        "vfma.f32 q3, q12, q13\nvfma.f32 q4, q12, q13\nvfma.f32 q5, q12, q13\n"
        "vfma.f32 q6, q12, q13\nvfma.f32 q7, q12, q13\nvfma.f32 q8, q12, q13\n"
        "vfma.f32 q9, q12, q13\nvfma.f32 q10, q12, q13\nvfma.f32 q11, q12, q13\n" ::
            : OCTET_PEAK_CLOBBERS);
  }
}
#undef OCTET_PEAK_CLOBBERS
#endif

struct Loop {
  void (*run)(uint64_t rounds) = nullptr;
  double macs = 0;  // of one round
};

Loop LoopOf(octet_isa isa, bool fp16) {
#if defined(__x86_64__)
  if (fp16) {
    if (isa == OCTET_ISA_AVX512VNNI || isa == OCTET_ISA_AMX) return {PeakFma512, 12 * 16};
    if (isa == OCTET_ISA_AVX2 || isa == OCTET_ISA_AVXVNNI) return {PeakFma256, 12 * 8};
    return {};
  }
  if (isa == OCTET_ISA_AMX) return {PeakTiles, 4 * 16 * 16 * 64};
  if (isa == OCTET_ISA_AVX512VNNI) return {PeakDpbusd512, 12 * 64};
  if (isa == OCTET_ISA_AVXVNNI) return {PeakDpbusd256, 12 * 32};
  if (isa == OCTET_ISA_AVX2) return {PeakMaddwd, 6 * 16};
#elif defined(__aarch64__)
  if (isa == OCTET_ISA_REFERENCE) return {};
  if (fp16) return {PeakFma128, 12 * 4};
  if (isa == OCTET_ISA_I8MM) return {PeakMmla, 12 * 32};
  if (isa == OCTET_ISA_DOTPROD) return {PeakDot, 12 * 16};
  if (isa == OCTET_ISA_NEON) return {PeakLong, 6 * 16};
#elif defined(__arm__)
  if (isa == OCTET_ISA_NEON) return fp16 ? Loop{PeakFma128, 12 * 4} : Loop{PeakLong, 6 * 16};
#endif
  (void)isa;
  (void)fp16;
  return {};
}

}  // namespace

double PeakGmacs(octet_isa isa, bool fp16) {
  const Loop loop = LoopOf(isa, fp16);
  if (loop.run == nullptr) return 0;
  // Long compared with a step of the clock, short enough for an emulator.
  constexpr uint64_t kTurnNs = 2000000;
  constexpr int kTurns = 6;
  uint64_t rounds = 1000, ns = 0;
  while (true) {
    const uint64_t started = NowNs();
    loop.run(rounds);
    ns = NowNs() - started;
    if (ns >= kTurnNs || rounds >= uint64_t{1} << 30) break;
    rounds *= 2;
  }
  uint64_t best = ns;
  for (int i = 1; i < kTurns; ++i) {
    const uint64_t started = NowNs();
    loop.run(rounds);
    best = std::min(best, NowNs() - started);
  }
  return loop.macs * static_cast<double>(rounds) / static_cast<double>(std::max<uint64_t>(best, 1));
}

}  // namespace octet::port
