// FP16 Add and Mul with AVX-512.
#include "runtime/kernels/binary/f16_x86.inl.h"
#include "runtime/kernels/function.h"
#include "runtime/kernels/x86_float512.inl.h"

namespace octet {
namespace {

struct Vector512 : HalfVector16 {
  static inline Floats Apply(blob::Function function, Floats x, float alpha, float beta) {
    if (function == blob::Function::kClamp) {
      return _mm512_min_ps(All(beta), _mm512_max_ps(All(alpha), x));
    }
    alignas(64) float values[kWide];
    _mm512_store_ps(values, x);
    apply_function_avx512vnni(function, alpha, beta, values, kWide);
    return _mm512_load_ps(values);
  }
};

}  // namespace

void add_f16_avx512vnni(const BinaryF16Args& args, Share share) {
  RunBinary<Vector512, AddOp<Vector512>>(args, share);
}
void mul_f16_avx512vnni(const BinaryF16Args& args, Share share) {
  RunBinary<Vector512, MulOp<Vector512>>(args, share);
}

}  // namespace octet
