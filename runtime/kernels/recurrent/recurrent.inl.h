// The walk over steps and gates of a recurrent layer, for every level. Internal linkage.
//
// A Level brings
//   Value, Sum, Weight     of unpacked operands, of sums, of weights
//   kLanes                 floats of a vector of the gates
//   kInt8; kOffset         int8: what Pack adds to codes
//   Pack(args, from, count, to)   elements of the input
//   Hold(h, args, to)             16 numbers of h, in floats, as operands of R
//   Dot<kRows, kUnits>(weights, unit_step, x, x_step, depth, sums)   sums[row * kUnits + unit][16]
//     += products of row x and unit; unit_step counts weights. FP16: a third word, kHalves, says
//     that x holds FP16 numbers: floats hold each product, and a fused sum has the same bits
//   Widen(from, count, to), Narrow(from, count, to)   halves and floats; floats in whole vectors
#ifndef OCTET_KERNELS_RECURRENT_RECURRENT_INL_H_
#define OCTET_KERNELS_RECURRENT_RECURRENT_INL_H_

#include <string.h>

#include "runtime/kernels/recurrent/gates.inl.h"
#include "runtime/kernels/recurrent/recurrent.h"
#include "runtime/kernels/recurrent/scratch.h"

namespace octet {
namespace {

// One sequence of one direction.
template <typename Level>
class Recurrence {
 public:
  Recurrence(const RecurrentArgs& args, uint32_t direction, uint32_t entry)
      : args_(args),
        p_(*args.params),
        layout_(blob::LayoutOf(p_, Level::kInt8)),
        parts_(RecurrentScratchOf(p_, Level::kInt8)),
        direction_(direction),
        entry_(entry),
        functions_(args.functions + direction * blob::kFunctionsOfDirection) {
    input_weights_ =
        reinterpret_cast<const Weight*>(args.weights + direction * layout_.weight_bytes);
    hidden_weights_ = input_weights_ + layout_.units * layout_.input_bytes / sizeof(Weight);
    lines_ =
        reinterpret_cast<const float*>(args.channels) + direction * layout_.lines * kChannelBlock;
    x_ = reinterpret_cast<Value*>(args.scratch);
    h_ = reinterpret_cast<Value*>(args.scratch + parts_.h);
    next_ = h_ + parts_.h_step;
    sums_ = reinterpret_cast<Line*>(args.scratch + parts_.sums);
    state_ = reinterpret_cast<Line*>(args.scratch + parts_.state);
    cell_ = reinterpret_cast<Line*>(args.scratch + parts_.cell);
    gate_ = reinterpret_cast<Line*>(args.scratch + parts_.gate);
  }

  void Run() {
    uint32_t steps = p_.steps;
    if (args_.lengths != nullptr) {
      const int32_t length = args_.lengths[entry_];
      steps = length < 0 ? 0 : (uint32_t)length < steps ? (uint32_t)length : steps;
    }
    const bool reverse = direction_ == 1 || p_.reverse != 0;
    Begin();
    for (uint32_t first = 0; first < steps; first += kRecurrentTile) {
      const uint32_t rows = steps - first < kRecurrentTile ? steps - first : kRecurrentTile;
      for (uint32_t r = 0; r < rows; ++r) {
        const uint64_t step = reverse ? steps - 1 - first - r : first + r;
        Level::Pack(args_, InputIndex(step), p_.input, x_ + r * parts_.x_step);
      }
      MultiplyInput(rows);
      for (uint32_t r = 0; r < rows; ++r) {
        const uint64_t step = reverse ? steps - 1 - first - r : first + r;
        Step(sums_ + (uint64_t)r * layout_.units);
        if (p_.y != blob::kNone) Write(state_, p_.y + OutputIndex(step));
      }
    }
    for (uint64_t step = steps; p_.y != blob::kNone && step < p_.steps; ++step) {
      memset(args_.output + p_.y + OutputIndex(step), 0, (size_t)p_.hidden * sizeof(uint16_t));
    }
    if (p_.y_h != blob::kNone) Write(state_, p_.y_h + StateIndex());
    if (p_.y_c != blob::kNone) Write(cell_, p_.y_c + StateIndex());
  }

 private:
  typedef typename Level::Value Value;
  typedef typename Level::Sum Sum;
  typedef typename Level::Weight Weight;
  enum Numbers { kInputBias, kHiddenBias, kInputScale, kHiddenScale, kInputSum, kHiddenSum };

  uint64_t InputIndex(uint64_t step) const {
    return (p_.batch_first != 0 ? (uint64_t)entry_ * p_.steps + step : step * p_.batch + entry_) *
           p_.input;
  }
  uint64_t OutputIndex(uint64_t step) const {
    return (p_.batch_first != 0 ? ((uint64_t)entry_ * p_.steps + step) * p_.directions + direction_
                                : (step * p_.directions + direction_) * p_.batch + entry_) *
           p_.hidden;
  }
  uint64_t StateIndex() const {
    return (p_.batch_first != 0 ? (uint64_t)entry_ * p_.directions + direction_
                                : (uint64_t)direction_ * p_.batch + entry_) *
           p_.hidden;
  }

  uint32_t WidthOf(uint32_t block) const {
    const uint32_t left = p_.hidden - block * kChannelBlock;
    return left < kChannelBlock ? left : kChannelBlock;
  }

  void Write(const Line* from, uint64_t at) const {
    for (uint32_t b = 0; b < layout_.blocks; ++b) {
      Level::Narrow(from[b].at, WidthOf(b), args_.output + at + b * kChannelBlock);
    }
  }

  void Begin() {
    memset(h_, 0, (size_t)parts_.h_step * 2 * sizeof(Value));
    // Behind the inputs of a row the depth is filled with zeros.
    memset(x_, 0, (size_t)parts_.x_step * kRecurrentTile * sizeof(Value));
    for (uint32_t b = 0; b < layout_.blocks; ++b) {
      Read(args_.initial_h, b, &state_[b]);
      Read(args_.initial_c, b, &cell_[b]);
      Level::Hold(state_[b].at, args_, h_ + b * kChannelBlock);
    }
  }
  void Read(const uint16_t* from, uint32_t block, Line* line) const {
    memset(line, 0, sizeof(*line));
    if (from == nullptr) return;
    uint16_t halves[kChannelBlock] = {};
    memcpy(halves, from + StateIndex() + block * kChannelBlock, WidthOf(block) * sizeof(uint16_t));
    Level::Widen(halves, kChannelBlock, line->at);
  }

  const float* LineOf(Numbers numbers, uint32_t unit) const {
    return lines_ + ((uint64_t)numbers * layout_.units + unit) * kChannelBlock;
  }

  // Sums of kRows rows and kUnits units from `unit` on, as numbers.
  template <uint32_t kRows, uint32_t kUnits, bool kHalves = true>
  void Multiply(bool hidden, const Value* x, uint32_t unit, Line* out, uint64_t out_step) {
    const uint64_t unit_weights =
        (hidden ? layout_.hidden_bytes : layout_.input_bytes) / sizeof(Weight);
    const Weight* weights = (hidden ? hidden_weights_ : input_weights_) + unit * unit_weights;
    const uint32_t depth = hidden ? layout_.hidden_depth : layout_.input_depth;
    const float* bias = LineOf(hidden ? kHiddenBias : kInputBias, unit);
    alignas(64) Sum sums[kRows * kUnits][kChannelBlock];
    if constexpr (Level::kInt8) {
      memset(sums, 0, sizeof(sums));
    } else {
      for (uint32_t r = 0; r < kRows; ++r) {
        memcpy(sums[r * kUnits], bias, sizeof(*sums) * kUnits);
      }
    }
    if constexpr (Level::kInt8) {
      Level::template Dot<kRows, kUnits>(weights, unit_weights, x, parts_.x_step, depth, sums);
    } else {
      Level::template Dot<kRows, kUnits, kHalves>(weights, unit_weights, x, parts_.x_step, depth,
                                                  sums);
    }
    for (uint32_t r = 0; r < kRows; ++r) {
      for (uint32_t u = 0; u < kUnits; ++u) {
        float* to = out[r * out_step + u].at;
        const Sum* from = sums[r * kUnits + u];
        if constexpr (Level::kInt8) {
          const int32_t zero = Level::kOffset + (hidden ? 0 : args_.zero_point);
          const float* scale = LineOf(hidden ? kHiddenScale : kInputScale, unit + u);
          const int32_t* total =
              reinterpret_cast<const int32_t*>(LineOf(hidden ? kHiddenSum : kInputSum, unit + u));
          for (uint32_t i = 0; i < kChannelBlock; ++i) {
            to[i] = (float)(from[i] - zero * total[i]) * scale[i] + bias[u * kChannelBlock + i];
          }
        } else {
          memcpy(to, from, sizeof(*sums));
        }
      }
    }
  }

  void MultiplyInput(uint32_t rows) {
    if (rows == kRecurrentTile) {
      for (uint32_t unit = 0; unit < layout_.units; ++unit) {
        Multiply<kRecurrentTile, 1>(false, x_, unit, sums_ + unit, layout_.units);
      }
      return;
    }
    for (uint32_t r = 0; r < rows; ++r) {
      Line* sums = sums_ + (uint64_t)r * layout_.units;
      for (uint32_t unit = 0; unit < layout_.units; unit += layout_.gates) {
        MultiplyGates(false, x_ + r * parts_.x_step, unit, layout_.gates, sums + unit);
      }
    }
  }

  // `count` gates of a block.
  void MultiplyGates(bool hidden, const Value* x, uint32_t unit, uint32_t count, Line* out) {
    switch (count) {
      case 1:
        return Multiply<1, 1>(hidden, x, unit, out, 0);
      case 2:
        return Multiply<1, 2>(hidden, x, unit, out, 0);
      case 3:
        return Multiply<1, 3>(hidden, x, unit, out, 0);
      default:
        return Multiply<1, 4>(hidden, x, unit, out, 0);
    }
  }

  void Use(uint32_t function, Line* line) const {
    Activate<Level::kLanes>(functions_[function], p_.clip, line);
  }

  // To FP16 and back; every NaN is the same one.
  static void Round(Line* line) {
    uint16_t halves[kChannelBlock];
    for (float& x : line->at) x = x != x ? BitsFloat(0x7FC00000u) : x;
    Level::Narrow(line->at, kChannelBlock, halves);
    Level::Widen(halves, kChannelBlock, line->at);
  }

  // h of a block is known.
  void Keep(uint32_t block, Line* h, Value* to) {
    Round(h);
    state_[block] = *h;
    Level::Hold(h->at, args_, to + block * kChannelBlock);
  }

  void Step(const Line* input) {
    switch (p_.cell) {
      case blob::RecurrentCell::kRnn:
        StepRnn(input);
        break;
      case blob::RecurrentCell::kGru:
        return StepGru(input);
      case blob::RecurrentCell::kGruAfter:
        StepGruAfter(input);
        break;
      default:
        StepLstm(input);
    }
    Value* const held = h_;
    h_ = next_;
    next_ = held;
  }

  void StepRnn(const Line* input) {
    for (uint32_t b = 0; b < layout_.blocks; ++b) {
      Line h;
      MultiplyGates(true, h_, b, 1, &h);
      for (uint32_t i = 0; i < kChannelBlock; ++i) h.at[i] = input[b].at[i] + h.at[i];
      Use(0, &h);
      Keep(b, &h, next_);
    }
  }

  // h = (1 - z) n + z h.
  void Mix(uint32_t block, const Line& z, const Line& n, Value* to) {
    Line h;
    for (uint32_t i = 0; i < kChannelBlock; ++i) {
      h.at[i] = (1.0f - z.at[i]) * n.at[i] + z.at[i] * state_[block].at[i];
    }
    Keep(block, &h, to);
  }

  void StepGruAfter(const Line* input) {
    for (uint32_t b = 0; b < layout_.blocks; ++b) {
      Line gates[3];
      const Line* x = input + b * 3;
      MultiplyGates(true, h_, b * 3, 3, gates);
      for (uint32_t g = 0; g < 2; ++g) {
        for (uint32_t i = 0; i < kChannelBlock; ++i) gates[g].at[i] = x[g].at[i] + gates[g].at[i];
        Use(0, &gates[g]);
      }
      for (uint32_t i = 0; i < kChannelBlock; ++i) {
        gates[2].at[i] = x[2].at[i] + gates[1].at[i] * gates[2].at[i];
      }
      Use(1, &gates[2]);
      Mix(b, gates[0], gates[2], next_);
    }
  }

  void StepGru(const Line* input) {
    for (uint32_t b = 0; b < layout_.blocks; ++b) {
      Line gates[2], reset;
      const Line* x = input + b * 3;
      MultiplyGates(true, h_, b * 3, 2, gates);
      for (uint32_t g = 0; g < 2; ++g) {
        for (uint32_t i = 0; i < kChannelBlock; ++i) gates[g].at[i] = x[g].at[i] + gates[g].at[i];
        Use(0, &gates[g]);
      }
      gate_[b] = gates[0];
      for (uint32_t i = 0; i < kChannelBlock; ++i) {
        reset.at[i] = gates[1].at[i] * state_[b].at[i];
      }
      Level::Hold(reset.at, args_, next_ + b * kChannelBlock);
    }
    for (uint32_t b = 0; b < layout_.blocks; ++b) {
      Line n;
      Multiply<1, 1, false>(true, next_, b * 3 + 2, &n, 0);  // r h is not rounded to FP16
      for (uint32_t i = 0; i < kChannelBlock; ++i) n.at[i] = input[b * 3 + 2].at[i] + n.at[i];
      Use(1, &n);
      Mix(b, gate_[b], n, h_);
    }
  }

  // gate += P c.
  void Peep(uint32_t block, uint32_t gate, const Line& c, Line* line) const {
    if (p_.peepholes == 0) return;
    const float* factors =
        lines_ +
        ((uint64_t)layout_.units * (Level::kInt8 ? 6 : 2) + block * 3 + gate) * kChannelBlock;
    for (uint32_t i = 0; i < kChannelBlock; ++i) line->at[i] += factors[i] * c.at[i];
  }

  void StepLstm(const Line* input) {
    for (uint32_t b = 0; b < layout_.blocks; ++b) {
      Line gates[4];  // i, o, f, c
      MultiplyGates(true, h_, b * 4, 4, gates);
      for (uint32_t g = 0; g < 4; ++g) {
        for (uint32_t i = 0; i < kChannelBlock; ++i) {
          gates[g].at[i] = input[b * 4 + g].at[i] + gates[g].at[i];
        }
      }
      Line& c = cell_[b];
      Peep(b, 0, c, &gates[0]);
      Use(0, &gates[0]);
      if (p_.input_forget != 0) {
        for (uint32_t i = 0; i < kChannelBlock; ++i) gates[2].at[i] = 1.0f - gates[0].at[i];
      } else {
        Peep(b, 2, c, &gates[2]);
        Use(0, &gates[2]);
      }
      Use(1, &gates[3]);
      for (uint32_t i = 0; i < kChannelBlock; ++i) {
        c.at[i] = gates[2].at[i] * c.at[i] + gates[0].at[i] * gates[3].at[i];
      }
      Round(&c);
      Peep(b, 1, c, &gates[1]);
      Use(0, &gates[1]);
      Line h = c;
      Activate<Level::kLanes>(functions_[2], BitsFloat(0x7F800000u), &h);
      for (uint32_t i = 0; i < kChannelBlock; ++i) h.at[i] = gates[1].at[i] * h.at[i];
      Keep(b, &h, next_);
    }
  }

  const RecurrentArgs& args_;
  const blob::RecurrentParams& p_;
  const blob::RecurrentLayout layout_;
  const RecurrentScratch parts_;
  const uint32_t direction_, entry_;
  const blob::RecurrentFunction* functions_;
  const Weight *input_weights_, *hidden_weights_;
  const float* lines_;
  Value *x_, *h_, *next_;
  Line *sums_, *state_, *cell_, *gate_;
};

template <typename Level>
static inline void RunRecurrent(const RecurrentArgs& args, Share share) {
  const blob::RecurrentParams& p = *args.params;
  const Range units = RangeOf((uint64_t)p.directions * p.batch, share);
  for (uint64_t unit = units.begin; unit < units.end; ++unit) {
    Recurrence<Level>(args, (uint32_t)(unit / p.batch), (uint32_t)(unit % p.batch)).Run();
  }
}

// Code of a number of h: halves to even by the sum with 1.5 * 2^23; NaN gives -127.
static inline int32_t HeldCode(float h, float inverse) {
  const float x = h * inverse;
  const float low = x > -127.0f ? x : -127.0f;
  const float cut = low < 127.0f ? low : 127.0f;
  return (int32_t)(FloatBits(cut + 12582912.0f) - 0x4B400000u);
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_RECURRENT_RECURRENT_INL_H_
