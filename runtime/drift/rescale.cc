#include "runtime/drift/rescale.h"

#include <string.h>

#include "runtime/core/checked.h"
#include "runtime/core/float_math.h"
#include "runtime/drift/log2.h"
#include "runtime/kernels/check.h"
#include "runtime/kernels/function.h"
#include "runtime/quant/parameters.h"

namespace octet {
namespace drift {
namespace {

// M = m / 2^(31 + s) times 2^(steps / 8), as m in [2^30, 2^31) and any s.
Multiplier Scaled(Multiplier from, int32_t steps) {
  if (from.multiplier == 0) return from;
  const Steps split = SplitSteps(steps);
  const int64_t m = TimesPower(from.multiplier, split.eighth);  // [2^30, 2^32)
  const Multiplier scaled = NormalMultiplier(m, from.shift - split.octaves);
  return IsShort(from) ? ShortMultiplier(scaled) : scaled;
}

// What makes every shift of a layer lie in [1, 31] again: as little pre-shift as that takes.
// False: none does.
struct Range {
  int32_t least = INT32_MAX;
  void Add(const Multiplier& m) {
    if (m.multiplier != 0 && m.shift < least) least = m.shift;
  }
};
bool MovePreShift(const Range& shifts, uint8_t* pre_shift, int32_t* by) {
  *by = 0;
  if (shifts.least == INT32_MAX) return true;
  const int32_t wanted = PreShiftOf(shifts.least - (int32_t)*pre_shift);
  if (wanted > kMaxPreShift) return false;
  *by = wanted - (int32_t)*pre_shift;
  *pre_shift = (uint8_t)wanted;
  return true;
}
Multiplier Shifted(const Multiplier& m, int32_t by) {
  return StoredMultiplier(Multiplier{m.multiplier, m.shift + by});
}

// The clamp is a function of real values: its codes follow the scale. Channels that have scales of
// their own end at the largest code.
void MoveClamp(const blob::DriftLayer& entry, const blob::TensorRecord& out, int8_t* lo,
               int8_t* hi) {
  if (entry.function != blob::Function::kClamp || out.per_channel != 0) return;
  CodesOfClamp(entry.alpha, entry.beta, out.scale, out.zero_point, lo, hi);
}

void FillTable(const blob::DriftLayer& entry, float scale, int32_t zero_point,
               const blob::TensorRecord& out, int8_t* table) {
  const auto function = [&entry](float x) {
    return ApplyFunction(entry.function, x, entry.alpha, entry.beta);
  };
  CodesOfFunction<float>(function, scale, zero_point, out.scale, out.zero_point, table);
}

// A copy of the layer's bytes at `ref` in its own place.
template <typename T>
T* Own(const uint8_t* from, blob::DataRef* ref, const Place& place, uint32_t* used) {
  uint8_t* to = place.base + place.data + *used;
  memcpy(to, from + ref->offset, ref->bytes);
  ref->offset = place.data + *used;
  *used += (uint32_t)RoundUpTo(ref->bytes, blob::kDataAlignment);
  return reinterpret_cast<T*>(to);
}

struct Move {
  const Section& section;
  const int8_t* steps;
  int32_t Steps(uint32_t tensor) const { return StepsOf(section, steps, tensor); }
};

// round(offset / M), M = 2^pre_shift * m / 2^(31 + s): so many counts of the accumulator are
// `offset` steps of the result. False: more than 2^31.
bool OverFactor(int32_t offset, const Multiplier& m, int32_t pre_shift, int64_t* counts) {
  *counts = 0;
  if (m.multiplier == 0 || offset == 0) return true;
  constexpr int32_t kBits = 53;  // |offset| < 2^9, m >= 2^30: below 2^62, and 23 significant bits
  const int64_t numerator = (int64_t)offset * ((int64_t)1 << kBits);
  const int64_t quotient = numerator / m.multiplier;       // offset / M * 2^(22 - s + pre_shift)
  const int32_t shift = kBits - 31 - m.shift + pre_shift;  // -9 to 36
  *counts = shift <= 0 ? quotient * ((int64_t)1 << -shift)
                       : (quotient + ((int64_t)1 << (shift - 1))) >> shift;
  constexpr int64_t kMost = (int64_t)1 << 31;
  return *counts > -kMost && *counts < kMost;
}

bool RescaleConv(const LayerView& from, const blob::DriftLayer& entry, const Move& move,
                 const Place& place) {
  blob::LayerRecord& layer = *place.record;
  auto& p = *reinterpret_cast<blob::ConvParams*>(layer.params.bytes);
  const blob::TensorRecord& out = place.tensors[layer.output];
  const bool maps = !IsAbsent(layer.table);
  const int32_t in = move.Steps(from.inputs[0]), written = move.Steps(layer.output);
  const int32_t result = !maps ? written : entry.follows != 0 && written > 0 ? written : 0;
  uint32_t used = 0;
  auto* blocks = Own<blob::ChannelBlockS8>(from.channels, &layer.channels, place, &used);
  const uint64_t channels = layer.channels.bytes / sizeof(blob::ChannelBlockS8) * kChannelBlock;
  if (in != 0 || result != 0) {
    constexpr int64_t kMostReal = (int64_t)1 << 32;  // of TimesPower
    const auto zero_point = int32_t{InputOf(from, 0).zero_point};
    Range shifts;
    for (uint64_t c = 0; c < channels; ++c) {
      blob::ChannelBlockS8& block = blocks[c / kChannelBlock];
      const uint32_t o = c % kChannelBlock;
      // The bias counts in scale_in * scale_w, and has the zero point's share folded in.
      const int64_t folded = ShareOfZeroPoint(zero_point, block.weight_sum[o]);
      const Multiplier old = {block.multiplier[o], block.shift[o]};
      const Multiplier m = Scaled(old, in - result);
      // So has a zero point of the channel's own, in steps of the result, which change.
      int64_t before = 0, after = 0;
      if (entry.first_channel != blob::kNone && c < out.dims[3]) {
        const int32_t offset =
            move.section.channels[entry.first_channel + c].zero_point - (int32_t)out.zero_point;
        if (!OverFactor(offset, old, p.pre_shift, &before) ||
            !OverFactor(offset, m, p.pre_shift, &after)) {
          return false;
        }
      }
      const int64_t real = block.bias[o] + folded - before;  // below 2^33
      if (real <= -kMostReal || real >= kMostReal) return false;
      const int64_t bias = TimesPower(real, -in) + after - folded;
      if (bias < -kAccumulatorLimit || bias > kAccumulatorLimit) return false;
      block.bias[o] = (int32_t)bias;
      block.multiplier[o] = m.multiplier;
      block.shift[o] = m.shift;
      shifts.Add(m);
    }
    int32_t by = 0;
    if (!MovePreShift(shifts, &p.pre_shift, &by)) return false;
    for (uint64_t c = 0; c < channels; ++c) {
      blob::ChannelBlockS8& block = blocks[c / kChannelBlock];
      const uint32_t o = c % kChannelBlock;
      const Multiplier m = Shifted({block.multiplier[o], block.shift[o]}, by);
      block.multiplier[o] = m.multiplier;
      block.shift[o] = m.shift;
    }
  }
  if (!maps) {
    if (written != 0) MoveClamp(entry, out, &p.clamp_lo, &p.clamp_hi);
    return true;
  }
  auto* table = Own<int8_t>(from.tables, &layer.table, place, &used);
  if (result != 0 || written != 0) {
    FillTable(entry, TimesPowerFloat(entry.table_scale, result), p.table_zero_point, out, table);
  }
  return true;
}

bool RescaleUnary(const LayerView& from, const blob::DriftLayer& entry, const Move& move,
                  const Place& place) {
  blob::LayerRecord& layer = *place.record;
  uint32_t used = 0;
  auto* tables = Own<int8_t>(from.tables, &layer.table, place, &used);
  const bool by_channel = !IsAbsent(layer.extra);
  const uint8_t* index =
      by_channel ? Own<const uint8_t>(from.tables, &layer.extra, place, &used) : nullptr;
  const int32_t in_steps = move.Steps(from.inputs[0]);
  if (in_steps == 0 && move.Steps(layer.output) == 0) return true;
  const blob::TensorRecord& in = place.tensors[from.inputs[0]];
  const blob::TensorRecord& out = place.tensors[layer.output];
  if (!by_channel) {
    FillTable(entry, in.scale, in.zero_point, out, tables);
    return true;
  }
  for (uint32_t c = 0; c < out.dims[3]; ++c) {
    uint32_t first = 0;  // channels that share a table share scale and zero point
    while (index[first] != index[c]) ++first;
    if (first != c) continue;
    const blob::DriftChannel& channel = move.section.channels[entry.first_channel + c];
    FillTable(entry, TimesPowerFloat(channel.scale, in_steps), channel.zero_point, out,
              tables + (size_t)index[c] * 256);
  }
  return true;
}

// round(m * 2^(steps / 8) * 2^(to - from)); both shifts in [1, 30].
int64_t SumFactor(int32_t m, int32_t steps, int32_t from, int32_t to) {
  // Below 2^(15 + 14 + 4), then 2^49.
  const int64_t wide = TimesPower((int64_t)m * (1 << 14), steps) * (1 << 16);
  const int32_t shift = 14 + 16 + from - to;  // 1 to 59
  return (wide + ((int64_t)1 << (shift - 1))) >> shift;
}

bool RescaleAdd(const LayerView& from, const blob::DriftLayer& entry, const Move& move,
                const Place& place) {
  blob::LayerRecord& layer = *place.record;
  auto& p = *reinterpret_cast<blob::BinaryParams*>(layer.params.bytes);
  const int32_t out = move.Steps(layer.output);
  const int32_t a = move.Steps(from.inputs[0]) - out, b = move.Steps(from.inputs[1]) - out;
  if (a != 0 || b != 0) {
    constexpr int64_t kLimit = 1 << kSumFactorBits;
    int64_t ma = 0, mb = 0;
    const int32_t shift = LargestShift(kMostSumShift, [&](int32_t at) {
      ma = SumFactor(p.multiplier_a, a, p.shift, at);
      mb = SumFactor(p.multiplier_b, b, p.shift, at);
      return ma > -kLimit && ma < kLimit && mb > -kLimit && mb < kLimit;
    });
    if (shift == 0) return false;
    p.multiplier_a = (int32_t)ma;
    p.multiplier_b = (int32_t)mb;
    p.shift = shift;
  }
  if (out != 0) MoveClamp(entry, place.tensors[layer.output], &p.clamp_lo, &p.clamp_hi);
  return true;
}

bool RescaleMul(const LayerView& from, const blob::DriftLayer& entry, const Move& move,
                const Place& place) {
  blob::LayerRecord& layer = *place.record;
  auto& p = *reinterpret_cast<blob::BinaryParams*>(layer.params.bytes);
  const int32_t out = move.Steps(layer.output);
  const int32_t steps = move.Steps(from.inputs[0]) + move.Steps(from.inputs[1]) - out;
  if (steps != 0) {
    Range shifts;
    const Multiplier m = Scaled({p.multiplier_a, p.shift}, steps);
    shifts.Add(m);
    int32_t by = 0;
    if (!MovePreShift(shifts, &p.pre_shift, &by)) return false;
    const Multiplier moved = Shifted(m, by);
    p.multiplier_a = moved.multiplier;
    p.shift = moved.shift;
  }
  if (out != 0) MoveClamp(entry, place.tensors[layer.output], &p.clamp_lo, &p.clamp_hi);
  return true;
}

bool RescalePool(const LayerView& from, const blob::DriftLayer& entry, const Move& move,
                 const Place& place) {
  blob::LayerRecord& layer = *place.record;
  auto& p = *reinterpret_cast<blob::PoolParams*>(layer.params.bytes);
  const int32_t out = move.Steps(layer.output);
  const int32_t steps = move.Steps(from.inputs[0]) - out;
  uint32_t used = 0;
  auto* factors = Own<Multiplier>(from.tables, &layer.table, place, &used);
  if (steps != 0) {
    Range shifts;
    for (uint32_t i = 0; i < p.multiplier_count; ++i) {
      factors[i] = Scaled(factors[i], steps);
      shifts.Add(factors[i]);
    }
    int32_t by = 0;
    if (!MovePreShift(shifts, &p.pre_shift, &by)) return false;
    for (uint32_t i = 0; i < p.multiplier_count; ++i) factors[i] = Shifted(factors[i], by);
  }
  if (out != 0) MoveClamp(entry, place.tensors[layer.output], &p.clamp_lo, &p.clamp_hi);
  return true;
}

// The tables of the inputs that moved, or whose output did.
bool RescaleConcat(const LayerView& from, const Move& move, const Place& place) {
  blob::LayerRecord& layer = *place.record;
  uint32_t used = 0;
  auto* tables = Own<int8_t>(from.tables, &layer.table, place, &used);
  const blob::TensorRecord& out = place.tensors[layer.output];
  for (uint32_t i = 0; i < layer.input_count; ++i) {
    if (move.Steps(from.inputs[i]) == move.Steps(layer.output)) continue;
    const blob::TensorRecord& in = place.tensors[from.inputs[i]];
    blob::DriftLayer identity = {};
    FillTable(identity, in.scale, in.zero_point, out, tables + (size_t)i * 256);
  }
  return true;
}

}  // namespace

float TimesPowerFloat(float scale, int32_t steps) {
  const Steps split = SplitSteps(steps);
  return scale * (float)kPowers[split.eighth] * FloatPowerOfTwo(split.octaves - 30);
}

uint64_t DataBytes(const blob::LayerRecord& layer) {
  if (layer.op == blob::Op::kConvert) return 0;
  const uint32_t index = layer.op == blob::Op::kUnary ? layer.extra.bytes : 0;
  return RoundUpTo(layer.channels.bytes, blob::kDataAlignment) +
         RoundUpTo(layer.table.bytes, blob::kDataAlignment) +
         RoundUpTo(index, blob::kDataAlignment);
}

bool Rescale(const LayerView& from, const blob::DriftLayer& entry, const Section& section,
             const int8_t* steps, const Place& place) {
  *place.record = *from.layer;
  const Move move = {section, steps};
  switch (from.layer->op) {
    case blob::Op::kConv:
    case blob::Op::kDepthwiseConv:
      return RescaleConv(from, entry, move, place);
    case blob::Op::kUnary:
      return RescaleUnary(from, entry, move, place);
    case blob::Op::kAdd:
      return RescaleAdd(from, entry, move, place);
    case blob::Op::kMul:
      return RescaleMul(from, entry, move, place);
    case blob::Op::kAveragePool:
      return RescalePool(from, entry, move, place);
    case blob::Op::kConcat:
      return RescaleConcat(from, move, place);
    default:
      break;
  }
  // Convert: to FP16 it reads the tensor's scale.
  if (place.tensors[from.layer->output].type == blob::ElementType::kInt8) {
    auto& p = *reinterpret_cast<blob::ConvertParams*>(place.record->params.bytes);
    p.inverse_scale = TimesPowerFloat(p.inverse_scale, -move.Steps(from.layer->output));
  }
  return true;
}

}  // namespace drift
}  // namespace octet
