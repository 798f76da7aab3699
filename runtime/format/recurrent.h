// Parameters of the recurrent operator (RNN, GRU, LSTM), and how its weights and the numbers of its
// channels lie. FORMAT.md is the specification.
#ifndef OCTET_FORMAT_RECURRENT_H_
#define OCTET_FORMAT_RECURRENT_H_

#include <stdint.h>

#include "runtime/format/blob.h"

namespace octet {
namespace blob {

// One step of a sequence, every gate a vector of `hidden` channels, W x and R h products of the
// gate's matrices with their biases, f, g and h functions:
//   kRnn   h = f(W x + R h)
//   kGru   z = f(W x + R h); r = f(W x + R h); n = g(W x + R (r h)); h = (1 - z) n + z h
//   kGruAfter  n = g(W x + r (R h)), else the same
//   kLstm  i = f(W x + R h + P c); o, f, c in memory behind it; f = f(W x + R h + P c) or 1 - i;
//          c = f c + i g(W x + R h); o = f(W x + R h + P c); h = o h(c)
// What goes into f and g is cut off at +-clip. Both operands of a step's sums and all functions are
// floats (kernels/half_function.inl.h); h and c are rounded to FP16 at the end of each step. int8:
// products of x and of codes of h in 32 bits, which become floats before anything is added.
enum class RecurrentCell : uint8_t { kRnn = 0, kGru = 1, kGruAfter = 2, kLstm = 3 };

// Input [steps, batch, input]; output: any of y [steps, directions, batch, hidden], y_h and y_c
// [directions, batch, hidden], FP16, each from the element on that its field names (kNone: absent).
// batch_first: [batch, steps, input], [batch, steps, directions, hidden], [batch, directions,
// hidden]. Further operands, in this order, each where its field is 1: initial h, initial c (FP16,
// as y_h), lengths (int32, [batch]): a sequence ends after so many steps, and y is 0 from there.
struct RecurrentParams {
  RecurrentCell cell;
  uint8_t directions;  // 1 or 2
  uint8_t reverse;     // 1: the first direction runs from the last step to the first; the second
                       // always does
  uint8_t batch_first;
  uint8_t initial_h, initial_c, lengths;
  uint8_t peepholes;     // LSTM: P
  uint8_t input_forget;  // LSTM: f = 1 - i
  uint8_t reserved[3];
  uint32_t steps, batch, input, hidden;
  uint32_t y, y_h, y_c;
  float clip;            // above 0; infinite: none
  float hidden_inverse;  // int8: code of h = round(h * hidden_inverse), halves to even, in +-127
};
static_assert(sizeof(RecurrentParams) == 48, "RecurrentParams layout");

// layer.extra: RecurrentFunction[directions][3]: f, g and h. `function`: blob::Function, or
constexpr uint32_t kThresholdedRelu = 128;  // x > alpha ? x : 0
constexpr uint32_t kScaledTanh = 129;       // alpha * tanh(beta * x)
constexpr uint32_t kSoftsign = 130;         // x / (1 + |x|)
struct RecurrentFunction {
  uint32_t function;
  float alpha, beta;
};
constexpr uint32_t kFunctionsOfDirection = 3;
static_assert(sizeof(RecurrentFunction) == 12, "RecurrentFunction layout");

// Most products of a sum, of either matrix: exact in 32 bits, zero points included.
constexpr uint32_t kMaxRecurrentDepth = 32768;
constexpr uint32_t kRecurrentGroup = 8;  // int8: the depth is a multiple of it, zeros behind

static constexpr uint32_t GatesOf(RecurrentCell cell) {
  return cell == RecurrentCell::kRnn ? 1 : cell == RecurrentCell::kLstm ? 4 : 3;
}

// Of one direction; those of the second lie behind it. `unit`: 16 channels of one gate. Units are
// numbered [ceil(hidden / 16)][gates]; gates are i, o, f, c or z, r, n as ONNX orders them.
//   weights   W [units][depth][16], then R [units][depth][16]: int8 [depth / 4][16][4]
//   channels  float bias of W [units][16], of R; int8: float scale of W [units][16], of R, int32
//             sums of weights of W, of R; with peepholes float P [ceil(hidden / 16)][i, o, f][16]
struct RecurrentLayout {
  uint32_t blocks, gates, units;
  uint32_t input_depth, hidden_depth;
  uint64_t input_bytes, hidden_bytes;  // of a unit
  uint64_t weight_bytes;               // of a direction
  uint64_t lines;                      // of 16 numbers, of a direction
};
static constexpr RecurrentLayout LayoutOf(const RecurrentParams& p, bool int8) {
  RecurrentLayout layout{};
  layout.blocks = p.hidden / kChannelBlock + (p.hidden % kChannelBlock != 0);
  layout.gates = GatesOf(p.cell);
  layout.units = layout.blocks * layout.gates;
  const uint32_t group = int8 ? kRecurrentGroup : 1, bytes = int8 ? 1 : 2;
  layout.input_depth = (p.input + group - 1) / group * group;
  layout.hidden_depth = (p.hidden + group - 1) / group * group;
  layout.input_bytes = (uint64_t)layout.input_depth * kChannelBlock * bytes;
  layout.hidden_bytes = (uint64_t)layout.hidden_depth * kChannelBlock * bytes;
  layout.weight_bytes = layout.units * (layout.input_bytes + layout.hidden_bytes);
  layout.lines =
      (uint64_t)layout.units * (int8 ? 6 : 2) + (p.peepholes != 0 ? layout.blocks * 3 : 0);
  return layout;
}

// Numbers of the channels are 0 or at least this large, so that no sum is subnormal.
constexpr float kSmallestRecurrent = 8.6736174e-19f;  // 2^-60

}  // namespace blob
}  // namespace octet

#endif  // OCTET_FORMAT_RECURRENT_H_
