// FP16 reductions in portable C++: the reference.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/reduce/f16.inl.h"
#include "runtime/kernels/reduce/portable.inl.h"

namespace octet {

void reduce_f16_reference(const ReduceF16Args& args, Share share) {
  RunReduceF16<PortableHalves>(args, share);
}

}  // namespace octet
