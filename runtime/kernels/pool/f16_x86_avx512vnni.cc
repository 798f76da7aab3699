// FP16 pooling with AVX-512.
#include "runtime/kernels/pool/f16_x86.inl.h"
#include "runtime/kernels/x86_float512.inl.h"

namespace octet {

void max_pool_f16_avx512vnni(const PoolF16Args& args, Share share) {
  RunPool<HalfVector16, false>(args, share);
}
void average_pool_f16_avx512vnni(const PoolF16Args& args, Share share) {
  RunPool<HalfVector16, true>(args, share);
}

}  // namespace octet
