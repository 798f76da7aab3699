// Functions of one variable in portable C++.
#include "runtime/kernels/unary/unary.h"

#include "runtime/core/half.h"
#include "runtime/kernels/function.h"
#include "runtime/kernels/share.h"

namespace octet {

void table_s8_reference(const TableS8Args& args, Share share) {
  const Range range = RangeOf(args.count, share);
  const uint8_t to_index =
      args.sign ^ 0x80;  // byte ^ sign is q as two's complement; q + 128 flips its top bit
  for (uint64_t i = range.begin; i < range.end; ++i) {
    const uint8_t q = (uint8_t)args.table[(uint8_t)(args.input[i] ^ to_index)];
    args.output[i] = (uint8_t)(q ^ args.sign);
  }
}

void unary_f16_reference(const UnaryF16Args& args, Share share) {
  const Range range = RangeOf(args.count, share);
  for (uint64_t i = range.begin; i < range.end; ++i) {
    args.output[i] = FloatToHalf(
        ApplyFunction(args.function, HalfToFloat(args.input[i]), args.alpha, args.beta));
  }
}

}  // namespace octet
