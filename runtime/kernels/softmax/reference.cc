// Softmax in portable C++: the reference. Lines along an axis have the arithmetic of rows: sums
// from the first element to the last.
#include "runtime/kernels/function.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/softmax/lines.inl.h"
#include "runtime/kernels/softmax/probability.h"

namespace octet {
namespace {

using blob::SoftmaxKind;

void LinesS8(const AxisSoftmaxS8Args& args, const Lines& lines) {
  const uint8_t* x = args.input;
  const uint32_t* table = args.table;
  const ProbabilityCodes codes = args.codes;
  const uint8_t sign = args.sign;
  int32_t max[kSide];
  uint64_t sum[kSide];
  const auto value = [&](uint32_t k, uint32_t c) {
    return (int32_t)(int8_t)(x[lines.first + k * lines.step + c] ^ sign);
  };
  for (uint32_t c = 0; c < lines.width; ++c) {
    max[c] = -128;
    sum[c] = 0;
  }
  for (uint32_t k = 0; k < lines.count; ++k) {
    for (uint32_t c = 0; c < lines.width; ++c) max[c] = value(k, c) > max[c] ? value(k, c) : max[c];
  }
  for (uint32_t k = 0; k < lines.count; ++k) {
    for (uint32_t c = 0; c < lines.width; ++c) sum[c] += table[max[c] - value(k, c)];
  }
  ProbabilityLine line[kSide];
  for (uint32_t c = 0; c < lines.width; ++c) line[c] = ProbabilityLineOf(sum[c], codes);
  for (uint32_t k = 0; k < lines.count; ++k) {
    for (uint32_t c = 0; c < lines.width; ++c) {
      const int8_t q = ProbabilityS8(table[max[c] - value(k, c)], line[c], codes);
      args.output[lines.first + k * lines.step + c] = (uint8_t)((uint8_t)q ^ sign);
    }
  }
}

void LinesF16(const AxisSoftmaxF16Args& args, const Lines& lines) {
  const uint16_t* x = args.input;
  const SoftmaxKind kind = args.kind;
  float max[kSide], sum[kSide];
  uint32_t where[kSide];
  const auto value = [&](uint32_t k, uint32_t c) {
    return HalfToFloat(x[lines.first + k * lines.step + c]);
  };
  for (uint32_t c = 0; c < lines.width; ++c) {
    max[c] = -FloatInfinity();
    where[c] = 0;
    sum[c] = 0.0f;
  }
  for (uint32_t k = 0; k < lines.count; ++k) {
    for (uint32_t c = 0; c < lines.width; ++c) {
      if (!(value(k, c) > max[c])) continue;
      max[c] = value(k, c);
      where[c] = k;
    }
  }
  if (kind != SoftmaxKind::kHardmax) {
    for (uint32_t k = 0; k < lines.count; ++k) {
      for (uint32_t c = 0; c < lines.width; ++c) sum[c] += HalfExp(value(k, c) - max[c]);
    }
  }
  if (kind == SoftmaxKind::kLogSoftmax) {
    for (uint32_t c = 0; c < lines.width; ++c) sum[c] = FloatLog(sum[c]);
  }
  for (uint32_t k = 0; k < lines.count; ++k) {
    for (uint32_t c = 0; c < lines.width; ++c) {
      float result = where[c] == k ? 1.0f : 0.0f;
      if (kind == SoftmaxKind::kSoftmax) result = HalfExp(value(k, c) - max[c]) / sum[c];
      if (kind == SoftmaxKind::kLogSoftmax) result = (value(k, c) - max[c]) - sum[c];
      args.output[lines.first + k * lines.step + c] = FloatToHalf(result);
    }
  }
}

}  // namespace

void softmax_f16_reference(const SoftmaxF16Args& args, Share share) {
  const Range rows = RangeOf(args.rows, share);
  for (uint64_t row = rows.begin; row < rows.end; ++row) {
    const uint16_t* x = args.input + row * args.count;
    uint16_t* y = args.output + row * args.count;
    float max = -FloatInfinity();
    for (uint32_t c = 0; c < args.count; ++c) {
      const float value = HalfToFloat(x[c]);
      max = value > max ? value : max;
    }
    float sum = 0.0f;
    for (uint32_t c = 0; c < args.count; ++c) sum += HalfExp(HalfToFloat(x[c]) - max);
    for (uint32_t c = 0; c < args.count; ++c) {
      y[c] = FloatToHalf(HalfExp(HalfToFloat(x[c]) - max) / sum);
    }
  }
}

void softmax_s8_reference(const SoftmaxS8Args& args, Share share) {
  const Range rows = RangeOf(args.rows, share);
  for (uint64_t row = rows.begin; row < rows.end; ++row) {
    SoftmaxRowS8(args, args.input + row * args.count, args.output + row * args.count);
  }
}

void axis_softmax_s8_reference(const AxisSoftmaxS8Args& args, Share share) {
  ForEachLines(args, share, [&](const Lines& lines) { LinesS8(args, lines); });
}

void axis_softmax_f16_reference(const AxisSoftmaxF16Args& args, Share share) {
  ForEachLines(args, share, [&](const Lines& lines) { LinesF16(args, lines); });
}

}  // namespace octet
