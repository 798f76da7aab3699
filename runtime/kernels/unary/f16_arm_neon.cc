// Functions of one variable on FP16 with NEON.
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/unary/f16.inl.h"

namespace octet {
namespace {

struct Level : HalfRows {
  static inline void Apply(const UnaryF16Args& args, float* values, uint32_t count) {
    ApplyMany(FloatFunction{args.function, args.alpha, args.beta}, values, count);
  }
};

}  // namespace

void unary_f16_neon(const UnaryF16Args& args, Share share) {
  RunUnaryF16<Level>(args, share);
}

}  // namespace octet
