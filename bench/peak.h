// The core's peak of one multiply-accumulate instruction, measured by a loop of independent chains
// in registers: what a share of peak refers to. Header only, so that every benchmark measures it in
// its own run.
#ifndef OCTET_BENCH_PEAK_H_
#define OCTET_BENCH_PEAK_H_

#include <chrono>
#include <cstdint>

#include "runtime/core/isa.h"

namespace octet::bench {

inline double SecondsNow() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

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
  inline void name(uint64_t rounds) {                                          \
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

// VPMADDWD has to be added up, so the peak is that of the pair.
inline void PeakMaddwd(uint64_t rounds) {
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
#undef OCTET_PEAK_LOOP
#undef OCTET_PEAK_12
#undef OCTET_PEAK_CLOBBERS
#endif

// Multiply-accumulates per second of one core with the level's instruction, best of a few tries; 0
// where none is known.
inline double PeakMacs(Isa level, bool fp16) {
  void (*loop)(uint64_t) = nullptr;
  double macs_per_round = 0;
#if defined(__x86_64__)
  if (fp16) {
    loop = level == Isa::kAvx512Vnni ? PeakFma512 : PeakFma256;
    macs_per_round = level == Isa::kAvx512Vnni ? 12 * 16 : 12 * 8;
  } else if (level == Isa::kAvx512Vnni) {
    loop = PeakDpbusd512;
    macs_per_round = 12 * 64;
  } else if (level == Isa::kAvxVnni) {
    loop = PeakDpbusd256;
    macs_per_round = 12 * 32;
  } else if (level == Isa::kAvx2) {
    loop = PeakMaddwd;
    macs_per_round = 6 * 16;
  }
#endif
  (void)fp16;
  if (loop == nullptr || level == Isa::kReference) return 0;
  constexpr uint64_t kRounds = 1000000;
  double best = 0;
  for (int i = 0; i < 6; ++i) {
    const double start = SecondsNow();
    loop(kRounds);
    const double rate = macs_per_round * kRounds / (SecondsNow() - start);
    best = rate > best ? rate : best;
  }
  return best;
}

}  // namespace octet::bench

#endif  // OCTET_BENCH_PEAK_H_
