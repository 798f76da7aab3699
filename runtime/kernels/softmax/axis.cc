// Softmax, its logarithm and the one-hot maximum along the middle of [outer][count][inner]; up to
// 32 neighbours of the innermost dimension side by side. Each line along the axis has the
// arithmetic of operator.cc beside this: sums from its first element to its last.
#include "runtime/core/float_math.h"
#include "runtime/format/axes_params.h"
#include "runtime/kernels/check.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/softmax/exponentials.h"

namespace octet {
namespace {

using blob::SoftmaxKind;

constexpr uint32_t kSide = 32;

const blob::AxisSoftmaxParams& Params(const LayerView& v) {
  return ParamsOf<blob::AxisSoftmaxParams>(v);
}

// `lines` lines of `count` elements, `step` apart; the lines begin one behind the other.
struct Lines {
  uint64_t first;
  uint32_t width, count;
  uint64_t step;
};

void LinesS8(const Lines& lines, const uint8_t* x, const uint32_t* table, ProbabilityCodes codes,
             uint8_t sign, uint8_t* y) {
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
      y[lines.first + k * lines.step + c] = (uint8_t)((uint8_t)q ^ sign);
    }
  }
}

void LinesF16(const Lines& lines, SoftmaxKind kind, const uint16_t* x, uint16_t* y) {
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
      for (uint32_t c = 0; c < lines.width; ++c) sum[c] += FloatExp(value(k, c) - max[c]);
    }
  }
  if (kind == SoftmaxKind::kLogSoftmax) {
    for (uint32_t c = 0; c < lines.width; ++c) sum[c] = FloatLog(sum[c]);
  }
  for (uint32_t k = 0; k < lines.count; ++k) {
    for (uint32_t c = 0; c < lines.width; ++c) {
      float result = where[c] == k ? 1.0f : 0.0f;
      if (kind == SoftmaxKind::kSoftmax) result = FloatExp(value(k, c) - max[c]) / sum[c];
      if (kind == SoftmaxKind::kLogSoftmax) result = (value(k, c) - max[c]) - sum[c];
      y[lines.first + k * lines.step + c] = FloatToHalf(result);
    }
  }
}

}  // namespace

bool CheckAxisSoftmaxLayer(const LayerView& view) {
  if (!HasTypes(view, 1)) return false;
  const blob::AxisSoftmaxParams& p = Params(view);
  const uint64_t count = SaturatingMul(SaturatingMul(p.outer, p.count), p.inner);
  if (count == 0 || count != ElementCount(InputOf(view, 0)) ||
      count != ElementCount(OutputOf(view)) || (uint8_t)p.kind > (uint8_t)SoftmaxKind::kHardmax) {
    return false;
  }
  if (!IsInt8(view)) return true;
  return p.kind == SoftmaxKind::kSoftmax && p.count <= kMaxSoftmaxCountS8 && HasExponentials(view);
}

uint64_t ScratchAxisSoftmaxLayer(const LayerView&) {
  return 0;
}

void RunAxisSoftmaxLayer(const LayerView& view, const RunContext& context) {
  const blob::AxisSoftmaxParams& p = Params(view);
  const uint8_t* input = PlaceOf(context, InputOf(view, 0));
  uint8_t* output = PlaceOf(context, OutputOf(view));
  const uint64_t blocks = ((uint64_t)p.inner + kSide - 1) / kSide;
  const Range units = RangeOf(p.outer * blocks, context.share);
  for (uint64_t unit = units.begin; unit < units.end; ++unit) {
    const uint64_t column = unit % blocks * kSide, left = p.inner - column;
    const Lines lines = {unit / blocks * p.count * p.inner + column,
                         (uint32_t)(left < kSide ? left : kSide), p.count, p.inner};
    if (IsInt8(view)) {
      LinesS8(lines, input, ExponentialsOf(view), ProbabilityCodesOf(OutputOf(view)), context.sign,
              output);
    } else {
      LinesF16(lines, p.kind, reinterpret_cast<const uint16_t*>(input),
               reinterpret_cast<uint16_t*>(output));
    }
  }
}

}  // namespace octet
