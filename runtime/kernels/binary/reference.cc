// Add, Mul and Div in portable C++; the equations stand at BinaryParams in format/blob.h.
#include "runtime/kernels/binary/binary.h"

#include "runtime/core/half.h"
#include "runtime/kernels/binary/quotient.h"
#include "runtime/kernels/function.h"
#include "runtime/kernels/share.h"
#include "runtime/quant/requantize.h"

namespace octet {
namespace {

// Calls body(i, j) for every output element i of the share with the element j of the second operand
// that meets it, in runs that stay within one pixel.
template <typename Args, typename Body>
void ForEachPair(const Args& args, Share share, Body body) {
  const Range range = RangeOf((uint64_t)args.pixels * args.channels, share);
  for (uint64_t i = range.begin; i < range.end;) {
    const uint64_t pixel = i / args.channels;
    const uint64_t c = i % args.channels;
    const uint64_t left_in_pixel = args.channels - c;
    const uint64_t left = range.end - i;
    const uint64_t run = left < left_in_pixel ? left : left_in_pixel;
    switch (args.broadcast) {
      case blob::Broadcast::kNone:
        for (uint64_t k = 0; k < run; ++k) body(i + k, i + k);
        break;
      case blob::Broadcast::kChannel:
        for (uint64_t k = 0; k < run; ++k) body(i + k, c + k);
        break;
      case blob::Broadcast::kScalar:
        for (uint64_t k = 0; k < run; ++k) body(i + k, (uint64_t)0);
        break;
      case blob::Broadcast::kSpatial:
        for (uint64_t k = 0; k < run; ++k) body(i + k, pixel);
        break;
    }
    i += run;
  }
}

int32_t ReadA(const BinaryS8Args& args, uint64_t i) {
  return (int8_t)(args.a[i] ^ args.sign) - args.zero_point_a;
}
int32_t ReadB(const BinaryS8Args& args, uint64_t j) {
  return (int8_t)(args.b[j] ^ args.sign) - args.zero_point_b;
}
void Store(const BinaryS8Args& args, uint64_t i, int32_t value) {
  const int8_t q = ToInt8(value, args.out_zero_point, args.clamp_lo, args.clamp_hi);
  args.output[i] = (uint8_t)((uint8_t)q ^ args.sign);
}

int32_t Divide(const BinaryS8Args& args, int64_t n, int64_t d) {
  return QuotientS8(n, d, args.multiplier_a, args.shift);
}

template <typename Op>
void RunF16(const BinaryF16Args& args, Share share, Op op) {
  ForEachPair(args, share, [&args, op](uint64_t i, uint64_t j) {
    const float value = op(HalfToFloat(args.a[i]), HalfToFloat(args.b[j]));
    args.output[i] = FloatToHalf(ApplyHalfFunction(args.function, value, args.alpha, args.beta));
  });
}

}  // namespace

// |sum| <= 2 * 255 * (2^15 - 1) + 2^29 < 2^31.
void add_s8_reference(const BinaryS8Args& args, Share share) {
  const int32_t half = (int32_t)(1u << (args.shift - 1));
  ForEachPair(args, share, [&args, half](uint64_t i, uint64_t j) {
    const int32_t sum = ReadA(args, i) * args.multiplier_a + ReadB(args, j) * args.multiplier_b;
    Store(args, i, (sum + half) >> args.shift);
  });
}

// |product| <= 255 * 255.
void mul_s8_reference(const BinaryS8Args& args, Share share) {
  ForEachPair(args, share, [&args](uint64_t i, uint64_t j) {
    const int32_t product = PreShift(ReadA(args, i) * ReadB(args, j), args.pre_shift);
    Store(args, i, Requantize(product, args.multiplier_a, args.shift));
  });
}

void div_s8_reference(const BinaryS8Args& args, Share share) {
  ForEachPair(args, share, [&args](uint64_t i, uint64_t j) {
    const int32_t a = ReadA(args, i);
    const int32_t b = ReadB(args, j);
    Store(args, i, args.swap != 0 ? Divide(args, b, a) : Divide(args, a, b));
  });
}

void add_f16_reference(const BinaryF16Args& args, Share share) {
  const float factor = args.negate_b != 0 ? -1.0f : 1.0f;
  RunF16(args, share, [factor](float a, float b) { return a + factor * b; });
}

void mul_f16_reference(const BinaryF16Args& args, Share share) {
  RunF16(args, share, [](float a, float b) { return a * b; });
}

void div_f16_reference(const BinaryF16Args& args, Share share) {
  if (args.swap != 0) {
    RunF16(args, share, [](float a, float b) { return b / a; });
  } else {
    RunF16(args, share, [](float a, float b) { return a / b; });
  }
}

}  // namespace octet
