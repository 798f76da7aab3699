// Recurrent layers: the check, and from the blob's record to kernel arguments.
#include "runtime/kernels/check.h"
#include "runtime/kernels/recurrent/scratch.h"

namespace octet {
namespace {

bool IsFlag(uint8_t byte) {
  return byte <= 1;
}

bool HasFunctions(const LayerView& view, const blob::RecurrentParams& p) {
  const uint32_t count = p.directions * blob::kFunctionsOfDirection;
  const blob::DataRef& ref = view.layer->extra;
  if (!HasData(ref, (uint64_t)count * sizeof(blob::RecurrentFunction), 4)) return false;
  const blob::RecurrentFunction* functions =
      reinterpret_cast<const blob::RecurrentFunction*>(view.tables + ref.offset);
  for (uint32_t i = 0; i < count; ++i) {
    const blob::RecurrentFunction& f = functions[i];
    const bool known = f.function < blob::kFunctionCount || f.function == blob::kThresholdedRelu ||
                       f.function == blob::kScaledTanh || f.function == blob::kSoftsign;
    if (!known || IsNan(f.alpha) || IsNan(f.beta)) return false;
  }
  return true;
}

bool HasWeights(const LayerView& view, const blob::RecurrentParams& p) {
  const blob::RecurrentLayout layout = blob::LayoutOf(p, IsInt8(view));
  const uint64_t lines = SaturatingMul(layout.lines, p.directions);
  const blob::DataRef& ref = view.layer->channels;
  if (!HasData(view.layer->weights, SaturatingMul(layout.weight_bytes, p.directions),
               blob::kDataAlignment) ||
      !HasData(ref, SaturatingMul(lines, kChannelBlock * sizeof(float)), blob::kDataAlignment)) {
    return false;
  }
  const float* numbers = reinterpret_cast<const float*>(view.channels + ref.offset);
  for (uint64_t line = 0; line < lines; ++line, numbers += kChannelBlock) {
    // Sums of weights are integers: any are, as their products wrap in no sum that counts.
    const uint64_t kind = line % layout.lines / layout.units;
    const bool integers = IsInt8(view) && (kind == 4 || kind == 5);
    for (uint32_t i = 0; i < kChannelBlock; ++i) {
      if (integers) {
        const int32_t sum = reinterpret_cast<const int32_t*>(numbers)[i];
        const int32_t most = (int32_t)blob::kMaxRecurrentDepth * 128;
        if (sum < -most || sum > most) return false;
      } else if (!IsFinite(numbers[i]) ||
                 (numbers[i] != 0.0f && FloatAbs(numbers[i]) < blob::kSmallestRecurrent)) {
        return false;
      }
    }
  }
  return true;
}

// The operands behind the input, and the parts of the output.
bool HasOperands(const LayerView& view, const blob::RecurrentParams& p) {
  const uint64_t states = SaturatingMul((uint64_t)p.directions * p.batch, p.hidden);
  uint32_t next = 1;
  if (view.layer->input_count != 1u + p.initial_h + p.initial_c + p.lengths) return false;
  for (uint32_t i = 0; i < (uint32_t)p.initial_h + p.initial_c; ++i, ++next) {
    const blob::TensorRecord& state = InputOf(view, next);
    if (state.type != blob::ElementType::kFp16 || ElementCount(state) != states) return false;
  }
  if (p.lengths != 0) {
    const blob::TensorRecord& lengths = InputOf(view, next);
    if (lengths.type != blob::ElementType::kInt32 || ElementCount(lengths) != p.batch) return false;
  }
  const struct {
    uint32_t at;
    uint64_t count;
  } parts[] = {{p.y, SaturatingMul(states, p.steps)}, {p.y_h, states}, {p.y_c, states}};
  // They lie one behind another and fill the output.
  uint64_t end = 0;
  for (const auto& part : parts) {
    if (part.at == blob::kNone) continue;
    if (part.at != end) return false;
    end = SaturatingAdd(end, part.count);
  }
  return end != 0 && end == ElementCount(OutputOf(view));
}

}  // namespace

bool CheckRecurrentLayer(const LayerView& view) {
  const blob::RecurrentParams& p = ParamsOf<blob::RecurrentParams>(view);
  const bool int8 = IsInt8(view);
  if (!int8 && view.layer->precision != blob::Precision::kFp16) return false;
  if (view.layer->input_count == 0 || OutputOf(view).type != blob::ElementType::kFp16 ||
      InputOf(view, 0).type != (int8 ? blob::ElementType::kInt8 : blob::ElementType::kFp16)) {
    return false;
  }
  const bool lstm = p.cell == blob::RecurrentCell::kLstm;
  if (p.cell > blob::RecurrentCell::kLstm || p.directions < 1 || p.directions > 2 ||
      !IsFlag(p.reverse) || !IsFlag(p.batch_first) || !IsFlag(p.initial_h) ||
      !IsFlag(p.initial_c) || !IsFlag(p.lengths) || !IsFlag(p.peepholes) ||
      !IsFlag(p.input_forget) || (p.reverse != 0 && p.directions == 2)) {
    return false;
  }
  if (!lstm &&
      (p.initial_c != 0 || p.peepholes != 0 || p.input_forget != 0 || p.y_c != blob::kNone)) {
    return false;
  }
  if (p.steps == 0 || p.batch == 0 || p.input == 0 || p.hidden == 0 ||
      p.input > blob::kMaxRecurrentDepth || p.hidden > blob::kMaxRecurrentDepth) {
    return false;
  }
  if (!(p.clip > 0.0f) || (int8 && !(p.hidden_inverse > 0.0f && IsFinite(p.hidden_inverse)))) {
    return false;
  }
  return SaturatingMul((uint64_t)p.steps * p.batch, p.input) == ElementCount(InputOf(view, 0)) &&
         InputOf(view, 0).per_channel == 0 && HasOperands(view, p) && HasFunctions(view, p) &&
         HasWeights(view, p);
}

uint64_t ScratchRecurrentLayer(const LayerView& view, Isa) {
  return RecurrentScratchOf(ParamsOf<blob::RecurrentParams>(view), IsInt8(view)).bytes;
}

LayerCost CostRecurrentLayer(const LayerView& view) {
  const blob::RecurrentParams& p = ParamsOf<blob::RecurrentParams>(view);
  const uint64_t cells =
      SaturatingMul(SaturatingMul((uint64_t)p.steps * p.batch, p.directions), p.hidden);
  const uint64_t products = (uint64_t)blob::GatesOf(p.cell) * ((uint64_t)p.input + p.hidden);
  constexpr uint64_t kStepsOfGates = 64;  // functions and sums of all gates of a channel
  return LayerCost{SaturatingMul(cells, products), 1, 1, SaturatingMul(cells, kStepsOfGates)};
}

void RunRecurrentLayer(const LayerView& view, const RunContext& context) {
  const blob::RecurrentParams& p = ParamsOf<blob::RecurrentParams>(view);
  RecurrentArgs args = {};
  args.params = &p;
  args.functions =
      reinterpret_cast<const blob::RecurrentFunction*>(view.tables + view.layer->extra.offset);
  args.weights = view.weights + view.layer->weights.offset;
  args.channels = view.channels + view.layer->channels.offset;
  args.input = PlaceOf(context, InputOf(view, 0));
  uint32_t next = 1;
  const auto operand = [&](uint8_t present) -> const uint8_t* {
    return present != 0 ? PlaceOf(context, InputOf(view, next++)) : nullptr;
  };
  args.initial_h = reinterpret_cast<const uint16_t*>(operand(p.initial_h));
  args.initial_c = reinterpret_cast<const uint16_t*>(operand(p.initial_c));
  args.lengths = reinterpret_cast<const int32_t*>(operand(p.lengths));
  args.output = reinterpret_cast<uint16_t*>(PlaceOf(context, OutputOf(view)));
  args.scratch = context.scratch;
  args.zero_point = InputOf(view, 0).zero_point;
  args.sign = context.sign;
  IsInt8(view) ? context.kernels->recurrent_s8(args, context.share)
               : context.kernels->recurrent_f16(args, context.share);
}

}  // namespace octet
