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

void channel_table_s8_reference(const ChannelTableS8Args& args, Share share) {
  const Range range = RangeOf(args.pixels, share);
  const uint8_t to_index = args.sign ^ 0x80;
  const uint8_t* x = args.input + range.begin * args.channels;
  uint8_t* y = args.output + range.begin * args.channels;
  for (uint64_t p = range.begin; p < range.end; ++p) {
    for (uint32_t c = 0; c < args.channels; ++c) {
      const int8_t* table = args.tables + (uint32_t)args.index[c] * 256;
      *y++ = (uint8_t)((uint8_t)table[(uint8_t)(*x++ ^ to_index)] ^ args.sign);
    }
  }
}

void unary_f16_reference(const UnaryF16Args& args, Share share) {
  const Range range = RangeOf(args.count, share);
  for (uint64_t i = range.begin; i < range.end; ++i) {
    args.output[i] = FloatToHalf(
        ApplyHalfFunction(args.function, HalfToFloat(args.input[i]), args.alpha, args.beta));
  }
}

}  // namespace octet
