// Linear Resize in portable C++: the reference.
#include "runtime/core/half.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/resize/linear.inl.h"

namespace octet {

void resize_linear_s8_reference(const ResizeLinearS8Args& args, Share share) {
  const uint8_t sign = args.sign;
  ForEachLine(args.input, args.output, args.geometry, share, [&](const ResizeLine<uint8_t>& line) {
    const int32_t row_low = (int32_t)line.row->weight_low;
    const int32_t row_high = (int32_t)line.row->weight_high;
    ForEachPixel(args.geometry, line,
                 [&](const Corners<uint8_t>& s, const blob::ResizeTap& column, uint8_t* to) {
                   const int32_t low = (int32_t)column.weight_low;
                   const int32_t high = (int32_t)column.weight_high;
                   const auto q = [&](uint8_t byte) { return (int32_t)(int8_t)(byte ^ sign); };
                   for (uint32_t c = 0; c < args.geometry.channels; ++c) {
                     const int32_t top = q(s.top_low[c]) * low + q(s.top_high[c]) * high;
                     const int32_t bottom = q(s.bottom_low[c]) * low + q(s.bottom_high[c]) * high;
                     const int32_t v = top * row_low + bottom * row_high;
                     to[c] = (uint8_t)((uint8_t)((v + (1 << 21)) >> 22) ^ sign);
                   }
                 });
  });
}

void resize_linear_f16_reference(const ResizeLinearF16Args& args, Share share) {
  ForEachLine(args.input, args.output, args.geometry, share, [&](const ResizeLine<uint16_t>& line) {
    ForEachPixel(args.geometry, line,
                 [&](const Corners<uint16_t>& s, const blob::ResizeTap& column, uint16_t* to) {
                   const FloatWeights w = FloatWeightsOf(column, *line.row);
                   for (uint32_t c = 0; c < args.geometry.channels; ++c) {
                     to[c] = FloatToHalf(Interpolate(
                         HalfToFloat(s.top_low[c]), HalfToFloat(s.top_high[c]),
                         HalfToFloat(s.bottom_low[c]), HalfToFloat(s.bottom_high[c]), w));
                   }
                 });
  });
}

}  // namespace octet
