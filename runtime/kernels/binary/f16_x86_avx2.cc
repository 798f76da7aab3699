// FP16 Add and Mul with AVX2 and F16C.
#include "runtime/kernels/binary/f16_x86.inl.h"
#include "runtime/kernels/x86_float.inl.h"

namespace octet {
namespace {

struct Vector256 : HalfVector8 {
  static inline Floats Apply(blob::Function function, Floats x, float alpha, float beta) {
    return Apply8(function, x, alpha, beta);
  }
};

}  // namespace

void add_f16_avx2(const BinaryF16Args& args, Share share) {
  RunBinary<Vector256, AddOp<Vector256>>(args, share);
}
void mul_f16_avx2(const BinaryF16Args& args, Share share) {
  RunBinary<Vector256, MulOp<Vector256>>(args, share);
}

}  // namespace octet
