// The recurrent operators of ONNX, RNN, GRU and LSTM: what their attributes say. Inputs are X, W,
// R, B, sequence_lens, initial_h, and of LSTM initial_c, P; outputs Y, Y_h, and of LSTM Y_c.
#ifndef OCTET_CONVERTER_OPERATORS_RECURRENT_H_
#define OCTET_CONVERTER_OPERATORS_RECURRENT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "converter/graph/graph.h"

namespace octet::operators {

enum RecurrentInput : size_t {
  kRecurrentX,
  kRecurrentW,
  kRecurrentR,
  kRecurrentB,
  kRecurrentLengths,
  kRecurrentInitialH,
  kRecurrentInitialC,
  kRecurrentP,
};

enum class Cell : uint8_t { kRnn, kGru, kLstm };
// Functions that the attribute `activations` names.
enum class CellFunctionKind : uint8_t {
  kAbsent,  // the cell has fewer functions
  kAffine,
  kElu,
  kHardSigmoid,
  kLeakyRelu,
  kRelu,
  kScaledTanh,
  kSigmoid,
  kSoftplus,
  kSoftsign,
  kTanh,
  kThresholdedRelu,
};
struct CellFunction {
  CellFunctionKind kind = CellFunctionKind::kAbsent;
  float alpha = 0, beta = 0;
};
struct Recurrent {
  Cell cell = Cell::kRnn;
  bool reverse = false;  // the first direction; the second always is
  int64_t directions = 1;
  bool batch_first = false;
  bool linear_before_reset = false;
  bool input_forget = false;
  float clip = 0;  // 0: none
  // f, g and h of each direction, one behind another.
  std::vector<CellFunction> functions;

  int64_t gates() const { return cell == Cell::kRnn ? 1 : cell == Cell::kGru ? 3 : 4; }
};

bool IsRecurrent(const graph::Node& node);
// UserError where an attribute is none of ONNX.
Recurrent RecurrentOf(const graph::Node& node);
// Whether every h that a step computes lies in [-1, 1] if the one before does.
bool HasUnitStates(const Recurrent& recurrent);
// Inputs and results that are FP16 in every plan: states are never rounded to 8 bits. The results
// are converted where int8 layers read them.
bool ReadsHalves(const graph::Node& node, size_t input);
bool WritesHalves(const graph::Node& node);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_RECURRENT_H_
