#define OCTET_OUTPUT_LANES 4
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/output/sigmoid.inl.h"

namespace octet {

void output_f16_reference(const OutputF16Args& args, Share) {
  for (size_t i = 0; i < args.count; i += kOutputBlock) {
    HalvesToFloatBlock(args.halves + i, args.scale, args.values + i);
  }
  ApplyToOutputs(args.function, args.values, args.count);
}

}  // namespace octet
