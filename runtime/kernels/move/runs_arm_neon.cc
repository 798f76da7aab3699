// Runs of bytes with NEON.
#include "runtime/kernels/arm_neon_shim.inl.h"
// Intrinsics come first.
#include "runtime/kernels/move/runs.inl.h"

namespace octet {
namespace {

struct Sixteen {
  typedef uint8x16_t Vector;
  static inline Vector Load(const uint8_t* from) { return vld1q_u8(from); }
  static inline void Store(uint8_t* to, Vector x) { vst1q_u8(to, x); }
};

}  // namespace

void copy_runs_neon(const CopyRunsArgs& args, Share) {
  if (AreOneRun(args) || !CopyRunsOf<Sixteen>(args)) CopyOtherRuns(args);
}

}  // namespace octet
