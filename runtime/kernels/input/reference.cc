#include <stddef.h>

#include "runtime/core/half_block.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"

namespace octet {

uint32_t RowsOfInput(const uint32_t dims[4], const uint32_t strides[4]) {
  const uint32_t width = dims[2], channels = dims[3];
  uint32_t found = kInputRows | kInputPlanes, row = width;
  if (strides[2] != 1 || channels != 3) {
    if ((strides[3] != 1 && channels != 1) || (strides[2] != channels && width != 1)) return 0;
    found = kInputRows;
    row *= channels;
  }
  return strides[1] == row ? found | kInputDense : found;
}

namespace {

// QuantizeInput of runtime/image/preprocess.h element by element, in short loops without branches
// and with comparisons on the bits, which is what lets the compiler make vectors of them. bytes[i]
// ^ sign is the value kept.
constexpr size_t kBlock = kHalfBlock;  // divides the usual widths
void QuantizeBlock(const float* values, float scale, int32_t zero_point, uint8_t sign,
                   uint8_t* bytes) {
  constexpr uint32_t k512 = 0x44000000u, kInfinity = 0x7F800000u;  // as bits of a float
  uint32_t bits[kBlock], bounded[kBlock];
  int32_t codes[kBlock];
  for (size_t i = 0; i < kBlock; ++i) bits[i] = FloatBits(values[i] / scale + 0.5f);
  for (size_t i = 0; i < kBlock; ++i) {
    const uint32_t magnitude = bits[i] & 0x7FFFFFFFu;
    bounded[i] = magnitude < k512 ? magnitude : k512;
  }
  for (size_t i = 0; i < kBlock; ++i) {
    const float x = BitsFloat(bounded[i] | (bits[i] & 0x80000000u));
    const int32_t whole = (int32_t)x;
    // Below 0 where the conversion has rounded up; the difference is exact. It is +0 where x is
    // whole: a sum with 0.5 is never -0.
    const int32_t floor = whole - (int32_t)(FloatBits(x - (float)whole) >> 31);
    // All bits set, none for NaN: magnitude is at most that of infinity.
    const int32_t number = (int32_t)((bits[i] & 0x7FFFFFFFu) - kInfinity - 1) >> 31;
    codes[i] = (floor & number) + zero_point;
  }
  for (size_t i = 0; i < kBlock; ++i) codes[i] = codes[i] < -128 ? -128 : codes[i];
  for (size_t i = 0; i < kBlock; ++i) codes[i] = codes[i] > 127 ? 127 : codes[i];
  for (size_t i = 0; i < kBlock; ++i) bytes[i] = (uint8_t)((uint8_t)codes[i] ^ sign);
}

// Rows of `args` into the dense tensor at `out`, by `block`(values, elements) on whole blocks.
template <typename Args, typename Element, typename Block>
void WriteRows(const Args& args, Element* out, Share share, const Block& block) {
  const size_t width = args.dims[2], channels = args.dims[3];
  const uint32_t* strides = args.strides;
  // Along the axis that is contiguous in `values`: columns of a plane, or channels.
  const bool along_width = strides[2] == 1 && width > 1;
  const size_t lines = along_width ? channels : width;
  const size_t count = along_width ? width : channels;
  const size_t line_stride = along_width ? strides[3] : strides[2];
  const size_t step = along_width ? strides[2] : strides[3];
  const size_t out_line_stride = along_width ? 1 : channels;
  const size_t out_step = along_width ? channels : 1;
  float gathered[kBlock] = {};
  Element made[kBlock];
  const Range rows = RangeOf((uint64_t)args.dims[0] * args.dims[1], share);
  for (uint64_t i = rows.begin; i < rows.end; ++i) {
    const float* row = args.values + i / args.dims[1] * strides[0] + i % args.dims[1] * strides[1];
    Element* to_row = out + i * width * channels;
    for (size_t line = 0; line < lines; ++line) {
      for (size_t first = 0; first < count; first += kBlock) {
        const size_t taken = count - first < kBlock ? count - first : kBlock;
        const float* from = row + line * line_stride + first * step;
        Element* to = to_row + line * out_line_stride + first * out_step;
        const bool in_place = step == 1 && taken == kBlock;
        if (!in_place) {
          for (size_t k = 0; k < taken; ++k) gathered[k] = from[k * step];
        }
        block(in_place ? from : gathered, made);
        for (size_t k = 0; k < taken; ++k) to[k * out_step] = made[k];
      }
    }
  }
}

}  // namespace

void input_f32_reference(const InputF32Args& args, Share share) {
  WriteRows(args, args.bytes, share, [&args](const float* values, uint8_t* bytes) {
    QuantizeBlock(values, args.scale, args.zero_point, args.sign, bytes);
  });
}

void input_f16_reference(const InputF16Args& args, Share share) {
  WriteRows(args, args.halves, share, [&args](const float* values, uint16_t* halves) {
    FloatsToHalfBlock(values, args.factor, halves);
  });
}

}  // namespace octet
