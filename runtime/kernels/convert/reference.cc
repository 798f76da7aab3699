// int8 <-> FP16 in portable C++: the reference.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"

namespace octet {

void convert_f16_reference(const ConvertArgs& args, Share share) {
  // A byte has 256 values: from so many elements on, each is computed once.
  constexpr uint64_t kWorthTable = 512;
  const Range range = RangeOf(args.count, share);
  const uint8_t* from = static_cast<const uint8_t*>(args.input);
  uint16_t* to = static_cast<uint16_t*>(args.output);
  if (range.end - range.begin < kWorthTable) {
    for (uint64_t i = range.begin; i < range.end; ++i) to[i] = DequantizedHalf(args, from[i]);
    return;
  }
  uint16_t table[256];
  for (uint32_t byte = 0; byte < 256; ++byte) table[byte] = DequantizedHalf(args, (uint8_t)byte);
  for (uint64_t i = range.begin; i < range.end; ++i) to[i] = table[from[i]];
}

void convert_s8_reference(const ConvertArgs& args, Share share) {
  const Range range = RangeOf(args.count, share);
  const uint16_t* from = static_cast<const uint16_t*>(args.input);
  uint8_t* to = static_cast<uint8_t*>(args.output);
  for (uint64_t i = range.begin; i < range.end; ++i) {
    to[i] = QuantizedByte(args, HalfToFloat(from[i]));
  }
}

}  // namespace octet
