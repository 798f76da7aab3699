// FP16 normalizations in portable C++: the reference.
#include "runtime/kernels/normalize/f16.inl.h"
#include "runtime/kernels/reduce/portable.inl.h"

namespace octet {

void normalize_f16_reference(const NormalizeF16Args& args, Share share) {
  RunNormalizeF16<PortableHalves, false>(args, share);
}

}  // namespace octet
