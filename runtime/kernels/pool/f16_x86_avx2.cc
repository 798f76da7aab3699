// FP16 pooling with AVX2 and F16C.
#include "runtime/kernels/pool/f16_x86.inl.h"
#include "runtime/kernels/x86_float.inl.h"

namespace octet {

void max_pool_f16_avx2(const PoolF16Args& args, Share share) {
  RunPool<HalfVector8, false>(args, share);
}
void average_pool_f16_avx2(const PoolF16Args& args, Share share) {
  RunPool<HalfVector8, true>(args, share);
}

}  // namespace octet
